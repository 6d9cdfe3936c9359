import { cutText, oneLine } from "../../form/plain-text.ts";
import { chosenOption } from "../../form/plan/chosen.ts";
import type { Form } from "../../form/plan/plan.ts";
import { locale, plural, t } from "../../languages/text.ts";
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
 * @param deadline - in words; without it, the sentence follows one about the deadline
 */
export function sayFallback(
  form: Form,
  { on_timeout, redact_payload }: { on_timeout: unknown; redact_payload: boolean },
  deadline?: string,
): string {
  if (on_timeout === null) return "";
  const option = optionOf(form, on_timeout, { redact_payload });
  if (deadline === undefined)
    return option === null
      ? t("If no one answers by then, the answer given beforehand counts.")
      : t("If no one answers by then, the answer “{option}” counts.", { option });
  return option === null
    ? t("If no one answers by {deadline}, the answer given beforehand counts.", { deadline })
    : t("If no one answers by {deadline}, the answer “{option}” counts.", { deadline, option });
}

/** The same for a stored task. */
export function otherwiseOf(form: Form, task: Pick<TaskWithDocuments, "on_timeout" | "redact_payload">): string {
  const { on_timeout, redact_payload } = task;
  return sayFallback(form, { on_timeout: parseJson(on_timeout), redact_payload });
}

/** Says how long is left: "25 minutes", "3 hours", "2 days". @param left - milliseconds, more than 0 */
export function sayLeft(left: number): string {
  const { n, unit } = inUnits(left);
  switch (unit) {
    case "day":
      return plural(n, "{n} day", "{n} days");
    case "hour":
      return plural(n, "{n} hour", "{n} hours");
    case "minute":
      return plural(n, "{n} minute", "{n} minutes");
  }
}

/** Says when it is over: "in 25 minutes", "in 3 hours", "in 2 days". @param left - milliseconds, more than 0 */
export function sayUntil(left: number): string {
  const { n, unit } = inUnits(left);
  return new Intl.RelativeTimeFormat(locale()).format(n, unit);
}

function inUnits(left: number): { n: number; unit: "day" | "hour" | "minute" } {
  if (left >= 2 * DAY) return { n: Math.floor(left / DAY), unit: "day" };
  if (left >= 2 * HOUR) return { n: Math.floor(left / HOUR), unit: "hour" };
  return { n: Math.ceil(left / MINUTE), unit: "minute" };
}
