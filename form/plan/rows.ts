import { inSentence } from "../titles.ts";
import { enteredAt } from "./planning.ts";
import type { FieldContext } from "./planning.ts";

/** The maximum number of rows of one list or record that a form shows. */
export const MAX_ROWS = 200;

/** Returns how many rows a list or record has: the entered number, or else the initial number. */
export function rowCount(field: FieldContext, initial: number, max = MAX_ROWS): number {
  const entered = enteredAt(field, "~rows")?.[0];
  return Math.min(entered !== undefined && /^\d{1,4}$/.test(entered) ? Number(entered) : initial, MAX_ROWS, max);
}

/** "Line items" -> "line item" */
export function singular(title: string): string {
  const one = title.endsWith("ies")
    ? title.replace(/ies$/, "y")
    : /(?:s|x|ch|sh)es$/.test(title)
      ? title.replace(/es$/, "")
      : /[^su]s$/.test(title)
        ? title.slice(0, -1)
        : title;
  return inSentence(one);
}
