import assert from "node:assert/strict";
import { z } from "zod";
import { newTaskBody, testOnBoth } from "../../test/support/service.ts";
import type { JsonObject } from "../lib/json.ts";
import type { TaskRecord } from "./schema.ts";

interface Family {
  payload_schema: JsonObject;
  payload: JsonObject;
  response_schema: JsonObject;
  good: JsonObject[];
  bad: [JsonObject, string][];
}

const Refund = z.object({
  order: z.string().regex(/^[A-Z]{2}-\d{4,}$/),
  amount: z.number().positive().multipleOf(0.01),
  currency: z.enum(["EUR", "USD"]),
  placed_at: z.iso.datetime(),
  customer: z.object({ email: z.email(), vip: z.boolean().default(false) }),
  lines: z.array(z.object({ sku: z.string(), quantity: z.int().min(1) })).min(1),
});
const Decision = z.discriminatedUnion("decision", [
  z.object({ decision: z.literal("approve"), amount: z.number().nonnegative(), note: z.string().max(200).optional() }),
  z.object({ decision: z.literal("deny"), reason: z.string().min(10) }),
]);

/** As pydantic 2 writes it (`model_json_schema()`): `$defs`, `anyOf` with null, `date-time`, titles everywhere. */
const pydanticPayload: JsonObject = {
  $defs: {
    Person: {
      properties: {
        name: { title: "Name", type: "string" },
        email: { anyOf: [{ format: "email", type: "string" }, { type: "null" }], default: null, title: "Email" },
      },
      required: ["name"],
      title: "Person",
      type: "object",
    },
    Priority: { enum: ["low", "high"], title: "Priority", type: "string" },
  },
  properties: {
    reporter: { $ref: "#/$defs/Person" },
    priority: { $ref: "#/$defs/Priority", default: "low" },
    seen_at: { format: "date-time", title: "Seen At", type: "string" },
    tags: { items: { type: "string" }, title: "Tags", type: "array", uniqueItems: true },
    parent: { anyOf: [{ $ref: "#/$defs/Person" }, { type: "null" }], default: null },
  },
  required: ["reporter", "seen_at"],
  title: "Ticket",
  type: "object",
};
const pydanticResponse: JsonObject = {
  $defs: { Verdict: { enum: ["real", "false_alarm"], title: "Verdict", type: "string" } },
  additionalProperties: false,
  properties: {
    verdict: { $ref: "#/$defs/Verdict" },
    until: { anyOf: [{ format: "date-time", type: "string" }, { type: "null" }], default: null, title: "Until" },
    confidence: { exclusiveMaximum: 1, minimum: 0, title: "Confidence", type: "number" },
  },
  required: ["verdict", "confidence"],
  title: "Answer",
  type: "object",
};

const families: Record<string, Family> = {
  "zod 4": {
    payload_schema: z.toJSONSchema(Refund),
    payload: {
      order: "DE-4821",
      amount: 19.99,
      currency: "EUR",
      placed_at: "2026-01-30T09:15:00Z",
      customer: { email: "dana@example.com", vip: true },
      lines: [{ sku: "A1", quantity: 2 }],
    },
    response_schema: z.toJSONSchema(Decision),
    good: [
      { decision: "approve", amount: 19.99 },
      { decision: "deny", reason: "Bought in another shop." },
    ],
    bad: [
      [{ decision: "deny", reason: "no" }, "/response/reason"],
      [{ decision: "approve", amount: -1 }, "/response/amount"],
      [{ decision: "maybe" }, "/response"],
    ],
  },
  "pydantic 2": {
    payload_schema: pydanticPayload,
    payload: {
      reporter: { name: "Dana", email: null },
      seen_at: "2026-01-30T09:15:00",
      tags: ["a", "b"],
      parent: null,
    },
    response_schema: pydanticResponse,
    good: [
      { verdict: "real", until: "2026-02-01T00:00:00+01:00", confidence: 0.5 },
      { verdict: "false_alarm", until: null, confidence: 0 },
    ],
    bad: [
      [{ verdict: "perhaps", confidence: 0 }, "/response/verdict"],
      [{ verdict: "real", confidence: 1 }, "/response/confidence"],
      [{ verdict: "real", confidence: 0, until: "tomorrow" }, "/response/until"],
      [{ verdict: "real", confidence: 0, extra: 1 }, "/response/extra"],
    ],
  },
};

for (const [name, { payload, payload_schema, response_schema, good, bad }] of Object.entries(families)) {
  testOnBoth(`schemas as ${name} writes them are taken, and answers checked by them`, async (service) => {
    for (const response of good) {
      const { id } = await service.create(newTaskBody({ payload, payload_schema, response_schema }));
      for (const [wrong, path] of bad) {
        const refused = await service.call<{ details: { path: string }[] }>("POST", `/api/tasks/${id}/complete`, {
          body: { response: wrong },
        });
        assert.equal(refused.status, 422, JSON.stringify(wrong));
        assert.ok(
          refused.body.details.some((detail) => detail.path.startsWith(path)),
          `${path}: ${JSON.stringify(refused.body.details)}`,
        );
      }
      const done = await service.call<TaskRecord>("POST", `/api/tasks/${id}/complete`, { body: { response } });
      assert.equal(done.status, 200, done.text);
      assert.deepEqual(done.body.response, response);
    }
  });
}
