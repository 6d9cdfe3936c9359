import { isDeepStrictEqual } from "node:util";
import { planForm } from "../../../../form/plan/plan.ts";
import type { Form, Plan } from "../../../../form/plan/plan.ts";
import { keyOf } from "../../../../form/plan/entries.ts";
import type { Entries } from "../../../../form/plan/entries.ts";
import { isOptional, nodesOf } from "../../../../form/plan/nodes.ts";
import type { FormNode, GroupNode, ListNode } from "../../../../form/plan/nodes.ts";
import { shownIn } from "../../../../form/plan/post.ts";
import { blockOf } from "./block-ids.ts";
import { branchFieldNames } from "./branch-fields.ts";
import { elementOf } from "./inputs.ts";
import type { InputElement } from "./inputs.ts";

/** The questions of a modal, in order. */
export interface ModalPlan {
  readonly parts: readonly Part[];
  /** Titles of optional fields that only the browser can ask. */
  readonly leftOut: readonly string[];
  /** Optional groups that have parts only if one of these fields is filled in: name of the group -> names of the fields. */
  readonly groups: ReadonlyMap<string, readonly string[]>;
  /** Which questions are asked, as a short text. */
  readonly shown: string;
}

export type Part =
  | { readonly kind: "heading"; readonly node: GroupNode }
  /** Read-only. */
  | { readonly kind: "fixed"; readonly node: FormNode }
  | ModalField;

export interface ModalField {
  readonly kind: "field";
  readonly node: FormNode;
  readonly element: InputElement;
  /** The modal may be submitted without it. */
  readonly optional: boolean;
  /** Other fields depend on it. */
  readonly decides: boolean;
}

/**
 * Returns the plan of a modal, or null if Slack cannot express a required field or one that has a value.
 *
 * @param drawn - blocks of the modal whose values are read; empty when a modal is drawn
 */
export function planModal(form: Form, entries: Entries, drawn: ReadonlySet<string> = new Set()): ModalPlan | null {
  const { plan, closed } = openGroups(form, entries, drawn);
  const branchFields = plan.branches ? branchFieldNames(form.source?.raw) : new Set<string>();
  const draft: Draft = { parts: [], leftOut: [], groups: new Map(), closed, branchFields };
  if (!walk(draft, plan.root, { optional: false, blank: false, groups: [] })) return null;
  const { parts, leftOut, groups } = draft;
  if (isLost(form, entries, leftOut)) return null;
  return { parts, leftOut: leftOut.map(({ title }) => title), groups, shown: shownIn(plan) };
}

/** Whether the answer would be another one without what was entered, elsewhere, for what a modal leaves out. */
function isLost(form: Form, entries: Entries, leftOut: readonly FormNode[]): boolean {
  const names = leftOut.map(({ name }) => name.replace(/~form\d*$/, ""));
  const isKept = (key: string): boolean =>
    !names.some((name) => key === name || /^(?:\/|~[a-z])/.test(afterName(key, name)));
  const kept = Object.entries(entries).filter(([key]) => isKept(key));
  if (kept.length === Object.keys(entries).length) return false;
  const without = planForm(form, Object.assign(Object.create(null), Object.fromEntries(kept)) as Entries);
  return !isDeepStrictEqual(without.value, planForm(form, entries).value);
}

function afterName(key: string, name: string): string {
  return key.startsWith(name) ? key.slice(name.length) : "";
}

/**
 * A modal has no button that adds a group: its fields are there from the start, and all may be left empty. Groups inside of
 * such a group are added only where the modal has fields of theirs, since it was drawn when they had something in them.
 */
function openGroups(
  form: Form,
  entries: Entries,
  drawn: ReadonlySet<string>,
): { plan: Plan; closed: ReadonlySet<string> } {
  const before = planForm(form, entries);
  const first = closedIn(before);
  if (first.length === 0) return { plan: before, closed: new Set() };
  const plan = planOpened(form, entries, first);
  const inside = drawn.size === 0 ? [] : drawnInside(form, entries, first, plan, drawn);
  if (inside.length === 0) return { plan, closed: new Set(first) };
  const closed = [...first, ...inside];
  return { plan: planOpened(form, entries, closed), closed: new Set(closed) };
}

/** @returns those of the groups inside of `first` that have a field in the modal */
function drawnInside(
  form: Form,
  entries: Entries,
  first: readonly string[],
  opened: Plan,
  drawn: ReadonlySet<string>,
): string[] {
  const inside: string[] = [];
  // A plan is of limited depth, so there is a last one.
  let plan = opened;
  for (let found = closedIn(plan); found.length > 0; found = closedIn(plan)) {
    inside.push(...found);
    plan = planOpened(form, entries, [...first, ...inside]);
  }
  const names = new Set(inside);
  return [...nodesOf(plan.root)]
    .filter((node) => names.has(node.name) && [...nodesOf(node)].some(({ name }) => drawn.has(blockOf(name))))
    .map(({ name }) => name);
}

