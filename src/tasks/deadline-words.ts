import { cutText, oneLine } from "../../form/plain-text.ts";
import { chosenOption } from "../../form/plan/chosen.ts";
import type { Form } from "../../form/plan/plan.ts";
import { parseJson } from "../lib/json.ts";
import { DAY, HOUR, MINUTE } from "../lib/time.ts";
import type { TaskWithDocuments } from "./store.ts";

/** Characters of an option in a sentence, as people count them. */
const OPTION_MAX = 80;

/**
 * Returns an answer in a word: the option that it chooses. null if it has none. A redacted task tells nothing of it.
 *
 * @param form - of the task
 * @param answer - as stored or sent
 */
export function optionOf(form: Form, answer: unknown, { redact_payload }: { redact_payload: boolean }): string | null {
  return redact_payload ? null : cutText(oneLine(chosenOption(form, answer) ?? ""), OPTION_MAX) || null;
}

/**
 * Says what counts if no one answers: "If no one answers by then, the answer “Reject” counts." Returns "" if nothing does.
 *
 * @param on_timeout - the answer that counts then; null without any
 * @param by - the deadline, in words
 */
export function sayFallback(
  form: Form,
  { on_timeout, redact_payload }: { on_timeout: unknown; redact_payload: boolean },
  by = "then",
): string {
  if (on_timeout === null) return "";
  const option = optionOf(form, on_timeout, { redact_payload });
  return `If no one answers by ${by}, the answer ${option === null ? "given beforehand" : `“${option}”`} counts.`;
}

/** The same for a stored task. */
export function otherwiseOf(form: Form, task: Pick<TaskWithDocuments, "on_timeout" | "redact_payload">): string {
  const { on_timeout, redact_payload } = task;
  return sayFallback(form, { on_timeout: parseJson(on_timeout), redact_payload });
}

/** Says how long is left: "25 minutes", "3 hours", "2 days". @param left - milliseconds, more than 0 */
export function sayLeft(left: number): string {
  if (left >= 2 * DAY) return `${Math.floor(left / DAY)} days`;
  if (left >= 2 * HOUR) return `${Math.floor(left / HOUR)} hours`;
  const minutes = Math.ceil(left / MINUTE);
  return minutes === 1 ? "1 minute" : `${minutes} minutes`;
}
