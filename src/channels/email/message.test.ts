import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { choicesOf, formForMail } from "./choices.ts";
import { FIXTURE_LINK, hostileTexts, MAILS } from "./fixtures/messages.ts";
import { COLOURS } from "./message-style.ts";
import { setSpeech } from "../../../languages/text.ts";
import { renderMessage } from "./message.ts";
import type { MessageOptions, MessageTask } from "./message.ts";

const REFUND = MAILS["refund"]!;

/** The refund's mail with something else in the task, or for somebody else. */
function render(task: Partial<MessageTask> = {}, more: Partial<MessageOptions> = {}) {
  return renderMessage({ ...REFUND, task: { ...REFUND.task, ...task }, ...more });
}

const lengthOf = (text: string): number => [...new Intl.Segmenter("en").segment(text)].length;

void test("a subject says what is to be decided, or what was sent back", () => {
  assert.equal(render({ task: "Approve the refund" }).subject, "Decision needed: Approve the refund");
  assert.equal(render().subject, "Decision needed: Approve a €1,240.00 refund for order #48219 after a...");
  const back = renderMessage(MAILS["sent-back"]!);
  assert.equal(back.subject, "Sent back: Approve a €1,240.00 refund for order #48219 after a delivery...");
});

void test("the task's own subject for mail goes before that", () => {
  const form_definition = { channels: { email: { subject: "Refund for\r\norder 48219" } } };
  assert.equal(render({ form_definition }).subject, "Refund for order 48219");
  const purpose = "sent_back";
  assert.equal(render({ form_definition }, { purpose }).subject, "Sent back: Refund for order 48219");
  for (const subject of ["", " \u200B", 7, null])
    assert.match(render({ form_definition: { channels: { email: { subject } } } }).subject, /^Decision needed: /);
});

void test("no subject breaks out of its line, turns its text around or is longer than 78 characters", () => {
  for (const [name, text] of Object.entries(hostileTexts()))
    for (const form_definition of [null, { channels: { email: { subject: text } } }])
      for (const purpose of ["decision", "sent_back"] as const) {
        const { subject } = render({ task: text, form_definition }, { purpose });
        assert.doesNotMatch(subject, /[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069\u200B]/u, name);
        assert.ok(lengthOf(subject) <= 78 && subject.length <= 1_300, `${name}: ${subject.length}`);
        assert.ok(subject.isWellFormed() && subject === subject.trim() && subject !== "", name);
      }
});

void test("a mail that says nothing visible still names its task", () => {
  const { subject, text, html } = render({ task: "\u202E\u200B" });
  assert.equal(subject, "Decision needed: Task tsk_01K9Z8Q6V3");
  assert.match(text, /^ {2}Task tsk_01K9Z8Q6V3$/m);
  assert.match(html, /<h1[^>]*>Task tsk_01K9Z8Q6V3<\/h1>/);
});

void test("the text can be read by itself: what, until when, the facts, and each answer with its link", () => {
  const link = FIXTURE_LINK;
  assert.equal(
    render({}, { to: { address: "mia@example.com", name: null, time_zone: "Europe/Berlin" } }).text,
    `Human Task Service · a decision is waiting for you

Answer by Fri 20 Nov, 18:20 CET

  Approve a €1,240.00 refund for order #48219 after a delivery dispute

  Refund amount: €1,240.00
  Customer · Name: Johanna Lindqvist
  Risk: Elevated · 0.71
+ 4 more fields, 2 rows on the review page

  Approve this refund?

* Approve…
${link}?choice=0

* Reject…
${link}?choice=1

You confirm on the next page. Nothing is sent until you do.

Open the full review:
${link}

For mia@example.com
Replies to this email are not read. To ask or comment, open the page.
The links in this email are personal and work until the task is closed.
Please do not forward it: anyone who opens them can answer as you.
Task tsk_01K9Z8Q6V3

Your settings:
https://tasks.example.com/settings
`,
  );
});

