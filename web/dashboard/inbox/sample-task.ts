import { t } from "../../../languages/text.ts";
import type { Task } from "../api.ts";

/** Prefixes of the keys of samples, by the page that creates them. */
export const SAMPLE_KEYS = { setup: "sample-setup-", inbox: "sample-inbox-" } as const;

type Keyed = Pick<Task, "idempotency_key">;

/** Returns whether a button of these pages created the task, and not an agent. */
export function isSample({ idempotency_key }: Keyed): boolean {
  return idempotency_key.startsWith("sample-");
}

/** Returns whether it is the sample of setup, which continues after the answer. */
export function isSampleOfSetup({ idempotency_key }: Keyed): boolean {
  return idempotency_key.startsWith(SAMPLE_KEYS.setup);
}

/** A first task to answer, with money, a table, Markdown, a decision and a note. */
export const SAMPLE_TASK = {
  task: t("Approve a €1,240.00 refund for order #48219 after a delivery dispute"),
  timeout_seconds: 7 * 24 * 3600,
  payload: {
    amount: 1240,
    currency: "EUR",
    customer: { name: t("Johanna Lindqvist"), email: "johanna.lindqvist@example.com" },
    delivered: "2026-11-12T14:20:00Z",
    message:
      "The parcel arrived open and **two of the three items were missing**. I have photos and the courier refused to take it back.\n\n> Please refund the missing items or send them again before the 25th.",
    items: [
      { sku: "LN-204", item: t("Linen duvet set"), quantity: 1, price: 240 },
      { sku: "CH-881", item: t("Oak lounge chair"), quantity: 2, price: 500 },
    ],
  },
  payload_schema: {
    type: "object",
    properties: {
      amount: { type: "number", title: t("Refund amount") },
      customer: {
        type: "object",
        properties: { name: { type: "string" }, email: { type: "string", format: "email" } },
      },
      delivered: { type: "string", format: "date-time" },
      message: { type: "string", title: t("Customer message"), contentMediaType: "text/markdown" },
      items: { type: "array", items: { type: "object" } },
    },
  },
  response_schema: {
    type: "object",
    properties: {
      approved: {
        type: "boolean",
        title: t("Approve this refund?"),
        description: t("Approving pays the customer right away."),
      },
      reason: { enum: ["damaged_in_transit", "items_missing", "goodwill"], title: t("Reason") },
      note: { type: "string", maxLength: 500, title: t("Note to the agent") },
    },
    required: ["approved"],
    additionalProperties: false,
  },
  form_definition: {
    ui: { approved: { "ui:enumNames": [t("Approve"), t("Reject")] } },
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
