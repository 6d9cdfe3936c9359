import type { Reason } from "./problems.ts";
import { pointerOf } from "./schema.ts";
import type { Draft, Resource, SchemaNode } from "./schema.ts";

/** What is wrong with a schema, as facts; problems.ts has the code and the sentence. */
export interface SchemaProblem {
  /** JSON Pointer into the schema. */
  path: string;
  keyword?: string;
  reason: Reason;
  params: ProblemParams;
}

/** What the sentence of some reasons is made of. */
export interface ProblemParams {
  readonly limit?: number;
  readonly actual?: number;
  /** What the schema says there: a name, a reference; of a pattern, what the engine says of it. */
  readonly text?: string;
}

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
  reason: Reason,
  params: ProblemParams,
  node: SchemaNode,
  keyword?: string,
  key?: string | number,
): void {
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
