import { t } from "../../languages/text.ts";
import { isSame } from "./same.ts";
import { planField } from "./controls.ts";
import { decisionIn } from "./decisions.ts";
import { jsonNode } from "./json.ts";
import { keyOf } from "./entries.ts";
import type { Entries } from "./entries.ts";
import { isRaw, own, readHints } from "./hints.ts";
import type { Channel, FormHints } from "./hints.ts";
import { nodesOf, questionOf } from "./nodes.ts";
import type { FormNode } from "./nodes.ts";
import type { Planning } from "./planning.ts";
import { beginPlan, placeOf, propertiesOf, readSource } from "./schema-view.ts";
import type { SchemaSource, TextRules } from "./schema-view.ts";

/**
 * From a JSON Schema to a form, and from entries to an answer:
 *
 *   const form = readForm({ response_schema, form_definition, payload, time_zone: "Europe/Berlin", now });
 *   const plan = planForm(form, entries);      // what to render now, and the current answer
 *   const errors = checkPlan(form, plan);      // check.ts: the problems, each at its field, in sentences
 *
 * `entries` are the entries so far; see entries.ts. A plan depends on nothing else, so it is made again when they
 * change. Nothing here throws on any schema, hint or entry.
 */
export interface FormOptions {
  readonly response_schema: unknown;
  readonly form_definition?: unknown;
  readonly payload?: unknown;
  /** The hints of this channel take precedence over the general ones. */
  readonly channel?: Channel;
  /** IANA name of the zone in which times are entered. */
  readonly time_zone: string;
  readonly now: Date;
  /** Checks patterns and formats. Without it, they are left to the server. */
  readonly texts?: TextRules | undefined;
}

export interface Form {
  /** null if the service would not accept the schema. Then the whole answer is JSON. */
  readonly source: SchemaSource | null;
  readonly hints: FormHints;
  readonly payload: unknown;
  readonly time_zone: string;
  readonly now: Date;
}

export interface Plan {
  readonly root: FormNode;
  /** The current answer; undefined while it is not even JSON. */
  readonly value: unknown;
  /** The name of the field that is the decision: a yes or no, or a choice of few. */
  readonly decision: string | null;
  readonly changes: readonly Change[];
  /** Whether the questions depend on the answers. */
  readonly branches: boolean;
  /** Whether the answer is written as JSON although there is a form. */
  readonly isJson: boolean;
}

/** A field that was filled in from the payload and changed afterwards. Of a group, each changed field. */
export interface Change {
  readonly node: FormNode;
  readonly before: unknown;
  readonly after: unknown;
}

export function readForm(options: FormOptions): Form {
  const source = readSource(options.response_schema, options.texts ?? null);
  const hints = readHints(options.form_definition, fieldNames(source), options.channel ?? null);
  const { payload, time_zone, now } = options;
  return { source, hints, payload, time_zone, now };
}

/**
 * Returns the names of all fields that the answer can have at its first level, even if only some answers bring them up.
 */
export function fieldNames(source: SchemaSource | null): ReadonlySet<string> {
  if (source === null) return new Set();
  const { conditions, unions } = placeOf(source, [source.raw]);
  const parts = conditions.flatMap(({ onTrue, onFalse }) => [onTrue, onFalse]);
  const branches = unions.flatMap((union) => union.branches);
  return new Set(propertiesOf(placeOf(source, [source.raw, ...parts, ...branches])).keys());
}

/** The maximum number of nodes in one plan. Further groups, lists and forms are entered as JSON. */
const MAX_NODES = 2_000;
const SPARE_NODES = 1_000;

/** @param answer - shown without entries, instead of defaults: an earlier answer, or a draft of one */
export function planForm(form: Form, entries: Entries, answer?: unknown): Plan {
  const { root: fields, planning } = planFields(form, entries, answer);
  const isJson = entries["~mode"]?.[0] === "json";
  const root = isJson ? asJson(form, entries, fields) : fields;
  return {
    root,
    value: root.value,
    decision: decisionIn(root, planning.decision),
    changes: changesOf(root, planning.prefilled),
    branches: planning.branches,
    isJson,
  };
}

