import { isEqual } from "../../json-schema/equality.ts";

/** Equality of JSON values; one of the two comes from a schema or a payload, whose size and depth are limited. */
export function isSame(a: unknown, b: unknown): boolean {
  return isEqual({ left: Infinity }, a, b);
}
