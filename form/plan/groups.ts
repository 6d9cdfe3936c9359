import { keyOf } from "./entries.ts";
import { inOrder, isRaw, own } from "./hints.ts";
import { onlyQuestion } from "./decisions.ts";
import { put } from "./nodes.ts";
import type { FormNode, GroupNode } from "./nodes.ts";
import { enteredAt, planBelow } from "./planning.ts";
import type { FieldContext } from "./planning.ts";
import { initialValue, presetBelow } from "./presets.ts";
import { fits, placeOf, propertiesOf, requiredOf } from "./schema-view.ts";
import type { Condition, Place, SchemaSource } from "./schema-view.ts";
import { titleOf } from "../titles.ts";

/** How often the parts of a group are chosen again, because conditions may change the input of other conditions. */
const MAX_ROUNDS = 8;

/** Returns a group with a node for each field that applies now. An optional group can be closed; then it has none. */
export function planGroup(field: FieldContext): GroupNode {
  const { place, base, name, ancestors } = field;
  const initial = initialValue(field, "free");
  const isRecursive = place.layers.some((layer) => ancestors.has(layer));
  const isOptional = !base.required || base.nullable;
  const hasRequired = requiredOf(place, () => false).size > 0;
  const canClose = isOptional && name !== "" && (hasRequired || isRecursive || base.required);
  const entered = enteredAt(field, "~open")?.[0];
  const isOpen = !canClose || (entered === undefined ? isRaw(initial) : entered === "1");
  const state = !canClose ? "fixed" : isOpen ? "open" : "closed";
  const node = { ...base, kind: "group", entry: [], problem: null, state, oneOf: [] } as const;
  if (!isOpen) return { ...node, children: [], value: base.required ? null : undefined };

  const settled = planChildren(field, initial);
  const isEmpty = Object.keys(settled.value).length === 0;
  return {
    ...node,
    children: settled.children,
    value: isEmpty && !base.required && state === "fixed" && name !== "" ? undefined : settled.value,
    oneOf: requiredSets(settled.place),
  };
}

interface Children {
  /** The schemas of the group, with the parts that apply to `value`. */
  readonly place: Place;
  readonly children: readonly FormNode[];
  readonly value: Record<string, unknown>;
}

/** Plans the children again until their values no longer change which parts of the schema apply. */
function planChildren(field: FieldContext, initial: unknown): Children {
  const { planning, roots, resolved } = field;
  if (field.place.conditions.length > 0) planning.branches = true;
  let active: readonly unknown[] = [];
  let value: Record<string, unknown> = {};
  for (let round = 1; ; round++) {
    const place = placeOf(planning.source, [...roots, ...active], resolved);
    const left = planning.nodesLeft;
    const before = value;
    const required = requiredOf(place, (key) => Object.hasOwn(before, key));
    const children = planRound(field, place, initial, required);
    const after = (value = valueOf(children));
    const next = activeParts(planning.source, place.conditions, children, after);
    const wanted = requiredOf(place, (key) => Object.hasOwn(after, key));
    const isSettled = isSameList(next, active) && isSameList([...wanted], [...required]);
    if (isSettled || round === MAX_ROUNDS) return { place, children, value };
    active = next;
    planning.nodesLeft = Math.min(left, planning.nodesLeft + children.length);
  }
}

function isSameList(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}

function planRound(
  field: FieldContext,
  place: Place,
  initial: unknown,
  required: ReadonlySet<string>,
): readonly FormNode[] {
  const { planning, name } = field;
  const properties = propertiesOf(place);
  const others = place.layers.map((layer) => layer["additionalProperties"]).filter((raw) => isRaw(raw));
  // A required field that no schema describes accepts any value, or the values of additional properties.
  for (const key of required) if (!properties.has(key)) properties.set(key, others);
  const keys = inOrder([...properties.keys()], field.hints.order).filter(
    (key) => !properties.get(key)?.includes(false),
  );
  if (name === "") planning.decision ??= onlyQuestion(planning.source, keys, properties, required);
  const ancestors = new Set([...field.ancestors, ...place.layers]);
  const values = isRaw(initial) ? initial : undefined;
  return keys.map((key) =>
    planBelow(field, key, {
      title: titleOf(key),
      roots: properties.get(key) ?? [],
      required: required.has(key),
      preset: presetBelow(field.preset, values, own(values, key), values !== undefined && Object.hasOwn(values, key)),
      ui: own(field.ui, key),
      ancestors,
    }),
  );
}

function valueOf(children: readonly FormNode[]): Record<string, unknown> {
  const value: Record<string, unknown> = {};
  for (const child of children) if (child.value !== undefined) put(value, keyOf(child.pointer), child.value);
  return value;
}

/** Returns the parts that apply to `value`. A condition on a field that has no valid answer yet decides nothing. */
function activeParts(
  source: SchemaSource,
  conditions: readonly Condition[],
  children: readonly FormNode[],
  value: Record<string, unknown>,
): readonly unknown[] {
  const active: unknown[] = [];
  for (const condition of conditions) {
    if ("has" in condition.holds) {
      if (Object.hasOwn(value, condition.holds.has)) active.push(condition.onTrue);
      continue;
    }
    const asked = propertiesOf(placeOf(source, [condition.holds.if]));
    if (children.some((child) => child.problem !== null && asked.has(keyOf(child.pointer)))) continue;
    const part = fits(source, [condition.holds.if], value) ? condition.onTrue : condition.onFalse;
    if (part !== undefined && part !== true) active.push(part);
  }
  return active;
}

/** Returns the sets of fields of which `anyOf` or `oneOf` requires one, where the fields are described elsewhere. */
function requiredSets(place: Place): readonly (readonly string[])[] {
  for (const layer of place.layers)
    for (const keyword of ["anyOf", "oneOf"]) {
      const branches = layer[keyword];
      if (!Array.isArray(branches)) continue;
      const sets = branches.map((branch: unknown) => own(branch, "required")).filter((names) => Array.isArray(names));
      if (sets.length === branches.length) return sets.map((names) => names.map(String));
    }
  return [];
}
