import type { RefusalCode } from "./budget.ts";
import type { ErrorParams, ValidationError } from "./errors.ts";
import type { Format } from "./formats.ts";
import type { PatternQuestion, Verdict } from "./validate-with.ts";

/** All sentences about a value. A page that has its own sentences can leave this file out and is smaller. */

export type VerdictInWords =
  | { readonly status: "valid" }
  | { readonly status: "invalid"; readonly errors: readonly ErrorInWords[] }
  /** No verdict, because checking would take too much work. The codes are stable. */
  | { readonly status: "refused"; readonly code: RefusalCode; readonly message: string }
  | { readonly status: "pending"; readonly questions: readonly PatternQuestion[] };

export interface ErrorInWords {
  /** JSON Pointer into the instance. */
  path: string;
  keyword: string;
  /** A sentence for people. It is not stable; compare `keyword` and `path` instead. */
  message: string;
  /** JSON Pointer to the keyword in the schema document that contains it. */
  schema_path: string;
}

export function inWords(verdict: Verdict): VerdictInWords {
  if (verdict.status === "refused") return refusalInWords(verdict.code);
  return verdict.status === "invalid" ? { status: "invalid", errors: verdict.errors.map(errorInWords) } : verdict;
}

export function refusalInWords(code: RefusalCode): VerdictInWords & { status: "refused" } {
  return { status: "refused", code, message: REFUSALS[code] };
}

const REFUSALS: Record<RefusalCode, string> = {
  too_expensive:
    "Checking this value against its schema takes too much work. Simplify the schema (fewer branches, references, patterns or unique items) or send less data.",
  too_deep:
    "The schema and the value nest too deeply to be checked. Reduce the nesting, or the number of references that follow each other.",
  schema_loop:
    "The schema refers back to itself without going deeper into the value, so checking it would never end. Remove that reference.",
  pattern_too_slow:
    "A pattern of the schema takes too long on this text. Rewrite it without look-around, back-references and nested repetition.",
  pattern_busy: "Too many slow patterns are being matched right now. Try again in a moment.",
};

function errorInWords({ path, keyword, params, schema_path }: ValidationError): ErrorInWords {
  return { path, keyword, message: sentenceOf(keyword, params), schema_path };
}

function sentenceOf(keyword: string, params: ErrorParams | null): string {
  if (params === null) return bareSentence(keyword);
  if ("forbidden" in params) return forbiddenSentence(keyword, params.forbidden);
  if ("types" in params) return `Must be ${showTypes(params.types)}, is ${showActual(keyword, params)}.`;
  if ("allowed" in params)
    return params.allowed.length === 1 && (keyword === "const" || keyword === "enum")
      ? `Must be ${show(params.allowed[0])}.`
      : `Must be one of ${showChoices(params.allowed)}.`;
  if ("missing" in params)
    return params.beside === undefined
      ? `Is missing the required property ${show(params.missing)}.`
      : `Is missing the property ${show(params.missing)}, which is required beside ${show(params.beside)}.`;
  if ("same" in params) {
    const [first, second] = params.same;
    return `Must not hold the same item twice: items ${first + 1} and ${second + 1} are equal.`;
  }
  if ("fitting" in params) {
    const [first, second] = params.fitting;
    return `Must be exactly one of the ${params.branches} allowed forms, but fits more than one (numbers ${first + 1} and ${second + 1}).`;
  }
  if ("actual" in params) return limitSentence(keyword, params.limit, params.actual);
  return keyword === "format"
    ? `Must be ${FORMATS[params.limit as Format]}.`
    : `Must match the pattern ${show(params.limit)}.`;
}

function bareSentence(keyword: string): string {
  switch (keyword) {
    case "not":
      return "Must not be of the form that is excluded here.";
    case "":
      return "Does not fit its schema. Finding out why would take too much work.";
    default:
      return "Must be of one of the allowed forms, but fits none of them.";
  }
}

