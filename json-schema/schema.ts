/**
 * The form of a schema after reading: one `SchemaNode` for every subschema, with its keywords grouped by the kind of
 * value that they check, and its references resolved to nodes. It is plain data that is safe to keep, share and reuse.
 */

export type Draft = "draft-07" | "2020-12";

/** A schema document after reading. `parseSchema` makes it, and `validate` uses it. */
export interface Schema {
  readonly root: SchemaNode;
  readonly draft: Draft;
  /** Whether a reference leads to any node. Then results are remembered per (node, place in the instance). */
  readonly hasRefs: boolean;
  /** Whether any `$dynamicRef` depends on the way that led to it. */
  readonly isDynamic: boolean;
  /** Whether any `unevaluatedItems` or `unevaluatedProperties` needs to know what was evaluated. */
  readonly tracks: boolean;
}

/** One `$id` and its anchors, which are unique within it. */
export interface Resource {
  /** Absolute and without a fragment; "" for a document without `$id`. */
  readonly uri: string;
  readonly raw: unknown;
  root: SchemaNode | null;
  readonly anchors: Map<string, SchemaNode>;
  readonly dynamicAnchors: Map<string, SchemaNode>;
}

/** One subschema. A field is null if its keyword is absent. */
export interface SchemaNode {
  /** With `keyword` and `key`: its position in the document. See `pointerOf`. */
  readonly parent: SchemaNode | null;
  readonly keyword: string;
  readonly key: string | number | null;
  readonly resource: Resource;
  /** The verdict of a schema that is just `true` or `false`. */
  readonly always: boolean | null;
  /** Whether a reference leads to it, so that it can be reached more than once for the same value. */
  isTarget: boolean;

  /** Bits of `TYPE_BITS`; 0 allows every type. */
  types: number;
  constant: Choice | null;
  choices: Choice | null;
  number: NumberRules | null;
  string: StringRules | null;
  array: ArrayRules | null;
  object: ObjectRules | null;

  ref: SchemaNode | null;
  /** If `name` is null, it is a plain reference. */
  dynamicRef: { readonly name: string | null; readonly fallback: SchemaNode } | null;
  allOf: readonly SchemaNode[] | null;
  anyOf: readonly SchemaNode[] | null;
  oneOf: readonly SchemaNode[] | null;
  not: SchemaNode | null;
  if: SchemaNode | null;
  /** `then` and `else`. (JavaScript treats an object with a field `then` as a promise.) */
  onTrue: SchemaNode | null;
  onFalse: SchemaNode | null;
  unevaluatedItems: SchemaNode | null;
  unevaluatedProperties: SchemaNode | null;
}

/** `const` (one value) or `enum`. */
export interface Choice {
  readonly values: readonly unknown[];
  /** The strings, numbers, booleans and null among the values. */
  readonly simple: ReadonlySet<unknown>;
  /** The arrays and objects among the values. */
  readonly compound: readonly unknown[];
}

export interface NumberRules {
  minimum: number | null;
  maximum: number | null;
  exclusiveMinimum: number | null;
  exclusiveMaximum: number | null;
  multipleOf: number | null;
}

export interface StringRules {
  minLength: number | null;
  maxLength: number | null;
  pattern: string | null;
  format: string | null;
}

export interface ArrayRules {
  /** `prefixItems`, or draft-07's `items` if that is a list. */
  prefix: readonly SchemaNode[] | null;
  /** `items`, or draft-07's `additionalItems` beside a list. */
  rest: SchemaNode | null;
  contains: SchemaNode | null;
  minContains: number | null;
  maxContains: number | null;
  minItems: number | null;
  maxItems: number | null;
  uniqueItems: boolean;
}

export interface ObjectRules {
  required: readonly string[] | null;
  minProperties: number | null;
  maxProperties: number | null;
  properties: ReadonlyMap<string, SchemaNode> | null;
  patternProperties: readonly { readonly pattern: string; readonly node: SchemaNode }[] | null;
  additionalProperties: SchemaNode | null;
  propertyNames: SchemaNode | null;
  /** `keyword` is `dependentRequired`, or draft-07's `dependencies`. */
  dependentRequired: { readonly keyword: string; readonly names: ReadonlyMap<string, readonly string[]> } | null;
  dependentSchemas: ReadonlyMap<string, SchemaNode> | null;
}

export const TYPE_BITS = {
  null: 1,
  boolean: 2,
  integer: 4,
  number: 8,
  string: 16,
  array: 32,
  object: 64,
} as const;

export const TYPES: ReadonlyMap<string, number> = new Map(Object.entries(TYPE_BITS));

export function namesOf(types: number): string[] {
  return [...TYPES.keys()].filter((name) => (types & (TYPES.get(name) ?? 0)) !== 0);
}

export function makeNode(
  parent: SchemaNode | null,
  keyword: string,
  key: string | number | null,
  resource: Resource,
  always: boolean | null,
): SchemaNode {
  return {
    parent,
    keyword,
    key,
    resource,
    always,
    isTarget: false,
    types: 0,
    constant: null,
    choices: null,
    number: null,
    string: null,
    array: null,
    object: null,
    ref: null,
    dynamicRef: null,
    allOf: null,
    anyOf: null,
    oneOf: null,
    not: null,
    if: null,
    onTrue: null,
    onFalse: null,
    unevaluatedItems: null,
    unevaluatedProperties: null,
  };
}

export function makeResource(uri: string, raw: unknown): Resource {
  return { uri, raw, root: null, anchors: new Map(), dynamicAnchors: new Map() };
}

/** Returns one escaped reference token of a JSON Pointer. (RFC 6901) */
export function escapeToken(token: string | number): string {
  const text = String(token);
  return text.includes("~") || text.includes("/") ? text.replaceAll("~", "~0").replaceAll("/", "~1") : text;
}

/** Returns the JSON Pointer of a node within its document, optionally of one of its keywords. */
export function pointerOf(node: SchemaNode, keyword?: string, key?: string | number): string {
  const parts: string[] = [];
  if (key !== undefined) parts.push(`/${escapeToken(key)}`);
  if (keyword !== undefined) parts.push(`/${escapeToken(keyword)}`);
  for (let at: SchemaNode | null = node; at !== null; at = at.parent) {
    if (at.key !== null) parts.push(`/${escapeToken(at.key)}`);
    // If only a pointer found a node, its `keyword` is the whole way, already escaped.
    if (at.keyword !== "") parts.push(at.keyword.startsWith("/") ? at.keyword : `/${escapeToken(at.keyword)}`);
  }
  return parts.toReversed().join("");
}
