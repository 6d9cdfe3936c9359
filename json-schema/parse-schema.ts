/**
 * JSON Schema, draft-07 and 2020-12, for schemas from untrusted clients. Schemas are interpreted, never compiled to
 * code and never fetched, and the work of every check is bounded.
 *
 *   const parsed = parseSchema(json);                 // { ok: true, schema } or { ok: false, problems }
 *   const verdict = validate(parsed.schema, value);   // "valid", "invalid" + errors, "refused" + code, or "pending"
 *
 * `parseSchema` (here) reports everything that can be wrong with a schema itself: its size, its dialect, the shape of
 * its keywords, references that lead nowhere or outside, and invalid patterns. Its result is plain data that can be
 * kept and used for any number of values. `validate` is in validate.ts. "pending" means that the verdict depends on
 * patterns that RE2 cannot match. The server matches them in a worker (pattern-worker-host.ts), and a browser leaves
 * them to the server.
 *
 * Each of the two has a variant that returns data without sentences, for pages that must stay small: `readSchema`
 * (read-schema.ts) has no meta-schemas, and `validateWith` (validate-with.ts) has no re2js.
 */
import { META_SCHEMAS } from "./meta-schemas.ts";
import { problemInWords } from "./problems.ts";
import type { ProblemInWords } from "./problems.ts";
import { readSchema } from "./read-schema.ts";
import type { ReadSchema } from "./read-schema.ts";
import { DEFAULT_LIMITS } from "./reading.ts";
import type { SchemaLimits } from "./reading.ts";
import { splitFragment } from "./references.ts";

export interface ParseOptions {
  limits?: Partial<SchemaLimits>;
  /** Further documents that schemas may refer to, by absolute URI. The meta-schemas of both drafts are always known. */
  documents?: Readonly<Record<string, unknown>>;
}

export type ParsedSchema =
  | Extract<ReadSchema, { ok: true }>
  | { readonly ok: false; readonly problems: ProblemInWords[] };

/** Reads a schema. It is deterministic, never throws on JSON data, and reports at most 50 problems. */
export function parseSchema(raw: unknown, { limits, documents }: ParseOptions = {}): ParsedSchema {
  const documentAt = (uri: string): unknown => {
    const given = documents !== undefined && Object.hasOwn(documents, uri) ? documents[uri] : undefined;
    return given ?? META_SCHEMAS.find((document) => splitFragment(String(document["$id"]))[0] === uri);
  };
  const read = readSchema(raw, documentAt, limits === undefined ? DEFAULT_LIMITS : { ...DEFAULT_LIMITS, ...limits });
  return read.ok ? read : { ok: false, problems: read.problems.map(problemInWords) };
}
