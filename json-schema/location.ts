import { escapeToken } from "./schema.ts";
import type { Resource, SchemaNode } from "./schema.ts";
import type { ValidationError } from "./errors.ts";

/** A place in the instance. If results are remembered, each place has exactly one object, so that it can be a key. */
export interface Location {
  readonly value: unknown;
  readonly parent: Location | null;
  readonly key: string | number | null;
  children: Map<string | number, Location> | null;
  /** The own keys of an object, after their first use. */
  keys: readonly string[] | null;
  /** The results for this place: by node, or by (node, scope) if references are dynamic. */
  results: Map<object, Result> | null;
}

export interface Result {
  state: "running" | "valid" | "invalid";
  seen: Seen | null;
  /** null until a caller needs the reasons. */
  errors: readonly ValidationError[] | null;
}

/** The properties and items that were evaluated by a schema that accepted the value. (JSON Schema: unevaluated*) */
export interface Seen {
  allProperties: boolean;
  properties: Set<string> | null;
  /** The number of evaluated items from the start. Infinity means all items. */
  items: number;
  /** Further items, which `contains` accepted. */
  itemSet: Set<number> | null;
}

/**
 * The resources that were entered on the way to a node, outermost first and without repetition. Equal ways share one
 * object.
 */
export interface Scope {
  readonly outer: Scope | null;
  /** The number of resources. A search in a scope costs this many steps. */
  readonly size: number;
  readonly resource: Resource;
  readonly inner: Map<Resource, Scope>;
  readonly keys: Map<SchemaNode, object>;
}

export function makeLocation(value: unknown, parent: Location | null, key: string | number | null): Location {
  return { value, parent, key, children: null, keys: null, results: null };
}

/** Returns the JSON Pointer into the instance. */
export function pathOf(location: Location): string {
  const parts: string[] = [];
  for (let at: Location | null = location; at !== null; at = at.parent)
    if (at.key !== null) parts.push(`/${escapeToken(at.key)}`);
  return parts.toReversed().join("");
}

/** Returns an object that represents (node, scope), for references whose result depends on the scope. */
export function scopeKey(scope: Scope, node: SchemaNode): object {
  const known = scope.keys.get(node);
  if (known !== undefined) return known;
  const key = {};
  scope.keys.set(node, key);
  return key;
}

export function makeSeen(): Seen {
  return { allProperties: false, properties: null, items: 0, itemSet: null };
}

/** Returns the cost of merging `from` into another. */
export function sizeOfSeen(from: Seen): number {
  return 1 + (from.properties?.size ?? 0) + (from.itemSet?.size ?? 0);
}

export function mergeSeen(into: Seen, from: Seen): void {
  if (from.allProperties) into.allProperties = true;
  if (from.properties !== null && !into.allProperties) {
    into.properties ??= new Set();
    for (const name of from.properties) into.properties.add(name);
  }
  if (from.items > into.items) into.items = from.items;
  if (from.itemSet !== null && into.items !== Number.POSITIVE_INFINITY) {
    into.itemSet ??= new Set();
    for (const index of from.itemSet) into.itemSet.add(index);
  }
}

export function makeScope(outer: Scope | null, resource: Resource): Scope {
  return { outer, size: outer === null ? 1 : outer.size + 1, resource, inner: new Map(), keys: new Map() };
}

/**
 * Returns the scope after entering `resource`. Entering a resource again changes nothing, because the outermost one
 * counts.
 */
export function enterScope(scope: Scope, resource: Resource): Scope {
  if (scope.resource === resource) return scope;
  for (let at: Scope | null = scope.outer; at !== null; at = at.outer) if (at.resource === resource) return scope;
  const known = scope.inner.get(resource);
  if (known !== undefined) return known;
  const entered = makeScope(scope, resource);
  scope.inner.set(resource, entered);
  return entered;
}

/**
 * Returns the target of a `$dynamicRef` to `name`: the outermost resource in the scope that has such an anchor decides.
 */
export function findDynamic(scope: Scope, name: string): SchemaNode | null {
  let found: SchemaNode | null = null;
  for (let at: Scope | null = scope; at !== null; at = at.outer) found = at.resource.dynamicAnchors.get(name) ?? found;
  return found;
}
