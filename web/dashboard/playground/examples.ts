import { t } from "../../../languages/text.ts";
import { SAMPLE_TASK } from "../inbox/sample-task.ts";
import type { Texts } from "./documents.ts";

export interface Example {
  readonly title: string;
  readonly task: string;
  readonly texts: Texts;
}

interface Parts {
  readonly task: string;
  readonly payload: object;
  readonly payload_schema: object;
  readonly response_schema: object;
  readonly form_definition?: object;
}

function example(title: string, { task, form_definition, ...parts }: Parts): Example {
  const write = (part: object): string => JSON.stringify(part, null, 2);
  return {
    title,
    task,
    texts: {
      payload: write(parts.payload),
      payload_schema: write(parts.payload_schema),
      response_schema: write(parts.response_schema),
      form_definition: form_definition === undefined ? "" : write(form_definition),
    },
  };
}

/** Each example shows another feature of schemas or hints. The first one is shown if nothing was entered yet. */
export const EXAMPLES: readonly [Example, ...Example[]] = [
  example(t("A refund to decide"), SAMPLE_TASK),
  example(t("A draft to correct"), {
    task: "Correct the reply to Mia before it is sent",
    payload: {
      customer: "Mia",
      question: "Where is my parcel?",
      draft: { subject: "Your order", body: "Hello Mia,\nit is on its way." },
    },
    payload_schema: { type: "object", properties: { question: { type: "string", title: "What Mia asks" } } },
    response_schema: {
      type: "object",
      properties: {
        verdict: { enum: ["send", "discard"], title: "What to do with it" },
        subject: { type: "string", maxLength: 100 },
        reply: { type: "string" },
      },
      required: ["verdict", "subject", "reply"],
      additionalProperties: false,
    },
    form_definition: {
      ui: { "ui:order": ["subject", "reply", "verdict"], reply: { "ui:widget": "textarea" } },
      prefill: { "/subject": "/draft/subject", "/reply": "/draft/body" },
      decision: "/verdict",
    },
  }),
  example(t("A question that depends on another"), {
    task: "Publish this article?",
    payload: { title: "Night trains are back", words: 840, link: "https://example.com/drafts/night-trains" },
    payload_schema: { type: "object", properties: { link: { type: "string", format: "uri" } } },
    response_schema: {
      type: "object",
      properties: { approved: { type: "boolean", title: "Publish this article?" } },
      required: ["approved"],
      if: { properties: { approved: { const: false } }, required: ["approved"] },
      // oxlint-disable-next-line unicorn/no-thenable -- this is the keyword's name
      then: {
        properties: { reason: { type: "string", minLength: 5, title: "What must change?" } },
        required: ["reason"],
      },
      else: { properties: { publish_on: { type: "string", format: "date", title: "Publish on" } } },
    },
  }),
  example(t("A list to fill in"), {
    task: "Read the amounts off this receipt",
    payload: { shop: "Bakery Lindqvist", scanned_at: "2026-11-12T14:20:00Z" },
    payload_schema: { type: "object", properties: { scanned_at: { type: "string", format: "date-time" } } },
    response_schema: {
      type: "object",
      properties: {
        items: {
          type: "array",
          minItems: 1,
          items: {
            type: "object",
            properties: {
              name: { type: "string" },
              price: { type: "number", minimum: 0, multipleOf: 0.01, title: "Price (EUR)" },
            },
            required: ["name", "price"],
          },
        },
        legible: { enum: ["all", "some", "none"], title: "How much could be read?" },
      },
      required: ["items", "legible"],
    },
  }),
];
