import { countProperties, patternProblem } from "./pattern-syntax.ts";
import type { Reason } from "./problems.ts";
import { addProblem, endReading } from "./reading.ts";
import type { Reading } from "./reading.ts";
import { isCompound, isObject } from "./equality.ts";
import { TYPES } from "./schema.ts";
import { IS_VETTED } from "./vetted.ts";
import type { ArrayRules, Choice, NumberRules, ObjectRules, SchemaNode, StringRules } from "./schema.ts";

/**
 * Every keyword of the two drafts. Each reader checks the shape of its keyword's value exactly as the meta-schema does,
 * and stores it in the node. Unknown keywords are ignored, as the specification requires.
 */
export type KeywordReader = (
  reading: Reading,
  node: SchemaNode,
  value: unknown,
  keyword: string,
  raw: Readonly<Record<string, unknown>>,
) => void;

/** Returns the part of a node that has this member, and creates it if need be. */
type RulesOf<Member extends string, Value> = (node: SchemaNode) => Record<Member, Value | null>;

/** The limit of distinct Unicode properties in the patterns of one schema. A lookup takes tens of microseconds. */
const MAX_UNICODE_PROPERTIES = 100;

/** Reports that the value of a keyword has the wrong shape. */
function wrong(reading: Reading, node: SchemaNode, keyword: string, reason: Reason, key?: string | number): void {
  if (!IS_VETTED) addProblem(reading, reason, {}, node, keyword, key);
}

// --- shapes ---------------------------------------------------------------------------------------------------------

function isStringList(
  reading: Reading,
  node: SchemaNode,
  value: unknown,
  keyword: string,
  key?: string,
): value is string[] {
  if (IS_VETTED) return true;
  // If a keyword has several lists, `key` identifies the list.
  const fail = (reason: Reason): false => {
    addProblem(reading, reason, { text: key ?? keyword }, node, keyword, key);
    return false;
  };
  if (!Array.isArray(value) || value.some((item) => typeof item !== "string"))
    return fail(keyword === "required" && typeof value === "boolean" ? "names_draft_03" : "names");
  return new Set(value).size === value.length || fail("names_twice");
}

function isSchemaMap(reading: Reading, node: SchemaNode, value: unknown, keyword: string): value is object {
  if (IS_VETTED || isObject(value)) return true;
  wrong(reading, node, keyword, "schemas");
  return false;
}

const checkText: KeywordReader = (reading, node, value, keyword) => {
  if (!IS_VETTED && typeof value !== "string") wrong(reading, node, keyword, "text");
};

const checkFlag: KeywordReader = (reading, node, value, keyword) => {
  if (!IS_VETTED && typeof value !== "boolean") wrong(reading, node, keyword, "flag");
};

const checkList: KeywordReader = (reading, node, value, keyword) => {
  if (!IS_VETTED && !Array.isArray(value)) wrong(reading, node, keyword, "list");
};

const checkVocabulary: KeywordReader = (reading, node, value, keyword) => {
  if (!IS_VETTED && (!isObject(value) || Object.values(value).some((item) => typeof item !== "boolean")))
    wrong(reading, node, keyword, "vocabulary");
};

// --- rules of a node, created at the first keyword of their kind -----------------------------------------------------

function numberRules(node: SchemaNode): NumberRules {
  return (node.number ??= {
    minimum: null,
    maximum: null,
    exclusiveMinimum: null,
    exclusiveMaximum: null,
    multipleOf: null,
  });
}

function stringRules(node: SchemaNode): StringRules {
  return (node.string ??= { minLength: null, maxLength: null, pattern: null, format: null });
}

function arrayRules(node: SchemaNode): ArrayRules {
  return (node.array ??= {
    prefix: null,
    rest: null,
    contains: null,
    minContains: null,
    maxContains: null,
    minItems: null,
    maxItems: null,
    uniqueItems: false,
  });
}

function objectRules(node: SchemaNode): ObjectRules {
  return (node.object ??= {
    required: null,
    minProperties: null,
    maxProperties: null,
    properties: null,
    patternProperties: null,
    additionalProperties: null,
    propertyNames: null,
    dependentRequired: null,
    dependentSchemas: null,
  });
}

const itself = (node: SchemaNode): SchemaNode => node;

// --- values ---------------------------------------------------------------------------------------------------------

