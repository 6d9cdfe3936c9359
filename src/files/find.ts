import { readReference, type FileReference } from "../../form/payload/reference.ts";

/**
 * Returns the first file with a digest that a value names, at any depth; null if it names none.
 *
 * @param sha256 - in lower case
 */
export function findReference(value: unknown, sha256: string): FileReference | null {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== "object" || next === null) continue;
    const file = readReference(next);
    if (file?.sha256 === sha256) return file;
    // The first one comes last, and is taken next.
    if (file === null) open.push(...Object.values(next).toReversed());
  }
  return null;
}
