import { FORM_FIXTURES } from "../../../form/fixtures/forms.ts";
import { FIXTURE_NOW, PAYLOAD_FIXTURES } from "../../../form/fixtures/payloads.ts";
import { HOUR, MINUTE } from "../../lib/time.ts";
import type { MessageOptions, MessageTask } from "./message.ts";

export const FIXTURE_LINK =
  "https://tasks.example.com/api/channels/email/action/eyJ0YXNrIjoidHNrXzAxSzlaOFE2VjMiLCJ0byI6Im1pYSJ9.c2lnbmF0dXJl";

/** Mails of every kind, by name, for tests and to be looked at. */
export const MAILS: Readonly<Record<string, MessageOptions>> = {
  ...Object.fromEntries(FORM_FIXTURES.map((form) => [`form-${form.name}`, mail({ task: form.title, ...parts(form) })])),
  ...Object.fromEntries(
    Object.entries(PAYLOAD_FIXTURES).map(
      ([name, { title, payload, payload_schema, hints, redact = false, time_zone }]) => [
        `payload-${name}`,
        mail(
          { task: title, payload, payload_schema, form_definition: { payload: hints }, redact_payload: redact },
          { to: { address: "mia@example.com", name: "Mia Chen", time_zone: time_zone ?? null } },
        ),
      ],
    ),
  ),
  refund: refund(),
  "refund-soon": mail({ ...refund().task, timeout_at: FIXTURE_NOW.getTime() + 20 * MINUTE }),
  informed: informed("This task is for Dana Reyes.", null),
  "informed-with-page": informed('This task is offered to the pool "refunds".', "https://tasks.example.com/tasks/1"),
  "informed-redacted": informed("Only an operator can answer this task.", null, { redact_payload: true }),
  "informed-hostile": informed(Object.values(hostileTexts()).join("\n"), null, { task: hostileTexts().markup }),
  "informed-long": informed("This task is offered to 12 people.", null, { task: "What the lawyers said. ".repeat(90) }),
  "sent-back": mail(refund().task, {
    purpose: "sent_back",
    sent_back: {
      reason:
        "The note says that the photos show no damage, but two of the three items are missing.\nSay what happens with the missing items.",
      attempt: 1,
    },
  }),
  "sent-back-without-reason": mail(refund().task, {
    purpose: "sent_back",
    sent_back: { reason: " \u200B", attempt: 1 },
  }),
  "sent-back-redacted": mail(
    { ...refund().task, redact_payload: true },
    { purpose: "sent_back", sent_back: { reason: "Johanna Lindqvist is no customer.", attempt: 1 } },
  ),
  "three-options": mail({ ...asking(["Publish", "Hold", "Discard"]), task: "Publish the weekly report?" }),
  "five-options": mail({
    ...asking([
      "Accept the offer as it is",
      "Accept, but ask for a later date of delivery",
      "Ask for another offer",
      "Reject",
      "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft",
    ]),
    task: "Which answer does the supplier get?",
  }),
  long: mail({
    task: `${"Check the contract of the supplier, all of its annexes and the letter that came with it. ".repeat(3)}\n\n${"What the lawyers said:\n- the liability is limited\n- the term is not\n\n".repeat(40)}`,
  }),
  rtl: mail({
    ...asking(["موافقة", "رفض"], "هل توافق على هذا المبلغ؟"),
    task: "الموافقة على استرداد 1,240 يورو للطلب رقم 48219",
    payload: { العميل: "يوهانا ليندكفيست", المبلغ: 1240 },
  }),
  ...Object.fromEntries(
    Object.entries(hostileTexts()).map(([name, text]) => [
      `hostile-${name}`,
      mail(
        {
          ...asking([text, `${text} `], text, text),
          task: text,
          payload: { [text]: text, list: [text, text], inner: { [`${text}2`]: text } },
        },
        { to: { address: "mia@example.com", name: text, time_zone: text } },
      ),
    ]),
  ),
  "hostile-reason": mail(
    { task: "<b>task</b>" },
    { purpose: "sent_back", sent_back: { reason: Object.values(hostileTexts()).join("\n"), attempt: 3 } },
  ),
};

/** Texts that try to be something else. */
export function hostileTexts() {
  return {
    markup: `</title></style></div><script>alert(1)</script><img src=https://evil.example/x.png onerror="alert(2)"> & <b>bold</b> <!-- --> </td></table>`,
    quotes: `"' onmouseover="alert(1)" style='background:url(https://evil.example/y.png)' &quot; &lt;`,
    link: "javascript:alert(1) https://evil.example/?choice=0 [click](https://evil.example/)",
    lines:
      "Task\r\nBcc: everybody@evil.example\r\n\r\nbody\u2028https://evil.example/2\u2029https://evil.example/3\u0085\u000B\f\nhttps://evil.example/4",
    controls: "a\u0000b\u0001c\u0007d\u001B[31me\u007Ff\u009Bg\uD800h",
    override: "invoice-\u202Efdp.exe \u2066\u2067\u2068 \u200Bx\u2069 \u202A\u202B\u202C\u202D",
    unbroken: "x".repeat(9_000),
    accents: `Z${"\u0335\u0321".repeat(4_000)}`,
    long: "A sentence that goes on and on. ".repeat(300),
    emoji: "👩‍👩‍👧‍👦".repeat(300),
    unseen: "\u202E\u200B\u0007",
  };
}

function refund(): MessageOptions {
  const { payload, payload_schema, hints } = PAYLOAD_FIXTURES["refund"]!;
  return mail({
    task: "Approve a €1,240.00 refund for order #48219 after a delivery dispute",
    payload,
    payload_schema,
    response_schema: {
      type: "object",
      properties: {
        approved: { type: "boolean", title: "Approve this refund?" },
        note: { type: "string", title: "Note to the agent" },
      },
      required: ["approved"],
    },
    form_definition: {
      payload: hints,
      ui: { approved: { "ui:enumNames": ["Approve", "Reject"] } },
      channels: { email: { summary: ["/amount", "/customer/name", "/risk"] } },
    },
  });
}

/** For somebody who may not answer. */
function informed(who_can_answer: string, task_link: string | null, task: Partial<MessageTask> = {}): MessageOptions {
  return mail({ ...refund().task, ...task }, { answering: { who_can_answer, task_link } });
}

/** A task that asks for one of these. */
function asking(labels: readonly string[], title = "What is to be done?", description?: string): Partial<MessageTask> {
  const oneOf = labels.map((label, index) => ({ const: index, title: label }));
  return {
    response_schema: {
      type: "object",
      properties: { decision: { title, ...(description === undefined ? {} : { description }), oneOf } },
      required: ["decision"],
    },
  };
}

function parts({
  response_schema,
  form_definition,
  payload = {},
}: (typeof FORM_FIXTURES)[number]): Partial<MessageTask> {
  return { response_schema, form_definition, payload };
}

function mail(task: Partial<MessageTask>, more: Partial<MessageOptions> = {}): MessageOptions {
  return {
    purpose: "decision",
    task: {
      id: "tsk_01K9Z8Q6V3",
      task: "Approve the order",
      payload: {},
      payload_schema: {},
      response_schema: { type: "object", properties: { note: { type: "string" } } },
      form_definition: null,
      redact_payload: false,
      timeout_at: FIXTURE_NOW.getTime() + 4 * HOUR,
      ...task,
    },
    to: { address: "mia@example.com", name: "Mia Chen", time_zone: "Europe/Berlin" },
    answering: { link: FIXTURE_LINK },
    settings_link: "https://tasks.example.com/settings",
    sent_back: null,
    now: FIXTURE_NOW,
    ...more,
  };
}
