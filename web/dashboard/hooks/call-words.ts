import type { Call } from "./queries.ts";

/** What may happen to a call. `none`: no rule decides. */
export type Outcome = "ask" | "allow" | "deny" | "none";

export const OUTCOMES: Readonly<Record<Outcome, { would: string; was: string; tone: string }>> = {
  ask: { would: "Ask a person", was: "Asked", tone: "info" },
  allow: { would: "Allow", was: "Allowed", tone: "ok" },
  deny: { would: "Deny", was: "Denied", tone: "bad" },
  none: { would: "Not decided", was: "Not decided", tone: "mute" },
};

/** Which calls are shown. */
export type Shown = Outcome | "all" | "changed";

export const SHOWN: Readonly<Record<Shown, string>> = {
  all: "All calls",
  ask: "Calls that would ask a person",
  allow: "Calls that would be allowed",
  deny: "Calls that would be denied",
  none: "Calls that no rule decides",
  changed: "Calls that were decided differently",
};

export function outcomeOf({ decision }: Call["would"] | Call["was"]): Outcome {
  return decision ?? "none";
}

/** Returns how many calls fit. Identical calls are one row with a count. */
export function totalOf(calls: readonly Call[], fits: (call: Call) => boolean): number {
  return calls.reduce((sum, call) => sum + (fits(call) ? call.count : 0), 0);
}

export function isShown({ was, would }: Call, shown: Shown): boolean {
  if (shown === "all") return true;
  return shown === "changed" ? was.decision !== would.decision : outcomeOf(would) === shown;
}
