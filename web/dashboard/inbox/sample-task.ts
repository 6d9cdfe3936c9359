/** A first task to answer, with money, a table, Markdown, a decision and a note. */
export const SAMPLE_TASK = {
  task: "Approve a €1,240.00 refund for order #48219 after a delivery dispute",
  timeout_seconds: 7 * 24 * 3600,
  payload: {
    amount: 1240,
    currency: "EUR",
    customer: { name: "Johanna Lindqvist", email: "johanna.lindqvist@example.com" },
    delivered: "2026-11-12T14:20:00Z",
    message:
      "The parcel arrived open and **two of the three items were missing**. I have photos and the courier refused to take it back.\n\n> Please refund the missing items or send them again before the 25th.",
    items: [
      { sku: "LN-204", item: "Linen duvet set", quantity: 1, price: 240 },
      { sku: "CH-881", item: "Oak lounge chair", quantity: 2, price: 500 },
    ],
  },
  payload_schema: {
    type: "object",
    properties: {
      amount: { type: "number", title: "Refund amount" },
      customer: {
        type: "object",
        properties: { name: { type: "string" }, email: { type: "string", format: "email" } },
      },
      delivered: { type: "string", format: "date-time" },
      message: { type: "string", title: "Customer message", contentMediaType: "text/markdown" },
      items: { type: "array", items: { type: "object" } },
    },
  },
  response_schema: {
    type: "object",
    properties: {
      approved: {
        type: "boolean",
        title: "Approve this refund?",
        description: "Approving pays the customer right away.",
      },
      reason: { enum: ["damaged_in_transit", "items_missing", "goodwill"], title: "Reason" },
      note: { type: "string", maxLength: 500, title: "Note to the agent" },
    },
    required: ["approved"],
    additionalProperties: false,
  },
  form_definition: {
    ui: { approved: { "ui:enumNames": ["Approve", "Reject"] } },
    payload: {
      amount: { "ui:widget": "currency", "ui:options": { currency: "/currency" } },
      currency: { "ui:widget": "hidden" },
      items: {
        items: {
          price: { "ui:widget": "currency", "ui:options": { currency: "/currency" } },
          sku: { "ui:title": "SKU" },
        },
      },
    },
  },
};