function closedIn(plan: Plan): string[] {
  return [...nodesOf(plan.root)]
    .filter((node) => node.kind === "group" && node.state === "closed")
    .map(({ name }) => name);
}

function planOpened(form: Form, entries: Entries, groups: readonly string[]): Plan {
  const opened: Record<string, readonly string[]> = Object.assign(Object.create(null), entries);
  for (const name of groups) opened[`${name}~open`] = ["1"];
  return planForm(form, opened);
}

interface Draft {
  readonly parts: Part[];
  readonly leftOut: FormNode[];
  readonly groups: Map<string, readonly string[]>;
  readonly closed: ReadonlySet<string>;
  /** Names of fields on which others depend. */
  readonly branchFields: ReadonlySet<string>;
}

interface Around {
  readonly optional: boolean;
  /** In a group that is not there yet: no default of its fields is shown, since it would add the group. */
  readonly blank: boolean;
  /** Fields of each group around it that is there only if one of them is filled in. */
  readonly groups: readonly string[][];
}

/** @returns false: it cannot be expressed, and cannot be left out */
function walk(draft: Draft, node: FormNode, around: Around): boolean {
  if (node.hidden || node.kind === "const") return true;
  if (node.kind === "group") return walkGroup(draft, node, around);
  if (node.kind === "list") return walkList(draft, node, around);
  if (node.readonly) {
    draft.parts.push({ kind: "fixed", node });
    return true;
  }
  const element = elementOf(node, around.blank);
  if (element === null) return leaveOut(draft, node);
  for (const names of around.groups) names.push(node.name);
  const optional = around.optional || isOptional(node);
  const decides = draft.branchFields.has(keyOf(node.pointer));
  draft.parts.push({ kind: "field", node, element, optional, decides });
  return true;
}

function walkGroup(draft: Draft, node: GroupNode, around: Around): boolean {
  const isRoot = node.name === "";
  // A closed group inside a closed group.
  if (node.state === "closed") return leaveOut(draft, node);
  const isClosed = draft.closed.has(node.name);
  const names: string[] | null = node.state === "open" ? [] : null;
  const before = { parts: draft.parts.length, leftOut: draft.leftOut.length };
  if (!isRoot) draft.parts.push({ kind: "heading", node });
  const inside: Around = {
    optional: around.optional || (!isRoot && isOptional(node)),
    blank: around.blank || isClosed,
    groups: names === null ? around.groups : [...around.groups, names],
  };
  const isWhole = node.children.every((child) => walk(draft, child, inside));
  if (isWhole && (names === null || isTold(draft, names, before.parts, isClosed))) {
    if (names !== null) draft.groups.set(node.name, names);
    if (!isRoot && draft.parts.length === before.parts + 1) draft.parts.pop();
    return true;
  }
  // A group that may be missing goes as a whole.
  draft.parts.length = before.parts;
  draft.leftOut.length = before.leftOut;
  if (!isClosed) return leaveOut(draft, node);
  draft.leftOut.push(node);
  return true;
}

/** A list of which nobody can change the length is asked like a group. */
function walkList(draft: Draft, node: ListNode, around: Around): boolean {
  const before = { parts: draft.parts.length, leftOut: draft.leftOut.length };
  const isFixed = !node.readonly && !node.canAdd && !node.canRemove && node.rows.length > 0;
  if (isFixed && node.rows.every((row) => walk(draft, row, around))) return true;
  draft.parts.length = before.parts;
  draft.leftOut.length = before.leftOut;
  return leaveOut(draft, node);
}

/** Whether its fields say if the group is there: it is when one of them is filled in. */
function isTold(draft: Draft, names: readonly string[], from: number, isClosed: boolean): boolean {
  if (isClosed) return names.length > 0;
  const fields = draft.parts.slice(from).filter((part) => part.kind === "field");
  return fields.some(({ node, element }) => isFilledIn(node.entry) && !isUnticked(element));
}

/** Slack returns such a box as untouched, even if its entry is "false". */
function isUnticked(element: InputElement): boolean {
  return element.type === "checkboxes" && element.initial_options === undefined;
}

export function isFilledIn(entry: readonly string[] | undefined): boolean {
  return entry?.some((text) => text.trim() !== "") === true;
}

function leaveOut(draft: Draft, node: FormNode): boolean {
  if (!isOptional(node) || !isNothing(node.value)) return false;
  draft.leftOut.push(node);
  return true;
}

/** Nothing that anybody would miss. */
export function isNothing(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length === 0;
  return value === undefined || value === null || (typeof value === "string" && value.trim() === "");
}
