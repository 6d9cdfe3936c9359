import { checkPlan } from "./check.ts";
import type { Entries } from "./entries.ts";
import type { Channel } from "./hints.ts";
import { nodesOf } from "./nodes.ts";
import type { FormNode } from "./nodes.ts";
import { planForm, readForm } from "./plan.ts";
import type { Form, Plan } from "./plan.ts";
import type { TextRules } from "./schema-view.ts";

/** For tests: a form with what was entered. */
export interface Trial {
  readonly hints?: unknown;
  readonly payload?: unknown;
  readonly answer?: unknown;
  readonly entries?: Entries;
  readonly channel?: Channel;
  readonly zone?: string;
  readonly texts?: TextRules;
}

export interface Tried {
  readonly form: Form;
  readonly plan: Plan;
  /** "name: message" */
  readonly says: readonly string[];
  /** The field of this name; it fails when there is none. */
  readonly at: (name: string) => FormNode;
  /** The names of the fields that are drawn. */
  readonly names: readonly string[];
}

export function tryForm(response_schema: unknown, trial: Trial = {}): Tried {
  const { hints: form_definition, payload, channel, zone: time_zone = "UTC", texts } = trial;
  const now = new Date("2026-11-22T12:00:00Z");
  const form = readForm({
    response_schema,
    form_definition,
    payload,
    time_zone,
    now,
    texts,
    ...(channel === undefined ? {} : { channel }),
  });
  const plan = planForm(form, trial.entries ?? {}, trial.answer);
  const nodes = [...nodesOf(plan.root)];
  const at = (name: string): FormNode => {
    const node = nodes.find((known) => known.name === name);
    if (node === undefined) throw new Error(`No field ${name} among ${nodes.map((known) => known.name).join(", ")}.`);
    return node;
  };
  const says = checkPlan(form, plan).map((error) => `${error.name}: ${error.message}`);
  const names = nodes.filter((node) => !node.hidden && node.name !== "").map((node) => node.name);
  return { form, plan, says, at, names };
}

export function objectOf(properties: Record<string, unknown>, ...required: string[]): Record<string, unknown> {
  return { type: "object", properties, required };
}
