import { findDuplicate } from "./equality.ts";
import type { Location, Seen } from "./location.ts";
import { childOf, report } from "./run.ts";
import type { Errors, Run } from "./run.ts";
import type { ArrayRules, SchemaNode } from "./schema.ts";

/** Checks the array keywords of a node, except `unevaluatedItems`. */
export function checkArray(
  run: Run,
  node: SchemaNode,
  rules: ArrayRules,
  location: Location,
  value: readonly unknown[],
  seen: Seen | null,
  errors: Errors,
): boolean {
  let ok = true;
  const { minItems, maxItems, prefix, rest } = rules;
  if (minItems !== null && value.length < minItems)
    ok = report(run, errors, node, location, "minItems", () => ({ limit: minItems, actual: value.length }));
  if (maxItems !== null && value.length > maxItems)
    ok = report(run, errors, node, location, "maxItems", () => ({ limit: maxItems, actual: value.length }));
  if (!ok && errors === null) return false;
  const prefixLength = prefix?.length ?? 0;
  const end = rest === null ? Math.min(prefixLength, value.length) : value.length;
  for (let i = 0; i < end; i++) {
    const item = (i < prefixLength ? prefix?.[i] : rest) ?? null;
    if (item !== null && !run.evaluate(run, item, childOf(run, location, i, value[i]), null, errors)) {
      if (errors === null) return false;
      ok = false;
    }
  }
  if (seen !== null) seen.items = Math.max(seen.items, rest === null ? end : Number.POSITIVE_INFINITY);
  if (rules.contains !== null && !checkContains(run, node, rules, rules.contains, location, value, seen, errors))
    ok = false;
  if (!ok && errors === null) return false;
  if (rules.uniqueItems) {
    const same = findDuplicate(run.budget, value);
    if (same !== null) ok = report(run, errors, node, location, "uniqueItems", () => ({ same }));
  }
  return ok;
}

function checkContains(
  run: Run,
  node: SchemaNode,
  rules: ArrayRules,
  contains: SchemaNode,
  location: Location,
  value: readonly unknown[],
  seen: Seen | null,
  errors: Errors,
): boolean {
  const least = rules.minContains ?? 1;
  const most = rules.maxContains ?? Number.POSITIVE_INFINITY;
  let count = 0;
  for (const [index, item] of value.entries()) {
    if (!run.evaluate(run, contains, childOf(run, location, index, item), null, null)) continue;
    count++;
    if (seen !== null) {
      seen.itemSet ??= new Set();
      seen.itemSet.add(index);
    } else if (count > most || (count >= least && rules.maxContains === null)) break;
  }
  if (count < least)
    return report(run, errors, node, location, rules.minContains === null ? "contains" : "minContains", () => ({
      limit: least,
      actual: count,
    }));
  if (count > most) return report(run, errors, node, location, "maxContains", () => ({ limit: most, actual: count }));
  return true;
}

/** Checks the items that no other keyword evaluated, in this node or below it at the same place. It must run last. */
export function checkUnevaluatedItems(
  run: Run,
  node: SchemaNode,
  location: Location,
  value: readonly unknown[],
  seen: Seen,
  errors: Errors,
): boolean {
  let ok = true;
  for (let i = Math.min(seen.items, value.length); i < value.length; i++) {
    if (seen.itemSet?.has(i)) continue;
    if (run.evaluate(run, node, childOf(run, location, i, value[i]), null, errors)) continue;
    if (errors === null) return false;
    ok = false;
  }
  seen.items = Number.POSITIVE_INFINITY;
  return ok;
}
