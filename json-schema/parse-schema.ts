/**
 * JSON Schema, draft-07 and 2020-12, for schemas that strangers send: interpreted, never compiled to code, never
 * fetched, and every check bounded in work.
 *
 *   const parsed = parseSchema(json);                 // { ok: true, schema } or { ok: false, problems }
 *   const verdict = validate(parsed.schema, value);   // "valid", "invalid" + errors, "refused" + code, or "pending"
 *
 * `parseSchema` (here) says everything that can be wrong with a schema itself: its size, its dialect, the shape of its
 * keywords, references that lead nowhere or outside, patterns that are none. What it returns is plain data that may be
 * kept and used for any number of values. `validate` is in validate.ts. "pending" means that the verdict hangs on
 * patterns which RE2 cannot match; the server settles them in a worker (pattern-worker-host.ts), a browser lets the
 * server decide.
 *
 * Behind each stands one that says the same in facts, for pages that must stay light: `readSchema` (read-schema.ts) has
 * no meta-schemas and `validateWith` (validate-with.ts) no re2js, and neither has any sentences.
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
  /** Further documents that may be referred to, by absolute URI. The meta-schemas of both drafts are always known. */
  documents?: Readonly<Record<string, unknown>>;
}

export type ParsedSchema =
  | Extract<ReadSchema, { ok: true }>
  | { readonly ok: false; readonly problems: ProblemInWords[] };

/** Reads a schema. Never throws on JSON data; deterministic. At most 50 problems are reported. */
export function parseSchema(raw: unknown, { limits, documents }: ParseOptions = {}): ParsedSchema {
  const documentAt = (uri: string): unknown => {
    const given = documents !== undefined && Object.hasOwn(documents, uri) ? documents[uri] : undefined;
    return given ?? META_SCHEMAS.find((document) => splitFragment(String(document["$id"]))[0] === uri);
  };
  const read = readSchema(raw, documentAt, limits === undefined ? DEFAULT_LIMITS : { ...DEFAULT_LIMITS, ...limits });
  return read.ok ? read : { ok: false, problems: read.problems.map(problemInWords) };
}
