import type { Hints } from "./hints.ts";
import type { JsonObject } from "./json.ts";
import { MAX_NODES } from "./limits.ts";
import type { Planning } from "./planning.ts";
import * as schema from "./schema.ts";
import type { Layers } from "./schema.ts";

/**
 * Returns all keys of an object that is small enough to show. Of a larger object, it returns the keys that its schema
 * and its hints name, and the first of the others, so that the cost of a plan does not grow with the omitted part.
 * `start` is the number of keys that were planned before.
 */
export function keysOf(
  value: JsonObject,
  layers: Layers,
  hints: Hints | null,
  start: number,
): { keys: readonly string[]; unread: number } {
  const all = Object.keys(value);
  const most = start + MAX_NODES;
  if (all.length <= most) return { keys: all, unread: 0 };
  const named = [...schema.propertyNames(layers), ...(hints?.children.keys() ?? []), ...(hints?.order ?? [])];
  const keys = new Set(named.filter((key) => Object.hasOwn(value, key)));
  for (let i = 0; keys.size < most; i++) keys.add(all[i]!);
  return { keys: [...keys], unread: all.length - keys.size };
}

/**
 * Returns the keys in reading order: those of the schema and the hints first, in the order of `ui:order`, then the
 * others.
 */
export function orderedKeys(
  planning: Planning,
  value: JsonObject,
  all: readonly string[],
  layers: Layers,
  hints: Hints | null,
): { known: readonly string[]; other: readonly string[] } {
  const keys = schema.inSchemaOrder(planning.reader, layers, all);
  const asked = hints?.order ?? null;
  // The rows of a list share one order, which may be long, so reading it counts as steps.
  const order = asked !== null && schema.takeSteps(planning.reader, 4 * asked.length) ? asked : null;
  const listed = new Set(order);
  const isKnown = (key: string) =>
    schema.knowsProperty(layers, key) || hints?.children.has(key) === true || listed.has(key);
  const isDescribed = schema.namesProperties(layers);
  const known = isDescribed ? keys.filter(isKnown) : keys;
  const other = isDescribed ? keys.filter((key) => !isKnown(key)) : [];
  if (order === null || hints === null) return { known, other };
  for (const key of order)
    if (key !== "*" && !Object.hasOwn(value, key) && !schema.knowsProperty(layers, key))
      planning.ignored.add(hints.pointer, "ui:order", `Nothing in the payload is called "${key.slice(0, 40)}".`);
  const rest = known.filter((key) => !listed.has(key));
  const present = new Set(known);
  const sorted = [...listed].flatMap((key) => (key === "*" ? rest : present.has(key) ? [key] : []));
  return { known: listed.has("*") ? sorted : [...sorted, ...rest], other };
}
