/**
 * Schemas and values that are made to hurt. Used by hostile.test.ts, which counts their steps, and by bench.ts, which
 * takes their time.
 */
export interface HostileCase {
  readonly name: string;
  /** Made anew each time, so that nothing is warm. */
  readonly schema: () => unknown;
  readonly value: () => unknown;
  /** How it may end: a refusal of the schema, a refusal of the work, or a verdict. */
  readonly ends: string;
}

const DRAFT_07 = "http://json-schema.org/draft-07/schema#";

function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

function entries(count: number, make: (index: number) => [string, unknown]): Record<string, unknown> {
  return Object.fromEntries(times(count, make));
}

function nest(depth: number, wrap: (inner: unknown) => unknown, core: unknown): unknown {
  let value = core;
  for (let i = 0; i < depth; i++) value = wrap(value);
  return value;
}

/** `$defs` d0 ... dn, each of which leads twice to the next. */
function doubling(count: number, join: (next: unknown) => unknown, last: unknown): unknown {
  const defs: Record<string, unknown> = { [`d${count}`]: last };
  for (let i = 0; i < count; i++) defs[`d${i}`] = join({ $ref: `#/$defs/d${i + 1}` });
  return { $ref: "#/$defs/d0", $defs: defs };
}

const objects50k = (): unknown => times(50_000, (i) => ({ id: i, name: `n${i}` }));
const keys = (count: number): Record<string, unknown> => entries(count, (i) => [`key${i}`, i]);
const MIB = 1 << 20;

