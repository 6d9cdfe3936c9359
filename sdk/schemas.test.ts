import assert from "node:assert/strict";
import { test } from "node:test";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { z } from "zod";
import type { AnswerOf, PayloadOf, YesOrNo } from "./schemas.ts";
import { jsonSchemaOf, withJsonSchema } from "./schemas.ts";

/** Does not compile if the two types differ. */
function same<A, B>(
  ..._equal: (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? [] : [never]
): void {}

const zod = z.object({ approved: z.boolean(), note: z.string().default("") });
const valibot = v.object({ approved: v.boolean(), note: v.optional(v.string()) });
const arktype = type({ approved: "boolean", "note?": "string" });

void test("a schema of zod, valibot or arktype says itself as JSON Schema, of what is given to it", () => {
  for (const schema of [zod, toStandardJsonSchema(valibot), arktype]) {
    const { type, properties, required } = jsonSchemaOf(schema, "responseSchema") as Record<string, object>;
    assert.equal(type, "object");
    assert.deepEqual(Object.keys(properties!), ["approved", "note"]);
    // A field with a default is not required.
    assert.deepEqual(required, ["approved"]);
  }
});

void test("the answer has the type that the library gives it", () => {
  same<AnswerOf<typeof zod>, { approved: boolean; note: string }>();
  same<PayloadOf<typeof zod>, { approved: boolean; note?: string | undefined }>();
  same<AnswerOf<typeof valibot>, { approved: boolean; note?: string | undefined }>();
  same<AnswerOf<typeof arktype>, { approved: boolean; note?: string }>();
});

void test("the answer to plain JSON Schema has the type that it says", () => {
  const schema = {
    type: "object",
    properties: {
      decision: { enum: ["approve", "reject"] },
      amount: { type: "number" },
      note: { type: ["string", "null"] },
      lines: { type: "array", items: { type: "object", properties: { sku: { type: "string" } }, required: ["sku"] } },
      kind: { const: "refund" },
      either: { anyOf: [{ type: "boolean" }, { type: "integer" }] },
      free: {},
    },
    required: ["decision", "lines"],
  } as const;
  same<
    AnswerOf<typeof schema>,
    {
      decision: "approve" | "reject";
      lines: { sku: string }[];
      amount?: number;
      note?: string | null;
      kind?: "refund";
      either?: boolean | number;
      free?: unknown;
    }
  >();
  // Keywords beside the branches apply to each branch. A list of names that is not a literal gives no types.
  const beside = {
    type: "object",
    properties: { kind: { const: "x" } },
    required: ["kind"],
    anyOf: [{ properties: { a: { type: "number" } }, required: ["a"] }, { properties: { b: { type: "string" } } }],
  } as const;
  const use = (answer: AnswerOf<typeof beside>): "x" => answer.kind;
  assert.equal(use({ kind: "x", a: 1 }), "x");
  const loose = { type: "object" as const, properties: { note: { type: "string" as const } }, required: ["note"] };
  same<AnswerOf<typeof loose>, { note?: string }>();
  // If a schema is only known at run time, its type is just an object.
  same<AnswerOf<{ [keyword: string]: unknown }>, Record<string, unknown>>();
});

void test("the answer to a question for a single value has the type of the value", () => {
  const zodChoice = z.enum(["approve", "reject"]);
  const zodList = z.array(z.object({ sku: z.string() }));
  const zodUnion = z.union([z.string(), z.number(), z.literal(false)]);
  same<AnswerOf<z.ZodBoolean>, boolean>();
  same<AnswerOf<typeof zodChoice>, "approve" | "reject">();
  same<AnswerOf<typeof zodList>, { sku: string }[]>();
  same<AnswerOf<typeof zodUnion>, string | number | false>();
  const flag = toStandardJsonSchema(v.boolean());
  same<AnswerOf<typeof flag>, boolean>();
  const word = type("'a' | 'b'");
  same<AnswerOf<typeof word>, "a" | "b">();
  same<AnswerOf<{ readonly type: "boolean" }>, boolean>();
  same<AnswerOf<{ readonly type: readonly ["string", "null"] }>, string | null>();
  same<AnswerOf<{ readonly enum: readonly ["a", 1] }>, "a" | 1>();
  same<AnswerOf<{ readonly type: "array"; readonly items: { readonly type: "number" } }>, number[]>();
  same<AnswerOf<YesOrNo>, boolean>();
});

void test("a schema that does not say itself as JSON Schema is refused with what helps", () => {
  assert.throws(() => jsonSchemaOf(valibot, "responseSchema"), {
    code: "NO_JSON_SCHEMA",
    message: /toStandardJsonSchema/,
  });
  const both = withJsonSchema(valibot, { type: "object" });
  assert.deepEqual(jsonSchemaOf(both, "responseSchema"), { type: "object" });
  assert.deepEqual(both["~standard"].validate({ approved: true }), { typed: true, value: { approved: true } });
});

void test("a schema with what JSON has no word for is refused by the library's own reason", () => {
  assert.throws(() => jsonSchemaOf(z.object({ at: z.date() }), "responseSchema"), {
    code: "NO_JSON_SCHEMA",
    message: /responseSchema cannot be expressed as JSON Schema: .*Date/,
  });
});
