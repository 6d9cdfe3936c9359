import { checkPlan } from "./check.ts";
import type { FieldError } from "./check.ts";
import { applyPress, parsePress, PRESS } from "./entries.ts";
import type { Entries } from "./entries.ts";
import { fingerprint, nodesOf, questionOf } from "./nodes.ts";
import { planForm } from "./plan.ts";
import type { Form, Plan } from "./plan.ts";

/** The names of further values that a page sends with its fields. */
export const SHOWN = "~shown";
export const CONFIRMED = "~confirmed";

/** The result of a posted form, on a page without scripts. */
export type Posted =
  /** Show the page again, with the entries, and with errors or a notice. */
  | {
      readonly act: "show";
      readonly entries: Entries;
      readonly errors: readonly FieldError[];
      readonly notice: Notice | null;
    }
  | { readonly act: "answer"; readonly entries: Entries; readonly value: unknown };

/** "changed": the entries have brought up other questions. "confirm": all is valid, and the last step is due. */
export type Notice = "changed" | "confirm";

/**
 * Reads a posted form. An answer may only contain questions that the page showed. If the entries bring up other
 * questions, the page shows them first.
 */
export function readPost(form: Form, posted: Entries): Posted {
  const press = parsePress(posted[PRESS]?.[0] ?? "");
  if (press !== null) {
    const list = [...nodesOf(planForm(form, posted).root)].find((node) => node.name === press.name);
    const rows = list?.kind === "list" || list?.kind === "record" ? list.rows.length : 0;
    return { act: "show", entries: applyPress(posted, press, rows), errors: [], notice: null };
  }
  const plan = planForm(form, posted);
  if (posted[SHOWN]?.[0] !== shownIn(plan)) return { act: "show", entries: posted, errors: [], notice: "changed" };
  const errors = checkPlan(form, plan);
  if (errors.length > 0) return { act: "show", entries: posted, errors, notice: null };
  if (form.hints.submit.confirm !== null && posted[CONFIRMED]?.[0] !== "1")
    return { act: "show", entries: posted, errors, notice: "confirm" };
  return { act: "answer", entries: posted, value: plan.value };
}

/** Returns a short text that identifies the questions of a plan. */
export function shownIn(plan: Plan): string {
  const shown = [...nodesOf(plan.root)].filter((node) => !node.hidden);
  return fingerprint(shown.map((node) => `${questionOf(node)} ${node.name}`).join("\n"));
}
