import { isEqual } from "../../json-schema/equality.ts";

/**
 * Returns whether two JSON values are equal. One of them is from a schema or a payload, whose size and depth are
 * limited.
 */
export function isSame(a: unknown, b: unknown): boolean {
  return isEqual({ left: Infinity }, a, b);
}
