import { checkPlan } from "../../../form/plan/check.ts";
import { keyOf } from "../../../form/plan/entries.ts";
import type { Entries } from "../../../form/plan/entries.ts";
import { isRaw, own, wrappedHints } from "../../../form/plan/hints.ts";
import { nodesOf } from "../../../form/plan/nodes.ts";
import { fieldNames, planForm, readForm } from "../../../form/plan/plan.ts";
import type { Form } from "../../../form/plan/plan.ts";
import { isSame } from "../../../form/plan/same.ts";
import type { BatchTask } from "./tasks.ts";

/*
 * One form for several tasks of a kind. Fields that are filled in from the payload differ from task to task: the shared form
 * does not show them, and each task keeps its own values in them.
 */

const CHANNEL = "dashboard";

export interface SharedForm {
  /** The task that the form is drawn for, with `form_definition`: it does not show what the payload fills in. */
  readonly task: BatchTask & { readonly action: null; readonly actions: null };
  /** Titles of the fields in which each task keeps its own value. */
  readonly kept: readonly string[];
}

/** Where and when a form is read: the IANA name of a zone, and the time. */
export interface FormTime {
  readonly time_zone: string;
  readonly now: Date;
}

/**
 * Returns the form that all of these tasks share. null: it would show values that belong to a single task.
 * @param tasks - at least one, all of one kind
 */
export function shareForm(tasks: readonly BatchTask[], when: FormTime): SharedForm | null {
  const [first] = tasks;
  const { hints, source } = readFormOf(first!, when);
  // A decision is never filled in.
  const filled = [...hints.prefill.keys()].filter((pointer) => pointer !== hints.decision);
  const definition = withoutFields(wrappedHints(first!.form_definition, fieldNames(source)), filled);
  // A required field is hidden only where it has a value, so not every task is an example for the others.
  for (const example of tasks) {
    const task = { ...example, form_definition: definition };
    if (!showsOwnValues(task, filled, when))
      return {
        task: { ...task, action: null, actions: null },
        kept: filled.map((pointer) => titleAt(example, pointer, when)),
      };
  }
  return null;
}

/** Returns what the form of a kind asks for: the titles of its first fields. */
export function questionsOf(task: BatchTask, when: FormTime): string {
  const nodes = [...nodesOf(planForm(readFormOf(task, when), {}).root)];
  const titles = nodes.flatMap((node) => (node.hidden || node.kind === "group" ? [] : [node.title]));
  return titles.length > 3 ? `${titles.slice(0, 3).join(", ")}, ...` : titles.join(", ");
}

/**
 * Returns the answer of one task, from what a person has entered in the shared form.
 * @returns `problem`: why these entries are no answer to this task, as a sentence
 */
export function answerFor(
  task: BatchTask,
  entries: Entries,
  when: FormTime,
): { readonly answer: unknown; readonly problem: string | null } {
  const form = readFormOf(task, when);
  const plan = planForm(form, entries);
  const [error] = checkPlan(form, plan);
  return { answer: plan.value, problem: error === undefined ? null : `${error.title}: ${error.message}` };
}

function readFormOf({ response_schema, form_definition, payload }: BatchTask, when: FormTime): Form {
  return readForm({ response_schema, form_definition, payload, channel: CHANNEL, ...when });
}

/** Whether the form shows a field that the payload of this task fills in, or one that depends on such a field. */
function showsOwnValues(task: BatchTask, filled: readonly string[], when: FormTime): boolean {
  const shown = shownFields(task, when);
  const withoutPayload = shownFields({ ...task, payload: {} }, when);
  return [...shown].some(
    ([pointer, value]) =>
      filled.includes(pointer) || (withoutPayload.has(pointer) && !isSame(value, withoutPayload.get(pointer))),
  );
}

/** Returns the entries of the fields that an untouched form shows, by pointer. */
function shownFields(task: BatchTask, when: FormTime): ReadonlyMap<string, readonly string[]> {
  const nodes = [...nodesOf(planForm(readFormOf(task, when), {}).root)];
  return new Map(nodes.flatMap((node) => (node.hidden ? [] : [[node.pointer, node.entry] as const])));
}

function titleAt(task: BatchTask, pointer: string, when: FormTime): string {
  const nodes = [...nodesOf(planForm(readFormOf(task, when), {}).root)];
  return nodes.find((node) => node.pointer === pointer)?.title ?? keyOf(pointer.split("/").at(-1)!);
}

/** Returns hints that also hide these fields of the answer. */
function withoutFields(hints: BatchTask["form_definition"] & object, pointers: readonly string[]): typeof hints {
  if (pointers.length === 0) return hints;
  const ui = own(own(own(hints, "channels"), CHANNEL), "ui");
  const paths = pointers.map((pointer) => pointer.split("/").slice(1).map(keyOf));
  const hidden = paths.reduce((tree, path) => withAt(tree, [...path, "ui:widget"], "hidden"), ui);
  return withAt(hints, ["channels", CHANNEL, "ui"], hidden);
}

/** Returns a copy of an object with a value at a path. Anything but an object on the way is replaced. */
function withAt(object: unknown, [key, ...rest]: readonly string[], value: unknown): Record<string, unknown> {
  const copy = isRaw(object) ? object : {};
  return { ...copy, [key!]: rest.length === 0 ? value : withAt(own(copy, key!), rest, value) };
}
