import { childHints, markUsed } from "./hints.ts";
import { isObject, isScalar } from "./json.ts";
import type { JsonObject } from "./json.ts";
import { orderedKeys } from "./key-order.ts";
import { entriesIn, FIRST_ROWS, rest, takeStart } from "./limits.ts";
import type { Column, PayloadNode, Shown } from "./node.ts";
import type { Planning, Subject } from "./planning.ts";
import { readReference } from "./reference.ts";
import * as schema from "./schema.ts";
import type { Layers } from "./schema.ts";
import { childOf, itemOf, placeOf } from "./subjects.ts";
import { sumOf } from "./sums.ts";
import { json } from "./texts.ts";
import { readableKey } from "./titles.ts";

export const MAX_COLUMNS = 8;
/** The limit for a list that a hint shows as a table. */
export const MAX_ASKED_COLUMNS = 30;

/** Returns objects of single values as rows; null if the list has other items, or is too wide. */
export function planTable(
  planning: Planning,
  subject: Subject,
  value: readonly unknown[],
  layers: Layers,
  maxColumns: number,
): Shown | null {
  const isAsked = maxColumns > MAX_COLUMNS;
  const keys = new Set<string>();
  for (const row of value) {
    if (!isObject(row) || (!isAsked && readReference(row) !== null)) return null;
    for (const key of Object.keys(row)) {
      if (!isAsked && !isScalar(row[key])) return null;
      if (keys.size <= maxColumns * 2) keys.add(key);
    }
  }
  const rowHints = childHints(subject.hints, "items");
  const shown = [...keys].filter((key) => rowHints?.children.get(key)?.widget !== "hidden");
  for (const key of keys) if (!shown.includes(key)) markUsed(childHints(rowHints, key));
  if (shown.length === 0 || (!isAsked && shown.length > maxColumns)) return null;
  const first = itemOf(subject, value, layers, 0);
  const rowLayers = schema.layersOf(planning.reader, first.starts, first.value);
  const byKey = Object.fromEntries(shown.map((key) => [key, null]));
  const { known, other } = orderedKeys(planning, byKey, shown, rowLayers, rowHints);
  const columnKeys = [...known, ...other].slice(0, maxColumns);
  const rows: PayloadNode[][] = [];
  const start = takeStart(planning);
  const end = Math.min(value.length, start + entriesIn(planning, value.length, start, FIRST_ROWS));
  let i = start;
  for (; i < end && planning.nodes > 0; i++) {
    const row = itemOf(subject, value, layers, i);
    const own = value[i] as JsonObject;
    const ownLayers = schema.layersOf(planning.reader, row.starts, own);
    rows.push(columnKeys.map((key) => cell(planning, childOf(row, own, ownLayers, key))));
  }
  // The sums of the list are those of its first page.
  const sum = (key: string, index: number) =>
    planning.isPaged && start === 0
      ? sumOf(planning, value, columnKeys, { key, kinds: kindsIn(rows, index), hints: rowHints })
      : null;
  const columns: Column[] = columnKeys.map((key, index) => {
    const total = sum(key, index);
    return {
      key,
      title: titleOfColumn(rows, index) ?? readableKey(key),
      is_numeric: isNumericColumn(rows, index),
      ...(total !== null && { sum: total }),
    };
  });
  return { kind: "table", columns, rows, ...rest(value.length - i, i) };
}

function cell(planning: Planning, subject: Subject): PayloadNode {
  const node =
    isScalar(subject.value) || readReference(subject.value) !== null
      ? planning.planSubject(subject)
      : { ...placeOf(subject), ...json(planning, subject.value) };
  if (node !== null && Object.hasOwn(subject.parent as object, subject.key)) return node;
  return { ...(node ?? placeOf(subject)), kind: "empty", what: "missing" };
}

function titleOfColumn(rows: readonly (readonly PayloadNode[])[], index: number): string | null {
  return rows[0]?.[index]?.title ?? null;
}

function isNumericColumn(rows: readonly (readonly PayloadNode[])[], index: number): boolean {
  const kinds = kindsIn(rows, index);
  return kinds.size > 0 && [...kinds].every((kind) => NUMERIC_KINDS.has(kind));
}

/** Returns what the values of a column are; nothing for those that are empty. */
function kindsIn(rows: readonly (readonly PayloadNode[])[], index: number): ReadonlySet<string> {
  return new Set(rows.map((row) => row[index]?.kind ?? "empty").filter((kind) => kind !== "empty"));
}

const NUMERIC_KINDS: ReadonlySet<string> = new Set(["number", "currency", "percent", "unit"]);