void test("each link of a decision is that of the option which the action page has there", () => {
  for (const [name, options] of Object.entries(MAILS)) {
    const { text, html } = renderMessage(options);
    const form = formForMail(options.task, options.to.time_zone ?? "UTC", options.now);
    const isAsked = options.purpose !== "sent_back" && "link" in options.answering;
    const choices = isAsked ? choicesOf(form) : null;
    const links = text.split("\n").filter((line) => line.startsWith(`${FIXTURE_LINK}?`));
    assert.deepEqual(
      links,
      (choices?.options ?? []).map((_, index) => `${FIXTURE_LINK}?choice=${index}`),
      name,
    );
    assert.equal(html.match(/href="[^"]*\?choice=\d"/g)?.length ?? 0, links.length, name);
    if (name.startsWith("form-"))
      for (const [index, { label }] of (choices?.options ?? []).entries())
        assert.ok(text.includes(`\n* ${label}…\n${links[index]}\n`), `${name}: ${label}`);
  }
});

void test("in the text, a line that begins with an address is one of our links, and every line can be sent", () => {
  for (const [name, options] of Object.entries(MAILS)) {
    const { text } = renderMessage(options);
    for (const line of text.split("\n")) {
      if (/^\S*:\/\//.test(line)) assert.ok(line.startsWith("https://tasks.example.com/"), `${name}: ${line}`);
      assert.ok(Buffer.byteLength(line) <= 998, `${name}: ${Buffer.byteLength(line)} octets`);
      assert.ok(line === line.trimEnd(), `${name}: blanks at the end`);
    }
    assert.doesNotMatch(text, /[^\P{Cc}\n]/u, name);
  }
});

void test("no mail is so long that a mail program cuts it", () => {
  for (const [name, options] of Object.entries(MAILS)) {
    const { html, text } = renderMessage(options);
    assert.ok(Buffer.byteLength(html) < 90_000, `${name}: ${Buffer.byteLength(html)} bytes of HTML`);
    assert.ok(Buffer.byteLength(text) < 40_000, `${name}: ${Buffer.byteLength(text)} bytes of text`);
  }
});

void test("a long task has its beginning in the mail, and says where the rest is", () => {
  const { text } = renderMessage(MAILS["long"]!);
  const lines = text.split("\n");
  assert.ok(lines.length < 60, `${lines.length} lines`);
  assert.match(text, /^The full text is on the review page\.$/m);
  assert.doesNotMatch(render().text, /The full text/);
  const unbroken = render({ task: "word ".repeat(2_000) }).text;
  assert.ok(unbroken.length < 3_000, `${unbroken.length} characters`);
  assert.match(unbroken, /word\.\.\.\nThe full text is on the review page\.$/m);
  const whole = render({ task: `${"word ".repeat(40)}\n\nlast words` }).text;
  assert.match(whole, /last words/);
  assert.doesNotMatch(whole, /The full text/);
});

const SECRET = /SECRET/i;
const secrets = {
  payload: { amount: "SECRET-1", SECRET_key: { inner: ["SECRET-2"] }, region: "SECRET-3" },
  redact_payload: true,
};

void test("nothing of a redacted payload is in a mail", () => {
  const hints = {
    ui: { approved: { "ui:enumNames": ["Approve", "Reject"] } },
    prefill: { "/note": "/amount", "/approved": "/amount" },
    channels: { email: { summary: ["/amount", "/SECRET_key/inner"] } },
  };
  for (const purpose of ["decision", "sent_back"] as const) {
    const sent_back = { reason: "SECRET-1 is too much.", attempt: "2 of 3" };
    const mail = render({ ...secrets, form_definition: hints }, { purpose, sent_back });
    for (const part of Object.values(mail)) assert.doesNotMatch(part, SECRET);
    assert.match(mail.text, /This task is confidential, so details aren't in this email\./);
    assert.doesNotMatch(mail.text, /more field|\d rows?/, "nor how much there is");
    if (purpose === "decision") assert.match(mail.text, /\* Reject…\n.*\?choice=1$/m);
  }
});

void test("options that depend on a redacted payload are shown on the page only", () => {
  const pick = (labels: string[]) => ({ properties: { pick: { enum: labels } }, required: ["pick"] });
  const response_schema = {
    type: "object",
    properties: { region: { type: "string" } },
    if: { properties: { region: { const: "SECRET-3" } }, required: ["region"] },
    // oxlint-disable-next-line unicorn/no-thenable -- the keyword is called so
    then: pick(["one", "two"]),
    else: pick(["three", "four"]),
  };
  const form_definition = { prefill: { "/region": "/region" }, decision: "/pick" };
  const task = { ...secrets, response_schema, form_definition };
  assert.doesNotMatch(render(task).text, /choice=/);
  assert.match(render({ ...task, redact_payload: false }).text, /\* One…\n.*\?choice=0$/m);
});

void test("a mail has at most five facts, those that the task asks for if there are any, and counts the others", () => {
  const facts = (text: string) => [...text.matchAll(/^ {2}(\w+): \d+$/gm)].map(([, title]) => title);
  const payload = { a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, table: [{ x: 1, y: 2 }], inner: { g: 7 } };
  const withSummary = (summary: unknown, more: object = {}) =>
    render({ payload, payload_schema: {}, form_definition: { channels: { email: { summary } } }, ...more }).text;
  assert.deepEqual(facts(withSummary(undefined)), ["A", "B", "C", "D", "E"]);
  assert.match(withSummary(undefined), /^\+ 2 more fields, 1 row on the review page$/m);
  assert.deepEqual(facts(withSummary(["/f", "/a", "/f", "/gone", 7])), ["F", "A"]);
  assert.match(withSummary(["/f", "/a", "/f"]), /^\+ 5 more fields, 1 row on the review page$/m);
  assert.deepEqual(facts(withSummary(["/f", "/e", "/d", "/c", "/b", "/a"])), ["F", "E", "D", "C", "B"]);
  for (const nothing of [["/gone"], [], "no list"])
    assert.deepEqual(facts(withSummary(nothing)), ["A", "B", "C", "D", "E"]);
  assert.match(withSummary([], { payload: { a: 1, table: payload.table } }), /^\+ 1 row on the review page$/m);
  assert.match(withSummary([], { payload: { table: payload.table } }), /^1 row on the review page$/m);
  assert.doesNotMatch(withSummary([], { payload: { a: 1 } }), /on the review page$/m);
});

void test("of a payload with thousands of fields, a mail finds those that the task asks for, and counts all others", () => {
  const payload = Object.fromEntries(Array.from({ length: 4_000 }, (_, i) => [`k${i}`, i]));
  const summarised = (summary: unknown) =>
    render({ payload, payload_schema: {}, form_definition: { channels: { email: { summary } } } }).text;
  assert.match(summarised([]), /^ {2}K0: 0$/m);
  assert.match(summarised([]), /^\+ 3,995 more fields on the review page$/m);
  assert.match(summarised(["/k3999"]), /^ {2}K3999: 3999$/m);
  assert.match(summarised(["/k3999"]), /^\+ 3,999 more fields on the review page$/m);
});

void test("a value that is masked on the page is in no mail", () => {
  const { text, html } = renderMessage(MAILS["payload-masked"]!);
  for (const part of [text, html]) assert.doesNotMatch(part, /correct horse|tok_1234567890|4111|sk_live/);
  assert.match(text, /^\+ 3 more fields, 1 row on the review page$/m);
});

void test("a picture that cannot be shown is named in a mail with its type and size, and never printed", () => {
  const svg = Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg">${"<path/>".repeat(1_700)}</svg>`);
  const logo = `data:image/svg+xml;base64,${svg.toString("base64")}`;
  const plain = `data:image/svg+xml,${encodeURIComponent("<svg/>")}`;
  const { text, html } = render({ payload: { logo, plain }, payload_schema: {}, form_definition: null });
  assert.match(text, /^ {2}Logo: SVG image, 12 kB, not shown$/m);
  assert.match(text, /^ {2}Plain: SVG image, 6 bytes, not shown$/m);
  for (const part of [text, html]) assert.doesNotMatch(part, /data:|base64|PHN2Zy/);
});

void test("a deadline has its day and its zone: the reader's, or UTC", () => {
  const deadline = (time_zone: string | null, timeout_at = REFUND.task.timeout_at) =>
    /^Answer by (.*)$/m.exec(
      render({ timeout_at }, { to: { address: "a@b.example", name: null, time_zone } }).text,
    )?.[1];
  assert.equal(deadline("Europe/Berlin"), "Fri 20 Nov, 18:20 CET");
  assert.equal(deadline("Asia/Kolkata"), "Fri 20 Nov, 22:50 GMT+5:30");
  assert.equal(deadline(null), "Fri 20 Nov, 17:20 UTC");
  assert.equal(deadline("Nowhere/Land"), "Fri 20 Nov, 17:20 UTC");
  assert.equal(deadline(null, Date.parse("2027-01-02T03:04:05Z")), "Sat, 2 Jan 2027, 03:04 UTC");
  assert.equal(deadline(null, REFUND.now.getTime() + 90_000), "Fri 20 Nov, 13:21:30 UTC");
});

void test("times among the facts are in the reader's zone too", () => {
  const form_definition = { channels: { email: { summary: ["/delivered_at"] } } };
  const to = { address: "a@b.example", name: null, time_zone: "Asia/Tokyo" };
  assert.match(render({ form_definition }, { to }).text, /^ {2}Delivered: 12 Nov 2026, 22:20 GMT\+9$/m);
});

void test("a list of mails shows the deadline and the first facts", () => {
  const preheader = (html: string) => /<div class="preheader"[^>]*>(.*)<\/div>/.exec(html)?.[1];
  assert.equal(
    preheader(render().html),
    "Answer by Fri 20 Nov, 18:20 CET. Refund amount: €1,240.00 - Customer · Name: Johanna Lindqvist",
  );
  assert.equal(preheader(render({ redact_payload: true }).html), "Answer by Fri 20 Nov, 18:20 CET.");
});

void test("what was sent back begins with the reason, and asks for a correction on the page", () => {
  const { text } = renderMessage(MAILS["sent-back"]!);
  assert.match(
    text,
    /^Human Task Service · your answer was sent back\n\nSent back\. Your next answer is attempt 2 of 3\.\n {2}The note says/,
  );
  assert.match(text, /^Your last answer was not accepted\. Change or resend it on the review page\.$/m);
  assert.match(text, /^Correct your answer:\nhttps:.*c2lnbmF0dXJl$/m);
  assert.doesNotMatch(text, /choice=/);
  const silent = renderMessage(MAILS["sent-back-without-reason"]!).text;
  assert.match(silent, /^See the reason on the review page\.$/m);
});

void test("somebody who may not answer reads what it is about, until when, and who can answer; nothing to answer with", () => {
  const { subject, text, html } = renderMessage(MAILS["informed"]!);
  assert.equal(subject, "For your information: Approve a €1,240.00 refund for order #48219 after a...");
  assert.equal(
    text,
    `Human Task Service · a decision is waiting for someone else

An answer is due by Fri 20 Nov, 18:20 CET

  Approve a €1,240.00 refund for order #48219 after a delivery dispute

  Refund amount: €1,240.00
  Customer · Name: Johanna Lindqvist
  Risk: Elevated · 0.71
+ 4 more fields, 2 rows not shown here

  This task is assigned to Dana Reyes.

You cannot answer it. This email is for your information.

For Mia Chen (mia@example.com)
You get this email because the task names your address.
Task tsk_01K9Z8Q6V3

Your settings:
https://tasks.example.com/settings
`,
  );
  for (const part of [text, html]) assert.doesNotMatch(part, /email\/action|choice=|Approve…|Open|review page/);
  assert.match(
    html,
    /class="preheader"[^>]*>This task is assigned to Dana Reyes\. An answer is due by Fri 20 Nov, 18:20 CET\. /,
  );
  const withPage = renderMessage(MAILS["informed-with-page"]!);
  for (const part of [withPage.text, withPage.html]) assert.match(part, /https:\/\/tasks\.example\.com\/tasks\/1\b/);
  assert.match(withPage.text, /^\+ 4 more fields, 2 rows on the task's page$/m);
});

void test("somebody who may not answer gets nothing of a redacted payload, and no page is promised that they cannot open", () => {
  const answering = { who_can_answer: "This task is assigned to Dana Reyes.", task_link: null };
  const mail = render(secrets, { answering });
  for (const part of Object.values(mail)) assert.doesNotMatch(part, SECRET);
  assert.match(mail.text, /^This task is confidential, so details aren't in this email\.$/m);
  assert.match(renderMessage(MAILS["informed-long"]!).text, /^The full text is not shown here\.$/m);
});

void test("a mail about the end of a task says how it ended, and has nothing to answer with", () => {
  const { subject, text, html } = renderMessage(MAILS["ended-cancelled"]!);
  assert.equal(subject, "Cancelled: Approve a €1,240.00 refund for order #48219 after a delivery...");
  assert.equal(
    text,
    `Human Task Service · a task is closed

Cancelled

  Approve a €1,240.00 refund for order #48219 after a delivery dispute

  Reason: The customer has called back.
  No refund is needed.

  This task was cancelled on Fri 20 Nov, 14:15 CET.

There is nothing more to do.

For Mia Chen (mia@example.com)
You get this email because an earlier one told you about the task.
Task tsk_01K9Z8Q6V3

Your settings:
https://tasks.example.com/settings
`,
  );
  for (const part of [text, html]) assert.doesNotMatch(part, /email\/action|choice=|Approve…|Johanna/);
  const withPage = renderMessage(MAILS["ended-with-page"]!);
  for (const part of [withPage.text, withPage.html]) assert.match(part, /https:\/\/tasks\.example\.com\/tasks\/1\b/);
  assert.match(withPage.text, /^Answered by Dana Reyes$/m);
});

void test("who asks is below the heading, in one line that nothing breaks out of", () => {
  const { text, html } = renderMessage(MAILS["asked-by-an-agent"]!);
  assert.match(text, /delivery dispute\n {2}refunds-bot asks, on behalf of Mia \(according to the agent\)\n\n/);
  assert.match(html, /<\/h1>[^]*refunds-bot asks, on behalf of Mia \(according to the agent\)/);
  assert.match(renderMessage(MAILS["ended-asked-by-an-agent"]!).text, /^ {2}refunds-bot asked$/m);
  for (const hostile of Object.values(hostileTexts())) {
    const mail = render({ asker: hostile });
    assert.doesNotMatch(mail.html, /<(script|img|b)\b/);
    assert.equal(mail.subject, render().subject);
  }
});

void test("only people with an account are sent to their settings", () => {
  const { text, html } = render({}, { settings_link: null });
  for (const part of [text, html]) assert.doesNotMatch(part, /settings/);
});

void test("a task without a usable schema or payload has a mail all the same", () => {
  for (const nothing of [null, 7, "text", [], { $ref: "#" }])
    assert.match(
      render({ payload: nothing, payload_schema: nothing, response_schema: nothing, form_definition: nothing }).text,
      /^Open the review:\nhttps:/m,
    );
});

void test("a mail has the colours of our pages", () => {
  const css = readFileSync(join(import.meta.dirname, "../../../web/tokens.css"), "utf8");
  const tokens = new Map(
    [...css.matchAll(/--([\w-]+): light-dark\((#\w{6}), (#\w{6})\);/g)].map(([, name, light, dark]) => [
      name,
      { light, dark },
    ]),
  );
  const { page, ...others } = COLOURS;
  assert.deepEqual(page, { light: tokens.get("sub")?.light, dark: tokens.get("bg")?.dark });
  const names = {
    edge: "control-edge",
    text2: "text-2",
    onAccent: "on-accent",
    warnSoft: "warn-soft",
    muteSoft: "mute-soft",
  };
  for (const [name, colour] of Object.entries(others))
    assert.deepEqual(colour, tokens.get(new Map(Object.entries(names)).get(name) ?? name), name);
});

void test("a mail says that a task is urgent, how long is left, and what counts if no one answers", () => {
  const partsOf = (name: string) => renderMessage(MAILS[name]!);
  for (const [name, subject, lead] of [
    ["urgent", /^Urgent: Decision needed: /, "· urgent: a decision is waiting for you"],
    ["urgent-informed", /^Urgent: For your information: /, "· urgent: a decision is waiting for someone else"],
    ["reminder", /^Urgent: Reminder: /, "· urgent: a decision is still waiting for you"],
    ["refund", /^Decision needed: /, "· a decision is waiting for you"],
  ] as const) {
    const mail = partsOf(name);
    assert.match(mail.subject, subject);
    for (const part of [mail.html, mail.text]) assert.ok(part.includes(lead), `${name}: ${part}`);
  }
  for (const [name, left] of [
    ["reminder", ": 4 hours left"],
    ["reminder-soon", ": 1 minute left"],
  ] as const) {
    const { html, text } = partsOf(name);
    for (const part of [html, text]) assert.match(part, new RegExp(`Answer by .*${left}`));
  }
  for (const [name, answer] of [
    ["reminder", "“Reject”"],
    ["with-fallback", "“Reject”"],
    ["with-fallback-redacted", "given beforehand"],
  ] as const) {
    const { html, text } = partsOf(name);
    for (const part of [html, text])
      assert.match(part, new RegExp(`If no one answers by \\w{3},? \\d+ \\w+,.*, the answer ${answer} counts\\.`));
  }
  assert.doesNotMatch(partsOf("refund").text, /If no one answers| left/);
});

void test("an email has the texts and the times of the current language", (t) => {
  const catalogue = { "Answer by {deadline}": "Antworten Sie bis {deadline}" };
  setSpeech(() => ({ language: "de", catalogue }));
  t.after(() => setSpeech(() => ({ language: "en" })));
  const { html, text } = render({});
  assert.match(html, /<html lang="de" dir="ltr">[^]*<div lang="de" dir="ltr">/);
  for (const part of [html, text]) assert.match(part, /Antworten Sie bis Fr\., 20\. Nov\.,? (?:um )?18:20 MEZ/);
});
