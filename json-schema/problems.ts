import type { ProblemParams, SchemaProblem } from "./reading.ts";

/** The problems of a schema: a code and a sentence for each reason. Codes are stable, and sentences are not. */

/** A problem of a schema, as `parseSchema` reports it. */
export interface ProblemInWords {
  /** JSON Pointer into the schema. */
  path: string;
  keyword?: string;
  code: ProblemCode;
  message: string;
}

type ProblemCode =
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

export type Reason = keyof typeof PROBLEMS;

type Sentence = (keyword: string, params: ProblemParams) => string;

const PROBLEMS = {
  // --- sizes
  characters: ["schema_too_large", (_, { limit }) => `A schema may have at most ${limit} characters as compact JSON.`],
  depth: ["schema_too_deep", (_, { limit }) => `A schema may nest at most ${limit} levels deep.`],
  nodes: ["schema_too_many_nodes", (_, { limit }) => `A schema may have at most ${limit} subschemas.`],
  patterns: ["schema_too_many_patterns", (_, { limit }) => `A schema may have at most ${limit} patterns.`],
  unicode_properties: [
    "schema_too_many_patterns",
    (_, { limit }) => `The patterns of a schema may name at most ${limit} Unicode properties (\\p{...}).`,
  ],
  pattern_characters: [
    "pattern_too_long",
    (_, { limit, actual }) => `A pattern may have at most ${limit} characters, this one has ${actual}.`,
  ],
  pointer_steps: [
    "schema_too_large",
    (_, { limit }) => `The references of a schema may lead along ${limit} steps of JSON Pointers in all.`,
  ],

  // --- identity
  dialect: [
    "unknown_dialect",
    () =>
      'This "$schema" is not supported. Use "https://json-schema.org/draft/2020-12/schema" or "http://json-schema.org/draft-07/schema#", or leave it out for 2020-12.',
  ],
  inner_dialect: ["unknown_dialect", () => 'This "$schema" is not supported.'],
  id_fragment: ["invalid_keyword", () => `"$id" must not have a fragment; use "$anchor".`],
  id_twice: ["duplicate_id", (_, { text }) => `"${start(text)}" is the "$id" of another part of this schema.`],
  anchor_twice: ["duplicate_id", (_, { text }) => `The anchor "${text}" is given twice.`],

  // --- references
  ref_syntax: ["ref_unresolved", (_, { text }) => `"${shorten(text)}" is no URI reference.`],
  ref_encoding: ["ref_unresolved", (_, { text }) => `"${shorten(text)}" is not encoded as a URI must be.`],
  ref_anchor: ["ref_unresolved", (_, { text }) => `No "$anchor" in this schema is named "${start(text)}".`],
  ref_nothing: [
    "ref_unresolved",
    (_, { text }) => `"${shorten(text)}" leads to nothing in this schema, or to something that is no schema.`,
  ],
  ref_outside: [
    "ref_remote",
    (_, { text }) =>
      `"${shorten(text)}" lies outside this schema, and nothing is ever fetched. Copy it into "$defs" and refer to it there.`,
  ],
  ref_loop: [
    "ref_loop",
    () => "This leads back to itself without going deeper into the data, so checking it would never end.",
  ],

  // --- patterns
  pattern: ["invalid_pattern", (_, { text }) => `This is no valid regular expression (ECMA-262, flag "u"): ${text}.`],

  // --- shapes of keywords
  schema: ["invalid_keyword", () => "A schema must be an object, true or false."],
  text: must("be a text"),
  flag: must("be true or false"),
  list: must("be a list"),
  number: must("be a number"),
  draft_04_bound: must("be a number, the bound itself (true and false are draft-04)"),
  divisor: must("be a number greater than 0"),
  count: must("be a whole number, 0 or more"),
  values: must("be a list of the allowed values"),
  regex: must("be a text: a regular expression"),
  ref: must('be a text, such as "#/$defs/address"'),
  anchor: must('be a name: a letter or "_", then letters, digits, "-", "_" and "."'),
  vocabulary: must("be an object whose values are true or false"),
  schemas: must("be an object whose values are schemas"),
  schema_list: must("be a list of at least one schema"),
  dependent_names: must("be an object whose values are lists of property names"),
  dependencies: must("be an object of schemas or lists of property names"),
  items_2020: ["invalid_keyword", () => `"items" must be one schema. For a list of schemas use "prefixItems".`],
  items_07: must("be a schema or a list of at least one"),
  names: ["invalid_keyword", (_, { text }) => `"${text}" must be a list of property names.`],
  names_draft_03: must("be a list of property names on the object that holds the property"),
  names_twice: ["invalid_keyword", (_, { text }) => `"${text}" names a property twice.`],
  no_type: must("name at least one type"),
  type: [
    "invalid_keyword",
    (_, { text }) =>
      `${text === undefined ? "This" : `"${text.slice(0, 40)}"`} is no type. Use one of null, boolean, integer, number, string, array, object.`,
  ],
  type_twice: ["invalid_keyword", () => `"type" names a type twice.`],
} satisfies Record<string, readonly [ProblemCode, Sentence]>;

export function problemInWords({ path, keyword, reason, params }: SchemaProblem): ProblemInWords {
  const [code, sentence]: readonly [ProblemCode, Sentence] = PROBLEMS[reason];
  const message = sentence(keyword ?? "", params);
  return keyword === undefined ? { path, code, message } : { path, keyword, code, message };
}

function must(what: string): ["invalid_keyword", Sentence] {
  return ["invalid_keyword", (keyword) => `"${keyword}" must ${what}.`];
}

function start(text = ""): string {
  return text.slice(0, 200);
}

function shorten(text = ""): string {
  return text.length > 200 ? `${start(text)}...` : text;
}
