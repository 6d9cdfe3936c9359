import type { ErrorParams, ValidationError } from "../../json-schema/errors.ts";
import { isOfFormat } from "../../json-schema/formats.ts";
import { parseSchema } from "../../json-schema/parse-schema.ts";
import type { SettledVerdict } from "../../json-schema/pattern-worker-host.ts";
import type { PatternMatcher } from "../../json-schema/run.ts";
import type { Schema } from "../../json-schema/schema.ts";
import { inWords, refusalInWords } from "../../json-schema/sentences.ts";
import { validateWith, type Verdict } from "../../json-schema/validate-with.ts";
import { ServiceError, type ErrorDetail } from "../../src/errors.ts";
import { refusedShape, shapeSentence } from "../../src/http/refused-shape.ts";
import { requireSchema, requireValid, type Formats } from "../../src/tasks/client-schemas.ts";
import type { JsonObject } from "../json.ts";
import type { Problem } from "../shapes.ts";

/**
 * Matches patterns with the platform's own engine and without a time limit, because schemas and answers are the test's
 * own. The service matches untrusted patterns with RE2, with the same results.
 */
const matchNatively: PatternMatcher = (_budget, pattern, text) => {
  try {
    return new RegExp(pattern, "u").test(text);
  } catch {
    // The pattern is valid, but too large for the engine.
    return undefined;
  }
};

/** Returns the service's verdict on a value. */
export function verdictOf(schema: Schema, value: unknown, formats: "assert" | "annotate"): SettledVerdict {
  const options = { formats: formats === "assert" ? isOfFormat : undefined };
  return settled(validateWith(matchNatively, schema, value, options));
}

function settled(verdict: Verdict): SettledVerdict {
  const inSentences = inWords(verdict);
  return inSentences.status === "pending" ? refusalInWords("pattern_too_slow") : inSentences;
}

/**
 * Checks a value as the service does.
 * @param schema - as JSON
 * @param path - JSON Pointer into the request
 * @throws ServiceError VALIDATION_FAILED
 */
export function requireFits(schema: string, value: JsonObject, path: string, formats: Formats): void {
  requireValid(verdictOf(requireSchema(schema, `${path}_schema`), value, formats), path);
}

/** Returns the problems of a response that does not fit its schema; empty if it fits. Paths lead into the response. */
export function schemaErrors(schema: JsonObject, response: JsonObject): readonly Problem[] {
  try {
    requireFits(JSON.stringify(schema), response, "/response", "assert");
    return [];
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { details = [] } = error;
    return details.map((detail) => ({ ...detail, path: detail.path.replace(/^\/response/, "") }));
  }
}

/** Reads the shape of a request. @throws RangeError if it is not a schema */
export function shapeOf(schema: object): Schema {
  const parsed = parseSchema(schema);
  if (!parsed.ok) throw new RangeError(`not a schema: ${JSON.stringify(parsed.problems)}`);
  return parsed.schema;
}

/**
 * Checks the shape of a body or of a query as the routes of the service do.
 * @param prefix - of the paths in the error: empty for a body
 * @throws ServiceError MALFORMED_REQUEST, VALIDATION_FAILED
 */
export function requireShape(shape: Schema, value: unknown, prefix: "" | "/query"): void {
  const verdict = validateWith(matchNatively, shape, value);
  const words = settled(verdict);
  if (words.status === "valid") return;
  if (words.status === "refused") throw refusedShape([{ path: prefix, message: words.message, keyword: words.code }]);
  const facts = verdict.status === "invalid" ? verdict.errors : [];
  throw refusedShape(words.errors.map(({ message }, i) => detailOf(facts[i]!, message, prefix)));
}

function detailOf({ path, keyword, params }: ValidationError, message: string, prefix: string): ErrorDetail {
  const place = params !== null && "missing" in params ? `${prefix}${path}/${params.missing}` : prefix + path;
  return { path: place, keyword, message: shapeSentence(keyword, askedBy(params)) ?? message };
}

/** Returns the types, values or limit of a keyword; `null` comes last, as in the schemas of requests. */
function askedBy(params: ErrorParams | null): unknown {
  if (params === null) return undefined;
  if ("types" in params) {
    const types = params.types.filter((type) => type !== "null");
    return types.length < params.types.length ? [...types, "null"] : types;
  }
  if ("allowed" in params) return params.allowed;
  return "limit" in params ? params.limit : undefined;
}
