import { parseSchema } from "../../json-schema/parse-schema.ts";
import type { Schema } from "../../json-schema/schema.ts";
import { takesObjects } from "../../json-schema/takes-objects.ts";
import type { PatternHost, SettledVerdict } from "../../json-schema/pattern-worker-host.ts";
import { ServiceError, type ErrorDetail } from "../errors.ts";
import type { JsonObject, JsonText } from "../lib/json.ts";

/** Read schemas that are kept: many tasks bring the same pair. Bounded in number and in characters of their JSON. */
const KEPT_MAX = 1000;
const KEPT_CHARACTERS_MAX = 4_000_000;

const kept = new Map<string, Schema>();
let keptCharacters = 0;
/** Schemas that came once. Only one that comes again is kept: most tasks of some agents bring schemas of their own. */
const seen = new Set<string>();
const SEEN_MAX = 500;

/**
 * Reads a schema that a client sent. (spec: Create a task)
 *
 * @param text - the schema as JSON
 * @param path - where it stands in the request, a JSON Pointer
 * @param raw - the same, where the caller has it read already
 * @throws ServiceError VALIDATION_FAILED that names every place that is wrong
 */
export function requireSchema(text: JsonText, path: string, raw?: JsonObject): Schema {
  const known = kept.get(text);
  if (known) {
    // Last used, last dropped.
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
 * Refuses a schema that no answer could ever fit: an answer is an object.
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
 * Checks a value against its schema.
 * @throws ServiceError VALIDATION_FAILED that names every value that does not fit; OVERLOADED when too many slow patterns
 *   are being matched
 */
export async function requireFits(
  schemas: PatternHost,
  schema: Schema,
  value: JsonObject,
  path: "/payload" | "/response",
): Promise<void> {
  requireValid(await schemas.validate(schema, value, { formats: formatsOf(path) }), path);
}

/**
 * How formats are taken. Those of a response are checked, since the form asks for them. Those of a payload are not: agents
 * send what they have, and libraries write `date-time` without a zone.
 */
export function formatsOf(path: "/payload" | "/response"): "assert" | "annotate" {
  return path === "/response" ? "assert" : "annotate";
}

/**
 * Rejects a value that does not fit its schema, or that cannot be checked.
 * @throws ServiceError VALIDATION_FAILED, OVERLOADED
 */
export function requireValid(verdict: SettledVerdict, path: "/payload" | "/response"): void {
  const name = path.slice(1);
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
