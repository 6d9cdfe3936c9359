import type { PayloadInput } from "./payload.ts";

/** Payloads of many shapes, for tests and to be looked at. `now` is fixed, so that a page looks the same every day. */
export interface PayloadFixture extends Omit<PayloadInput, "now"> {
  readonly title: string;
}

export const FIXTURE_NOW = new Date("2026-11-20T13:20:00Z");

/** A picture of 192 by 128 points. */
const PICTURE =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAMAAAACACAMAAABqWpZZAAAACVBMVEXu8PTCyNSpscH1qoBiAAAAxklEQVR42u3YuRGEMBREQZj8g8bFoChY9oOOfhFMGyqElkWSJEmSJH3eugsAYDbAehAAwCyA9SQAAAAAAAAAgNEBbqMAAF4lAAAkSZJ6LEkAAGYFZBcAwGyAHAQAMAsgJwEAjA7IhQAARgXkRgAAowHyQ009DgAAvDz+DqL88AMAfDT+yqjyjyAAwMfjz0aVXwYBABoZfzSq/KcIAOABIIW98jgAAPAAkAYDAHgLkIYDAKgGpIMAAKoA6SgAgH8D0nkAAA/bALqYMtHwIOaRAAAAAElFTkSuQmCC";

const ZERO_WIDTH = "\u200B";
const RIGHT_TO_LEFT_OVERRIDE = "\u202E";

const CONTRACT = `7.2 Limitation of liability. Except for liability that cannot be limited by law, neither party is liable for loss of profit, loss of data or any indirect or consequential loss arising under or in connection with this agreement, whether in contract, tort or otherwise, even if it was told that such loss was possible.

7.3 The total liability of the supplier in any contract year is limited to the fees paid in that year.

`;

function rows<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

function nested(depth: number): unknown {
  let value: unknown = { leaf: "The end" };
  for (let i = depth; i > 0; i--) value = { name: `Level ${i}`, inner: value };
  return value;
}

const refund: PayloadFixture = {
  title: "A refund with money, a person, a table and a photo",
  payload: {
    amount: 1240,
    currency: "EUR",
    customer: { name: "Johanna Lindqvist", email: "johanna.lindqvist@example.com" },
    risk: "elevated",
    delivered_at: "2026-11-12T13:20:00Z",
    message:
      "The parcel arrived open and **two of the three items were missing**. I have photos and the courier refused to take it back.\n\n> Please refund the missing items or send them again before the 25th.",
    items: [
      { sku: "LN-204", item: "Linen duvet set", qty: 1, price: 240 },
      { sku: "CH-881", item: "Oak lounge chair", qty: 2, price: 500 },
    ],
    photo: PICTURE,
  },
  payload_schema: {
    type: "object",
    properties: {
      amount: { type: "number", title: "Refund amount" },
      currency: { type: "string" },
      customer: {
        type: "object",
        properties: { name: { type: "string" }, email: { type: "string", format: "email" } },
      },
      risk: {
        oneOf: [
          { const: "low", title: "Low" },
          { const: "elevated", title: "Elevated · 0.71" },
        ],
      },
      delivered_at: { type: "string", format: "date-time", title: "Delivered" },
      message: { type: "string", format: "markdown", title: "Customer message" },
      items: {
        type: "array",
        items: {
          properties: {
            sku: { type: "string", title: "SKU" },
            item: { type: "string" },
            qty: { type: "integer" },
            price: { type: "number" },
          },
        },
      },
      photo: { type: "string", contentMediaType: "image/png" },
    },
  },
  hints: {
    amount: { "ui:widget": "currency", "ui:options": { currency: "/currency" } },
    currency: { "ui:widget": "hidden" },
    risk: { "ui:options": { tone: { elevated: "negative" } } },
    items: { items: { price: { "ui:widget": "currency", "ui:options": { currency: "/currency" } } } },
  },
};

