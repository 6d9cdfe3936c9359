import { at, isList, isObject, isScalar } from "./json.ts";
import type { JsonObject } from "./json.ts";

/** The schemas that apply to one value, nearest first. */
export type Layers = readonly Layer[];

interface Layer {
  readonly schema: JsonObject;
  /**
   * Whether it is written at this place, and not at a definition that several places share. Then its title names the
   * place.
   */
  readonly is_own: boolean;
}

/**
 * One schema that is read along one payload, and its hints. `steps` limits the work; after that, the schema is ignored.
 */
export interface SchemaReader {
  readonly root: unknown;
  steps: number;
  readonly positions: Map<object, ReadonlyMap<string, number>>;
}

const MAX_STEPS = 400_000;
const MAX_LAYERS = 40;
const MAX_DEPTH = 40;
const MAX_CHOICES = 1_000;

export function readerOf(root: unknown): SchemaReader {
  return { root, steps: MAX_STEPS, positions: new Map() };
}

/** Uses up this many steps. Returns false if too few are left; then none are used. */
export function takeSteps(reader: SchemaReader, count: number): boolean {
  if (reader.steps < count) return false;
  reader.steps -= count;
  return true;
}

/**
 * Returns the schemas that apply to `value`. It follows `$ref`, `allOf`, and the first fitting branch of `anyOf` or
 * `oneOf`.
 */
export function layersOf(reader: SchemaReader, starts: readonly unknown[], value: unknown): Layers {
  const layers: Layer[] = [];
  const seen = new Set<unknown>();
  for (const start of starts) collect(reader, layers, seen, start, value, true, 0);
  return layers;
}

function collect(
  reader: SchemaReader,
  layers: Layer[],
  seen: Set<unknown>,
  schema: unknown,
  value: unknown,
  isOwn: boolean,
  depth: number,
): void {
  if (!isObject(schema) || seen.has(schema) || depth > MAX_DEPTH || layers.length >= MAX_LAYERS) return;
  if (--reader.steps < 0) return;
  seen.add(schema);
  layers.push({ schema, is_own: isOwn });
  const go = (next: unknown, own: boolean) => collect(reader, layers, seen, next, value, own, depth + 1);
  go(referred(reader, schema), false);
  for (const part of listAt(schema, "allOf")) go(part, isOwn);
  for (const keyword of ["anyOf", "oneOf"]) {
    const branch = listAt(schema, keyword).find((branch) => fits(reader, branch, value, 0));
    // A branch with a constant describes a value, not the place.
    if (branch !== undefined && at(branch, "const") === undefined) go(branch, false);
  }
}

function listAt(schema: unknown, keyword: string): readonly unknown[] {
  const value = at(schema, keyword);
  return isList(value) ? value : [];
}

