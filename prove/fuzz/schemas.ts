import * as fc from "fast-check";
import { HOSTILE_CASES } from "../../json-schema/fixtures/hostile.ts";
import { anySchema, anyValue } from "../../json-schema/fixtures/random-schemas.ts";
import { PYDANTIC_SCHEMA, ZOD_SCHEMA } from "../../json-schema/fixtures/samples.ts";
import { isJsonObject, type JsonObject } from "../../src/lib/json.ts";
import { createRandom, type Random } from "../random.ts";
import { fromValue, mutate, toText } from "./json-text.ts";

/** A schema and values to check, as text. */
export interface Case {
  kind: "any" | "near" | "form" | "hostile" | "known hostile";
  schema: string;
  values: string[];
  /** Whether to compare with Ajv; most hostile schemas keep it busy forever. */
  isCompared: boolean;
  /** The known result of the first value; null if it is unknown. */
  ends: string | null;
}

const DRAFT_07 = "http://json-schema.org/draft-07/schema#";
/** Cases generated at a time. */
const BATCH = 200;

/** Yields cases without end; the same seed yields the same cases. */
export function* cases(seed: number): Generator<Case> {
  for (let batch = 0; ; batch++) {
    const options = { seed: (seed + batch * 7919) | 0, numRuns: BATCH };
    const valid = fc.sample(anySchema(), options);
    const near = fc.sample(anySchema(12), options);
    const values = fc.sample(anyValue, { ...options, numRuns: BATCH * 2 });
    for (let i = 0; i < BATCH; i++) {
      const random = createRandom(seed, batch * BATCH + i);
      const some = [values[2 * i], values[2 * i + 1]];
      const roll = random.int(100);
      if (roll < 50) yield tried(random, "any", dated(random, valid[i]!), some);
      else if (roll < 65) yield tried(random, "near", dated(random, near[i]!), some);
      else if (roll < 85) yield tried(random, "form", dated(random, form(random)), some);
      else if (roll < 96) yield hostile(random, some);
      else yield knownHostile(random);
    }
  }
}

function dated(random: Random, schema: JsonObject): JsonObject {
  return random.chance(0.3) ? { $schema: DRAFT_07, ...schema } : schema;
}

/** Adds values that should match, values that nearly match, and any values. */
function tried(random: Random, kind: Case["kind"], schema: JsonObject, some: readonly unknown[]): Case {
  const isMutated = kind === "near" || random.chance(0.1);
  const text = (isMutated && mutatedText(random, schema)) || JSON.stringify(schema);
  const fits = [0, 1].map(() => instanceOf(random, schema, schema, 6));
  const values = [...fits, ...some].map((value) => JSON.stringify(value));
  for (const value of fits) values.push(mutatedText(random, value) ?? "null");
  return { kind, schema: text, values, isCompared: true, ends: null };
}

/** Returns null if the change made it invalid JSON. */
function mutatedText(random: Random, value: unknown): string | null {
  const text = toText(mutate(random, fromValue(value)));
  try {
    // Normalize numbers as JavaScript does.
    return text.length > 20_000 ? null : JSON.stringify(JSON.parse(text));
  } catch {
    return null;
  }
}

