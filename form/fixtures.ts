import { PYDANTIC_FORM } from "./fixtures/pydantic.ts";
import { ZOD_FORM } from "./fixtures/zod.ts";

/**
 * Forms of every family, each with an answer that its schema accepts and with wrong answers. Whatever draws forms must let
 * a person give each of these answers, and must refuse the wrong ones at the field and with the sentence named here.
 */
export interface FormFixture {
  /** Unique; part of addresses. */
  readonly name: string;
  readonly title: string;
  readonly response_schema: Readonly<Record<string, unknown>>;
  readonly form_definition?: Readonly<Record<string, unknown>>;
  readonly payload?: Readonly<Record<string, unknown>>;
  readonly answer: Readonly<Record<string, unknown>>;
  readonly wrong: readonly WrongAnswer[];
}

export interface WrongAnswer {
  /** Entered instead of what the answer has there; see entries.ts. */
  readonly entries: Readonly<Record<string, readonly string[]>>;
  /** Name of the field that is to say so. */
  readonly at: string;
  readonly says: string;
}

/** Times in the fixtures are entered in this zone. */
export const FIXTURE_ZONE = "Europe/Berlin";

const object = (properties: Record<string, unknown>, ...required: string[]): Record<string, unknown> => ({
  type: "object",
  properties,
  required,
});