const readType: KeywordReader = (reading, node, value) => {
  const names: unknown[] = Array.isArray(value) ? value : [value];
  if (names.length === 0) wrong(reading, node, "type", "no_type");
  for (const [index, name] of names.entries()) {
    const bit = typeof name === "string" ? TYPES.get(name) : undefined;
    if (bit === undefined) {
      const params = typeof name === "string" ? { text: name } : {};
      addProblem(reading, "type", params, node, "type", Array.isArray(value) ? index : undefined);
      return;
    }
    node.types |= bit;
  }
  if (!IS_VETTED && new Set(names).size < names.length) wrong(reading, node, "type", "type_twice");
};

const readConst: KeywordReader = (_reading, node, value) => {
  node.constant = choiceOf([value]);
};

const readEnum: KeywordReader = (reading, node, value) => {
  if (Array.isArray(value)) node.choices = choiceOf(value);
  else wrong(reading, node, "enum", "values");
};

function choiceOf(values: readonly unknown[]): Choice {
  const compound = values.filter(isCompound);
  return {
    values,
    simple: new Set(compound.length === 0 ? values : values.filter((value) => !isCompound(value))),
    compound,
  };
}

/** Returns a reader for `minimum` and similar keywords. */
function bound(name: "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum"): KeywordReader {
  return (reading, node, value, keyword) => {
    if (typeof value === "number") numberRules(node)[name] = value;
    else {
      const isDraft04 = typeof value === "boolean" && keyword.startsWith("exclusive");
      wrong(reading, node, keyword, isDraft04 ? "draft_04_bound" : "number");
    }
  };
}

const readMultipleOf: KeywordReader = (reading, node, value) => {
  if (typeof value === "number" && value > 0) numberRules(node).multipleOf = value;
  else wrong(reading, node, "multipleOf", "divisor");
};

function isCount(value: unknown): boolean {
  return typeof value === "number" && Number.isInteger(value) && value >= 0;
}

/** Returns a reader for a keyword that counts. Its value must be a whole number, 0 or more. */
function count<Member extends string>(rulesOf: RulesOf<Member, number>, member: Member): KeywordReader {
  return (reading, node, value, keyword) => {
    if (IS_VETTED || isCount(value)) rulesOf(node)[member] = value as number;
    else wrong(reading, node, keyword, "count");
  };
}

const readPattern: KeywordReader = (reading, node, value) => {
  if (typeof value !== "string") wrong(reading, node, "pattern", "regex");
  else if (isPattern(reading, node, value, "pattern")) stringRules(node).pattern = value;
};

/** @throws ReadingEnded when the schema has more patterns than it may */
function isPattern(reading: Reading, node: SchemaNode, pattern: string, keyword: string, key?: string): boolean {
  if (IS_VETTED) return true;
  const { patterns, pattern_characters } = reading.limits;
  if (++reading.patterns > patterns) endReading(reading, "patterns", { limit: patterns }, node, keyword);
  if (pattern.length > pattern_characters) {
    const params = { limit: pattern_characters, actual: pattern.length };
    addProblem(reading, "pattern_characters", params, node, keyword, key);
    return false;
  }
  reading.properties += countProperties(pattern);
  if (reading.properties > MAX_UNICODE_PROPERTIES)
    endReading(reading, "unicode_properties", { limit: MAX_UNICODE_PROPERTIES }, node, keyword);
  const problem = patternProblem(pattern);
  if (problem === null) return true;
  addProblem(reading, "pattern", { text: problem }, node, keyword, key);
  return false;
}

const readFormat: KeywordReader = (reading, node, value, keyword, raw) => {
  checkText(reading, node, value, keyword, raw);
  if (typeof value === "string") stringRules(node).format = value;
};

const readUniqueItems: KeywordReader = (reading, node, value, keyword, raw) => {
  checkFlag(reading, node, value, keyword, raw);
  if (value === true) arrayRules(node).uniqueItems = true;
};

const readRequired: KeywordReader = (reading, node, value) => {
  if (isStringList(reading, node, value, "required")) objectRules(node).required = value;
};

const readDependentRequired: KeywordReader = (reading, node, value, keyword) => {
  if (!isObject(value)) {
    wrong(reading, node, keyword, "dependent_names");
    return;
  }
  const names = new Map<string, readonly string[]>();
  for (const [key, list] of Object.entries(value))
    if (isStringList(reading, node, list, keyword, key)) names.set(key, list);
  objectRules(node).dependentRequired = { keyword, names };
};