/** Returns a schema as tools generate it, with every keyword that forms support. */
function form(random: Random): JsonObject {
  if (random.chance(0.1)) return random.pick([ZOD_SCHEMA, PYDANTIC_SCHEMA]).schema;
  const some = <T>(list: readonly T[], share: number) => list.filter(() => random.chance(share));
  const bounds = (low: string, high: string, max: number): JsonObject => {
    const first = random.int(max);
    return {
      ...(random.chance(0.6) && { [low]: first }),
      ...(random.chance(0.6) && { [high]: first + random.int(max) }),
    };
  };
  const field = (depth: number): JsonObject => {
    const text = () =>
      random.pick<JsonObject>([
        bounds("minLength", "maxLength", 5),
        { enum: ["approve", "reject", "", "1"] },
        { const: "approve" },
        {
          pattern: random.pick([
            "^[A-Z]{2}-\\d{4,}$",
            "^(?=.*\\d).+$",
            "\\p{L}+",
            "^\\S+@\\S+$",
            "(a|b)*c",
            "^$|^x",
            "[^a-z]",
            "\\bword\\b",
            "^.{2,4}$",
            "a{0,3}b?",
          ]),
        },
        { format: random.pick(["date", "date-time", "email", "uri", "uuid", "ipv4", "time", "hostname"]) },
      ]);
    switch (random.int(depth > 0 ? 9 : 5)) {
      case 0:
        return { type: "string", ...text() };
      case 1:
        return {
          type: random.pick(["number", "integer"]),
          ...bounds(random.pick(["minimum", "exclusiveMinimum"]), random.pick(["maximum", "exclusiveMaximum"]), 10),
        };
      case 2:
        return { type: "boolean" };
      case 3:
        return { type: ["string", "null"], ...text() };
      case 4:
        return { type: "integer", multipleOf: random.pick([1, 2, 5, 10]) };
      case 5:
        return {
          type: "array",
          items: field(depth - 1),
          ...bounds("minItems", "maxItems", 3),
          ...(random.chance(0.3) && { uniqueItems: true }),
          ...(random.chance(0.2) && { contains: field(0) }),
        };
      case 6:
        return { [random.pick(["anyOf", "oneOf", "allOf"])]: [field(depth - 1), field(depth - 1)] };
      case 7:
        return random.chance(0.5)
          ? { not: field(depth - 1) }
          : Object.fromEntries(["if", "then", "else"].map((keyword) => [keyword, field(depth - 1)]));
      default:
        return object(depth - 1);
    }
  };
  const object = (depth: number): JsonObject => {
    const names = some(["decision", "amount", "note", "lines", "due", "0", "constructor", "toString"], 0.5);
    return {
      type: "object",
      properties: Object.fromEntries(names.map((name) => [name, field(depth)])),
      required: some(names, 0.5),
      ...(random.chance(0.4) && {
        [random.pick(["additionalProperties", "unevaluatedProperties"])]: random.chance(0.7) ? false : field(0),
      }),
      ...(random.chance(0.1) && { propertyNames: { maxLength: 6 } }),
      ...(random.chance(0.1) && { patternProperties: { "^[a-d]": field(0) } }),
      ...(random.chance(0.1) && { dependentRequired: { note: ["amount"] } }),
      ...(random.chance(0.1) && { dependentSchemas: { note: { required: ["due"] } } }),
      ...bounds("minProperties", "maxProperties", random.chance(0.1) ? 4 : 1),
    };
  };
  const schema = object(3);
  if (random.chance(0.3)) {
    schema["$defs"] = { part: object(1), node: { type: "object", properties: { next: { $ref: "#/$defs/node" } } } };
    (schema["properties"] as JsonObject)["part"] = { $ref: random.pick(["#/$defs/part", "#/$defs/node", "#"]) };
  }
  return schema;
}

/** Returns small schemas whose cost grows faster than their size. */
function hostile(random: Random, some: readonly unknown[]): Case {
  const many = <T>(count: number, make: (i: number) => T) => Array.from({ length: count }, (_, i) => make(i));
  const applicator = () => random.pick(["allOf", "anyOf", "oneOf"]);
  const depth = 2 + random.int(40);
  const kinds: (() => [unknown, unknown])[] = [
    () => {
      const defs = Object.fromEntries(
        many(depth, (i) => [`d${i}`, { [applicator()]: many(2, () => ({ $ref: `#/$defs/d${i + 1}` })) }]),
      );
      return [
        { $ref: "#/$defs/d0", $defs: { ...defs, [`d${depth}`]: { type: random.pick(["string", "object"]) } } },
        {},
      ];
    },
    () => [
      {
        $ref: "#/$defs/a",
        $defs: {
          a: { [applicator()]: [{ $ref: "#/$defs/b" }, true] },
          b: { [random.pick(["not", "if", "items", "properties"])]: { $ref: "#/$defs/a" } },
        },
      },
      { $ref: [[[]]] },
    ],
    () => {
      let schema: JsonObject = { properties: { a: true } };
      for (let i = 0; i < depth / 4; i++)
        schema = {
          [applicator()]: [schema, random.chance(0.5) ? schema : { properties: { [`k${i}`]: true } }],
          unevaluatedProperties: random.chance(0.7),
        };
      return [schema, Object.fromEntries(many(100, (i) => [`k${i}`, i]))];
    },
    () => [
      {
        items: {
          pattern: random.pick([
            "^(a+)+$",
            "(a*)*b",
            "^(?=(a+)+$)",
            "([ab]*a){12}c",
            "(a|aa)+$",
            "(.*)(.*)(.*)x",
            "(\\w+\\s?)*!$",
            "\\p{L}{1,200}!",
          ]),
        },
      },
      many(random.pick([1, 20]), (i) => `${"a".repeat(20 + random.int(3000))}${i}b`),
    ],
    () => [
      { items: { enum: many(random.pick([10, 3000]), (i) => ({ id: [i, { i }] })) } },
      many(random.pick([1, 300]), (i) => ({ id: [i, { i: i + 1 }] })),
    ],
    () => [
      { $ref: "#/$defs/a", $defs: { a: { properties: { a: { $ref: "#/$defs/a" } }, items: { $ref: "#/$defs/a" } } } },
      JSON.parse('{"a":'.repeat(depth * 50) + "1" + "}".repeat(depth * 50)),
    ],
    () => [JSON.parse('{"not":'.repeat(depth * 2) + "true" + "}".repeat(depth * 2)), 1],
    () => [
      { uniqueItems: true, contains: { enum: [5000] }, minContains: 1 },
      many(random.pick([100, 5000]), (i) => ({ a: i, b: [i % 7] })),
    ],
    () => [
      {
        $dynamicAnchor: "n",
        properties: { a: { $dynamicRef: "#n" } },
        [applicator()]: [{ $dynamicRef: random.pick(["#n", "#m"]) }],
      },
      { a: { a: {} } },
    ],
    () => [
      { patternProperties: Object.fromEntries(many(100, (i) => [`^k${i}.*(a|b)+$`, { minimum: i }])) },
      Object.fromEntries(many(random.pick([10, 800]), (i) => [`k${i}ab`, i])),
    ],
  ];
  const [schema, value] = random.pick(kinds)();
  return {
    kind: "hostile",
    schema: JSON.stringify(schema),
    values: [JSON.stringify(value), JSON.stringify(some[0])],
    isCompared: random.chance(0.1),
    ends: null,
  };
}

