import { HumanTaskError } from "./errors.ts";
import type { FromJsonSchema } from "./infer.ts";
import type { JsonObject } from "./json.ts";
import { unwrapResponse } from "./single-value.ts";

/** A schema of a library such as zod, valibot or arktype. It checks a value and has a type. (standardschema.dev) */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => Checked<Output> | Promise<Checked<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    /** Returns the schema as JSON Schema. */
    readonly jsonSchema?: { readonly input: (options: { readonly target: "draft-2020-12" }) => JsonObject } | undefined;
  };
}

type Checked<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string }[] };

/** The answer to a question without a schema. */
export const YES_OR_NO = { type: "boolean" } as const;
export type YesOrNo = typeof YES_OR_NO;

/** A schema of a library, or plain JSON Schema (draft 2020-12, or draft-07 when `$schema` says so). */
export type AnySchema = StandardSchema | { readonly [keyword: string]: unknown };

/** The output type of a schema. */
export type AnswerOf<S> = S extends StandardSchema<infer _Input, infer Output> ? Output : ObjectOf<FromJsonSchema<S>>;
/** The input type of a schema, before a library transforms values. */
export type PayloadOf<S> = S extends StandardSchema<infer Input> ? Input : ObjectOf<FromJsonSchema<S>>;

/** The fallback type: an object. */
type ObjectOf<T> = unknown extends T ? JsonObject : T;

/**
 * Adds JSON Schema to a schema of a library that cannot generate it: `schema` checks the answer, `jsonSchema` makes the
 * form.
 */
export function withJsonSchema<S extends StandardSchema>(schema: S, jsonSchema: JsonObject): S {
  const standard = { ...schema["~standard"], jsonSchema: { input: () => jsonSchema } };
  return { "~standard": standard } as StandardSchema as S;
}

/**
 * Returns a schema in the form that the service accepts.
 * @param name - its name in errors, such as `responseSchema`
 * @throws HumanTaskError NO_JSON_SCHEMA
 */
export function jsonSchemaOf(schema: AnySchema, name: string): JsonObject {
  if (Object(schema) !== schema) throw new HumanTaskError("NO_JSON_SCHEMA", `${name} is not a schema.`);
  if (!isStandard(schema)) return schema;
  const { jsonSchema } = schema["~standard"];
  if (jsonSchema === undefined)
    throw new HumanTaskError(
      "NO_JSON_SCHEMA",
      `${name} does not say itself as JSON Schema. zod does from 4.2 on, arktype from 2.1.28, valibot by toStandardJsonSchema(); for others there is withJsonSchema(schema, jsonSchema).`,
    );
  try {
    return jsonSchema.input({ target: "draft-2020-12" });
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new HumanTaskError("NO_JSON_SCHEMA", `${name} cannot be expressed as JSON Schema: ${why}`, { cause });
  }
}

/** Returns whether a schema is from a library. arktype's schemas are functions. */
export function isStandard(schema: AnySchema): schema is StandardSchema {
  return "~standard" in schema;
}

/** Returns the answer in a response: the response, or its `value` if the schema is for a single value. */
export function answerIn(response: JsonObject, schema: AnySchema): unknown {
  try {
    return unwrapResponse(response, jsonSchemaOf(schema, ""));
  } catch {
    // A schema that cannot generate JSON Schema was not used to ask, but it can check the answer.
    return response;
  }
}
