import * as fc from "fast-check";

/** For property tests: schemas over few keys, so that random values often fit, and values over the same keys. */

const KEYS = ["a", "b", "__proto__", "constructor", "x/y"];

export const anyValue: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    fc.constantFrom<unknown>(null, true, false, 0, 1, 2, -1, 1.5, 0.1, 1e308, "", "a", "ab", "abc", "😀", "2026-02-28"),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.array(fc.tuple(fc.constantFrom(...KEYS), tie("value")), { maxLength: 4 }).map((pairs) => objectOf(pairs)),
  ),
})).value;

/** Own properties, also for `__proto__`. */
function objectOf(pairs: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (const [key, value] of pairs)
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  return object;
}

/** @param wrong - how many keyword values in a hundred that may be anything at all, so mostly of the wrong shape */
export function anySchema(wrong = 0): fc.Arbitrary<Record<string, unknown>> {
  return fc.letrec<{ schema: Record<string, unknown>; sub: unknown; keyword: [string, unknown] }>((tie) => {
    const sub = tie("sub");
    const subs = fc.array(sub, { minLength: 1, maxLength: 3 });
    const map = fc.array(fc.tuple(fc.constantFrom(...KEYS), sub), { maxLength: 3 }).map((pairs) => objectOf(pairs));
    const names = fc.uniqueArray(fc.constantFrom(...KEYS), { maxLength: 3 });
    const count = fc.nat({ max: 3 });
    const number = fc.constantFrom(-1, 0, 0.5, 1, 2, 10);
    const type = fc.constantFrom("null", "boolean", "integer", "number", "string", "array", "object");
    const pair = (keywords: string[], value: fc.Arbitrary<unknown>): fc.Arbitrary<[string, unknown]> =>
      fc.tuple(
        fc.constantFrom(...keywords),
        fc.oneof({ weight: 100 - wrong, arbitrary: value }, { weight: wrong, arbitrary: anyValue }),
      );
    return {
      sub: fc.oneof({ maxDepth: 4, depthSize: "small" }, fc.boolean(), tie("schema")),
      schema: fc.array(tie("keyword"), { minLength: 0, maxLength: 5 }).map((pairs) => objectOf(pairs)),
      keyword: fc.oneof(
        pair(["type"], fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 }))),
        pair(["const", "default"], anyValue),
        pair(["enum", "examples"], fc.array(anyValue, { maxLength: 3 })),
        pair(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"], number),
        pair(["multipleOf"], fc.constantFrom(0.1, 0.5, 1, 3, 1e-308, 1e308)),
        pair(["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"], count),
        pair(["minContains", "maxContains"], count),
        pair(["pattern"], fc.constantFrom("a", "^b", "^[ab]+$", "(a)\\1", "^(?!a)")),
        pair(["format"], fc.constantFrom("date", "email", "uri", "regex", "unknown")),
        pair(["uniqueItems", "readOnly", "deprecated"], fc.boolean()),
        pair(["title", "description", "$comment"], fc.constant("text")),
        pair(["required"], names),
        pair(["properties", "$defs", "definitions", "dependentSchemas"], map),
        pair(["patternProperties"], map),
        pair(
          ["dependentRequired"],
          fc.array(fc.tuple(fc.constantFrom(...KEYS), names)).map((pairs) => objectOf(pairs)),
        ),
        pair(
          ["dependencies"],
          fc.array(fc.tuple(fc.constantFrom(...KEYS), fc.oneof(sub, names))).map((pairs) => objectOf(pairs)),
        ),
        pair(["items", "additionalItems", "contains", "additionalProperties", "propertyNames"], sub),
        pair(["not", "if", "then", "else", "unevaluatedItems", "unevaluatedProperties"], sub),
        pair(["prefixItems", "allOf", "anyOf", "oneOf"], subs),
        pair(["$ref"], fc.constantFrom("#", "#/$defs/a", "#/properties/a", "#/items", "#/anyOf/0")),
        pair(["$dynamicRef"], fc.constantFrom("#", "#n", "#/$defs/b")),
        pair(["$anchor", "$dynamicAnchor"], fc.constantFrom("n", "m")),
        pair(["$id"], fc.constantFrom("https://a.example/a", "b", "urn:x:y")),
      ),
    };
  }).schema;
}