/** Returns the target of `$ref` in the same document. Nothing is fetched. */
function referred(reader: SchemaReader, schema: JsonObject): unknown {
  const ref = at(schema, "$ref") ?? at(schema, "$dynamicRef");
  if (typeof ref !== "string" || !ref.startsWith("#")) return undefined;
  if (ref === "#") return reader.root;
  let found = reader.root;
  for (const part of ref.slice(1).split("/").slice(1)) {
    if (--reader.steps < 0 || found === undefined) return undefined;
    found = at(found, decoded(part).replaceAll("~1", "/").replaceAll("~0", "~"));
  }
  return found === reader.root ? undefined : found;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Checks quickly whether a branch is for this kind of value: types, constants, and required properties. */
function fits(reader: SchemaReader, branch: unknown, value: unknown, depth: number): boolean {
  if (branch === true) return true;
  if (!isObject(branch) || depth > 4 || --reader.steps < 0) return false;
  const constant = at(branch, "const");
  if (constant !== undefined && isScalar(constant) && constant !== value) return false;
  const choices = at(branch, "enum");
  if (isList(choices) && isScalar(value) && !isAmong(reader, choices, value)) return false;
  const type = at(branch, "type");
  const types = typeof type === "string" ? [type] : isList(type) ? type : null;
  if (types !== null && !types.some((name) => isOfType(name, value))) return false;
  if (isObject(value)) {
    for (const name of listAt(branch, "required").slice(0, 50))
      if (typeof name === "string" && !Object.hasOwn(value, name)) return false;
    const properties = at(branch, "properties");
    if (isObject(properties)) {
      const keys = Object.keys(value).slice(0, 50);
      reader.steps -= keys.length;
      for (const key of keys) {
        const property = at(properties, key);
        const wanted =
          at(property, "const") ?? (listAt(property, "enum").length === 1 ? listAt(property, "enum")[0] : undefined);
        if (wanted !== undefined && isScalar(wanted) && wanted !== at(value, key)) return false;
      }
    }
  }
  const target = referred(reader, branch);
  return target === undefined || fits(reader, target, value, depth + 1);
}

function isAmong(reader: SchemaReader, choices: readonly unknown[], value: unknown): boolean {
  reader.steps -= choices.length >>> 4;
  return choices.length <= MAX_CHOICES && choices.includes(value);
}

function isOfType(type: unknown, value: unknown): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return isList(value);
    case "object":
      return isObject(value);
    case "integer":
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

/** Returns the first text of a keyword. Titles and descriptions count only in schemas of the place itself. */
export function textOf(layers: Layers, keyword: string): string | null {
  const isNaming = keyword === "title" || keyword === "description";
  for (const { schema, is_own } of layers) {
    const value = at(schema, keyword);
    if (typeof value === "string" && value.trim() !== "" && (is_own || !isNaming)) return value;
  }
  return null;
}

export function isTrue(layers: Layers, keyword: string): boolean {
  return layers.some(({ schema }) => at(schema, keyword) === true);
}

/** Returns the bound with the largest magnitude in the schemas; null if there is none. */
export function boundOf(layers: Layers): number | null {
  let found: number | null = null;
  for (const { schema } of layers)
    for (const keyword of ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"]) {
      const bound = at(schema, keyword);
      if (typeof bound === "number") found = Math.max(found ?? 0, Math.abs(bound));
    }
  return found;
}

/** Returns whether the value is one of several listed values, and its title. `names` are those of a hint, in order. */
export function choiceOf(
  reader: SchemaReader,
  layers: Layers,
  value: unknown,
  names: readonly string[] | null,
): { isListed: boolean; title: string | null } {
  let isListed = false;
  for (const { schema } of layers) {
    const values = listAt(schema, "enum");
    if (values.length > 1 && isAmong(reader, values, value)) {
      isListed = true;
      // Several libraries write "enumNames" beside "enum".
      const all = names ?? at(schema, "enumNames") ?? at(schema, "x-enumNames");
      const name = isList(all) ? all[values.indexOf(value)] : undefined;
      if (typeof name === "string" && name !== "") return { isListed, title: name };
    }
    for (const keyword of ["oneOf", "anyOf"]) {
      const branches = listAt(schema, keyword);
      reader.steps -= branches.length;
      if (reader.steps < 0 || branches.length > MAX_CHOICES) continue;
      const index = branches.findIndex((branch) => isObject(branch) && at(branch, "const") === value);
      if (index < 0) continue;
      isListed = true;
      const title = names?.[index] ?? at(branches[index], "title");
      if (typeof title === "string" && title !== "") return { isListed, title };
    }
  }
  return { isListed, title: null };
}

/** Returns the schemas that apply to a property; empty if none does. */
export function propertyStarts(layers: Layers, key: string): readonly unknown[] {
  const named: unknown[] = [];
  for (const { schema } of layers) {
    const found = at(at(schema, "properties"), key);
    if (found !== undefined) named.push(found);
  }
  if (named.length > 0) return named;
  return layers.map(({ schema }) => at(schema, "additionalProperties")).filter(isObject);
}

export function itemStarts(layers: Layers, index: number): readonly unknown[] {
  const found: unknown[] = [];
  for (const { schema } of layers) {
    const items = at(schema, "items");
    const prefix = at(schema, "prefixItems") ?? (isList(items) ? items : undefined);
    if (isList(prefix) && index < prefix.length) found.push(prefix[index]);
    else if (isList(items)) found.push(at(schema, "additionalItems"));
    else found.push(items);
  }
  return found.filter(isObject);
}

/** Returns whether the schema names any properties, so that other properties are unknown. */
export function namesProperties(layers: Layers): boolean {
  return layers.some(({ schema }) => {
    const properties = at(schema, "properties");
    return isObject(properties) && Object.keys(properties).length > 0;
  });
}

/** Returns whether the schema describes any property names. */
export function describesProperties(layers: Layers): boolean {
  return namesProperties(layers) || layers.some(({ schema }) => isObject(at(schema, "additionalProperties")));
}

export function knowsProperty(layers: Layers, key: string): boolean {
  return propertyStarts(layers, key).length > 0;
}

/** Returns the names of all properties that the schemas describe. */
export function propertyNames(layers: Layers): readonly string[] {
  return layers.flatMap(({ schema }) => {
    const properties = at(schema, "properties");
    return isObject(properties) ? Object.keys(properties) : [];
  });
}

/** Returns the keys in the order of the schema. Unknown keys keep their order and come last. */
export function inSchemaOrder(reader: SchemaReader, layers: Layers, keys: readonly string[]): readonly string[] {
  const places = layers
    .map(({ schema }) => at(schema, "properties"))
    .filter(isObject)
    .map((properties) => positionsOf(reader, properties));
  if (places.length === 0) return keys;
  const placeOf = (key: string): number => {
    for (let i = 0; i < places.length; i++) {
      const position = places[i]!.get(key);
      if (position !== undefined) return i * 1e6 + position;
    }
    return Infinity;
  };
  const ranked = keys.map((key) => ({ key, place: placeOf(key) }));
  return ranked.toSorted((a, b) => (a.place === b.place ? 0 : a.place - b.place)).map(({ key }) => key);
}

function positionsOf(reader: SchemaReader, properties: JsonObject): ReadonlyMap<string, number> {
  const known = reader.positions.get(properties);
  if (known !== undefined) return known;
  const positions = new Map(Object.keys(properties).map((key, index) => [key, index]));
  reader.positions.set(properties, positions);
  return positions;
}