function limitSentence(keyword: string, limit: number, actual: number): string {
  switch (keyword) {
    case "minimum":
      return `Must be at least ${limit}, is ${actual}.`;
    case "maximum":
      return `Must be at most ${limit}, is ${actual}.`;
    case "exclusiveMinimum":
      return `Must be more than ${limit}, is ${actual}.`;
    case "exclusiveMaximum":
      return `Must be less than ${limit}, is ${actual}.`;
    case "multipleOf":
      return `Must be a multiple of ${limit}, is ${actual}.`;
    case "minLength":
      return limit === 1 && actual === 0
        ? "Must not be empty."
        : `Must be at least ${plural(limit, "character")} long, is ${actual}.`;
    case "maxLength":
      return `Must be at most ${plural(limit, "character")} long, is ${actual}.`;
    case "minItems":
      return `Must have at least ${plural(limit, "item")}, has ${actual}.`;
    case "maxItems":
      return `Must have at most ${plural(limit, "item")}, has ${actual}.`;
    case "minProperties":
      return `Must have at least ${plural(limit, "property")}, has ${actual}.`;
    case "maxProperties":
      return `Must have at most ${plural(limit, "property")}, has ${actual}.`;
    case "maxContains":
      return `Must hold at most ${plural(limit, "item")} of the described form.`;
    default:
      return limit === 1
        ? "Must hold at least one item of the required form."
        : `Must hold at least ${plural(limit, "item")} of the required form, holds ${actual}.`;
  }
}

/** @param keyword - the keyword that contains `false` as its schema */
function forbiddenSentence(keyword: string, key: string | number | null): string {
  switch (keyword) {
    case "additionalProperties":
    case "unevaluatedProperties":
      return `The property ${show(key)} is not allowed.`;
    case "items":
    case "additionalItems":
    case "unevaluatedItems":
      return "There are more items than allowed.";
    case "propertyNames":
      return "No properties are allowed.";
    default:
      return "No value is allowed here.";
  }
}

const FORMATS: Record<Format, string> = {
  "date-time": "a date and time with a time zone, such as 2026-03-31T14:30:00Z",
  date: "a date that exists, written as 2026-03-31",
  time: "a time with a time zone, such as 14:30:00Z or 14:30:00+02:00",
  duration: "a duration such as P3DT12H",
  email: "an e-mail address",
  hostname: "a host name, such as www.example.com",
  ipv4: "an IPv4 address, such as 192.0.2.1",
  ipv6: "an IPv6 address, such as 2001:db8::1",
  uri: "a complete web address or other URI, such as https://example.com/page",
  "uri-reference": "a URI or a relative reference",
  uuid: "a UUID, such as 123e4567-e89b-12d3-a456-426614174000",
  "json-pointer": "a JSON Pointer, such as /items/0",
  regex: "a regular expression",
};

/** Returns a value for a sentence, as shortened JSON. */
function show(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}...` : value);
  if (Array.isArray(value)) return value.length === 0 ? "[]" : "a list";
  if (typeof value === "object" && value !== null) return Object.keys(value).length === 0 ? "{}" : "an object";
  return String(value);
}

/** Returns "a", "a or b" or "a, b or c". If there are many values, it counts the rest. */
function showChoices(values: readonly unknown[]): string {
  const shown = values.slice(0, 10).map(show);
  if (values.length > 10) shown.push(`${values.length - 10} others`);
  return orList(shown);
}

function orList(words: readonly string[]): string {
  if (words.length < 2) return words.join("");
  return `${words.slice(0, -1).join(", ")} or ${words.at(-1) ?? ""}`;
}

const TYPE_WORDS: ReadonlyMap<string, string> = new Map([
  ["null", "null"],
  ["boolean", "true or false"],
  ["integer", "a whole number"],
  ["number", "a number"],
  ["string", "a text"],
  ["array", "a list"],
  ["object", "an object"],
]);

function showTypes(types: readonly string[]): string {
  return orList(types.map((name) => TYPE_WORDS.get(name) ?? name));
}

/** Returns the kind of the value, or the number itself if its only fault is a fraction. */
function showActual(keyword: string, { types, actual }: { types: readonly string[]; actual: unknown }): string {
  const isFraction = typeof actual === "number" && keyword === "type" && types.length === 1 && types[0] === "integer";
  return isFraction ? show(actual) : showKind(actual);
}

function showKind(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "string") return "a text";
  if (typeof value === "number") return "a number";
  if (typeof value === "boolean") return String(value);
  return typeof value === "object" ? "an object" : "no JSON value";
}

function plural(count: number, word: string): string {
  if (count === 1) return `1 ${word}`;
  return `${count} ${word.endsWith("y") ? `${word.slice(0, -1)}ie` : word}s`;
}
