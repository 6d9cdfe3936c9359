import assert from "node:assert/strict";
import { test } from "node:test";
import { tryForm } from "../fixtures/try-form.ts";
import { planPayload } from "../payload/payload.ts";
import { answerHints } from "./answer-hints.ts";
import { enteredIn } from "./entered.ts";
import { readForm } from "./plan.ts";

void test("what was entered is told with the labels of the form, also where it is not valid yet", () => {
  const schema = {
    type: "object",
    required: ["ok", "amount"],
    properties: {
      ok: { type: "boolean", title: "Approve the refund?" },
      amount: { type: "number", title: "Amount" },
      reasons: { type: "array", title: "Reasons", items: { enum: ["late", "broken", "wrong_size"] } },
      when: { type: "string", format: "date-time", title: "When" },
      pin: { type: "string", title: "PIN" },
      address: { type: "object", title: "Address", required: ["city"], properties: { city: { type: "string" } } },
      items: { type: "array", title: "Items", items: { type: "object", properties: { sku: { type: "string" } } } },
      labels: { type: "object", title: "Labels", additionalProperties: { type: "string" } },
      note: { type: "string" },
    },
  };
  const { plan } = tryForm(schema, {
    hints: { ui: { ok: { "ui:enumNames": ["Approve", "Reject"] }, pin: { "ui:widget": "password" } } },
    entries: {
      "/ok": ["false"],
      "/amount": ["12,5x"],
      "/reasons": ["0", "2"],
      "/when": ["2026-03-31T14:30"],
      "/pin": ["1234"],
      "/address~open": ["1"],
      "/address/city": ["Oslo"],
      "/items~rows": ["2"],
      "/items/0/sku": ["LN-204"],
      "/items/1/sku": ["CH-881"],
      "/labels~rows": ["1"],
      "/labels/0~key": ["tier"],
      "/labels/0": ["gold"],
    },
  });
  assert.deepEqual(
    enteredIn(plan).map(({ title, text }) => `${title}: ${text}`),
    [
      "Approve the refund?: Reject",
      "Amount: 12,5x",
      "Reasons: Late, Wrong size",
      "When: 2026-03-31 14:30",
      "PIN: ••••",
      "Address › City: Oslo",
      "Item 1 › SKU: LN-204",
      "Item 2 › SKU: CH-881",
      "Labels › tier: gold",
    ],
  );
});

void test("an answer that was given is shown in the words in which it was asked for", () => {
  const response_schema = {
    type: "object",
    properties: {
      approved: { type: "boolean" },
      size: { enum: [1, 2] },
      reasons: { type: "array", items: { enum: ["a", "b"] } },
      inner: { type: "object", properties: { route: { enum: ["r1", "r2"] } } },
    },
  };
  const form_definition = {
    ui: {
      "ui:order": ["reasons", "*"],
      approved: { "ui:title": "Approve the refund?", "ui:enumNames": ["Approve", "Reject"], "ui:help": "Think twice." },
      size: { "ui:options": { enumNames: ["Small", "Large"] }, "ui:widget": "radio" },
      reasons: { "ui:enumNames": ["Too late", "Broken"] },
      inner: { route: { "ui:enumNames": ["Road", "Rail"] } },
    },
    channels: { slack: { ui: { approved: { "ui:enumNames": ["Yes!", "No!"] } } } },
  };
  const shown = (channel: string) => {
    const form = readForm({ response_schema, form_definition, channel, time_zone: "UTC", now: new Date(0) });
    const plan = planPayload({
      payload: { approved: false, size: 2, reasons: ["b"], inner: { route: "r2" } },
      payload_schema: response_schema,
      hints: answerHints(form),
      now: new Date(0),
    });
    return JSON.stringify(plan.nodes);
  };
  const texts = [...shown("dashboard").matchAll(/"(?:title|text)":"([^"]*)"/g)].map(([, text]) => text);
  assert.deepEqual(
    texts.filter((text) => text !== "Item"),
    ["Reasons", "Broken", "Approve the refund?", "Reject", "Size", "Large", "Inner", "Route", "Rail"],
  );
  assert.doesNotMatch(shown("dashboard"), /Think twice/);
  // Buttons in Slack had the labels of Slack.
  assert.match(shown("slack"), /"text":"No!"/);
});