// --- subschemas -----------------------------------------------------------------------------------------------------

/** Returns a reader for a keyword whose value is one schema. */
function one<Member extends string>(rulesOf: RulesOf<Member, SchemaNode>, member: Member): KeywordReader {
  return (reading, node, value, keyword) => {
    rulesOf(node)[member] = reading.subschema(value, node, keyword, null);
  };
}

/** Returns a reader for a keyword whose value is a list of at least one schema. */
function several<Member extends string>(
  rulesOf: RulesOf<Member, readonly SchemaNode[]>,
  member: Member,
): KeywordReader {
  return (reading, node, value, keyword) => {
    if (!IS_VETTED && (!Array.isArray(value) || value.length === 0)) {
      wrong(reading, node, keyword, "schema_list");
      return;
    }
    rulesOf(node)[member] = (value as unknown[]).map((item, index) => reading.subschema(item, node, keyword, index));
  };
}

/** Returns a reader for a keyword whose value is an object of schemas. */
function named<Member extends string>(
  rulesOf: RulesOf<Member, ReadonlyMap<string, SchemaNode>>,
  member: Member,
): KeywordReader {
  return (reading, node, value, keyword) => {
    if (isSchemaMap(reading, node, value, keyword)) rulesOf(node)[member] = subschemas(reading, node, value, keyword);
  };
}

function subschemas(reading: Reading, node: SchemaNode, value: object, keyword: string): Map<string, SchemaNode> {
  return new Map(
    Object.keys(value).map((key) => [key, reading.subschema(Reflect.get(value, key), node, keyword, key)]),
  );
}

const readUnevaluated: KeywordReader = (reading, node, value, keyword) => {
  node[keyword as "unevaluatedItems" | "unevaluatedProperties"] = reading.subschema(value, node, keyword, null);
  reading.tracks = true;
};

const readPatternProperties: KeywordReader = (reading, node, value, keyword) => {
  if (!isSchemaMap(reading, node, value, keyword)) return;
  const rules: { pattern: string; node: SchemaNode }[] = [];
  for (const pattern of Object.keys(value)) {
    const child = reading.subschema(Reflect.get(value, pattern), node, keyword, pattern);
    if (isPattern(reading, node, pattern, keyword, pattern)) rules.push({ pattern, node: child });
  }
  objectRules(node).patternProperties = rules;
};

const readItems2020: KeywordReader = (reading, node, value, keyword) => {
  if (Array.isArray(value)) {
    wrong(reading, node, keyword, "items_2020");
    return;
  }
  arrayRules(node).rest = reading.subschema(value, node, keyword, null);
};

const readItems07: KeywordReader = (reading, node, value, keyword) => {
  if (!Array.isArray(value)) arrayRules(node).rest = reading.subschema(value, node, keyword, null);
  else if (value.length === 0) wrong(reading, node, keyword, "items_07");
  else arrayRules(node).prefix = value.map((item, index) => reading.subschema(item, node, keyword, index));
};

const readAdditionalItems07: KeywordReader = (reading, node, value, keyword, raw) => {
  const child = reading.subschema(value, node, keyword, null);
  // It has an effect only if `items` is a list.
  if (Array.isArray(raw["items"])) arrayRules(node).rest = child;
};

/** draft-07: each value is a schema or a list of names. 2020-12 checks this shape, but not the instance. */
const readDependencies: KeywordReader = (reading, node, value, keyword) => {
  if (!isObject(value)) {
    wrong(reading, node, keyword, "dependencies");
    return;
  }
  const names = new Map<string, readonly string[]>();
  const schemas = new Map<string, SchemaNode>();
  for (const [key, part] of Object.entries(value)) {
    if (!Array.isArray(part)) schemas.set(key, reading.subschema(part, node, keyword, key));
    else if (isStringList(reading, node, part, keyword, key)) names.set(key, part);
  }
  if (reading.draft !== "draft-07") return;
  if (names.size > 0) objectRules(node).dependentRequired = { keyword, names };
  if (schemas.size > 0) objectRules(node).dependentSchemas = schemas;
};

const readDefinitions: KeywordReader = (reading, node, value, keyword) => {
  if (isSchemaMap(reading, node, value, keyword)) subschemas(reading, node, value, keyword);
};

