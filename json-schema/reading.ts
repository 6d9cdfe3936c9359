import type { Reason } from "./problems.ts";
import { pointerOf } from "./schema.ts";
import { IS_VETTED } from "./vetted.ts";
import type { Draft, Resource, SchemaNode } from "./schema.ts";

/** A problem of a schema, as data. problems.ts has its code and sentence. */
export interface SchemaProblem {
  /** JSON Pointer into the schema. */
  path: string;
  keyword?: string;
  reason: Reason;
  params: ProblemParams;
}

/** The values in the sentences of some reasons. */
export interface ProblemParams {
  readonly limit?: number;
  readonly actual?: number;
  /** The text in the schema, such as a name or a reference. For a pattern, the engine's message. */
  readonly text?: string;
}

/** Size limits of a schema. */
export interface SchemaLimits {
  /** UTF-16 units of the schema as compact JSON text; escapes are not counted. */
  characters: number;
  /** Nested objects and arrays. */
  depth: number;
  /** Subschemas, `true` and `false` included. */
  nodes: number;
  /** `pattern` keywords and keys of `patternProperties`. */
  patterns: number;
  /** UTF-16 units of one pattern. */
  pattern_characters: number;
}

export const DEFAULT_LIMITS: SchemaLimits = {
  characters: 256 * 1024,
  depth: 64,
  nodes: 5_000,
  patterns: 500,
  pattern_characters: 2_048,
};

const MAX_PROBLEMS = 50;

/** The state of reading a schema: the results so far, and the references to resolve. */
export interface Reading {
  readonly limits: SchemaLimits;
  draft: Draft;
  /** False while a document that is not from the client (a meta-schema) is read. */
  limited: boolean;
  readonly problems: SchemaProblem[];
  nodes: number;
  patterns: number;
  /** Unicode properties named by the patterns. */
  properties: number;
  /** Followed steps of JSON Pointers. */
  pointerSteps: number;
  readonly resources: Map<string, Resource>;
  readonly nodeOf: Map<object, SchemaNode>;
  readonly refs: { readonly node: SchemaNode; readonly keyword: "$ref" | "$dynamicRef"; readonly ref: string }[];
  isDynamic: boolean;
  tracks: boolean;
  /** Reads a subschema of `parent`. It is a field, because keywords and schemas need each other. */
  readonly subschema: (raw: unknown, parent: SchemaNode, keyword: string, key: string | number | null) => SchemaNode;
}

/** Thrown when it is pointless or too expensive to read on. The problems give the reason. */
export class ReadingEnded extends Error {}

/** @throws ReadingEnded when there are enough problems to show */
export function addProblem(
  reading: Reading,
  reason: Reason,
  params: ProblemParams,
  node: SchemaNode,
  keyword?: string,
  key?: string | number,
): void {
  if (IS_VETTED) return;
  const path = pointerOf(node, keyword, key);
  reading.problems.push(keyword === undefined ? { path, reason, params } : { path, keyword, reason, params });
  if (reading.problems.length >= MAX_PROBLEMS) throw new ReadingEnded();
}

/** @throws ReadingEnded always */
export function endReading(
  reading: Reading,
  reason: Reason,
  params: ProblemParams,
  node: SchemaNode,
  keyword?: string,
): never {
  addProblem(reading, reason, params, node, keyword);
  throw new ReadingEnded();
}
