import type { FormatCheck, PatternMatcher } from "../../json-schema/run.ts";
import type { Schema, SchemaNode } from "../../json-schema/schema.ts";
import { TYPE_BITS } from "../../json-schema/schema.ts";
import { readSchema } from "../../json-schema/read-schema.ts";
import { validateWith } from "../../json-schema/validate-with.ts";
import type { Verdict } from "../../json-schema/validate-with.ts";
import { isRaw } from "./hints.ts";

/**
 * A form reads a schema place by place, not keyword by keyword. All subschemas that apply to one place of the answer
 * form a list of layers: the schema itself, its references, its `allOf`, the chosen branch, and the `then` that
 * applies. A question such as "what is the maximum length?" considers all layers. Nothing is merged or copied, so every
 * object of the schema keeps its identity.
 */
export interface SchemaSource {
  readonly raw: unknown;
  readonly schema: Schema;
  readonly nodeOf: ReadonlyMap<object, SchemaNode>;
  readonly rawOf: ReadonlyMap<SchemaNode, object>;
  /** null if patterns and formats are left to the server. */
  readonly texts: TextRules | null;
  /** How many more questions one plan may ask the interpreter. The result of further ones is yes. */
  readonly questions: { left: number };
}

/** How texts are checked. See text-rules.ts. */
export interface TextRules {
  readonly matches: PatternMatcher;
  readonly isOfFormat: FormatCheck;
}

export type Layer = Readonly<Record<string, unknown>>;

/** `anyOf` or `oneOf` with more than one branch that is not null, or several names in `type`. */
export interface Union {
  /** The list of the branches. The choice among them is stored by this list. */
  readonly list: object;
  readonly branches: readonly Layer[];
}

/** A part of the schema that applies only while its object fulfils a condition. */
export interface Condition {
  readonly holds: { readonly if: object } | { readonly has: string };
  readonly onTrue: unknown;
  readonly onFalse: unknown;
}

export type Resolved = ReadonlyMap<object, Layer>;

const NONE: Resolved = new Map();

export interface Place {
  /** The schemas of this place. Nothing else applies to it. */
  readonly roots: readonly unknown[];
  readonly layers: readonly Layer[];
  readonly unions: readonly Union[];
  readonly conditions: readonly Condition[];
  /** Bits of `TYPE_BITS` that every layer allows; 0 if no value can be valid. */
  readonly types: number;
  /** Whether any layer has `type`. */
  readonly isTyped: boolean;
  /** Whether no `type` excludes null. Ask the interpreter whether it fits. */
  readonly mayBeNull: boolean;
}

/** Every option of a list is one question, and so is every field that may be null. */
const MAX_QUESTIONS = 5_000;
/** The interpreter's steps for one question. All questions together may cost as much as a hundred validations. */
const STEPS = 10_000;
/**
 * The maximum number of layers of one place. Doubling references give no more layers than nodes, and no form needs this
 * many.
 */
const MAX_LAYERS = 200;

const ALL_TYPES = Object.values(TYPE_BITS).reduce((all, bit) => all | bit, 0);

/** Only the service has the documents that a schema may refer to (the meta-schemas). Here they allow everything. */
const anything = (): unknown => true;

/** Returns null if the service would not accept the schema. */
export function readSource(raw: unknown, texts: TextRules | null): SchemaSource | null {
  const read = readSchema(raw, anything);
  if (!read.ok) return null;
  const rawOf = new Map<SchemaNode, object>();
  for (const [object, node] of read.nodeOf) rawOf.set(node, object);
  return { raw, schema: read.schema, nodeOf: read.nodeOf, rawOf, texts, questions: { left: MAX_QUESTIONS } };
}

