import { capitalized } from "../titles.ts";
import { own } from "./hints.ts";
import type { FormNode, ListNode } from "./nodes.ts";
import { planBelow } from "./planning.ts";
import type { FieldContext } from "./planning.ts";
import { initialValue, presetBelow } from "./presets.ts";
import { MAX_ROWS, rowCount, singular } from "./rows.ts";
import { firstText, placeOf } from "./schema-view.ts";
import type { Place } from "./schema-view.ts";

/** The schemas of the items of a list: of the first ones, each by its index, and of the rest. */
export interface ItemSchemas {
  readonly prefix: readonly (readonly unknown[])[];
  readonly rest: readonly unknown[];
}

/** Returns the schemas of the items, in the keywords of both drafts. */
export function itemSchemas(place: Place): ItemSchemas {
  const prefix: unknown[][] = [];
  const rest: unknown[] = [];
  for (const { items, prefixItems, additionalItems } of place.layers) {
    const isTuple = Array.isArray(items);
    const listed: unknown[] = isTuple ? items : Array.isArray(prefixItems) ? prefixItems : [];
    for (const [index, raw] of listed.entries()) (prefix[index] ??= []).push(raw);
    const others = isTuple ? additionalItems : items;
    if (others !== undefined) rest.push(others);
  }
  return { prefix, rest };
}

/** Returns a list with a node for each of its rows. */
export function planList(
  field: FieldContext,
  { prefix, rest }: ItemSchemas,
  min: number | null,
  max: number | null,
): ListNode {
  const { planning, base, required } = field;
  const initial = initialValue(field, "free");
  const items = Array.isArray(initial) ? (initial as unknown[]) : null;
  const isFixed = prefix.length > 0 && (rest.length === 0 || rest.includes(false));
  const limit = isFixed ? prefix.length : MAX_ROWS;
  const least = base.required && !base.nullable ? Math.max(min ?? 0, prefix.length) : 0;
  const count = rowCount(field, items?.length ?? least, limit);
  const item = singular(firstText(placeOf(planning.source, rest), "title") ?? base.title);
  const ancestors = new Set([...field.ancestors, ...field.place.layers]);
  const rows: FormNode[] = [];
  for (let index = 0; index < count; index++) {
    const first = prefix[index];
    // A row of a fixed list, such as one of several actions, is a form even if earlier rows used up the nodes.
    if (first !== undefined && planning.nodesLeft < 1 && planning.nodesSpare > 0) {
      planning.nodesSpare += planning.nodesLeft - 1;
      planning.nodesLeft = 1;
    }
    const node = planBelow(field, index, {
      title: first === undefined ? rowTitle(item, index) : `${base.title}, part ${index + 1}`,
      roots: first ?? rest,
      required: true,
      preset: presetBelow(field.preset, initial, items?.[index], items !== null && index < items.length),
      ui: itemUi(field.ui, index, first !== undefined),
      ancestors,
    });
    rows.push(prefix.length > 0 ? node : { ...node, title: rowTitle(item, index) });
  }
  const isLeftOut = count === 0 && (!required || (base.nullable && (min ?? 0) > 0));
  return {
    ...base,
    kind: "list",
    rows,
    item,
    canAdd: !base.readonly && count < Math.min(max ?? MAX_ROWS, MAX_ROWS, limit),
    canRemove: !base.readonly && !(isFixed && required) && !(items !== null && hasBoundItems(field.ui)),
    min,
    max,
    entry: [],
    value: isLeftOut ? (required ? null : undefined) : rows.map((row) => row.value ?? null),
    problem: null,
  };
}

/** "line item" -> "Line item 1" */
function rowTitle(item: string, index: number): string {
  return `${capitalized(item)} ${index + 1}`;
}

function itemUi(ui: unknown, index: number, isPrefix: boolean): unknown {
  const items = own(ui, "items");
  return isPrefix && Array.isArray(items) ? (items as unknown[])[index] : items;
}

/** Returns whether rows contain parts that no one can change. Then a new row could not replace an existing one. */
function hasBoundItems(ui: unknown): boolean {
  return /readonly|hidden/.test(JSON.stringify(own(ui, "items") ?? ""));
}
