import { Ajv, type ErrorObject, type Options } from "ajv";
import type { FastifySchemaCompiler } from "fastify";
import { ServiceError, type ErrorDetail } from "../errors.ts";
import { isStorableText } from "../lib/text.ts";

const OPTIONS: Options = {
  // Several problems are told at once; the bodies that these schemas describe are small and fixed.
  allErrors: true,
  useDefaults: true,
  removeAdditional: false,
  allowUnionTypes: true,
  formats: { "storable-text": { validate: isStorableText } },
};

/**
 * Checks requests against the routes' schemas. A body is taken as it is: `"900"` is not a number. In an address
 * everything is text, so there numbers and booleans are read from it.
 *
 * @param shapes - schemas that others refer to by their `$id`
 */
export function createValidatorCompiler(shapes: readonly object[]): FastifySchemaCompiler<object> {
  const strict = new Ajv({ ...OPTIONS, coerceTypes: false });
  const reading = new Ajv({ ...OPTIONS, coerceTypes: "array" });
  for (const shape of shapes) strict.addSchema(shape);
  return ({ schema, httpPart }) => {
    const inBody = httpPart === "body";
    const validate = (inBody ? strict : reading).compile(schema);
    return (value: unknown) =>
      validate(value)
        ? { value }
        : { error: refuse(validate.errors ?? [], inBody ? "" : `/${httpPart === "querystring" ? "query" : httpPart}`) };
  };
}

/** A missing field or a wrong type is not what the route takes: 400. Anything else is well-formed, but refused: 422. */
function refuse(errors: ErrorObject[], prefix: string): ServiceError {
  const malformed = errors.filter(({ keyword }) => keyword === "type" || keyword === "required");
  const code = malformed.length > 0 ? "MALFORMED_REQUEST" : "VALIDATION_FAILED";
  return new ServiceError(code, {
    details: (malformed.length > 0 ? malformed : errors).map((error) => detailOf(error, prefix)),
  });
}

function detailOf({ instancePath, keyword, params, message }: ErrorObject, prefix: string): ErrorDetail {
  const path = `${prefix}${instancePath}`;
  switch (keyword) {
    case "required":
      return { path: `${path}/${params["missingProperty"]}`, keyword, message: "Is missing." };
    case "type":
      return { path, keyword, message: `Must be ${typeNames(params["type"])}.` };
    case "enum":
      return { path, keyword, message: `Must be one of ${params["allowedValues"].join(", ")}.` };
    case "minimum":
      return { path, keyword, message: `Must be at least ${params["limit"]}.` };
    case "maximum":
      return { path, keyword, message: `Must be at most ${params["limit"]}.` };
    case "minLength":
      return {
        path,
        keyword,
        message: params["limit"] === 1 ? "Must not be empty." : `Must have at least ${params["limit"]} characters.`,
      };
    case "maxLength":
      return { path, keyword, message: `Must have at most ${params["limit"]} characters.` };
    case "maxItems":
      return { path, keyword, message: `Must have at most ${params["limit"]} entries.` };
    case "format":
      return { path, keyword, message: "Must not contain U+0000 or half of a surrogate pair." };
    default:
      return { path, keyword, message: `${message ?? "is not valid"}.` };
  }
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  object: "an object",
  array: "a list",
  string: "text",
  integer: "a whole number",
  number: "a number",
  boolean: "true or false",
  null: "null",
};

function typeNames(types: string | string[]): string {
  return [types]
    .flat()
    .map((type) => TYPE_NAMES[type] ?? type)
    .join(" or ");
}
