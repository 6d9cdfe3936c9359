/** Schemas as the usual tools write them, each with a value that fits. For tests and measurements. */

/** What zod 4's `toJSONSchema` makes of a form with most of what forms have. */
export const ZOD_SCHEMA = {
  schema: {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: {
      decision: { type: "string", enum: ["approve", "reject", "escalate"], description: "Review decision" },
      amount: { type: "number", minimum: 0, maximum: 100000, multipleOf: 0.01, description: "Review amount in EUR" },
      reviewer: {
        type: "string",
        format: "email",
        pattern:
          "^(?:[A-Za-z0-9_'+\\-]+\\.)*[A-Za-z0-9_'+\\-]*[A-Za-z0-9_+-]@(?:[A-Za-z0-9][A-Za-z0-9\\-]*\\.)+[A-Za-z]{2,}$",
      },
      reference: {
        type: "string",
        format: "uuid",
        pattern:
          "^([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[1-8][0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}|00000000-0000-0000-0000-000000000000|ffffffff-ffff-ffff-ffff-ffffffffffff)$",
      },
      due: {
        type: "string",
        format: "date",
        pattern:
          "^(?:(?:\\d\\d[2468][048]|\\d\\d[13579][26]|\\d\\d0[48]|[02468][048]00|[13579][26]00)-02-29|\\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|(?:02)-(?:0[1-9]|1\\d|2[0-8])))$",
      },
      created: {
        type: "string",
        format: "date-time",
        pattern:
          "^(?:(?:\\d\\d[2468][048]|\\d\\d[13579][26]|\\d\\d0[48]|[02468][048]00|[13579][26]00)-02-29|\\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|(?:02)-(?:0[1-9]|1\\d|2[0-8])))T(?:(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d+)?(?:Z))$",
      },
      link: { type: "string", format: "uri" },
      notes: { type: "string", maxLength: 2000 },
      tags: { maxItems: 10, type: "array", items: { type: "string", minLength: 1, maxLength: 40 } },
      lines: {
        minItems: 1,
        type: "array",
        items: {
          type: "object",
          properties: {
            sku: { type: "string", pattern: "^[A-Z]{3}-\\d{4}$" },
            quantity: { type: "integer", minimum: 1, maximum: 9007199254740991 },
            price: { type: "number", minimum: 0 },
          },
          required: ["sku", "quantity", "price"],
          additionalProperties: false,
        },
      },
      outcome: {
        oneOf: [
          {
            type: "object",
            properties: {
              kind: { type: "string", const: "refund" },
              percent: { type: "number", minimum: 0, maximum: 100 },
            },
            required: ["kind", "percent"],
            additionalProperties: false,
          },
          {
            type: "object",
            properties: { kind: { type: "string", const: "replace" }, sku: { type: "string" } },
            required: ["kind", "sku"],
            additionalProperties: false,
          },
        ],
      },
    },
    required: ["decision", "amount", "reviewer", "reference", "due", "created", "tags", "lines"],
    additionalProperties: false,
  },
  value: {
    decision: "approve",
    amount: 19.99,
    reviewer: "ada@example.com",
    reference: "123e4567-e89b-12d3-a456-426614174000",
    due: "2026-03-31",
    created: "2026-03-01T10:00:00Z",
    link: "https://example.com/a?b=c",
    notes: "Looks right to me.",
    tags: ["refund", "vip"],
    lines: [
      { sku: "ABC-1234", quantity: 2, price: 9.99 },
      { sku: "XYZ-0001", quantity: 1, price: 0.01 },
    ],
    outcome: { kind: "refund", percent: 50 },
  },
};

/** The same from pydantic 2's `model_json_schema`: `$defs`, optional fields as `anyOf` with null, tagged unions, decimals. */
export const PYDANTIC_SCHEMA = {
  schema: {
    $defs: {
      Address: {
        properties: {
          street: { maxLength: 200, title: "Street", type: "string" },
          city: { title: "City", type: "string" },
          country: { pattern: "^[A-Z]{2}$", title: "Country", type: "string" },
        },
        required: ["street", "city", "country"],
        title: "Address",
        type: "object",
      },
      Decision: { enum: ["approve", "reject", "needs_info"], title: "Review Decision", type: "string" },
      Item: {
        properties: {
          name: { title: "Name", type: "string" },
          quantity: { default: 1, exclusiveMinimum: 0, title: "Quantity", type: "integer" },
          unit_price: {
            anyOf: [
              { minimum: 0, type: "number" },
              { pattern: "^(?!^[-+.]*$)[+-]?0*\\d*\\.?\\d*$", type: "string" },
            ],
            title: "Unit Price",
          },
        },
        required: ["name", "unit_price"],
        title: "Item",
        type: "object",
      },
      Card: {
        properties: {
          method: { const: "card", title: "Method", type: "string" },
          last_four: { pattern: "^\\d{4}$", title: "Last Four", type: "string" },
        },
        required: ["method", "last_four"],
        title: "Card",
        type: "object",
      },
      Transfer: {
        properties: {
          method: { const: "transfer", title: "Method", type: "string" },
          iban: { maxLength: 34, minLength: 15, title: "Iban", type: "string" },
        },
        required: ["method", "iban"],
        title: "Transfer",
        type: "object",
      },
    },
    properties: {
      decision: { $ref: "#/$defs/Decision" },
      comment: {
        anyOf: [{ maxLength: 1000, type: "string" }, { type: "null" }],
        default: null,
        title: "Review Comment",
      },
      reviewed_at: { format: "date-time", title: "Reviewed At", type: "string" },
      shipping: { anyOf: [{ $ref: "#/$defs/Address" }, { type: "null" }], default: null },
      items: { items: { $ref: "#/$defs/Item" }, maxItems: 50, minItems: 1, title: "Items", type: "array" },
      payment: {
        discriminator: { mapping: { card: "#/$defs/Card", transfer: "#/$defs/Transfer" }, propertyName: "method" },
        oneOf: [{ $ref: "#/$defs/Card" }, { $ref: "#/$defs/Transfer" }],
        title: "Payment",
      },
      urgent: { default: false, title: "Urgent", type: "boolean" },
    },
    required: ["decision", "reviewed_at", "items", "payment"],
    title: "Review",
    type: "object",
  },
  value: {
    decision: "approve",
    comment: null,
    reviewed_at: "2026-03-01T10:00:00+01:00",
    shipping: { street: "1 Main St", city: "Springfield", country: "US" },
    items: [
      { name: "Cable", quantity: 2, unit_price: "9.99" },
      { name: "Lamp", unit_price: 20 },
    ],
    payment: { method: "transfer", iban: "DE89370400440532013000" },
    urgent: true,
  },
};
