import { Ajv, type ErrorObject, type Options, type ValidateFunction } from "ajv";
import type { FastifySchemaCompiler } from "fastify";
import type { ErrorDetail, ServiceError } from "../errors.ts";
import { isJsonObject } from "../lib/json.ts";
import { onFirstUse } from "../lib/on-first-use.ts";
import { isStorableText } from "../lib/text.ts";
import { refusedShape, shapeSentence } from "./refused-shape.ts";

const OPTIONS: Options = {
  useDefaults: true,
  removeAdditional: false,
  allowUnionTypes: true,
  // These schemas are our own and typed. Checking them against the meta-schema takes longer than compiling most of
  // them.
  validateSchema: false,
  // Reworking the code that is made takes a third of the time to compile a schema, and the engine does the same.
  code: { optimize: false },
  formats: { "storable-text": { validate: isStorableText } },
};

/**
 * Returns a compiler of validators for requests. A body is not converted: `"900"` is not a number. In an address
 * everything is text, so numbers and booleans are parsed there.
 *
 * Equal schemas are compiled once, for all routes and all apps that use this compiler, when a request first needs them.
 *
 * @param shapes - schemas that others refer to by their `$id`
 */
export function createValidatorCompiler(shapes: readonly object[]): FastifySchemaCompiler<object> {
  const strict = new Ajv({ ...OPTIONS, allErrors: true });
  const brief = new Ajv(OPTIONS);
  for (const shape of shapes) for (const ajv of [strict, brief]) ajv.addSchema(shape);
  const reading = new Ajv({ ...OPTIONS, allErrors: true, coerceTypes: "array" });
  const compile: FastifySchemaCompiler<object> = ({ schema, httpPart }) => {
    if (httpPart === "body") {
      const all = strict.compile(schema);
      // Few bodies need the other one, and compiling takes some 30 ms of the event loop for a task.
      let first: ValidateFunction | undefined;
      return (value: unknown) => {
        const validate = hasLongList(value) ? (first ??= brief.compile(schema)) : all;
        return validate(value) ? { value } : { error: refuse(validate.errors ?? [], "") };
      };
    }
    const prefix = `/${httpPart === "querystring" ? "query" : httpPart}`;
    const validate = reading.compile(schema);
    const wholeNumbers = wholeNumbersOf(schema);
    return (value: unknown) => {
      const wrong = wholeNumbers.filter((name) => !isWholeNumber((value as Record<string, unknown>)[name]));
      if (wrong.length > 0) return { error: refuse(wrong.map(notWhole), prefix) };
      return validate(value) ? { value } : { error: refuse(validate.errors ?? [], prefix) };
    };
  };
  const compiled = new Map<string, ReturnType<typeof compile>>();
  return (route) => {
    const key = `${route.httpPart} ${JSON.stringify(route.schema)}`;
    const known = compiled.get(key) ?? onFirstUse(() => compile(route));
    compiled.set(key, known);
    return known;
  };
}

/**
 * Returns a check for a part of a body whose shape depends on what the route's schema cannot know.
 * @returns what is wrong with a value at a place of the body, as a ServiceError MALFORMED_REQUEST or VALIDATION_FAILED; or null
 */
export function shapeCheck(schema: object): (value: unknown, path: string) => ServiceError | null {
  return onFirstUse(() => {
    const validate = new Ajv({ ...OPTIONS, useDefaults: false, allErrors: true }).compile(schema);
    return (value: unknown, path: string) => (validate(value) ? null : refuse(validate.errors ?? [], path));
  });
}

/** Reporting every error in a long list takes longer than reading it. */
const LONG_LIST = 100;

function hasLongList(value: unknown): boolean {
  return (
    isJsonObject(value) && Object.values(value).some((member) => Array.isArray(member) && member.length > LONG_LIST)
  );
}

function wholeNumbersOf(schema: object): string[] {
  const { properties = {} } = schema as { properties?: Record<string, { type?: string }> };
  return Object.keys(properties).filter((name) => properties[name]?.type === "integer");
}

/** Digits only: `Number` would also read "Infinity", "0x10" and " 5 ". */
function isWholeNumber(value: unknown): boolean {
  return value === undefined || (typeof value === "string" && /^-?\d{1,15}$/.test(value));
}

function notWhole(name: string): ErrorObject {
  return { instancePath: `/${name}`, keyword: "type", params: { type: "integer" }, schemaPath: "" };
}

function refuse(errors: ErrorObject[], prefix: string): ServiceError {
  return refusedShape(errors.map((error) => detailOf(error, prefix)));
}

function detailOf({ instancePath, keyword, params, message }: ErrorObject, prefix: string): ErrorDetail {
  const path = `${prefix}${instancePath}${keyword === "required" ? `/${params["missingProperty"]}` : ""}`;
  const asked = params["limit"] ?? params["allowedValues"] ?? [params["type"]].flat();
  return { path, keyword, message: shapeSentence(keyword, asked) ?? `${message ?? "is not valid"}.` };
}
