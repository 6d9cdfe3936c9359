import { checkPlan } from "./check.ts";
import type { FieldError } from "./check.ts";
import { applyPress, parsePress, PRESS } from "./entries.ts";
import type { Entries } from "./entries.ts";
import { fingerprint, nodesOf, questionOf } from "./nodes.ts";
import { planForm } from "./plan.ts";
import type { Form, Plan } from "./plan.ts";

/** The names of what a page sends beside its fields. */
export const SHOWN = "~shown";
export const CONFIRMED = "~confirmed";

/** What a posted form asks for, on a page that has no script. */
export type Posted =
  /** The page is to be shown again: with what was entered, and what is to be said about it. */
  | {
      readonly act: "show";
      readonly entries: Entries;
      readonly errors: readonly FieldError[];
      readonly notice: Notice | null;
    }
  | { readonly act: "answer"; readonly entries: Entries; readonly value: unknown };

/** "changed": the answers so far have brought up other questions. "confirm": all is well, and the last step is due. */
export type Notice = "changed" | "confirm";

/**
 * Nothing becomes an answer that the page did not ask: when other questions have come up with what was entered, they are
 * shown first.
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

/** Which questions a plan asks, as a short text. */
export function shownIn(plan: Plan): string {
  const shown = [...nodesOf(plan.root)].filter((node) => !node.hidden);
  return fingerprint(shown.map((node) => `${questionOf(node)} ${node.name}`).join("\n"));
}
