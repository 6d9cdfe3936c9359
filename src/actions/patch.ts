import { createPatch } from "rfc6902";
import { isSame } from "../../form/plan/same.ts";
import type { JsonObject } from "../lib/json.ts";
import { changesOutside, pointerTree } from "./pointers.ts";
import type { PatchStep } from "./action.ts";

/** With more changes than this, each changed argument is replaced as a whole. A person makes fewer. */
const CHANGES_MAX = 1000;

/**
 * Returns the JSON Patch that turns `before` into `after`; empty if they are equal.
 *
 * The library aligns arrays in all ways, which takes the square of their length, and more where they are nested. Values come
 * from people and agents, so arrays are compared here in one pass.
 */
export function patchBetween(before: JsonObject, after: JsonObject): PatchStep[] {
  const isLarge = changesOutside(before, after, pointerTree([]), CHANGES_MAX + 1).length > CHANGES_MAX;
  return isLarge ? replaceMembers(before, after) : patchOf(before, after);
}

function patchOf(before: JsonObject, after: JsonObject): PatchStep[] {
  return createPatch(before, after, (was: unknown, is: unknown, pointer) =>
    Array.isArray(was) && Array.isArray(is) ? patchArrays(was, is, pointer.toString()) : undefined,
  ) as PatchStep[];
}

function replaceMembers(before: JsonObject, after: JsonObject): PatchStep[] {
  return createPatch(before, after, (was: unknown, is: unknown, pointer) => {
    if (was === before) return undefined;
    return isSame(was, is) ? [] : [{ op: "replace", path: pointer.toString(), value: is }];
  }) as PatchStep[];
}

/** What is equal at both ends stays. Between, items are compared by position, and then removed or added. */
function patchArrays(was: readonly unknown[], is: readonly unknown[], pointer: string): PatchStep[] {
  const shorter = Math.min(was.length, is.length);
  let start = 0;
  while (start < shorter && isSame(was[start], is[start])) start += 1;
  let end = 0;
  while (end < shorter - start && isSame(was.at(-1 - end), is.at(-1 - end))) end += 1;
  const steps: PatchStep[] = [];
  for (let i = start; i < shorter - end; i += 1)
    for (const step of patchOf({ i: was[i] }, { i: is[i] }))
      steps.push({ ...step, path: `${pointer}/${i}` + step.path.slice("/i".length) });
  // The last one first, so that the places of the others stay.
  for (let i = was.length - end - 1; i >= shorter - end; i -= 1) steps.push({ op: "remove", path: `${pointer}/${i}` });
  for (let i = shorter - end; i < is.length - end; i += 1)
    steps.push({ op: "add", path: `${pointer}/${i}`, value: is[i] });
  return steps;
}
