import { pointerOf } from "./schema.ts";
import type { Draft, Resource, SchemaNode } from "./schema.ts";

/** What is wrong with a schema, as `parseSchema` says it. Codes are stable, sentences are not. */
export interface SchemaProblem {
  /** JSON Pointer into the schema. */
  path: string;
  keyword?: string;
  code: ProblemCode;
  message: string;
}

export type ProblemCode =
  | "schema_too_large"
  | "schema_too_deep"
  | "schema_too_many_nodes"
  | "schema_too_many_patterns"
  | "pattern_too_long"
  | "unknown_dialect"
  | "invalid_keyword"
  | "invalid_pattern"
  | "duplicate_id"
  | "ref_remote"
  | "ref_unresolved"
  | "ref_loop";

/** Sizes that a schema must keep to. */
export interface SchemaLimits {
  /** Of the schema as compact JSON text, in UTF-16 units; escapes are not counted. */
  characters: number;
  /** Objects and arrays inside each other. */
  depth: number;
  /** Subschemas, `true` and `false` included. */
  nodes: number;
  /** `pattern` keywords and keys of `patternProperties`. */
  patterns: number;
  /** Of one pattern, in UTF-16 units. */
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

/** A schema that is being read: what was found so far, and what is still to be resolved. */
export interface Reading {
  readonly limits: SchemaLimits;
  draft: Draft;
  /** False while a document that does not come from the client (a meta-schema) is read. */
  limited: boolean;
  readonly problems: SchemaProblem[];
  nodes: number;
  patterns: number;
  /** Unicode properties named by the patterns. */
  properties: number;
  /** Steps of JSON Pointers that were followed. */
  pointerSteps: number;
  readonly resources: Map<string, Resource>;
  readonly nodeOf: Map<object, SchemaNode>;
  readonly refs: { readonly node: SchemaNode; readonly keyword: "$ref" | "$dynamicRef"; readonly ref: string }[];
  isDynamic: boolean;
  tracks: boolean;
  /** Reads a subschema of `parent`. A field, so that keywords and schemas can know of each other. */
  readonly subschema: (raw: unknown, parent: SchemaNode, keyword: string, key: string | number | null) => SchemaNode;
}

/** Thrown when reading on would be pointless or too much work; the problems tell why. */
export class ReadingEnded extends Error {}

/** @throws ReadingEnded when there are enough problems to show */
export function addProblem(
  reading: Reading,
  code: ProblemCode,
  message: string,
  node: SchemaNode,
  keyword?: string,
  key?: string | number,
): void {
  const path = pointerOf(node, keyword, key);
  reading.problems.push(keyword === undefined ? { path, code, message } : { path, keyword, code, message });
  if (reading.problems.length >= MAX_PROBLEMS) throw new ReadingEnded();
}

/** @throws ReadingEnded always */
export function endReading(
  reading: Reading,
  code: ProblemCode,
  message: string,
  node: SchemaNode,
  keyword?: string,
): never {
  addProblem(reading, code, message, node, keyword);
  throw new ReadingEnded();
}