export const HOSTILE_CASES: readonly HostileCase[] = [
  {
    name: "2^40 paths through allOf and $ref, valid",
    schema: () => doubling(40, (next) => ({ allOf: [next, next] }), { type: "string" }),
    value: () => "x",
    ends: "valid",
  },
  {
    name: "2^40 paths through anyOf and $ref, invalid",
    schema: () => doubling(40, (next) => ({ anyOf: [next, next] }), { type: "string" }),
    value: () => 1,
    ends: "invalid",
  },
  {
    name: "2^60 paths through properties and $ref",
    schema: () =>
      doubling(60, (next) => ({ allOf: [{ properties: { a: next } }, { properties: { a: next } }] }), {
        type: "string",
      }),
    value: () => nest(60, (a) => ({ a }), 1),
    ends: "invalid",
  },
  {
    name: "2^40 paths with unevaluatedProperties",
    schema: () =>
      doubling(40, (next) => ({ anyOf: [next, next], unevaluatedProperties: true }), { properties: { a: true } }),
    value: () => keys(100),
    ends: "valid",
  },
  {
    name: "a chain of 4,000 references",
    schema: () => doubling(4_000, (next) => next, { type: "string" }),
    value: () => "x",
    ends: "too_deep",
  },
  { name: "$ref to itself", schema: () => ({ $ref: "#" }), value: () => 1, ends: "ref_loop" },
  {
    name: "allOf back to itself",
    schema: () => ({ allOf: [{ anyOf: [{ $ref: "#" }] }] }),
    value: () => 1,
    ends: "ref_loop",
  },
  {
    name: "$dynamicRef back to itself",
    schema: () => ({ $dynamicAnchor: "a", allOf: [{ $dynamicRef: "#a" }] }),
    value: () => 1,
    ends: "ref_loop",
  },
  {
    name: "$dynamicRef back to itself through another resource",
    schema: () => ({
      $id: "https://a.example/",
      $dynamicAnchor: "n",
      $ref: "b",
      $defs: {
        b: { $id: "b", $dynamicAnchor: "m", allOf: [{ $dynamicRef: "#n" }], $defs: { n: { $dynamicAnchor: "n" } } },
      },
    }),
    value: () => 1,
    ends: "schema_loop",
  },
  {
    name: "1,200 resources that enter each other, $dynamicRef at the end of the way",
    schema: () => ({
      $id: "https://a.example/0",
      $dynamicAnchor: "n",
      properties: { a: { $ref: "1" } },
      $defs: entries(1_200, (i) => [
        `d${i}`,
        {
          $id: String(i + 1),
          $dynamicAnchor: "n",
          additionalProperties: { $dynamicRef: "#n" },
          items: { $ref: String(((i + 1) % 1_200) + 1) },
        },
      ]),
    }),
    value: () => ({ a: nest(200, (a) => [a], { b: { a: [1] } }) }),
    ends: "valid",
  },
  { name: "remote $ref", schema: () => ({ $ref: "https://example.com/a.json" }), value: () => 1, ends: "ref_remote" },
  { name: "$ref #/__proto__", schema: () => ({ $ref: "#/__proto__" }), value: () => 1, ends: "ref_unresolved" },
  {
    name: "$ref #/constructor/prototype",
    schema: () => ({ $ref: "#/constructor/prototype" }),
    value: () => 1,
    ends: "ref_unresolved",
  },
  {
    name: "20,000 branches",
    schema: () => ({ anyOf: times(20_000, (i) => ({ const: i })) }),
    value: () => -1,
    ends: "schema_too_large",
  },
  {
    name: "20,000 properties",
    schema: () => ({ properties: entries(20_000, (i) => [`k${i}`, true]) }),
    value: () => keys(10),
    ends: "schema_too_large",
  },
  {
    name: "12,000 properties",
    schema: () => ({ properties: entries(12_000, (i) => [`k${i}`, true]) }),
    value: () => keys(10),
    ends: "schema_too_many_nodes",
  },
  {
    name: "65,536 branches with unevaluatedProperties",
    schema: () => ({ anyOf: times(65_536, () => true), unevaluatedProperties: false }),
    value: () => keys(10),
    ends: "schema_too_large",
  },
  {
    name: "2,400 branches that each look at 100 properties, unevaluatedProperties",
    schema: () => ({
      anyOf: times(2_400, () => ({ additionalProperties: true })),
      unevaluatedProperties: false,
    }),
    value: () => keys(100),
    ends: "too_expensive",
  },
  {
    name: "4,900 branches, none fits",
    schema: () => ({ anyOf: times(4_900, (i) => ({ const: i })) }),
    value: () => -1,
    ends: "invalid",
  },
  {
    name: "anyOf inside anyOf, 30 deep, invalid",
    schema: () => nest(28, (inner) => ({ anyOf: [inner, { type: "string", minLength: 3 }] }), { type: "string" }),
    value: () => 1,
    ends: "invalid",
  },
  {
    name: "5,000 levels of schema",
    schema: () => nest(5_000, (inner) => ({ not: inner }), {}),
    value: () => 1,
    ends: "schema_too_deep",
  },
  {
    name: "5,000 levels of value, recursive schema",
    schema: () => ({ properties: { a: { $ref: "#" } } }),
    value: () => nest(5_000, (a) => ({ a }), 1),
    ends: "too_deep",
  },
  {
    name: "5,000 levels of value, const",
    schema: () => ({ const: nest(50, (a) => [a], 1) }),
    value: () => nest(5_000, (a) => [a], 1),
    ends: "invalid",
  },
  {
    name: "5,000 levels of value, uniqueItems",
    schema: () => ({ uniqueItems: true }),
    value: () => [nest(5_000, (a) => [a], 1), nest(5_000, (a) => [a], 1)],
    ends: "too_deep",
  },
  {
    name: "uniqueItems, 50,000 objects",
    schema: () => ({ uniqueItems: true }),
    value: objects50k,
    ends: "too_expensive",
  },
  {
    name: "uniqueItems, 50,000 numbers",
    schema: () => ({ uniqueItems: true }),
    value: () => times(50_000, (i) => i),
    ends: "valid",
  },
  {
    name: "uniqueItems, 20 texts of 50,000 characters",
    schema: () => ({ uniqueItems: true }),
    value: () => times(20, (i) => ["x".repeat(50_000) + String(i)]),
    ends: "valid",
  },
  {
    name: "enum of 10,000 lists",
    schema: () => ({ enum: times(10_000, (i) => [i, "aaaa"]) }),
    value: () => [-1, "aaaa"],
    ends: "invalid",
  },
  {
    name: "enum of 10,000 lists, for each of 1,000 items",
    schema: () => ({ items: { enum: times(10_000, (i) => [i, "aaaa"]) } }),
    value: () => times(1_000, () => [9_999, "aaaa"]),
    ends: "too_expensive",
  },
  {
    name: "enum of 12 lists of 2,000 that differ at the end",
    schema: () => ({ items: { enum: times(12, (i) => [...times(2_000, () => 1), i]) } }),
    value: () => times(100, () => [...times(2_000, () => 1), -1]),
    ends: "invalid",
  },
  {
    name: "const of 200 KiB",
    schema: () => ({ const: times(20_000, (i) => i) }),
    value: () => times(20_000, (i) => i),
    ends: "valid",
  },
  {
    name: "contains inside items, 1,000 x 1,000",
    schema: () => ({ items: { contains: { const: 1 } } }),
    value: () => times(1_000, () => times(1_000, () => 0)),
    ends: "invalid",
  },
  {
    name: "contains inside items, 1,000 x 1,000, at the end",
    schema: () => ({ items: { contains: { const: 1 } } }),
    value: () => times(1_000, () => [...times(999, () => 0), 1]),
    ends: "too_expensive",
  },
  {
    name: "500 patternProperties x 5,000 keys",
    schema: () => ({ patternProperties: entries(500, (i) => [`^x${i}[a-z]+$`, true]), additionalProperties: false }),
    value: () => keys(5_000),
    ends: "too_expensive",
  },
  {
    name: "500 patternProperties x 5,000 keys, allowed",
    schema: () => ({ patternProperties: entries(500, (i) => [`^x${i}[a-z]+$`, true]) }),
    value: () => keys(5_000),
    ends: "too_expensive",
  },
  {
    name: "propertyNames with a pattern, 50,000 keys",
    schema: () => ({ propertyNames: { pattern: "^[a-z]+[0-9]*$" } }),
    value: () => keys(50_000),
    ends: "too_expensive",
  },
  {
    name: "required, 5,000 names, for 1,000 objects",
    schema: () => ({ items: { required: times(5_000, (i) => `k${i}`) } }),
    value: () => times(1_000, () => keys(0)),
    ends: "invalid",
  },
  {
    name: "required, 5,000 names, all there, for 1,000 objects",
    schema: () => ({ items: { required: times(5_000, (i) => `key${i}`) } }),
    value: () => {
      const all = keys(5_000);
      return times(1_000, () => all);
    },
    ends: "too_expensive",
  },
  {
    name: "4,900 branches to one definition that looks at 1,000 properties, unevaluatedProperties",
    schema: () => ({
      anyOf: times(4_900, () => ({ $ref: "#/$defs/a" })),
      unevaluatedProperties: false,
      $defs: { a: { patternProperties: { "": true } } },
    }),
    value: () => keys(1_000),
    ends: "too_expensive",
  },
  {
    name: "4,900 properties that all fail",
    schema: () => ({ properties: entries(4_900, (i) => [`key${i}`, { type: "string" }]) }),
    value: () => keys(4_900),
    ends: "invalid",
  },
  {
    name: "^(a+)+$ against 20,000 a and a b",
    schema: () => ({ pattern: "^(a+)+$" }),
    value: () => `${"a".repeat(20_000)}b`,
    ends: "invalid",
  },
  {
    name: "^(a+)+$ against 5,000 a and a b",
    schema: () => ({ pattern: "^(a+)+$" }),
    value: () => `${"a".repeat(5_000)}b`,
    ends: "invalid",
  },
  {
    name: "^(a+)+$ against 1,000 texts of 60 a and a b",
    schema: () => ({ items: { pattern: "^(a+)+$" } }),
    value: () => times(1_000, () => `${"a".repeat(60)}!`),
    ends: "invalid",
  },
  {
    name: "many states: [ab]*a[ab]{200}c",
    schema: () => ({ items: { pattern: "[ab]*a[ab]{200}c" } }),
    value: () => times(100, (i) => times(300, (j) => ((i * j * 7919) % 13 < 6 ? "a" : "b")).join("")),
    ends: "invalid",
  },
  {
    name: "a simple pattern against 1 MiB",
    schema: () => ({ pattern: "^[a-z]+$" }),
    value: () => "a".repeat(MIB),
    ends: "pending",
  },
  {
    name: "a repeated repeat: (a{1000}){1000}",
    schema: () => ({ pattern: "(a{1000}){1000}" }),
    value: () => "a".repeat(100),
    ends: "pending",
  },
  {
    name: "490 patterns that are costly to compile",
    schema: () => ({ allOf: times(490, (i) => ({ pattern: `(?:[a-f]x|${i}b?){90}$|q` })) }),
    value: () => "q",
    ends: "too_expensive",
  },
  {
    name: "490 patterns that are too large for RE2",
    schema: () => ({ allOf: times(490, (i) => ({ pattern: `(?:[a-f]x|${i}b?){300}` })) }),
    value: () => "a",
    ends: "pending",
  },
  {
    name: "patterns full of Unicode properties",
    schema: () => ({ allOf: times(100, () => ({ pattern: "\\p{L}".repeat(400) })) }),
    value: () => "a",
    ends: "pending",
  },
  {
    name: "120 different Unicode properties",
    schema: () => ({ pattern: times(120, (i) => `\\p{Script=S${i}}`).join("") }),
    value: () => "a",
    ends: "schema_too_many_patterns",
  },
  {
    name: "500 patterns of 500 characters, never used",
    schema: () => ({ properties: entries(500, (i) => [`k${i}`, { pattern: `${i}${"(?:ab|[c-f]?)".repeat(36)}` }]) }),
    value: () => ({}),
    ends: "valid",
  },
  {
    name: "patterns full of large sets, never used",
    schema: () => ({
      properties: entries(120, (i) => [`k${i}`, { pattern: `${i}${"[\\w\\W](?i:\\w)".repeat(140)}` }]),
    }),
    value: () => ({}),
    ends: "valid",
  },
  {
    name: "format regex, a text with every script there is",
    schema: () => ({ format: "regex" }),
    value: () => times(1_000, (i) => `\\p{Script=S${i}}`).join(""),
    ends: "too_expensive",
  },
  {
    name: "500 patterns of nested parentheses",
    schema: () => ({
      properties: entries(500, (i) => [`k${i}`, { pattern: `${"(".repeat(220)}${i}${")".repeat(220)}` }]),
    }),
    value: () => ({}),
    ends: "valid",
  },
  {
    name: "maxLength against 1 MiB of astral characters",
    schema: () => ({ maxLength: MIB }),
    value: () => "😀".repeat(MIB / 2),
    ends: "valid",
  },
  {
    name: "40 length limits against 1 MiB of astral characters",
    schema: () => ({ allOf: times(40, (i) => ({ maxLength: 600_000 + i })) }),
    value: () => "😀".repeat(MIB / 2),
    ends: "too_expensive",
  },
  {
    name: "every format against 1 MiB",
    schema: () => ({
      anyOf: [
        "date-time",
        "email",
        "uri",
        "uri-reference",
        "ipv6",
        "hostname",
        "duration",
        "json-pointer",
        "regex",
      ].map((format) => ({ format })),
    }),
    value: () => "1".repeat(MIB),
    ends: "too_expensive",
  },
  {
    name: "format uri, 60 texts of 8,000 characters",
    schema: () => ({ items: { format: "uri" } }),
    value: () => times(60, () => `https://e/${"%20a".repeat(2_000)}`),
    ends: "valid",
  },
  {
    name: "format regex, 100 texts of 2,000 characters",
    schema: () => ({ items: { format: "regex" } }),
    value: () => times(100, (i) => `${i}${"[a-z]{2}\\p{L}".repeat(160)}`),
    ends: "valid",
  },
  {
    name: "multipleOf 1e-308 of 1e308, 1,000 times",
    schema: () => ({ items: { multipleOf: 1e-308 } }),
    value: () => times(1_000, (i) => 1.1e308 - i),
    ends: "valid",
  },
  {
    name: "multipleOf 5e-324 of 1.7976931348623157e308, 20,000 times",
    schema: () => ({ items: { multipleOf: 5e-324 } }),
    value: () => times(20_000, () => 1.7976931348623157e308),
    ends: "too_expensive",
  },
  {
    name: "draft-07 dependencies, 2,000 x 1,000 objects",
    schema: () => ({
      $schema: DRAFT_07,
      items: { dependencies: entries(2_000, (i) => [`k${i}`, ["a"]]) },
    }),
    value: () => times(1_000, () => ({})),
    ends: "too_expensive",
  },
  {
    name: "60,000 items",
    schema: () => ({ items: { type: "integer" } }),
    value: () => times(60_000, (i) => i),
    ends: "valid",
  },
  {
    name: "300,000 items through a reference",
    schema: () => ({ items: { $ref: "#/$defs/n" }, $defs: { n: { type: "integer" } } }),
    value: () => times(300_000, (i) => i),
    ends: "too_expensive",
  },
  {
    name: "an enum member of 200 KiB of text",
    schema: () => ({ items: { enum: ["a".repeat(200_000)] } }),
    value: () => times(5, () => "a".repeat(200_000)),
    ends: "valid",
  },
  {
    name: "a schema of 250 KiB that is one key",
    schema: () => ({ ["k".repeat(250_000)]: 1 }),
    value: () => 1,
    ends: "valid",
  },
  {
    name: "4,900 $refs with long pointers",
    schema: () => ({
      $defs: { [`${"~1".repeat(10)}%`]: nest(20, (a) => ({ not: a }), {}) },
      allOf: times(2_400, () => ({ $ref: `#/$defs/${"~01".repeat(10)}%25${"/not".repeat(12)}` })),
    }),
    value: () => 1,
    ends: "schema_too_large",
  },
  {
    name: "1,000 $ids and absolute references",
    schema: () => ({
      $id: "https://a.example/root",
      $defs: entries(1_000, (i) => [`d${i}`, { $id: `https://a.example/${i}` }]),
      allOf: times(1_000, (i) => ({ $ref: `https://a.example/${i}#` })),
    }),
    value: () => 1,
    ends: "valid",
  },
];
