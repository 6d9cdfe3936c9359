import { Refusal, spend } from "./budget.ts";
import type { Budget } from "./budget.ts";

/** Deeper values are refused, because hashing them would need more stack than this code may use. */
const MAX_VALUE_DEPTH = 1_000;

export function isCompound(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Returns whether a value is an object, and neither null nor an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return isCompound(value) && !Array.isArray(value);
}

/**
 * Returns whether two JSON values are equal. The order of keys does not count, and 1 equals 1.0. The recursion is as
 * deep as the shallower value, and one of the two always has a depth limit: it is from a schema, or was hashed before.
 * @throws Refusal too_expensive
 */
export function isEqual(budget: Budget, a: unknown, b: unknown): boolean {
  spend(budget, 1);
  if (a === b) {
    if (typeof a === "string") spend(budget, a.length >>> 6);
    return true;
  }
  if (!isCompound(a) || !isCompound(b)) {
    if (typeof a === "string" && typeof b === "string" && a.length === b.length) spend(budget, a.length >>> 6);
    return false;
  }
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) if (!isEqual(budget, a[i], b[i])) return false;
    return true;
  }
  if (Array.isArray(b)) return false;
  const keys = Object.keys(a);
  spend(budget, keys.length * 2);
  if (keys.length !== Object.keys(b).length) return false;
  for (const key of keys) {
    if (!Object.hasOwn(b, key)) return false;
    if (!isEqual(budget, Reflect.get(a, key), Reflect.get(b, key))) return false;
  }
  return true;
}

/**
 * Returns the first two equal items of an array, or null if all differ. The work is linear in the size of the items,
 * unless someone crafts hash collisions. Then the budget ends it.
 * @throws Refusal too_expensive, too_deep
 */
export function findDuplicate(budget: Budget, items: readonly unknown[]): [number, number] | null {
  if (items.length < 2) return null;
  const simple = new Map<unknown, number>();
  const compound = new Map<number, number>();
  // Further items that have the hash of an earlier item but differ from it.
  const collisions = new Map<number, number[]>();
  for (let i = 0; i < items.length; i++) {
    const item = items[i];
    if (!isCompound(item)) {
      spend(budget, typeof item === "string" ? 4 + (item.length >>> 4) : 4);
      const first = simple.get(item);
      if (first !== undefined) return [first, i];
      simple.set(item, i);
      continue;
    }
    spend(budget, 4);
    const hash = hashOf(budget, item, 0);
    const first = compound.get(hash);
    if (first === undefined) {
      compound.set(hash, i);
      continue;
    }
    if (isEqual(budget, items[first], item)) return [first, i];
    const others = collisions.get(hash) ?? [];
    for (const other of others) if (isEqual(budget, items[other], item)) return [other, i];
    collisions.set(hash, [...others, i]);
    spend(budget, others.length);
  }
  return null;
}

/**
 * Returns a hash that is the same for equal values. The hashes of an object's keys are added, because their order must
 * not count.
 */
function hashOf(budget: Budget, value: unknown, depth: number): number {
  if (typeof value === "string") return hashText(budget, value, 17);
  if (typeof value === "number") {
    if (!Number.isInteger(value)) return hashText(budget, String(value), 31);
    spend(budget, 1);
    return mix(value | 0, (value / 0x1_0000_0000) | 0);
  }
  if (!isCompound(value)) {
    spend(budget, 1);
    return value === true ? 3 : value === false ? 5 : 7;
  }
  if (depth > MAX_VALUE_DEPTH) throw new Refusal("too_deep");
  let hash = 11;
  if (Array.isArray(value)) {
    spend(budget, 2);
    for (const item of value) hash = mix(hash, hashOf(budget, item, depth + 1));
    return hash;
  }
  hash = 13;
  const keys = Object.keys(value);
  spend(budget, 4 + keys.length * 2);
  for (const key of keys)
    hash = (hash + mix(hashText(budget, key, 19), hashOf(budget, Reflect.get(value, key), depth + 1))) | 0;
  return hash;
}

export function hashText(budget: Budget, text: string, seed: number): number {
  spend(budget, 1 + (text.length >>> 4));
  let hash = seed;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return mix(hash, text.length);
}

function mix(a: number, b: number): number {
  const x = Math.imul(a ^ (b + 0x9e3779b9 + (a << 6) + (a >>> 2)), 0x85ebca6b);
  return x ^ (x >>> 13);
}
