import { keyOf, token } from "../../form/plan/entries.ts";
import { isJsonObject } from "../lib/json.ts";

/** Whether a text is a JSON Pointer. (RFC 6901) */
export function isPointer(text: string): boolean {
  return /^(?:\/(?:[^~/]|~[01])*)*$/u.test(text);
}

/** Pointers as a tree: each place either belongs to one of them whole, or leads to some. */
export interface PointerTree {
  isWhole: boolean;
  members: Map<string, PointerTree>;
}

export function pointerTree(pointers: readonly string[]): PointerTree {
  const root: PointerTree = { isWhole: false, members: new Map() };
  for (const pointer of pointers) {
    let at = root;
    for (const key of pointer.split("/").slice(1).map(keyOf)) {
      const next: PointerTree = at.members.get(key) ?? { isWhole: false, members: new Map() };
      at.members.set(key, next);
      at = next;
    }
    at.isWhole = true;
  }
  return root;
}

/**
 * Returns the places where two values differ and that none of the pointers covers, by position. An array with more or fewer
 * items than before differs as a whole, except that a pointer to an item may add or remove the last ones.
 *
 * @param most - how many are returned at most
 */
export function changesOutside(before: unknown, after: unknown, tree: PointerTree, most: number): string[] {
  const found: string[] = [];
  compare(before, after, tree, "");
  return found;

  function compare(was: unknown, is: unknown, covered: PointerTree | undefined, pointer: string): void {
    if (covered?.isWhole === true || was === is || found.length >= most) return;
    const keys = keysOfBoth(was, is);
    if (keys === null) {
      found.push(pointer);
      return;
    }
    for (const key of keys)
      compare(member(was, key), member(is, key), covered?.members.get(key), `${pointer}/${token(key)}`);
  }
}

/** The keys of two objects or two arrays; null if the values are neither. */
function keysOfBoth(was: unknown, is: unknown): Iterable<string> | null {
  if (Array.isArray(was) && Array.isArray(is))
    return Array.from({ length: Math.max(was.length, is.length) }, (_, i) => String(i));
  if (isJsonObject(was) && isJsonObject(is)) return new Set([...Object.keys(was), ...Object.keys(is)]);
  return null;
}

/** Keys are data: `constructor` is found only if it was written. */
function member(value: unknown, key: string): unknown {
  return Object.hasOwn(value as object, key) ? (value as Record<string, unknown>)[key] : undefined;
}
