import { requestBytes } from "./client.ts";

/** Stands where each request has eight characters of its own. */
const KEY = "KKKKKKKK";
const NAME = "nnnnnnnn";

/** A request of about 1.9 KB as libraries for schemas write it: an agent asks for a refund to be approved. */
const BODY = JSON.stringify({
  task: "Approve the refund for this customer? The agent could not decide on its own.",
  payload: {
    [`customer_${NAME}`]: "Dana Whitfield",
    [`amount_${NAME}`]: 129.9,
    currency: "EUR",
    [`reason_${NAME}`]: "The parcel arrived damaged; photographs are attached to the ticket.",
    order: { number: "2026-118-4471", placed_at: "2026-11-02T09:14:00.000Z", items: ["lamp", "bulb", "cable"] },
  },
  payload_schema: {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: {
      [`customer_${NAME}`]: { type: "string", minLength: 1, description: "Who asks" },
      [`amount_${NAME}`]: { type: "number", minimum: 0, description: "What is to be paid back" },
      currency: { type: "string", enum: ["EUR", "USD", "GBP"] },
      [`reason_${NAME}`]: { type: "string", maxLength: 2000 },
      order: {
        type: "object",
        properties: {
          number: { type: "string" },
          placed_at: { type: "string", format: "date-time" },
          items: { type: "array", items: { type: "string" } },
        },
        required: ["number", "items"],
        additionalProperties: false,
      },
    },
    required: [`customer_${NAME}`, `amount_${NAME}`, "currency"],
    additionalProperties: false,
  },
  response_schema: {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: {
      approved: { type: "boolean", description: "Pay it back?" },
      [`amount_${NAME}`]: { type: "number", minimum: 0, maximum: 500 },
      [`note_${NAME}`]: { type: "string", maxLength: 500, description: "For the customer" },
    },
    required: ["approved"],
    additionalProperties: false,
  },
  timeout_seconds: 86400,
  idempotency_key: `bench-${KEY}`,
});

const CREATE = requestBytes("POST", "/api/tasks", BODY);

/**
 * Makes requests that create tasks, each with a key of its own.
 *
 * @param schemas - "distinct": property names that no request had before; "same": one pair of schemas for all
 */
export function createRequests(schemas: "distinct" | "same"): () => Buffer {
  const keys = positionsOf(CREATE, KEY);
  const names = positionsOf(CREATE, NAME);
  const run = Math.floor(Math.random() * 36 ** 3);
  let count = 0;
  return () => {
    const own = (run * 36 ** 5 + count++).toString(36).padStart(8, "0").slice(-8);
    const request = Buffer.from(CREATE);
    for (const at of keys) request.write(own, at, "latin1");
    if (schemas === "distinct") for (const at of names) request.write(own, at, "latin1");
    return request;
  };
}

function positionsOf(bytes: Buffer, text: string): number[] {
  const found: number[] = [];
  for (let at = bytes.indexOf(text); at !== -1; at = bytes.indexOf(text, at + text.length)) found.push(at);
  return found;
}
