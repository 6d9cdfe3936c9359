import { plural } from "../../languages/text.ts";
import { isList, isLongerThan } from "./json.ts";
import type { Rest, Shown } from "./node.ts";
import type { Planning, Subject } from "./planning.ts";

/** The maximum length of a text that is shown as a chip. */
export const MAX_CHIP = 60;
export const MAX_TITLE = 200;
export const MAX_NOTE = 1_000;
/** The maximum depth of values. Deeper ones are shown as JSON. */
export const MAX_DEPTH = 12;
/** The maximum number of nodes in one plan. */
export const MAX_NODES = 5_000;

/** How many entries, rows, fields or changes a page adds to a plan on request. */
export const PAGE = 100;
/** How many entries and rows of a long list a page shows at first. */
export const FIRST_ENTRIES = 20;
export const FIRST_ROWS = 50;
/** The maximum length of JSON of a value inside a large payload that is shown at once. */
const MAX_INLINE = 4_000;

export function shortened(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}...` : text;
}

export function count(planning: Planning, number: number): string {
  return planning.formats.number(number);
}

/**
 * Returns whether a value is only counted in this plan: too much is shown already, or it is a long part of a large
 * payload.
 */
export function isSection(planning: Planning, { depth, value }: Subject): boolean {
  return planning.nodes <= 0 || (planning.isTooLarge && depth > planning.depth && isLongerThan(MAX_INLINE, value));
}

/** Returns where this plan begins in its value: after the part that another plan has shown. Later values begin at 0. */
export function takeStart(planning: Planning): number {
  const start = planning.start;
  planning.start = 0;
  return start;
}

/** Returns how many entries of a list are planned. `first` applies to a long list if the page can show more later. */
export function entriesIn(planning: Planning, length: number, start: number, first: number): number {
  if (start > 0) return PAGE;
  return planning.isPaged && (planning.isTooLarge || length > planning.items) ? first : planning.items;
}

/** Returns how much is left out, and where the next page begins. */
export function rest(leftOut: number, next: number): Rest {
  return leftOut > 0 ? { left_out: leftOut, next } : { left_out: 0 };
}

export function tooLarge(planning: Planning, value: unknown): Shown {
  const size = isList(value) ? value.length : Object.keys(value as object).length;
  const values = { n: count(planning, size) };
  const text = isList(value)
    ? plural(size, "{n} entry", "{n} entries", values)
    : plural(size, "{n} field", "{n} fields", values);
  return { kind: "too_large", text };
}