/** The hostile cases that can be written as text: V8 cannot serialize deeper nesting. */
const KNOWN = HOSTILE_CASES.filter(({ name }) => !name.startsWith("5,000 levels"));

function knownHostile(random: Random): Case {
  const { schema, value, ends } = random.pick(KNOWN);
  return {
    kind: "known hostile",
    schema: JSON.stringify(schema()),
    values: [JSON.stringify(value())],
    isCompared: false,
    ends,
  };
}

/** Returns a value that matches most of `schema`, as far as the schema shows it. */
function instanceOf(random: Random, schema: unknown, root: JsonObject, depth: number): unknown {
  if (!isJsonObject(schema) || depth < 0) return random.pick<unknown>([null, 1, "a", {}, [], true]);
  const from = (part: unknown) => instanceOf(random, part, root, depth - 1);
  const has = (keyword: string) => Object.hasOwn(schema, keyword);
  if (has("const")) return schema["const"];
  if (Array.isArray(schema["enum"]) && schema["enum"].length > 0) return random.pick(schema["enum"]);
  if (typeof schema["$ref"] === "string") return from(found(schema["$ref"], root));
  for (const keyword of ["anyOf", "oneOf", "allOf"])
    if (Array.isArray(schema[keyword]) && random.chance(0.7))
      return from({ ...schema, [keyword]: undefined, ...(random.pick(schema[keyword]) as object) });
  const type = has("type") ? random.pick([schema["type"]].flat()) : guessedType(random, schema);
  const number = (keyword: string, otherwise: number) =>
    typeof schema[keyword] === "number" ? schema[keyword] : otherwise;
  switch (type) {
    case "null":
      return null;
    case "boolean":
      return random.chance(0.5);
    case "integer":
    case "number": {
      const least = number("minimum", number("exclusiveMinimum", -1) + 1);
      const step = number("multipleOf", 1);
      return Math.ceil((least + random.int(3)) / step) * step;
    }
    case "string": {
      const example = random.pick([
        "approve",
        "AB-12345",
        "2026-02-28",
        "2026-02-28T10:00:00Z",
        "dana@example.com",
        "https://example.com/a",
        "123e4567-e89b-12d3-a456-426614174000",
        "10.0.0.1",
        "abc",
        "",
        "word",
        "😀é",
      ]);
      return (example + "a".repeat(50)).slice(
        0,
        Math.max(Math.min(number("minLength", 0), 50), Math.min(example.length, number("maxLength", 50))),
      );
    }
    case "array": {
      const prefix = Array.isArray(schema["prefixItems"])
        ? schema["prefixItems"]
        : Array.isArray(schema["items"])
          ? schema["items"]
          : [];
      const length = Math.min(Math.max(number("minItems", 0), random.int(4)), number("maxItems", 5));
      return Array.from({ length }, (_, i) =>
        from(prefix[i] ?? (i === 0 && has("contains") ? schema["contains"] : schema["items"])),
      );
    }
    default: {
      const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
      const required = Array.isArray(schema["required"]) ? schema["required"] : [];
      const names = [...required, ...Object.keys(properties).filter(() => random.chance(0.5))].filter(
        (name) => typeof name === "string",
      );
      return Object.fromEntries(
        names.map((name) => [name, from(Object.hasOwn(properties, name) ? properties[name] : true)]),
      );
    }
  }
}

function found(ref: string, root: JsonObject): unknown {
  let value: unknown = root;
  for (const token of ref.split("/").slice(1))
    value = isJsonObject(value) && Object.hasOwn(value, token) ? value[token] : undefined;
  return ref.startsWith("#") ? value : undefined;
}

function guessedType(random: Random, schema: JsonObject): string {
  const says = (...keywords: string[]) => keywords.some((keyword) => Object.hasOwn(schema, keyword));
  if (
    says(
      "properties",
      "required",
      "additionalProperties",
      "patternProperties",
      "unevaluatedProperties",
      "minProperties",
    )
  )
    return "object";
  if (says("items", "prefixItems", "contains", "minItems", "uniqueItems", "unevaluatedItems")) return "array";
  if (says("pattern", "minLength", "maxLength", "format")) return "string";
  if (says("minimum", "maximum", "multipleOf", "exclusiveMinimum", "exclusiveMaximum")) return "number";
  return random.pick(["object", "string", "integer", "array", "null"]);
}
