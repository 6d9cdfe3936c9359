import * as fc from "fast-check";

/** For property tests: schemas as programs write them for people, each with an answer that fits. */

interface Sample {
  readonly schema: Record<string, unknown>;
  readonly value: unknown;
}

const KEYS = ["approved", "note", "amount", "x/y", "a~b", "__proto__", "constructor", "数", "due_date", ""];

const words = fc.stringMatching(/^[a-z]{1,8}(?: [a-z]{1,8}){0,3}$/);

const title = fc.option(fc.constantFrom("A title", "Ein Titel", "عنوان"), { nil: undefined });

function titled(schema: Record<string, unknown>, text: string | undefined): Record<string, unknown> {
  return text === undefined ? schema : { ...schema, title: text };
}

const leaf: fc.Arbitrary<Sample> = fc.oneof(
  fc.boolean().map((value) => ({ schema: { type: "boolean" }, value })),
  words.map((value) => ({ schema: { type: "string" }, value })),
  words.map((value) => ({ schema: { type: "string", minLength: 1, maxLength: 200 }, value })),
  fc.tuple(fc.integer({ min: -1000, max: 1000 }), fc.nat({ max: 50 })).map(([min, more]) => ({
    schema: { type: "integer", minimum: min, maximum: min + 50 },
    value: min + more,
  })),
  fc
    .integer({ min: -100_000, max: 100_000 })
    .map((n) => ({ schema: { type: "number", multipleOf: 0.01 }, value: n / 100 })),
  fc
    .date({ min: new Date("1990-01-01"), max: new Date("2090-01-01"), noInvalidDate: true })
    .map((date) => ({ schema: { type: "string", format: "date" }, value: date.toISOString().slice(0, 10) })),
  fc.date({ min: new Date("1990-01-01"), max: new Date("2090-01-01"), noInvalidDate: true }).map((date) => ({
    schema: { type: "string", format: "date-time" },
    value: `${date.toISOString().slice(0, 16)}:00Z`,
  })),
  fc.emailAddress().map((value) => ({ schema: { type: "string", format: "email" }, value })),
  fc.uuid().map((value) => ({ schema: { type: "string", format: "uuid" }, value })),
  fc
    .uniqueArray(fc.oneof(words, fc.integer(), fc.constant(null)), { minLength: 2, maxLength: 30 })
    .chain((values) => fc.constantFrom(...values).map((value) => ({ schema: { enum: values }, value }))),
  fc
    .uniqueArray(words, { minLength: 2, maxLength: 6 })
    .chain((values) =>
      fc.subarray(values).map((value) => ({ schema: { type: "array", items: { enum: values } }, value })),
    ),
  fc.uniqueArray(words, { minLength: 1, maxLength: 3 }).chain((values) =>
    fc.subarray([...values, null], { minLength: 1 }).map((value) => ({
      schema: { type: "array", items: { anyOf: [{ enum: values }, { type: "null" }] }, minItems: value.length },
      value,
    })),
  ),
  fc.constant({ schema: { const: true }, value: true }),
  fc.constantFrom(3, "v1", null).map((value) => ({ schema: { const: value }, value })),
  fc.constantFrom<unknown>({ a: [1] }, "text", 4, [null]).map((value) => ({ schema: {}, value })),
);

/** An object schema and an answer to it: nested groups, lists, unions, references, nulls, conditions. */
export const anyForm: fc.Arbitrary<{ schema: Record<string, unknown>; value: Record<string, unknown> }> = fc.letrec<{
  node: Sample;
  object: Sample;
}>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3, depthSize: "small", withCrossShrink: true },
    fc.tuple(leaf, title).map(([sample, text]) => ({ ...sample, schema: titled(sample.schema, text) })),
    tie("object"),
    // Rows are of one schema, so all of them hold the same value.
    fc.tuple(tie("node"), fc.integer({ min: 1, max: 3 })).map(([item, count]) => ({
      schema: { type: "array", items: item.schema, minItems: 1 },
      value: Array.from({ length: count }, () => item.value),
    })),
    fc.tuple(tie("node"), fc.boolean()).map(([inner, isNull]) => ({
      schema: { anyOf: [inner.schema, { type: "null" }] },
      value: isNull ? null : inner.value,
    })),
    fc.uniqueArray(words, { minLength: 1, maxLength: 3 }).chain((keys) =>
      leaf.map((item) => ({
        schema: { type: "object", additionalProperties: item.schema },
        value: objectOf(keys.map((key) => [key, item.value])),
      })),
    ),
    fc.tuple(tie("object"), tie("object"), fc.boolean()).map(([a, b, isFirst]) => ({
      schema: { oneOf: [tagged(a, "one").schema, tagged(b, "two").schema] },
      value: isFirst ? tagged(a, "one").value : tagged(b, "two").value,
    })),
    tie("object").map(({ schema, value }) => ({ schema: { allOf: [schema, { minProperties: 0 }] }, value })),
  ),
  object: fc
    .uniqueArray(fc.tuple(fc.constantFrom(...KEYS), tie("node"), fc.boolean()), {
      maxLength: 4,
      selector: ([key]) => key,
    })
    .map((fields) => ({
      schema: {
        type: "object",
        properties: objectOf(fields.map(([key, sample]) => [key, sample.schema])),
        required: fields.filter(([, , isRequired]) => isRequired).map(([key]) => key),
        additionalProperties: false,
      },
      value: objectOf(fields.map(([key, sample]) => [key, sample.value])),
    })),
})).object as fc.Arbitrary<{ schema: Record<string, unknown>; value: Record<string, unknown> }>;

function tagged(sample: Sample, tag: string): Sample {
  const { properties, required } = sample.schema as { properties: object; required: string[] };
  return {
    schema: { ...sample.schema, properties: { kind: { const: tag }, ...properties }, required: ["kind", ...required] },
    value: { kind: tag, ...(sample.value as object) },
  };
}

function objectOf(pairs: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (const [key, value] of pairs)
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  return object;
}