export const PAYLOAD_FIXTURES: Readonly<Record<string, PayloadFixture>> = {
  refund,
  redacted: { ...refund, title: "The refund, redacted", redact: true },
  empty: { title: "An empty payload", payload: {}, payload_schema: { type: "object" } },
  scalars: {
    title: "Every kind of single value",
    payload: {
      text: "A short text",
      count: 1234567.5,
      year: 2026,
      order_number: 48219,
      tiny: 0.1,
      huge: 1e308,
      share: 0.71,
      humidity: 48,
      weight: 12.5,
      speed: 7,
      price: "19.999",
      price_in_yen: 1240,
      is_paid: true,
      is_shipped: false,
      approved: true,
      comment: null,
      middle_name: "",
      tags_list: ["damaged", "express", "gift", "second parcel"],
      scores: [1, 2.5, 3],
      no_tags: [],
      extra: {},
      state: "on_hold",
    },
    payload_schema: {
      properties: {
        humidity: { type: "number", minimum: 0, maximum: 100 },
        approved: { oneOf: [{ const: true, title: "Approved by the bank" }, { const: false }] },
        state: { enum: ["open", "on_hold"] },
        count: { description: "How many were counted in the warehouse on the last day of the month." },
      },
      additionalProperties: {},
    },
    hints: {
      share: { "ui:widget": "percent" },
      humidity: { "ui:widget": "percent" },
      weight: { "ui:unit": "kilogram" },
      speed: { "ui:options": { unit: "parcels/h" }, "ui:help": "Measured at the gate." },
      price: { "ui:widget": "currency", "ui:options": { currency: "EUR" } },
      price_in_yen: { "ui:widget": "currency", "ui:currency": "JPY" },
      state: { "ui:enumNames": ["Open", "On hold"] },
    },
  },
  dates: {
    title: "Dates and times",
    payload: {
      delivered: "2026-11-12T13:20:00Z",
      in_another_zone: "2026-11-20T18:50:00+05:30",
      without_a_zone: "2026-11-20 09:30:00",
      born: "1987-02-28",
      tomorrow: "2026-11-21",
      not_a_day: "2026-02-31",
      opens: "08:30:00",
      opens_in_utc: "08:30:15Z",
      epoch_seconds: 1_763_000_000,
      epoch_milliseconds: 1_763_000_000_000,
    },
    payload_schema: {
      properties: { opens: { format: "time" }, opens_in_utc: { format: "time" }, not_a_day: { format: "date" } },
      additionalProperties: {},
    },
    hints: { epoch_seconds: { "ui:widget": "date" }, epoch_milliseconds: { "ui:widget": "date" } },
    time_zone: "Europe/Berlin",
  },
  markdown: {
    title: "Markdown with images, hostile links and raw HTML",
    payload: {
      report: `# Weekly report

The **courier** lost *two* parcels, ~~three~~ says [the tracking page](https://tracking.example.com/p/7C-9911).

- [x] photos asked for
- [ ] photos received
  - nested \`code\`

1. first
2. second

> Quoted, with a [reference][ref].

| Parcel | Weight |
| :-- | --: |
| 7C-9911 | 12.5 kg |
| 7C-9912 | 3 kg |

\`\`\`ts
const answer = await ask("Refund?");
\`\`\`

![a photo](https://images.example.net/photo.jpg) and ![](data:image/svg+xml;base64,PHN2Zz4=)

<script>alert("raw HTML")</script>

<img src=x onerror="alert(1)"> <b>bold?</b>

[run me](javascript:alert(1)) [data](data:text/html,<script>alert(1)</script>) [paypal.com](https://paypal.com.evil.example/login) [https://paypal.com](https://paypal.com@evil.example/)

Plain: https://example.org/plain and <someone@example.org>. A footnote[^1].

---

[ref]: https://example.com/reference "A title"
[^1]: The note itself.
`,
    },
    payload_schema: { properties: { report: { type: "string", contentMediaType: "text/markdown" } } },
  },
  hostile: {
    title: "Script tags, event handlers and hostile addresses",
    payload: {
      '<img src=x onerror="alert(1)">': "a key with markup",
      comment: '<script>alert("x")</script><img src=x onerror=alert(1)>" onmouseover="alert(1)',
      page: "<h1>Hello</h1>\n<script>document.title = 'run'</script>",
      link: "javascript:alert(document.domain)",
      split_link: "java\nscript:alert(1)",
      data_link: "data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==",
      svg: "data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9ImFsZXJ0KDEpIi8+",
      ["__proto__"]: { polluted: true },
      constructor: "a key like any other",
      rows: [{ "<b>column</b>": "<i>cell</i>" }],
    },
    payload_schema: {
      title: "<script>alert(1)</script>",
      properties: {
        comment: { title: "<b>Comment</b>", description: "<script>alert(2)</script>" },
        page: { contentMediaType: "text/html" },
        link: { format: "uri" },
        split_link: { format: "uri" },
        data_link: { format: "uri" },
        svg: { format: "image" },
      },
    },
    hints: { link: { "ui:widget": "link" }, svg: { "ui:widget": "image" } },
  },
  links: {
    title: "Links, also with hosts that look like others",
    payload: {
      website: "https://example.com/orders/48219?tab=items#top",
      lookalike: "https://аррӏе.com/login",
      with_a_user: "https://paypal.com@evil.example/",
      insecure: "http://example.com",
      mail: "mailto:johanna@example.com?subject=Refund",
      address: "johanna@example.com",
      phone: "tel:+49301234567",
      server: "ftp://files.example.com/a",
      relative: "/orders/1",
      in_a_sentence: "See https://example.com for more",
    },
    payload_schema: {
      properties: {
        mail: { format: "uri" },
        phone: { format: "uri" },
        server: { format: "uri" },
        relative: { format: "uri-reference" },
      },
      additionalProperties: {},
    },
  },
  images: {
    title: "Images as data and from elsewhere",
    payload: {
      inline: PICTURE,
      from_elsewhere: "https://images.example.net/photo.jpg",
      not_asked_for: "https://images.example.net/other.jpg",
      gallery: [PICTURE, PICTURE],
      base64: PICTURE.slice(PICTURE.indexOf(",") + 1),
      insecure: "http://images.example.net/photo.jpg",
    },
    payload_schema: {
      properties: { base64: { contentMediaType: "image/png", contentEncoding: "base64" } },
      additionalProperties: {},
    },
    hints: { from_elsewhere: { "ui:widget": "image" }, insecure: { "ui:widget": "image" } },
  },
  code: {
    title: "Code, JSON and HTML as source",
    payload: {
      query: "select id, total\nfrom orders\nwhere total > 1000\norder by total desc;",
      script: rows(30, (i) => `line_${i + 1} = compute(${i}, "${"x".repeat(i)}")`).join("\n"),
      settings: { retries: 3, hosts: ["a.example", "b.example"], flags: { dark: true } },
      answer: '{"approved":true,"amount":1240}',
      mail: "<p>Dear Johanna,</p>\n<p>your refund is on its way.</p>",
    },
    payload_schema: {
      properties: {
        script: { contentMediaType: "text/x-python" },
        answer: { contentMediaType: "application/json" },
        mail: { contentMediaType: "text/html" },
      },
      additionalProperties: {},
    },
    hints: { query: { "ui:widget": "code", "ui:options": { language: "sql" } }, settings: { "ui:widget": "json" } },
  },
  "diff-text": {
    title: "A text before and after",
    payload: {
      reason: "The old sentence promised too much.",
      text: {
        original: "We refund every order within two days, no questions asked. Shipping is always free.",
        proposed: "We refund every order within ten days after we receive it. Shipping is free above €50.",
      },
      old_price: 49,
      new_price: 39.5,
      subject_before: "Autumn sale",
      subject_after: "Autumn sale: last days",
    },
  },
  "diff-object": {
    title: "An object before and after",
    payload: {
      current: {
        name: "Nordwind Logistik GmbH",
        vat_id: "DE811234567",
        address: { street: "Hafenstr. 1", city: "Hamburg", country: "DE" },
        terms_days: 30,
        tags: ["eu", "pallets"],
        contacts: [
          { id: 1, name: "Ada", email: "ada@nordwind.example" },
          { id: 2, name: "Ben", email: "ben@nordwind.example" },
        ],
        fax: "+49 40 1234",
      },
      proposed: {
        name: "Nordwind Logistik GmbH",
        vat_id: "DE811234567",
        address: { street: "Am Kai 7", city: "Hamburg", country: "DE" },
        terms_days: 14,
        tags: ["eu", "express"],
        contacts: [
          { id: 2, name: "Ben", email: "ben@nordwind.example" },
          { id: 3, name: "Cleo", email: "cleo@nordwind.example" },
        ],
        website: "https://nordwind.example",
      },
    },
    payload_schema: {
      $defs: { Supplier: { properties: { vat_id: { title: "VAT number" }, terms_days: { title: "Payment terms" } } } },
      properties: { current: { $ref: "#/$defs/Supplier" }, proposed: { $ref: "#/$defs/Supplier" } },
    },
  },
  "diff-hint": {
    title: "A diff that a hint asks for",
    payload: {
      draft: "Dear Johanna, your parcel is lost.",
      revised: "Dear Johanna, your parcel is on its way.",
      by: "Mia",
    },
    hints: {
      revised: { "ui:widget": "diff", "ui:title": "Reply", "ui:options": { before: "/draft", after: "/revised" } },
    },
  },
  groups: {
    title: "Groups in groups",
    payload: {
      order: {
        id: 48219,
        placed: "2026-11-02",
        shipping: {
          method: "Express",
          address: { street: "Storgatan 4", city: "Malmö", geo: { lat: 55.604981, lon: 13.003822 } },
        },
      },
      customer: { id: "cus_9", name: "Johanna Lindqvist", since: "2019-05-01", orders: 12 },
      visits: [
        { at: "2026-11-01", pages: ["home", "returns"], device: { os: "Android", app: true } },
        { at: "2026-11-03", pages: ["returns"], device: { os: "Android", app: false } },
      ],
      matrix: [
        [1, 2, 3],
        [4, 5, 6],
      ],
    },
  },
  "long-text": {
    title: "Long texts",
    payload: {
      clause: CONTRACT.repeat(8),
      unbroken: "x".repeat(600),
      lines: rows(40, (i) => `Line ${i + 1}`).join("\n"),
      clauses: [CONTRACT.trim(), CONTRACT.trim()],
    },
  },
  "many-rows": {
    title: "A table of 200 rows",
    payload: {
      transactions: rows(200, (i) => ({
        id: `txn_${String(i + 1).padStart(4, "0")}`,
        booked: `2026-10-${String((i % 28) + 1).padStart(2, "0")}`,
        text: i % 7 === 0 ? "Refund of a parcel that came back" : "Card payment",
        amount: Math.round(((i * 7919) % 100_000) - 30_000) / 100,
        settled: i % 3 !== 0,
      })),
    },
    hints: { transactions: { items: { amount: { "ui:widget": "currency", "ui:options": { currency: "EUR" } } } } },
  },
  "wide-table": {
    title: "Tables of 8, of 12, and of 12 columns that a hint asks for",
    payload: {
      eight: rows(3, (i) => Object.fromEntries(rows(8, (j) => [`column_${j + 1}`, i * j]))),
      twelve: rows(2, (i) => Object.fromEntries(rows(12, (j) => [`column_${j + 1}`, i * j]))),
      asked: rows(3, (i) => Object.fromEntries(rows(12, (j) => [`column_${j + 1}`, `value ${i * j}`]))),
      uneven: [{ a: 1 }, { b: "two", c: null }, { a: 3, b: "" }],
    },
    hints: { asked: { "ui:widget": "table" } },
  },
  unicode: {
    title: "Scripts of the world, right to left, and characters that cannot be seen",
    payload: {
      arabic: "أرسلنا الطلب رقم 48219 إلى العميل.",
      hebrew: "שלום, ההזמנה מוכנה (50%).",
      japanese: "注文番号48219の返金を承認してください。",
      emoji: "👩‍👩‍👧‍👦 🇩🇪 ✅",
      account: "from \u2067DE02\u2069 to DE89",
      file: `invoice-${RIGHT_TO_LEFT_OVERRIDE}fdp.exe`,
      hidden: `pay${ZERO_WIDTH}pal\u0007`,
      العميل: "a key in Arabic",
      combining: `Z${"\u0335\u0321\u034E\u0300".repeat(8)}algo`,
      half: "\uD800 half a pair",
    },
  },
  deep: { title: "Deep nesting", payload: { tree: nested(40) } },
  large: {
    title: "300 kB",
    payload: {
      subject: "Export of all orders",
      total: 12_000,
      body: CONTRACT.repeat(100),
      orders: rows(3_000, (i) => ({ id: i, text: "An order with a text of some length", total: i * 3 })),
      settings: { dark: true },
    },
  },
  masked: {
    title: "Values to be masked",
    payload: {
      user: "johanna",
      password: "correct horse battery staple",
      token: "tok_1234567890",
      card: { number: "4111 1111 1111 1111", expires: "12/28" },
      keys: [{ name: "production", secret: "sk_live_1" }],
    },
    payload_schema: {
      properties: {
        user: { type: "string" },
        password: { type: "string", format: "password" },
        token: { type: "string", writeOnly: true },
        card: { type: "object", writeOnly: true },
        keys: { items: { properties: { secret: { format: "password" } } } },
      },
    },
  },
  unknown: {
    title: "Keys the schema does not know, and a new order",
    payload: { b: "second", surprise: "not in the schema", a: "first", note: "last", nested: { known: 1, stray: 2 } },
    payload_schema: {
      properties: {
        a: { title: "A" },
        b: { title: "B" },
        note: {},
        nested: { properties: { known: {} } },
        missing: { title: "Never sent" },
      },
    },
    hints: { "ui:order": ["note", "*", "nested"] },
  },
  recursive: {
    title: "A recursive schema",
    payload: {
      label: "Root",
      children: [
        { label: "Leaf", children: [] },
        { label: "Branch", children: [{ label: "Twig", children: [] }] },
      ],
    },
    payload_schema: {
      $ref: "#/$defs/Node",
      $defs: {
        Node: {
          allOf: [{ $ref: "#/$defs/Node" }],
          properties: {
            label: { type: "string", title: "Name of the node" },
            children: { type: "array", items: { $ref: "#/$defs/Node" } },
          },
        },
      },
    },
  },
  pydantic: {
    title: "As pydantic writes schemas",
    payload: {
      billing_address: { street: "Hauptstr. 3", city: "Berlin" },
      shipping_address: null,
      priority: "high",
      pet: { kind: "cat", lives: 7 },
      due: "2026-11-24T09:00:00",
      score: 0.5,
    },
    payload_schema: {
      $defs: {
        Address: {
          title: "Address",
          type: "object",
          description: "A postal address.",
          properties: { street: { title: "Street", type: "string" }, city: { title: "City", type: "string" } },
          required: ["street", "city"],
        },
        Priority: { enum: ["low", "high"], title: "Priority", type: "string" },
        Dog: { title: "Dog", properties: { kind: { const: "dog" }, breed: { title: "Breed" } }, required: ["kind"] },
        Cat: {
          title: "Cat",
          properties: { kind: { const: "cat", title: "Kind" }, lives: { title: "Lives left" } },
          required: ["kind"],
        },
      },
      title: "Review",
      type: "object",
      properties: {
        billing_address: { $ref: "#/$defs/Address" },
        shipping_address: { anyOf: [{ $ref: "#/$defs/Address" }, { type: "null" }], default: null },
        priority: { allOf: [{ $ref: "#/$defs/Priority" }], default: "low" },
        pet: {
          discriminator: { propertyName: "kind" },
          oneOf: [{ $ref: "#/$defs/Dog" }, { $ref: "#/$defs/Cat" }],
          title: "Pet",
        },
        due: { format: "date-time", title: "Due", type: "string" },
        score: { anyOf: [{ type: "number" }, { type: "null" }], title: "Score" },
      },
    },
  },
  zod: {
    title: "As zod writes schemas",
    payload: {
      customerName: "Johanna Lindqvist",
      orderURL: "https://shop.example.com/o/48219",
      amountInCents: 124000,
      decision: "refund",
      history: { "2026-10": 3, "2026-11": 5 },
    },
    payload_schema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: {
        customerName: { type: "string", description: "As on the invoice" },
        orderURL: { type: "string", format: "uri" },
        amountInCents: { type: "integer", minimum: -9007199254740991, maximum: 9007199254740991 },
        decision: {
          anyOf: [
            { type: "string", const: "refund" },
            { type: "string", const: "replace" },
          ],
        },
        history: {
          type: "object",
          propertyNames: { type: "string" },
          additionalProperties: { type: "number" },
        },
      },
      required: ["customerName"],
      additionalProperties: false,
    },
  },
  "wrong-hints": {
    title: "Hints that are wrong",
    payload: { amount: 12, text: "hello", list: [1, 2], nothing: null },
    payload_schema: { properties: { amount: {}, text: {}, list: {}, nothing: {}, later: {} } },
    hints: {
      "ui:order": ["gone", "text"],
      "ui:colour": "red",
      amount: { "ui:widget": "currency", "ui:options": { currency: "/nowhere" }, "ui:title": 7 },
      text: { "ui:widget": "slider", "ui:options": "none" },
      list: { "ui:widget": "markdown" },
      nothing: { inner: { "ui:title": "Never seen" } },
      later: { "ui:title": "May come another time" },
      gone: { "ui:title": "Nothing" },
      text2: 5,
    },
  },
};
