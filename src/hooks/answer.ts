import type { DecisionRecord } from "../actions/action.ts";
import type { ServiceError } from "../errors.ts";
import { isJsonObject, type JsonObject } from "../lib/json.ts";
import { HOOK_EVENTS, type HookAnswer, type HookEvent, type RuleDecision } from "./schema.ts";

/** What is decided about a call, before it is written for its event. `ask`: Claude Code asks the person at the terminal. */
export type Verdict =
  | { decision: "allow"; reason: string; input?: JsonObject }
  | { decision: "deny" | "ask"; reason: string };

export const PENDING: Verdict = {
  decision: "deny",
  reason:
    "Pending, ask again: no person has decided about this call yet. Make the same call with the same arguments later.",
};

/** Whether a person has decided is not known. */
export const NOT_READ: Verdict = {
  decision: "deny",
  reason:
    "Pending, ask again: the service could not reach its database. Make the same call with the same arguments later.",
};

/** People decided about something else than the call. */
export const REVISED: Verdict = {
  decision: "deny",
  reason:
    "The request about this call was changed, so its answer does not count for the call. Make the same call with the same arguments to ask again.",
};

/** Returns the answer to a hook as Claude Code documents it. @param verdict - null: nothing is decided */
export function answerTo(hookEventName: HookEvent, verdict: Verdict | null): HookAnswer {
  if (verdict === null) return {};
  const { decision, reason } = verdict;
  const updatedInput = verdict.decision === "allow" && verdict.input !== undefined && { updatedInput: verdict.input };
  if (hookEventName === "PreToolUse")
    return {
      hookSpecificOutput: {
        hookEventName,
        permissionDecision: decision,
        permissionDecisionReason: reason,
        ...updatedInput,
      },
    };
  // This event has no `ask`: without a decision, Claude Code shows its dialog.
  if (decision === "ask") return {};
  const told = decision === "deny" ? { message: reason } : updatedInput;
  return { hookSpecificOutput: { hookEventName, decision: { behavior: decision, ...told } } };
}

/** Returns what a rule means that asks no one. @param decision - null: no rule decides */
export function verdictOfRule(decision: Exclude<RuleDecision, "ask"> | null): Verdict | null {
  switch (decision) {
    case "allow":
      return { decision, reason: "A rule of the service allows this call." };
    case "deny":
      return { decision, reason: "A rule of the service denies this call." };
    case null:
      return null;
  }
}

/** Returns what a person's decision means for the call. */
export function verdictOf({ decision, args, message }: DecisionRecord): Verdict {
  switch (decision) {
    case "approve":
      return { decision: "allow", reason: message ?? "A person approved this call." };
    case "edit":
      return { decision: "allow", reason: message ?? "A person changed and approved this call.", input: args! };
    case "reject":
      return { decision: "deny", reason: message ?? "A person rejected this call." };
    case "respond":
      return { decision: "deny", reason: message! };
  }
}

/**
 * Returns the answer to a call that could not be asked about; null for an event that decides nothing. Claude Code goes on after
 * an error status as if there were no hook, so an error must be a denial, or bad arguments would be a way around people.
 *
 * @param body - may be anything; undefined if it could not be read
 */
export function answerOfFailure({ message }: ServiceError, body: unknown): HookAnswer | null {
  const reason = `No person could be asked about this call: ${message}`;
  // Of an unreadable body the event is not known. This denies a PreToolUse; for a PermissionRequest, the dialog is shown.
  if (body === undefined) return { decision: "block", reason };
  const named = isJsonObject(body) ? body["hook_event_name"] : undefined;
  const event = HOOK_EVENTS.find((known) => known === named);
  return event === undefined ? null : answerTo(event, { decision: "deny", reason });
}