/** @param resolved - the chosen branches by the list that contains them; a union with a chosen branch is resolved */
export function placeOf(source: SchemaSource, roots: readonly unknown[], resolved: Resolved = NONE): Place {
  const layers: Layer[] = [];
  const unions: Union[] = [];
  const conditions: Condition[] = [];
  const seen = new Set<unknown>();
  let types = ALL_TYPES;
  let isTyped = false;
  let mayBeNull = true;

  const resolve = (union: Union): void => {
    const branch = resolved.get(union.list);
    if (branch === undefined) unions.push(union);
    else look(branch, true);
  };
  const look = (raw: unknown, isBranch: boolean): void => {
    if (raw === false) types = 0;
    if (!isRaw(raw) || seen.has(raw) || layers.length >= MAX_LAYERS) return;
    seen.add(raw);
    const node = source.nodeOf.get(raw);
    // draft-07: siblings of a `$ref` have no effect, except those that inform people about the place.
    const isRefOnly = source.schema.draft === "draft-07" && node !== undefined && node.ref !== null;
    layers.push(isRefOnly ? annotationsOf(raw) : raw);
    if (node?.ref) look(source.rawOf.get(node.ref) ?? node.ref.always, isBranch);
    if (isRefOnly) return;
    if (node?.dynamicRef) look(source.rawOf.get(node.dynamicRef.fallback) ?? node.dynamicRef.fallback.always, isBranch);

    const named = typesOf(raw);
    if (named !== 0) {
      types &= named;
      isTyped = true;
      if (!isBranch && (named & TYPE_BITS.null) === 0) mayBeNull = false;
      const several = namesIn(named & ~TYPE_BITS.null);
      // `type: ["string", "number"]` means the same as two branches, so it is handled the same way.
      const list = raw["type"];
      if (several.length > 1 && Array.isArray(list))
        resolve({
          list,
          branches: list.filter((name) => several.includes(String(name))).map((type: unknown) => ({ type })),
        });
    }
    for (const part of listOf(raw["allOf"])) look(part, isBranch);
    for (const keyword of ["anyOf", "oneOf"]) {
      const list = listOf(raw[keyword]);
      const branches = list.filter((branch) => branch !== false && !isNull(source, branch));
      const shapes = branches.filter((branch): branch is Layer => isRaw(branch) && !isDemand(branch));
      if (branches.length === 1) look(branches[0], true);
      else if (shapes.length === branches.length && shapes.length > 1) resolve({ list, branches: shapes });
    }
    const { if: condition, dependentSchemas, dependencies } = raw;
    if (isRaw(condition)) conditions.push({ holds: { if: condition }, onTrue: raw["then"], onFalse: raw["else"] });
    for (const dependent of [dependentSchemas, dependencies])
      for (const [has, then] of Object.entries(isRaw(dependent) ? dependent : {}))
        if (isRaw(then)) conditions.push({ holds: { has }, onTrue: then, onFalse: undefined });
  };
  for (const root of roots) look(root, false);
  return { roots, layers, unions, conditions, types, isTyped, mayBeNull };
}

const ANNOTATIONS = new Set(["title", "description", "default", "examples", "writeOnly", "readOnly"]);

