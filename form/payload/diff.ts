import { t } from "../../languages/text.ts";
import { childHints, itemHints } from "./hints.ts";
import { at, isList, isObject, isSame, isScalar, token } from "./json.ts";
import type { JsonObject } from "./json.ts";
import { rest, takeStart } from "./limits.ts";
import type { Change, Shown } from "./node.ts";
import type { Planning, Subject } from "./planning.ts";
import { readReference } from "./reference.ts";
import { itemStarts, layersOf, propertyStarts, textOf } from "./schema.ts";
import { readableKey } from "./titles.ts";

/** Two keys of one object: the same thing before and after. `title` is the name of that thing, if the keys give one. */
export interface Pair {
  readonly before: string;
  readonly after: string;
  readonly title: string | null;
}

const WORDS: readonly (readonly [string, string])[] = [
  ["before", "after"],
  ["old", "new"],
  ["original", "proposed"],
  ["current", "proposed"],
];

/** `before` and `after`, `old_price` and `new_price`, `text_original` and `text_proposed`. */
export function pairsOf(keys: readonly string[]): readonly Pair[] {
  const all = new Set(keys);
  const taken = new Set<string>();
  const pairs: Pair[] = [];
  for (const key of keys)
    for (const [before, after] of WORDS) {
      const other = counterpart(key, before, after);
      if (other === null || taken.has(key) || taken.has(other.key) || !all.has(other.key)) continue;
      taken.add(key).add(other.key);
      pairs.push({ before: key, after: other.key, title: other.rest === "" ? null : readableKey(other.rest) });
    }
  return pairs;
}

function counterpart(key: string, before: string, after: string): { key: string; rest: string } | null {
  if (key === before) return { key: after, rest: "" };
  if (key.startsWith(`${before}_`)) {
    const rest = key.slice(before.length + 1);
    return { key: `${after}_${rest}`, rest };
  }
  if (key.endsWith(`_${before}`)) {
    const rest = key.slice(0, -before.length - 1);
    return { key: `${rest}_${after}`, rest };
  }
  return null;
}

const MAX_ROWS = 200;
const MAX_DEPTH = 6;
const SAME_DEPTH = 40;

interface Comparing {
  readonly planning: Planning;
  readonly rows: Change[];
  unchanged: number;
  leftOut: number;
  /** The number of rows on earlier pages. */
  readonly start: number;
  position: number;
}

/**
 * Shows the changes between two values: rows if both are objects or both are lists, or else the values side by side.
 */
export function planPair(planning: Planning, before: Subject, after: Subject): Shown {
  const areBoth = (isKind: (value: unknown) => boolean) => isKind(before.value) && isKind(after.value);
  if (!planning.isTooLarge && (areBoth(hasFields) || areBoth(isList))) {
    const start = takeStart(planning);
    const comparing: Comparing = { planning, rows: [], unchanged: 0, leftOut: 0, start, position: 0 };
    compare(comparing, before, after, "", 0);
    const { rows, unchanged, leftOut, position } = comparing;
    return { kind: "changes", rows, unchanged, ...rest(leftOut, position - leftOut) };
  }
  return { kind: "diff", before: planning.planSubject(before), after: planning.planSubject(after) };
}

/** A file is one value, because its digest and its size change together. */
function hasFields(value: unknown): value is JsonObject {
  return isObject(value) && readReference(value) === null;
}

function compare(comparing: Comparing, before: Subject, after: Subject, title: string, depth: number): void {
  const { value: a } = before;
  const { value: b } = after;
  if (isSame(a, b, SAME_DEPTH)) comparing.unchanged += 1;
  else if (depth < MAX_DEPTH && hasFields(a) && hasFields(b))
    compareObjects(comparing, before, after, a, b, title, depth);
  else if (depth < MAX_DEPTH && isList(a) && isList(b)) compareLists(comparing, before, after, a, b, title, depth);
  else addRow(comparing, before, after, title);
}

function compareObjects(
  comparing: Comparing,
  before: Subject,
  after: Subject,
  a: JsonObject,
  b: JsonObject,
  title: string,
  depth: number,
): void {
  const layers = layersOf(comparing.planning.reader, [...after.starts, ...before.starts], b);
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
    const starts = propertyStarts(layers, key);
    const own = textOf(layersOf(comparing.planning.reader, starts, at(b, key) ?? at(a, key)), "title");
    const [was, is] = [sideOf(before, a, key, starts), sideOf(after, b, key, starts)];
    step(comparing, was, is, join(title, (is ?? was)?.hints?.title ?? own ?? readableKey(key)), depth);
  }
}

