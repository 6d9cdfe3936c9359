import { t } from "../../../languages/text.ts";
import type { Call } from "./queries.ts";

/** What may happen to a call. `none`: no rule decides. */
export type Outcome = "ask" | "allow" | "deny" | "none";

export const OUTCOMES: Readonly<Record<Outcome, { would: string; was: string; tone: string }>> = {
  ask: { would: t("Ask a person"), was: t("Asked"), tone: "info" },
  allow: { would: t("Allow"), was: t("Allowed"), tone: "ok" },
  deny: { would: t("Deny"), was: t("Denied"), tone: "bad" },
  none: { would: t("Not decided"), was: t("Not decided"), tone: "mute" },
};

/** Which calls are shown. */
export type Shown = Outcome | "all" | "changed";

export const SHOWN: Readonly<Record<Shown, string>> = {
  all: t("All calls"),
  ask: t("Calls that would ask a person"),
  allow: t("Calls that would be allowed"),
  deny: t("Calls that would be denied"),
  none: t("Calls that no rule decides"),
  changed: t("Calls that were decided differently"),
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
