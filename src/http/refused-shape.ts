import { ServiceError, type ErrorDetail } from "../errors.ts";

/**
 * Returns the error for a request with an invalid shape. A missing field or a wrong type is a 400, and then only these
 * are listed. Any other problem is a 422: the request is well-formed but refused.
 */
export function refusedShape(problems: readonly ErrorDetail[]): ServiceError {
  const malformed = problems.filter(({ keyword }) => keyword === "type" || keyword === "required");
  return malformed.length > 0
    ? new ServiceError("MALFORMED_REQUEST", { details: malformed })
    : new ServiceError("VALIDATION_FAILED", { details: [...problems] });
}

/**
 * Returns the sentence for a violated keyword of a request's schema; null for keywords that no such schema has.
 * @param asked - the types of `type`, the values of `enum`, or the limit of another keyword
 */
export function shapeSentence(keyword: string, asked: unknown): string | null {
  switch (keyword) {
    case "required":
      return "Is missing.";
    case "type":
      return `Must be ${typeNames(asked as readonly string[])}.`;
    case "enum":
      return `Must be one of ${(asked as readonly unknown[]).join(", ")}.`;
    case "minimum":
      return `Must be at least ${asked as number}.`;
    case "maximum":
      return `Must be at most ${asked as number}.`;
    case "minLength":
      return asked === 1 ? "Must not be empty." : `Must have at least ${asked as number} characters.`;
    case "maxLength":
      return `Must have at most ${asked as number} characters.`;
    case "minItems":
      return `Must have at least ${asked === 1 ? "1 entry" : `${asked as number} entries`}.`;
    case "maxItems":
      return `Must have at most ${asked as number} entries.`;
    case "format":
      return "Must not contain U+0000 or half of a surrogate pair.";
    default:
      return null;
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

function typeNames(types: readonly string[]): string {
  return types.map((type) => TYPE_NAMES[type] ?? type).join(" or ");
}
