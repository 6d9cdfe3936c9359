/** The type of the values that a JSON Schema allows, as far as its literal type shows; `unknown` if it does not. */
export type FromJsonSchema<S> = S extends { readonly const: infer Value }
  ? Value
  : S extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : S extends { readonly anyOf: readonly (infer Branch)[] }
      ? Branched<S, Branch>
      : S extends { readonly oneOf: readonly (infer Branch)[] }
        ? Branched<S, Branch>
        : S extends { readonly type: infer Type }
          ? OfType<Type extends readonly (infer One)[] ? One : Type, S>
          : S extends { readonly properties: unknown }
            ? OfObject<S>
            : unknown;

/** Keywords beside the branches apply as well. */
type Branched<S, Branch> = S extends { readonly properties: unknown }
  ? Branch extends unknown
    ? OfObject<S> & (unknown extends FromJsonSchema<Branch> ? unknown : FromJsonSchema<Branch>)
    : never
  : FromJsonSchema<Branch>;

type OfType<Type, S> = Type extends "string"
  ? string
  : Type extends "number" | "integer"
    ? number
    : Type extends "boolean"
      ? boolean
      : Type extends "null"
        ? null
        : Type extends "array"
          ? OfArray<S>
          : Type extends "object"
            ? OfObject<S>
            : unknown;

type OfArray<S> = S extends { readonly items: infer Item } ? FromJsonSchema<Item>[] : unknown[];

type OfObject<S> = S extends { readonly properties: infer Members }
  ? Flat<
      {
        -readonly [Name in keyof Members as Name extends Required<S> ? Name : never]: FromJsonSchema<Members[Name]>;
      } & {
        -readonly [Name in keyof Members as Name extends Required<S> ? never : Name]?: FromJsonSchema<Members[Name]>;
      }
    >
  : Record<string, unknown>;

/** Nothing is known about a list that is not a literal. */
type Required<S> = S extends { readonly required: readonly (infer Name)[] }
  ? string extends Name
    ? never
    : Name
  : never;
/** Merges two joined object types into one, which is easier to read in an editor. */
type Flat<T> = { [Name in keyof T]: T[Name] };