function planFields(form: Form, entries: Entries, answer: unknown): { root: FormNode; planning: Planning } {
  const source = form.source ?? UNREADABLE;
  beginPlan(source);
  const planning: Planning = {
    source,
    entries,
    prefill: (pointer) => {
      const from = form.hints.prefill.get(pointer);
      return from === undefined ? undefined : valueAt(form.payload, from);
    },
    decision: form.hints.decision,
    zone: form.time_zone,
    now: form.now,
    nodesLeft: MAX_NODES,
    nodesSpare: SPARE_NODES,
    prefilled: new Map(),
    branches: false,
    planField: (address) => planField(planning, address),
  };
  const root = planning.planField({
    name: "",
    pointer: "",
    title: t("Answer"),
    roots: [source.raw],
    resolved: new Map(),
    required: true,
    preset: answer === undefined ? null : { from: "answer", value: answer },
    ui: form.hints.ui,
    depth: 0,
    ancestors: new Set(),
  });
  return { root, planning };
}

function changesOf(root: FormNode, prefilled: ReadonlyMap<string, unknown>): readonly Change[] {
  const nodes = new Map([...nodesOf(root)].map((node) => [node.name, node]));
  const changes: Change[] = [];
  const add = (node: FormNode | undefined, before: unknown): void => {
    if (node === undefined || node.hidden) return;
    // A person changes the fields of a group, not the group.
    if (node.kind === "group" && node.state !== "closed" && isRaw(before))
      for (const child of node.children) add(child, own(before, keyOf(child.pointer)));
    // An unticked box and an empty text are left out of the answer. They do not change a value that was empty before.
    else if (node.value === undefined ? !isNothing(before) : !isSame(node.value, before))
      changes.push({ node, before, after: node.value });
  };
  for (const [name, before] of prefilled) add(nodes.get(name), before);
  return changes;
}

function isNothing(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length === 0;
  return value === null || value === false || (typeof value === "string" && value.trim() === "");
}

/**
 * Returns a JSON control with the current answer, for a form that cannot express a value of its schema. Below it are the
 * texts to type that the form demands for this answer.
 */
function asJson(form: Form, entries: Entries, { title, description, help, value }: FormNode): FormNode {
  // It keeps nothing of the form but its title and texts: a choice among several forms has another name.
  const said = { name: "", pointer: "", title, description, help };
  const all = { ...said, required: true, nullable: false, readonly: false, hidden: false, autofocus: false };
  const box = jsonNode(all, entries["~json"], value);
  const plan = (typed: Entries) => [...nodesOf(planFields(form, typed, box.value).root)];
  const names = plan({}).flatMap(({ name, problem }) => (problem?.code === "not_typed" ? [name] : []));
  if (names.length === 0) return box;
  // What was entered in other fields before is not part of this answer.
  const typed = plan(Object.fromEntries(names.map((name) => [name, entries[name] ?? []])));
  const children = [box, ...typed.filter(({ name }) => names.includes(name))];
  // A name of its own, because errors and links are by name.
  return {
    ...all,
    name: "~",
    kind: "group",
    state: "fixed",
    oneOf: [],
    children,
    entry: [],
    value: box.value,
    problem: null,
  };
}

const UNREADABLE: SchemaSource = readSource(true, null)!;

/** Returns the entries that a plan shows: those that an untouched form would post. */
export function entriesOf(plan: Plan): Entries {
  const entries = Object.create(null) as Record<string, readonly string[]>;
  if (plan.isJson) entries["~mode"] = ["json"];
  for (const node of nodesOf(plan.root)) {
    if (node.hidden) continue;
    if (node.kind === "list" || node.kind === "record") entries[`${node.name}~rows`] = [String(node.rows.length)];
    else if (node.kind === "group") {
      if (node.state !== "fixed") entries[`${node.name}~open`] = [node.state === "open" ? "1" : "0"];
    } else {
      entries[node.kind === "json" ? `${node.name}~json` : node.name] = node.entry;
      if ("options" in node) entries[`${node.name}~of`] = [questionOf(node)];
    }
  }
  return entries;
}

/** Returns undefined if there is no value. */
export function valueAt(value: unknown, pointer: string): unknown {
  let at = value;
  for (const part of pointer.split("/").slice(1)) {
    const key = keyOf(part);
    at = Array.isArray(at)
      ? /^\d+$/.test(key)
        ? (at as unknown[])[Number(key)]
        : undefined
      : isRaw(at)
        ? own(at, key)
        : undefined;
  }
  return at;
}