// --- identity and references ----------------------------------------------------------------------------------------

const readRef: KeywordReader = (reading, node, value, keyword) => {
  if (typeof value !== "string") wrong(reading, node, keyword, "ref");
  else if (keyword === "$ref" || keyword === "$dynamicRef") reading.refs.push({ node, keyword, ref: value });
};

const readAnchor: KeywordReader = (reading, node, value, keyword) => {
  if (typeof value !== "string" || !/^[A-Za-z_][-A-Za-z0-9._]*$/.test(value)) {
    wrong(reading, node, keyword, "anchor");
    return;
  }
  if (keyword === "$recursiveAnchor") return;
  const { anchors, dynamicAnchors } = node.resource;
  const known = anchors.get(value);
  if (!IS_VETTED && known !== undefined && known !== node)
    addProblem(reading, "anchor_twice", { text: value }, node, keyword);
  anchors.set(value, node);
  if (keyword === "$dynamicAnchor") dynamicAnchors.set(value, node);
};

/** Keywords that only inform people. */
const ONLY_CHECKED: readonly (readonly [string, KeywordReader])[] = [
  ["$comment", checkText],
  ["$id", checkText],
  ["$schema", checkText],
  ["title", checkText],
  ["description", checkText],
  ["readOnly", checkFlag],
  ["writeOnly", checkFlag],
  ["examples", checkList],
  ["contentMediaType", checkText],
  ["contentEncoding", checkText],
];

const COMMON: readonly (readonly [string, KeywordReader])[] = [
  ["type", readType],
  ["const", readConst],
  ["enum", readEnum],
  ["minimum", bound("minimum")],
  ["maximum", bound("maximum")],
  ["exclusiveMinimum", bound("exclusiveMinimum")],
  ["exclusiveMaximum", bound("exclusiveMaximum")],
  ["multipleOf", readMultipleOf],
  ["minLength", count(stringRules, "minLength")],
  ["maxLength", count(stringRules, "maxLength")],
  ["pattern", readPattern],
  ["format", readFormat],
  ["minItems", count(arrayRules, "minItems")],
  ["maxItems", count(arrayRules, "maxItems")],
  ["uniqueItems", readUniqueItems],
  ["contains", one(arrayRules, "contains")],
  ["required", readRequired],
  ["minProperties", count(objectRules, "minProperties")],
  ["maxProperties", count(objectRules, "maxProperties")],
  ["properties", named(objectRules, "properties")],
  ["patternProperties", readPatternProperties],
  ["additionalProperties", one(objectRules, "additionalProperties")],
  ["propertyNames", one(objectRules, "propertyNames")],
  ["dependencies", readDependencies],
  ["allOf", several(itself, "allOf")],
  ["anyOf", several(itself, "anyOf")],
  ["oneOf", several(itself, "oneOf")],
  ["not", one(itself, "not")],
  ["if", one(itself, "if")],
  ["then", one(itself, "onTrue")],
  ["else", one(itself, "onFalse")],
  ["definitions", readDefinitions],
  ["$ref", readRef],
  ...(IS_VETTED ? [] : ONLY_CHECKED),
];

export const DRAFT_07: ReadonlyMap<string, KeywordReader> = new Map([
  ...COMMON,
  ["items", readItems07],
  ["additionalItems", readAdditionalItems07],
]);

export const DRAFT_2020: ReadonlyMap<string, KeywordReader> = new Map([
  ...COMMON,
  ["prefixItems", several(arrayRules, "prefix")],
  ["items", readItems2020],
  ["minContains", count(arrayRules, "minContains")],
  ["maxContains", count(arrayRules, "maxContains")],
  ["dependentRequired", readDependentRequired],
  ["dependentSchemas", named(objectRules, "dependentSchemas")],
  ["unevaluatedItems", readUnevaluated],
  ["unevaluatedProperties", readUnevaluated],
  ["contentSchema", (reading, node, value, keyword) => void reading.subschema(value, node, keyword, null)],
  ["deprecated", checkFlag],
  ["$defs", readDefinitions],
  ["$anchor", readAnchor],
  ["$dynamicAnchor", readAnchor],
  ["$dynamicRef", readRef],
  ["$recursiveRef", readRef],
  ["$recursiveAnchor", readAnchor],
  ["$vocabulary", checkVocabulary],
]);
