import { keyOf } from "./entries.ts";
import { isRaw, own } from "./hints.ts";
import { put } from "./nodes.ts";
import { planForm, valueAt, type Form } from "./plan.ts";
import { isSame } from "./same.ts";

/**
 * Returns an answer of a form in which some values are edits of values in the payload. An edit keeps what the form does not show,
 * such as a member that the schema does not name, and what was left as the form showed it.
 *
 * @param edits - pointer of an edit in the answer -> pointer of the original in the payload
 */
export function keepUntouched(form: Form, answer: unknown, edits: ReadonlyMap<string, string>): unknown {
  let kept = answer;
  for (const [to, from] of edits) {
    const edited = valueAt(answer, to);
    const original = valueAt(form.payload, from);
    if (edited === undefined || original === undefined) continue;
    // What the form makes of the original when nobody touches it.
    const shown = valueAt(planForm(form, {}, replaced(answer, to, original)).value, to);
    kept = replaced(kept, to, merge(original, shown, edited));
  }
  return kept;
}

function merge(original: unknown, shown: unknown, edited: unknown): unknown {
  if (isSame(shown, edited)) return original;
  if (Array.isArray(original) && Array.isArray(shown) && Array.isArray(edited))
    return mergeItems(original, shown, edited);
  if (!isRaw(original) || !isRaw(shown) || !isRaw(edited)) return edited;
  const merged: Record<string, unknown> = {};
  for (const key of Object.keys(original)) {
    if (Object.hasOwn(edited, key)) put(merged, key, merge(original[key], own(shown, key), edited[key]));
    else if (!Object.hasOwn(shown, key)) put(merged, key, original[key]);
  }
  for (const key of Object.keys(edited)) if (!Object.hasOwn(original, key)) put(merged, key, edited[key]);
  return merged;
}

/** The items at both ends that were not changed are those of the original. Between, items belong together by position. */
function mergeItems(original: readonly unknown[], shown: readonly unknown[], edited: readonly unknown[]): unknown[] {
  if (original.length !== shown.length) return [...edited];
  const shorter = Math.min(shown.length, edited.length);
  let end = 0;
  let start = 0;
  while (start < shorter && isSame(shown[start], edited[start])) start += 1;
  while (end < shorter - start && isSame(shown.at(-1 - end), edited.at(-1 - end))) end += 1;
  return edited.map((item, i) => {
    const at = i < edited.length - end ? i : i + original.length - edited.length;
    const hasOriginal = i >= edited.length - end || i < original.length - end;
    return hasOriginal ? merge(original[at], shown[at], item) : item;
  });
}

/** Returns a copy with another value at a pointer that leads to a value. */
function replaced(value: unknown, pointer: string, by: unknown): unknown {
  const [, first, ...rest] = pointer.split("/");
  if (first === undefined) return by;
  const below = rest.length === 0 ? "" : `/${rest.join("/")}`;
  const key = keyOf(first);
  if (Array.isArray(value))
    return value.map((item, i) => (String(i) === key ? replaced(item, below, by) : (item as unknown)));
  return { ...(value as object), [key]: replaced(own(value, key), below, by) };
}