function annotationsOf(raw: Layer): Layer {
  return Object.fromEntries(Object.entries(raw).filter(([key]) => ANNOTATIONS.has(key)));
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns the bits of the types that a layer names; 0 if it names none. An integer is a number. */
function typesOf(raw: Layer): number {
  const names = typeof raw["type"] === "string" ? [raw["type"]] : listOf(raw["type"]);
  let bits = 0;
  for (const name of names) {
    if (typeof name !== "string" || !Object.hasOwn(TYPE_BITS, name)) continue;
    bits |= TYPE_BITS[name as keyof typeof TYPE_BITS];
    if (name === "number") bits |= TYPE_BITS.integer;
  }
  return bits;
}

function namesIn(bits: number): string[] {
  const names = Object.entries(TYPE_BITS).filter(([, bit]) => (bits & bit) !== 0);
  // `number` includes every integer.
  return names.map(([name]) => name).filter((name) => name !== "integer" || (bits & TYPE_BITS.number) === 0);
}

/** References never form a loop, because such a schema is not read. */
function isNull(source: SchemaSource, raw: unknown): boolean {
  if (!isRaw(raw)) return false;
  const target = source.nodeOf.get(raw)?.ref;
  if (target) return isNull(source, source.rawOf.get(target));
  return (
    raw["type"] === "null" ||
    raw["const"] === null ||
    (listOf(raw["enum"]).length === 1 && raw["enum"]?.[0 as never] === null)
  );
}

/** Returns whether a branch only requires fields that other parts describe, such as `{ "required": ["phone"] }`. */
function isDemand(raw: Layer): boolean {
  return (
    Object.keys(raw).every((key) => ["required", "not", "title", "description", "$comment", "type"].includes(key)) &&
    raw["required"] !== undefined
  );
}

/** Returns the keyword of the first layer that has it. Outer layers come first. */
export function first(place: Place, keyword: string): unknown {
  for (const layer of place.layers) if (Object.hasOwn(layer, keyword)) return layer[keyword];
  return undefined;
}

export function firstText(place: Place, keyword: string): string | null {
  const value = first(place, keyword);
  return typeof value === "string" && value.trim() !== "" ? value : null;
}

/** Returns the strictest value of all layers; null if there is none. */
export function largest(place: Place, keyword: string): number | null {
  return numbers(place, keyword).reduce<number | null>((most, n) => (most === null || n > most ? n : most), null);
}

export function smallest(place: Place, keyword: string): number | null {
  return numbers(place, keyword).reduce<number | null>((least, n) => (least === null || n < least ? n : least), null);
}

function numbers(place: Place, keyword: string): number[] {
  return place.layers.map((layer) => layer[keyword]).filter((value): value is number => typeof value === "number");
}

export function requiredOf(place: Place, has: (key: string) => boolean): ReadonlySet<string> {
  const required = new Set<string>();
  const add = (names: unknown): void => {
    for (const name of listOf(names)) if (typeof name === "string") required.add(name);
  };
  for (const layer of place.layers) {
    add(layer["required"]);
    for (const dependent of [layer["dependentRequired"], layer["dependencies"]])
      for (const [key, names] of Object.entries(isRaw(dependent) ? dependent : {})) if (has(key)) add(names);
  }
  return required;
}

/** Returns each property with the schemas of all layers that describe it, in the order of the layers. */
export function propertiesOf(place: Place): Map<string, unknown[]> {
  const properties = new Map<string, unknown[]>();
  for (const layer of place.layers) {
    const described = layer["properties"];
    for (const [key, raw] of Object.entries(isRaw(described) ? described : {})) {
      const known = properties.get(key);
      if (known === undefined) properties.set(key, [raw]);
      else known.push(raw);
    }
  }
  return properties;
}

/**
 * Returns whether `value` fits all schemas of a place. If this cannot be decided here, the result is yes, and the
 * server decides.
 */
export function fits(source: SchemaSource, roots: readonly unknown[], value: unknown): boolean {
  return roots.every((raw) => {
    if (typeof raw === "boolean") return raw;
    if (--source.questions.left < 0) return true;
    const schema = schemaAt(source, raw);
    if (schema === null) return true;
    return (
      settle(source.texts, (matcher, formats) =>
        validateWith(matcher, schema, value, { formats, max_errors: 1, budget: { left: STEPS } }),
      ).status !== "invalid"
    );
  });
}

/** Returns a part of the schema as a schema. A branch that was made from a list of types is read here. */
function schemaAt(source: SchemaSource, raw: unknown): Schema | null {
  const root = isRaw(raw) ? source.nodeOf.get(raw) : undefined;
  if (root !== undefined) return { ...source.schema, root };
  const read = readSchema(raw, anything);
  return read.ok ? read.schema : null;
}

/** Checks a value. A pattern that cannot be matched here counts as matching. */
function settle(
  texts: TextRules | null,
  ask: (matcher: PatternMatcher, formats: FormatCheck | undefined) => Verdict,
): Verdict {
  const verdict = texts === null ? null : ask(texts.matches, texts.isOfFormat);
  return verdict === null || verdict.status === "pending" ? ask(() => true, texts?.isOfFormat) : verdict;
}

/** Resets the number of questions. Call this before each plan. */
export function beginPlan(source: SchemaSource): void {
  source.questions.left = MAX_QUESTIONS;
}

/**
 * Returns the verdict on a whole answer. Patterns that cannot be matched here count as matching; the server checks
 * them.
 */
export function verdictOn(source: SchemaSource, value: unknown): Verdict {
  return settle(source.texts, (matcher, formats) => validateWith(matcher, source.schema, value, { formats }));
}
