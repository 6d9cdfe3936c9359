import type { FormatCheck, PatternMatcher } from "../../json-schema/run.ts";
import type { Schema, SchemaNode } from "../../json-schema/schema.ts";
import { TYPE_BITS } from "../../json-schema/schema.ts";
import { readSchema } from "../../json-schema/read-schema.ts";
import { validateWith } from "../../json-schema/validate-with.ts";
import type { Verdict } from "../../json-schema/validate-with.ts";
import { isRaw } from "./hints.ts";

/**
 * How a form looks at a schema: not keyword by keyword, but place by place. All that is said about one place of the
 * answer (by the schema itself, behind its references, in its `allOf`, in the branch that was chosen, in the `then` that
 * applies) is a list of layers, and a question such as "at most how long?" is asked of all of them. Nothing is merged or
 * copied, so every object of the schema stays the one that was read.
 */
export interface SchemaSource {
  readonly raw: unknown;
  readonly schema: Schema;
  readonly nodeOf: ReadonlyMap<object, SchemaNode>;
  readonly rawOf: ReadonlyMap<SchemaNode, object>;
  /** null: patterns and formats are left to the server. */
  readonly texts: TextRules | null;
  /** How many questions one plan may still ask the interpreter; the answer to further ones is yes. */
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
  /** The list that holds the branches: what a choice among them is remembered by. */
  readonly list: object;
  readonly branches: readonly Layer[];
}

/** A part of the schema that applies only while something holds for the object it stands in. */
export interface Condition {
  readonly holds: { readonly if: object } | { readonly has: string };
  readonly onTrue: unknown;
  readonly onFalse: unknown;
}

export type Resolved = ReadonlyMap<object, Layer>;

const NONE: Resolved = new Map();

export interface Place {
  /** The schemas this place was made from; together they are all that is said about it. */
  readonly roots: readonly unknown[];
  readonly layers: readonly Layer[];
  readonly unions: readonly Union[];
  readonly conditions: readonly Condition[];
  /** Bits of `TYPE_BITS` that every layer allows; 0 when nothing can be valid here. */
  readonly types: number;
  /** A layer says `type`. */
  readonly isTyped: boolean;
  /** No `type` excludes it; whether it fits is to be asked. */
  readonly mayBeNull: boolean;
}

/** Every option of a list is one, and so is every field that may be null. */
const MAX_QUESTIONS = 5_000;
/** Of the interpreter, for one question; all of them together may take what a hundred validations may. */
const STEPS = 10_000;
/** Layers of one place; a schema of doubling references has no more than nodes, and this is more than any form has. */
const MAX_LAYERS = 200;

const ALL_TYPES = Object.values(TYPE_BITS).reduce((all, bit) => all | bit, 0);

/** Only the service has the documents that a schema may refer to, the meta-schemas: here they allow everything. */
const anything = (): unknown => true;

/** null: this is no schema that the service would accept. */
export function readSource(raw: unknown, texts: TextRules | null): SchemaSource | null {
  const read = readSchema(raw, anything);
  if (!read.ok) return null;
  const rawOf = new Map<SchemaNode, object>();
  for (const [object, node] of read.nodeOf) rawOf.set(node, object);
  return { raw, schema: read.schema, nodeOf: read.nodeOf, rawOf, texts, questions: { left: MAX_QUESTIONS } };
}

/** @param resolved - the branches chosen so far, by the list that holds them: such a union is one no more */
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
    // draft-07: beside a `$ref` nothing counts but what tells people about the place.
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
      // `type: ["string", "number"]` says the same as two branches, and is asked the same way.
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

/** Bits of the types a layer names; an integer is a number. 0: it names none. */
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
  // Every integer is a number.
  return names.map(([name]) => name).filter((name) => name !== "integer" || (bits & TYPE_BITS.number) === 0);
}

/** References do not lead in circles: such a schema is not read. */
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

/** A branch that only demands something of what the rest describes, such as `{ "required": ["phone"] }`. */
function isDemand(raw: Layer): boolean {
  return (
    Object.keys(raw).every((key) => ["required", "not", "title", "description", "$comment", "type"].includes(key)) &&
    raw["required"] !== undefined
  );
}

/** The first layer that says it, the outermost first. */
export function first(place: Place, keyword: string): unknown {
  for (const layer of place.layers) if (Object.hasOwn(layer, keyword)) return layer[keyword];
  return undefined;
}

export function firstText(place: Place, keyword: string): string | null {
  const value = first(place, keyword);
  return typeof value === "string" && value.trim() !== "" ? value : null;
}

/** The strictest of several layers; null: none. */
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

/** Each property with the schemas of all layers that describe it, in the order in which they come. */
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

/** Does `value` fit all that is said about a place? What cannot be said here counts as yes: the server says it. */
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

/** A part of the schema as one of its own. A branch that was made from a list of types is read here. */
function schemaAt(source: SchemaSource, raw: unknown): Schema | null {
  const root = isRaw(raw) ? source.nodeOf.get(raw) : undefined;
  if (root !== undefined) return { ...source.schema, root };
  const read = readSchema(raw, anything);
  return read.ok ? read.schema : null;
}

/** What hangs on a pattern that cannot be settled here is taken to hold. */
function settle(
  texts: TextRules | null,
  ask: (matcher: PatternMatcher, formats: FormatCheck | undefined) => Verdict,
): Verdict {
  const verdict = texts === null ? null : ask(texts.matches, texts.isOfFormat);
  return verdict === null || verdict.status === "pending" ? ask(() => true, texts?.isOfFormat) : verdict;
}

/** Before each plan: the questions of the one before do not count. */
export function beginPlan(source: SchemaSource): void {
  source.questions.left = MAX_QUESTIONS;
}

/** The verdict on a whole answer, in which patterns that cannot be settled here hold: the server settles them. */
export function verdictOn(source: SchemaSource, value: unknown): Verdict {
  return settle(source.texts, (matcher, formats) => validateWith(matcher, source.schema, value, { formats }));
}
