import { parseSchema } from "../../json-schema/parse-schema.ts";
import type { Schema } from "../../json-schema/schema.ts";
import { takesObjects } from "../../json-schema/takes-objects.ts";
import type { PatternHost, SettledVerdict } from "../../json-schema/pattern-worker-host.ts";
import { ServiceError, type ErrorDetail } from "../errors.ts";
import type { JsonObject, JsonText } from "../lib/json.ts";

/** Cache of parsed schemas, because many tasks have the same pair. Limited in number and in JSON length. */
const KEPT_MAX = 1000;
const KEPT_CHARACTERS_MAX = 4_000_000;

const kept = new Map<string, Schema>();
let keptCharacters = 0;
/** Schemas that were used once. A schema is cached at its second use, because some agents send a new one each time. */
const seen = new Set<string>();
const SEEN_MAX = 500;

/**
 * Reads a schema that a client sent. (spec: Create a task)
 *
 * @param text - the schema as JSON
 * @param path - JSON Pointer into the request
 * @param raw - the parsed schema, if the caller has it
 * @throws ServiceError VALIDATION_FAILED that names every place that is wrong
 */
export function requireSchema(text: JsonText, path: string, raw?: JsonObject): Schema {
  const known = kept.get(text);
  if (known) {
    // Moves it to the end: the least recently used is dropped first.
    kept.delete(text);
    kept.set(text, known);
    return known;
  }
  const parsed = parseSchema(raw ?? (JSON.parse(text) as JsonObject));
  if (!parsed.ok) {
    throw new ServiceError("VALIDATION_FAILED", {
      message: "A schema in the request cannot be accepted.",
      details: parsed.problems.map((problem): ErrorDetail => ({
        path: path + problem.path,
        message: problem.message,
        keyword: problem.keyword ?? problem.code,
      })),
    });
  }
  keep(text, parsed.schema);
  return parsed.schema;
}

/**
 * Rejects a schema that no object can match, because an answer is an object.
 * @throws ServiceError RESPONSE_SCHEMA_NOT_OBJECT
 */
export function requireTakesObjects(schema: Schema): void {
  if (takesObjects(schema)) return;
  throw new ServiceError("RESPONSE_SCHEMA_NOT_OBJECT", {
    details: [
      {
        path: "/response_schema",
        message: 'No object fits it. For a single value, use {"type": "object", "properties": {"value": ...}}.',
      },
    ],
  });
}

function keep(text: string, schema: Schema): void {
  if (!seen.delete(text)) {
    seen.add(text);
    if (seen.size > SEEN_MAX) seen.delete(seen.values().next().value!);
    return;
  }
  kept.set(text, schema);
  keptCharacters += text.length;
  for (const oldest of kept.keys()) {
    if (kept.size <= KEPT_MAX && keptCharacters <= KEPT_CHARACTERS_MAX) break;
    kept.delete(oldest);
    keptCharacters -= oldest.length;
  }
}

/**
 * Whether formats are checked. Those of a response are, because the form asks for them. Those of a payload are not: agents send
 * what they have, and libraries write `date-time` without a zone.
 */
export type Formats = "assert" | "annotate";

/**
 * Checks a value against its schema.
 * @throws ServiceError VALIDATION_FAILED with every value that does not match; OVERLOADED if too many slow patterns are
 *   being matched
 */
export async function requireFits(
  schemas: PatternHost,
  schema: Schema,
  value: JsonObject,
  path: string,
  formats: Formats,
): Promise<void> {
  requireValid(await schemas.validate(schema, value, { formats }), path);
}

/**
 * Rejects a value that does not fit its schema, or that cannot be checked.
 * @throws ServiceError VALIDATION_FAILED, OVERLOADED
 */
export function requireValid(verdict: SettledVerdict, path: string): void {
  const name = path.slice(path.lastIndexOf("/") + 1);
  switch (verdict.status) {
    case "valid":
      return;
    case "invalid":
      throw new ServiceError("VALIDATION_FAILED", {
        message: `The ${name} does not fit its schema.`,
        details: verdict.errors.map((error) => ({
          path: path + error.path,
          message: error.message,
          keyword: error.keyword,
        })),
      });
    case "refused":
      if (verdict.code === "pattern_busy") throw new ServiceError("OVERLOADED", { message: verdict.message });
      throw new ServiceError("VALIDATION_FAILED", {
        message: `The ${name} cannot be checked against its schema.`,
        details: [{ path, message: verdict.message, keyword: verdict.code }],
      });
  }
}
