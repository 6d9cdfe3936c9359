import type { TSchema, Type as TypeBox } from "typebox";

/** The part of TypeBox's builder that the service uses. */
type Builder = Pick<
  typeof TypeBox,
  | "Array"
  | "Boolean"
  | "Enum"
  | "Integer"
  | "Literal"
  | "Null"
  | "Number"
  | "Object"
  | "Omit"
  | "Optional"
  | "Partial"
  | "Ref"
  | "String"
  | "Union"
  | "Unknown"
  | "Unsafe"
>;
type Schemas = Readonly<Record<string, object>>;

/** Marks an optional property. It is not part of the JSON Schema, so it is not enumerable. */
const OPTIONAL = "~optional";

const optional = (schema: object) => Object.defineProperty({ ...schema }, OPTIONAL, { value: true });

function object(properties: Schemas, options: object = {}): object {
  const required = Object.keys(properties).filter((name) => !(OPTIONAL in properties[name]!));
  return { type: "object", ...(required.length > 0 && { required }), properties, ...options };
}

const ofType =
  (type: string) =>
  (options: object = {}) => ({ type, ...options });

/**
 * Builds JSON Schemas with the types of TypeBox. TypeBox itself is not loaded: its 373 modules cost a tenth of the
 * start, and it makes the same plain objects.
 */
export const Type = {
  Array: (items: TSchema, options: object = {}) => ({ type: "array", items, ...options }),
  Boolean: ofType("boolean"),
  Enum: (values: readonly unknown[], options: object = {}) => ({ enum: values, ...options }),
  Integer: ofType("integer"),
  Literal: (value: unknown, options: object = {}) => ({ type: typeof value, const: value, ...options }),
  Null: ofType("null"),
  Number: ofType("number"),
  Object: object,
  Omit: ({ properties }: { properties: Schemas }, names: readonly string[]) =>
    object(Object.fromEntries(Object.entries(properties).filter(([name]) => !names.includes(name)))),
  Optional: optional,
  Partial: ({ properties }: { properties: Schemas }) =>
    object(Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, optional(schema)]))),
  Ref: (id: string, options: object = {}) => ({ $ref: id, ...options }),
  String: ofType("string"),
  Union: (anyOf: readonly TSchema[], options: object = {}) => ({ anyOf, ...options }),
  Unknown: (options: object = {}) => ({ ...options }),
  Unsafe: (schema: object) => schema,
} as unknown as Builder;