function compareLists(
  comparing: Comparing,
  before: Subject,
  after: Subject,
  a: readonly unknown[],
  b: readonly unknown[],
  title: string,
  depth: number,
): void {
  const layers = layersOf(comparing.planning.reader, [...after.starts, ...before.starts], b);
  const side = (of: Subject, list: readonly unknown[], index: number) =>
    sideOf(of, list, index, itemStarts(layers, index));
  if (a.every(isScalar) && b.every(isScalar)) {
    const left = countOf(a);
    const added = b.flatMap((item, index) => (take(left, item) ? [] : [index]));
    comparing.unchanged += b.length - added.length;
    const leftover = countOf(a);
    for (const item of b) take(leftover, item);
    for (const [index, item] of a.entries())
      if (take(leftover, item)) addRow(comparing, side(before, a, index), null, title === "" ? t("Item") : title);
    for (const index of added) addRow(comparing, null, side(after, b, index), title === "" ? t("Item") : title);
    return;
  }
  const name = nameIn(a, b);
  const places = new Map(name === null ? [] : a.map((item, index) => [at(item, name), index]));
  const met = new Set<number>();
  for (const [index, item] of b.entries()) {
    const other = name === null ? index : places.get(at(item, name));
    const called = name === null ? t("Item {number}", { number: index + 1 }) : String(at(item, name));
    const found = other !== undefined && other < a.length ? other : null;
    if (found !== null) met.add(found);
    step(comparing, found === null ? null : side(before, a, found), side(after, b, index), join(title, called), depth);
  }
  for (const [index, item] of a.entries()) {
    if (met.has(index)) continue;
    const called = name === null ? t("Item {number}", { number: index + 1 }) : String(at(item, name));
    step(comparing, side(before, a, index), null, join(title, called), depth);
  }
}

function step(comparing: Comparing, before: Subject | null, after: Subject | null, title: string, depth: number): void {
  if (before !== null && after !== null) compare(comparing, before, after, title, depth + 1);
  else addRow(comparing, before, after, title);
}

function sideOf(of: Subject, value: unknown, key: string | number, starts: readonly unknown[]): Subject | null {
  const own = at(value, key);
  if (own === undefined) return null;
  const name = String(key);
  return {
    pointer: of.pointer + token(key),
    key: name,
    value: own,
    starts,
    hints: typeof key === "number" ? itemHints(of.hints, key) : childHints(of.hints, name),
    parent: value,
    depth: of.depth + 1,
  };
}

function addRow(comparing: Comparing, before: Subject | null, after: Subject | null, title: string): void {
  const { planning, rows } = comparing;
  comparing.position += 1;
  if (comparing.position <= comparing.start) return;
  if (rows.length >= MAX_ROWS || planning.nodes <= 0) {
    comparing.leftOut += 1;
    return;
  }
  const old = before === null ? null : planning.planSubject(before);
  const now = after === null ? null : planning.planSubject(after);
  if (old === null && now === null) return;
  rows.push({
    pointer: (now ?? old!).pointer,
    title: title.length > 200 ? `${title.slice(0, 200)}...` : title,
    change: before === null ? "added" : after === null ? "removed" : "changed",
    before: old,
    after: now,
  });
}

function join(title: string, name: string): string {
  return title === "" ? name : `${title} › ${name}`;
}

function countOf(items: readonly unknown[]): Map<unknown, number> {
  const counts = new Map<unknown, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return counts;
}

function take(counts: Map<unknown, number>, item: unknown): boolean {
  const count = counts.get(item) ?? 0;
  if (count === 0) return false;
  counts.set(item, count - 1);
  return true;
}

/** Returns the key that identifies the items of both lists: its text or number is unique in each list. */
function nameIn(a: readonly unknown[], b: readonly unknown[]): string | null {
  return (
    ["id", "key", "sku", "code", "name"].find((key) =>
      [a, b].every((list) => {
        const names = list.map((item) => (isObject(item) ? at(item, key) : undefined));
        return (
          names.every((name) => typeof name === "string" || typeof name === "number") &&
          new Set(names).size === names.length
        );
      }),
    ) ?? null
  );
}