export const FORM_FIXTURES: readonly FormFixture[] = [
  {
    name: "approval",
    title: "A yes or no with a note",
    response_schema: object(
      {
        approved: {
          type: "boolean",
          title: "Approve this refund?",
          description: "Approving pays the customer right away.",
        },
        note: { type: "string", maxLength: 500, title: "Note to the agent" },
      },
      "approved",
    ),
    form_definition: {
      ui: { approved: { "ui:enumNames": ["Approve", "Reject"] } },
      submit: { label: "Send decision" },
    },
    answer: { approved: false, note: "The photos show no damage." },
    wrong: [
      { entries: { "/approved": [] }, at: "/approved", says: "Choose one." },
      { entries: { "/note": ["x".repeat(501)] }, at: "/note", says: "Use at most 500 characters." },
    ],
  },
  {
    name: "choices",
    title: "One of several, in all sizes",
    response_schema: object(
      {
        decision: { enum: ["approve", "reject", "escalate"] },
        outcome: {
          title: "Outcome",
          oneOf: [
            { const: "good", title: "Looks good", description: "Publish as is" },
            { const: "changes", title: "Needs changes" },
            { const: "spam", title: "Reject as spam" },
          ],
        },
        priority: { enum: [1, 2, 3] },
        region: { enum: ["Africa", "Asia", "Europe", "North America", "Oceania", "South America"] },
        currency: {
          enum: "AUD BRL CAD CHF CNY CZK DKK EUR GBP HKD HUF IDR ILS INR ISK JPY KRW MXN MYR NOK NZD PHP PLN RON SEK SGD THB TRY USD ZAR".split(
            " ",
          ),
        },
      },
      "decision",
      "outcome",
      "currency",
    ),
    answer: { decision: "escalate", outcome: "changes", priority: 2, region: "Europe", currency: "SEK" },
    wrong: [
      { entries: { "/decision": [] }, at: "/decision", says: "Choose one." },
      { entries: { "/currency": ["Swedish"] }, at: "/currency", says: "Choose one from the list." },
    ],
  },
  {
    name: "several",
    title: "Several of a list",
    response_schema: object(
      {
        outcome: { enum: ["good", "needs_changes"], title: "Outcome" },
        reasons: {
          type: "array",
          uniqueItems: true,
          minItems: 1,
          maxItems: 2,
          items: { enum: ["wrong_tone", "factual_error", "legal_risk"] },
        },
        channels: { type: "array", items: { enum: ["email", "chat", "phone"] } },
      },
      "outcome",
      "reasons",
    ),
    answer: { outcome: "needs_changes", reasons: ["wrong_tone", "legal_risk"], channels: ["chat"] },
    wrong: [
      { entries: { "/reasons": [] }, at: "/reasons", says: "Choose one." },
      { entries: { "/reasons": ["0", "1", "2"] }, at: "/reasons", says: "Choose at most 2." },
    ],
  },
  {
    name: "numbers",
    title: "Amounts, scores and shares",
    response_schema: object(
      {
        amount: { type: "number", minimum: 0, maximum: 5000, multipleOf: 0.01, title: "Refund amount (EUR)" },
        items: { type: "integer", minimum: 1, maximum: 500 },
        score: { type: "integer", minimum: 1, maximum: 5 },
        confidence: { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 100 },
        price: {
          anyOf: [
            { type: "number", minimum: 0 },
            { type: "string", pattern: "^(?!^[-+.]*$)[+-]?0*\\d*\\.?\\d*$" },
          ],
        },
      },
      "amount",
      "items",
    ),
    answer: { amount: 1240.5, items: 12, score: 4, confidence: 99.5, price: 19.99 },
    wrong: [
      { entries: { "/amount": ["a lot"] }, at: "/amount", says: "Write a number, such as 12 or 12.5." },
      {
        entries: { "/amount": ["1,240"] },
        at: "/amount",
        says: "Write this number without a thousands separator, so that it cannot be misread.",
      },
      { entries: { "/amount": ["6000"] }, at: "/amount", says: "Use 5000 or less." },
      { entries: { "/amount": ["1.005"] }, at: "/amount", says: "Use at most 2 decimal places." },
      { entries: { "/items": ["1.5"] }, at: "/items", says: "Write a whole number, without decimals." },
      { entries: { "/confidence": ["100"] }, at: "/confidence", says: "Use less than 100." },
    ],
  },
  {
    name: "texts",
    title: "Texts with a form of their own",
    response_schema: object(
      {
        headline: { type: "string", minLength: 10, maxLength: 80 },
        contact: { type: "string", format: "email", title: "Contact e-mail" },
        evidence: { type: "string", format: "uri", title: "Evidence link" },
        reference: { type: "string", format: "uuid" },
        plate: { type: "string", pattern: "^[A-Z]{1,3}-[0-9]{1,4}$", title: "Number plate", examples: ["B-1234"] },
        colour: { type: "string", format: "color", title: "Colour" },
        pin: { type: "string", format: "password", title: "Approval code" },
        reply: { type: "string", title: "Reply" },
      },
      "headline",
      "contact",
      "plate",
    ),
    answer: {
      headline: "Parcel arrived open",
      contact: "ada@example.com",
      evidence: "https://example.com/photo?id=7",
      reference: "123e4567-e89b-12d3-a456-426614174000",
      plate: "HH-42",
      colour: "#1a7f4b",
      pin: "s3cret",
      reply: "We are sorry.\nA new one is on its way.",
    },
    wrong: [
      { entries: { "/headline": ["Too short"] }, at: "/headline", says: "Use at least 10 characters." },
      { entries: { "/headline": ["   "] }, at: "/headline", says: "Fill this in." },
      {
        entries: { "/contact": ["ada at example"] },
        at: "/contact",
        says: "Write an e-mail address, such as name@example.com.",
      },
      {
        entries: { "/evidence": ["example.com/photo"] },
        at: "/evidence",
        says: "Write a complete web address, such as https://example.com/page.",
      },
      {
        entries: { "/plate": ["hh 42"] },
        at: "/plate",
        says: "Write this in the form that is expected, such as B-1234.",
      },
      { entries: { "/colour": ["green"] }, at: "/colour", says: "Write a colour such as #1a7f4b." },
    ],
  },
  {
    name: "times",
    title: "Dates and times",
    response_schema: object(
      {
        due: { type: "string", format: "date", title: "Due date" },
        call_back: { type: "string", format: "date-time", title: "Call back at" },
        opens: { type: "string", pattern: "^(?:[01]\\d|2[0-3]):[0-5]\\d(?::[0-5]\\d(?:\\.\\d+)?)?$", title: "Opens" },
        took: { type: "string", format: "duration", title: "Time taken" },
      },
      "due",
      "call_back",
    ),
    // 14:30 in July is 12:30 in UTC.
    answer: { due: "2027-02-28", call_back: "2027-07-01T12:30:00Z", opens: "08:15", took: "PT2H30M" },
    wrong: [
      { entries: { "/due": [""] }, at: "/due", says: "Fill this in." },
      {
        entries: { "/call_back": ["2027-03-28T02:30"] },
        at: "/call_back",
        says: "This time does not exist: the clocks are put forward that night. Choose another one.",
      },
      {
        entries: { "/took": ["2 hours"] },
        at: "/took",
        says: "Write a duration such as P3D (3 days) or PT2H30M (2 hours 30 minutes).",
      },
    ],
  },
  {
    name: "consent",
    title: "Consents and things that are given",
    response_schema: object(
      {
        schema_version: { const: 3 },
        terms: { const: true, title: "I have read the contract", description: "All twelve pages." },
        newsletter: { type: "boolean", title: "Send me a copy" },
        notify_customer: { type: "boolean", default: true },
      },
      "schema_version",
      "terms",
    ),
    answer: { schema_version: 3, terms: true, newsletter: true, notify_customer: false },
    wrong: [{ entries: { "/terms": [] }, at: "/terms", says: "Tick this to go on." }],
  },
  {
    name: "lists",
    title: "Lists of texts and of groups",
    response_schema: object(
      {
        tags: { type: "array", items: { type: "string", minLength: 2 }, uniqueItems: true, maxItems: 4 },
        lines: {
          type: "array",
          minItems: 1,
          title: "Line items",
          items: object(
            {
              sku: { type: "string", title: "SKU" },
              quantity: { type: "integer", minimum: 1, maximum: 99, default: 1 },
              checked: { type: "boolean", title: "Checked on arrival?" },
            },
            "sku",
            "quantity",
            "checked",
          ),
        },
        position: {
          type: "array",
          title: "Position",
          prefixItems: [
            { type: "number", title: "Latitude" },
            { type: "number", title: "Longitude" },
          ],
          items: false,
          minItems: 2,
        },
      },
      "lines",
      "position",
    ),
    answer: {
      tags: ["refund", "vip"],
      lines: [
        { sku: "LN-204", quantity: 1, checked: true },
        { sku: "CH-881", quantity: 2, checked: false },
      ],
      position: [53.55, 9.99],
    },
    wrong: [
      { entries: { "/lines/1/sku": [""] }, at: "/lines/1/sku", says: "Fill this in." },
      { entries: { "/lines/0/quantity": ["100"] }, at: "/lines/0/quantity", says: "Use 99 or less." },
      {
        entries: { "/tags/1": ["refund"] },
        at: "/tags",
        says: "Each entry may appear only once. Change or remove the one that is there twice.",
      },
      { entries: { "/tags/0": ["x"] }, at: "/tags/0", says: "Use at least 2 characters." },
    ],
  },
  {
    name: "records",
    title: "Names and values",
    response_schema: object(
      {
        labels: { type: "object", additionalProperties: { type: "string" } },
        weights: { type: "object", additionalProperties: { type: "number", minimum: 0 }, minProperties: 1 },
      },
      "weights",
    ),
    answer: { labels: { team: "north", "cost/center": "4711" }, weights: { quality: 0.7, price: 0.3 } },
    wrong: [
      { entries: { "/labels/0~key": [""] }, at: "/labels/0~key", says: "Give this a name, or remove it." },
      {
        entries: { "/weights/1~key": ["quality"] },
        at: "/weights/1~key",
        says: "This name is already in use. Choose another one.",
      },
      { entries: { "/weights/0": ["-1"] }, at: "/weights/0", says: "Use 0 or more." },
    ],
  },
  {
    name: "variants",
    title: "One of several forms",
    response_schema: object(
      {
        outcome: {
          oneOf: [
            object(
              { kind: { const: "refund" }, percent: { type: "number", minimum: 0, maximum: 100 } },
              "kind",
              "percent",
            ),
            object({ kind: { const: "replace" }, sku: { type: "string", title: "SKU" } }, "kind", "sku"),
            object({ kind: { const: "nothing" } }, "kind"),
          ],
        },
        recipient: { type: ["string", "number"], title: "Recipient, by name or number" },
      },
      "outcome",
    ),
    answer: { outcome: { kind: "replace", sku: "LN-204" }, recipient: "Johanna" },
    wrong: [
      { entries: { "/outcome~form": [] }, at: "/outcome~form", says: "Choose one." },
      { entries: { "/outcome/sku": [""] }, at: "/outcome/sku", says: "Fill this in." },
    ],
  },
  {
    name: "regions",
    title: "Options that depend on another answer",
    response_schema: {
      ...object({ country: { enum: ["US", "DE"] }, region: { type: "string" } }, "country", "region"),
      if: { properties: { country: { const: "US" } }, required: ["country"] },
      // oxlint-disable-next-line unicorn/no-thenable -- the keyword is called so
      then: object({ region: { enum: ["California", "Texas"] } }),
      else: object({ region: { enum: ["Bavaria", "Berlin"] } }),
    },
    answer: { country: "DE", region: "Berlin" },
    wrong: [{ entries: { "/region": [] }, at: "/region", says: "Choose one." }],
  },
  {
    name: "conditions",
    title: "Fields that depend on others",
    response_schema: {
      ...object(
        {
          approved: { type: "boolean", title: "Publish this article?" },
          express: { type: "boolean", title: "Express" },
        },
        "approved",
      ),
      if: { properties: { approved: { const: false } }, required: ["approved"] },
      // oxlint-disable-next-line unicorn/no-thenable -- the keyword is called so
      then: object({ reason: { type: "string", minLength: 5, title: "What must change?" } }, "reason"),
      else: object({ publish_on: { type: "string", format: "date", title: "Publish on" } }),
      dependentSchemas: { express: object({ phone: { type: "string", title: "Phone for the courier" } }, "phone") },
    },
    answer: { approved: false, express: true, reason: "The second source is missing.", phone: "+49 30 1234" },
    wrong: [
      { entries: { "/reason": [""] }, at: "/reason", says: "Fill this in." },
      { entries: { "/phone": [""] }, at: "/phone", says: "Fill this in." },
      { entries: { "/reason": ["No"] }, at: "/reason", says: "Use at least 5 characters." },
    ],
  },
  {
    name: "groups",
    title: "Groups, some of them optional",
    response_schema: {
      $defs: {
        Address: object(
          {
            street: { type: "string", maxLength: 100 },
            city: { type: "string" },
            country: { enum: ["DE", "FR", "SE"] },
          },
          "street",
          "city",
          "country",
        ),
      },
      ...object(
        {
          billing: { $ref: "#/$defs/Address", title: "Billing address" },
          shipping: { anyOf: [{ $ref: "#/$defs/Address" }, { type: "null" }], title: "Shipping address" },
          pickup: { $ref: "#/$defs/Address", title: "Pick-up address" },
          options: object({ gift: { type: "boolean", title: "Gift wrap" }, message: { type: "string" } }),
        },
        "billing",
        "shipping",
      ),
    },
    answer: {
      billing: { street: "Hauptstr. 1", city: "Berlin", country: "DE" },
      shipping: null,
      pickup: { street: "Drottninggatan 5", city: "Stockholm", country: "SE" },
      options: { gift: true },
    },
    wrong: [
      { entries: { "/billing/city": [""] }, at: "/billing/city", says: "Fill this in." },
      { entries: { "/pickup/street": [""] }, at: "/pickup/street", says: "Fill this in." },
    ],
  },
  {
    name: "one-of-these",
    title: "At least one of two fields",
    response_schema: {
      ...object({ email: { type: "string", title: "E-mail" }, phone: { type: "string", title: "Phone" } }),
      anyOf: [{ required: ["email"] }, { required: ["phone"] }],
    },
    answer: { phone: "+49 30 1234" },
    wrong: [{ entries: { "/phone": [""] }, at: "", says: "Fill in E-mail or Phone." }],
  },
  {
    name: "anything",
    title: "What no control can express",
    response_schema: object(
      {
        approved: { type: "boolean" },
        patch: { title: "Patch", description: "Any JSON value." },
        limits: {
          type: "object",
          title: "Limits",
          patternProperties: { "^[a-z]+$": { type: ["object"], required: ["max"] } },
          additionalProperties: false,
        },
        matrix: { type: "array", title: "Matrix" },
      },
      "approved",
      "patch",
    ),
    answer: { approved: true, patch: { op: "replace", path: "/a", value: [1, null] }, matrix: [[1, 2], "x"] },
    wrong: [
      { entries: { "/patch~json": [""] }, at: "/patch", says: "Fill this in." },
      { entries: { "/matrix~json": ["{}"] }, at: "/matrix", says: "Use a list in [ ] here." },
    ],
  },
  {
    name: "whole-answer-json",
    title: "An answer that is JSON as a whole",
    response_schema: { type: "object", minProperties: 1 },
    answer: { anything: ["goes", 1] },
    wrong: [
      { entries: { "~json": ["[1, 2]"] }, at: "", says: "Use an object in { } here." },
      { entries: { "~json": ["{}"] }, at: "", says: "Fill in at least 1 of these." },
    ],
  },
  {
    name: "prefilled",
    title: "A draft to correct",
    response_schema: object(
      {
        verdict: { enum: ["send", "discard"], title: "What to do with it" },
        subject: { type: "string", maxLength: 100 },
        reply: { type: "string" },
        language: { type: "string", default: "en" },
        internal_id: { type: "string" },
      },
      "verdict",
      "subject",
      "reply",
    ),
    payload: { draft: { subject: "Your order", body: "Hello,\nit is on its way." }, id: "tkt_77" },
    form_definition: {
      ui: { "ui:order": ["subject", "reply", "*", "verdict"], internal_id: { "ui:widget": "hidden" } },
      prefill: { "/subject": "/draft/subject", "/reply": "/draft/body", "/internal_id": "/id" },
      decision: "/verdict",
    },
    answer: {
      verdict: "send",
      subject: "Your order 48219",
      reply: "Hello,\nit is on its way.",
      language: "en",
      internal_id: "tkt_77",
    },
    wrong: [
      { entries: { "/verdict": [] }, at: "/verdict", says: "Choose one." },
      { entries: { "/subject": [""] }, at: "/subject", says: "Fill this in." },
    ],
  },
  {
    name: "right-to-left",
    title: "Scripts of the world",
    response_schema: object(
      {
        قرار: { type: "string", enum: ["موافق", "مرفوض"], title: "القرار", description: "هل توافق على هذا الطلب؟" },
        "заметка/1": { type: "string", title: "Заметка", maxLength: 40 },
        "名前~": { type: "string", title: "名前" },
      },
      "قرار",
    ),
    answer: { قرار: "موافق", "заметка/1": "хорошо", "名前~": "さくら" },
    wrong: [{ entries: { "/قرار": [] }, at: "/قرار", says: "Choose one." }],
  },
  ZOD_FORM,
  PYDANTIC_FORM,
];
