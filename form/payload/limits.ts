import { isList } from "./json.ts";
import type { Shown } from "./node.ts";
import type { Planning } from "./planning.ts";

/** Characters of a text that is shown as a chip. */
export const MAX_CHIP = 60;
export const MAX_TITLE = 200;
export const MAX_NOTE = 1_000;
/** Values inside each other. Deeper ones are shown as JSON. */
export const MAX_DEPTH = 12;
/** Nodes in one plan. */
export const MAX_NODES = 5_000;

export function shortened(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}...` : text;
}

export function count(planning: Planning, number: number): string {
  return planning.formats.number(number);
}

export function tooLarge(planning: Planning, value: unknown): Shown {
  const size = isList(value) ? value.length : Object.keys(value as object).length;
  const [one, many] = isList(value) ? ["entry", "entries"] : ["field", "fields"];
  return { kind: "too_large", text: `${count(planning, size)} ${size === 1 ? one : many}` };
}
