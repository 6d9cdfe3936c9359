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
function count(note: (node: SchemaNode, value: number) => void): KeywordReader {
  return (reading, node, value, keyword) => {
    if (IS_VETTED || isCount(value)) note(node, value as number);
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
function one(note: (node: SchemaNode, child: SchemaNode, reading: Reading) => void): KeywordReader {
  return (reading, node, value, keyword) => note(node, reading.subschema(value, node, keyword, null), reading);
}

/** Returns a reader for a keyword whose value is a list of at least one schema. */
function several(note: (node: SchemaNode, children: SchemaNode[]) => void): KeywordReader {
  return (reading, node, value, keyword) => {
    if (!IS_VETTED && (!Array.isArray(value) || value.length === 0)) {
      wrong(reading, node, keyword, "schema_list");
      return;
    }
    note(
      node,
      (value as unknown[]).map((item, index) => reading.subschema(item, node, keyword, index)),
    );
  };
}

/** Returns a reader for a keyword whose value is an object of schemas. */
function named(note: (node: SchemaNode, children: Map<string, SchemaNode>) => void): KeywordReader {
  return (reading, node, value, keyword) => {
    if (!isSchemaMap(reading, node, value, keyword)) return;
    const children = new Map<string, SchemaNode>();
    for (const key of Object.keys(value))
      children.set(key, reading.subschema(Reflect.get(value, key), node, keyword, key));
    note(node, children);
  };
}

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

const readDefinitions = named(() => {});

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
  ["minLength", count((node, value) => void (stringRules(node).minLength = value))],
  ["maxLength", count((node, value) => void (stringRules(node).maxLength = value))],
  ["pattern", readPattern],
  ["format", readFormat],
  ["minItems", count((node, value) => void (arrayRules(node).minItems = value))],
  ["maxItems", count((node, value) => void (arrayRules(node).maxItems = value))],
  ["uniqueItems", readUniqueItems],
  ["contains", one((node, child) => void (arrayRules(node).contains = child))],
  ["required", readRequired],
  ["minProperties", count((node, value) => void (objectRules(node).minProperties = value))],
  ["maxProperties", count((node, value) => void (objectRules(node).maxProperties = value))],
  ["properties", named((node, children) => void (objectRules(node).properties = children))],
  ["patternProperties", readPatternProperties],
  ["additionalProperties", one((node, child) => void (objectRules(node).additionalProperties = child))],
  ["propertyNames", one((node, child) => void (objectRules(node).propertyNames = child))],
  ["dependencies", readDependencies],
  ["allOf", several((node, children) => void (node.allOf = children))],
  ["anyOf", several((node, children) => void (node.anyOf = children))],
  ["oneOf", several((node, children) => void (node.oneOf = children))],
  ["not", one((node, child) => void (node.not = child))],
  ["if", one((node, child) => void (node.if = child))],
  ["then", one((node, child) => void (node.onTrue = child))],
  ["else", one((node, child) => void (node.onFalse = child))],
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
  ["prefixItems", several((node, children) => void (arrayRules(node).prefix = children))],
  ["items", readItems2020],
  ["minContains", count((node, value) => void (arrayRules(node).minContains = value))],
  ["maxContains", count((node, value) => void (arrayRules(node).maxContains = value))],
  ["dependentRequired", readDependentRequired],
  ["dependentSchemas", named((node, children) => void (objectRules(node).dependentSchemas = children))],
  [
    "unevaluatedItems",
    one((node, child, reading) => {
      node.unevaluatedItems = child;
      reading.tracks = true;
    }),
  ],
  [
    "unevaluatedProperties",
    one((node, child, reading) => {
      node.unevaluatedProperties = child;
      reading.tracks = true;
    }),
  ],
  ["contentSchema", one(() => {})],
  ["deprecated", checkFlag],
  ["$defs", readDefinitions],
  ["$anchor", readAnchor],
  ["$dynamicAnchor", readAnchor],
  ["$dynamicRef", readRef],
  ["$recursiveRef", readRef],
  ["$recursiveAnchor", readAnchor],
  ["$vocabulary", checkVocabulary],
]);
