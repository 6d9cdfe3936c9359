import assert from "node:assert/strict";
import { test } from "node:test";
import { chosenOption } from "../../../form/plan/chosen.ts";
import { own } from "../../../form/plan/hints.ts";
import { FIXTURE_NOW, PAYLOAD_FIXTURES } from "../../../form/fixtures/payloads.ts";
import { planForm } from "../../../form/plan/plan.ts";
import { checkMessage } from "../../../test/support/slack/surfaces.ts";
import { parseAction } from "./clicks/actions.ts";
import { askingFor, slackTask } from "./fixtures/tasks.ts";
import { entriesOfChoice, slackForm } from "./modal/form.ts";
import { endedMessageOf, messageOf } from "./message.ts";
import type { Ending, MessageOptions, SlackMessage } from "./message.ts";
import { modalOf } from "./modal/modal.ts";
import type { SlackTask } from "./modal/summary.ts";

const LINK = "https://tasks.example.com/tasks/tsk_01K9Z8Q6V3";

function taskOf(more: Partial<SlackTask> = {}): SlackTask {
  const { payload, payload_schema, hints } = PAYLOAD_FIXTURES["refund"]!;
  const isSingle = (key: string) => !["message", "items", "photo"].includes(key);
  return slackTask({
    task: "Approve a €1,240.00 refund for order #48219 after a delivery dispute",
    payload: Object.fromEntries(Object.entries(payload as object).filter(([key]) => isSingle(key))),
    payload_schema,
    response_schema: {
      type: "object",
      properties: {
        approved: {
          type: "boolean",
          title: "Approve this refund?",
          description: "Approving pays the customer right away.",
        },
        note: { type: "string", title: "Note to the agent" },
      },
      required: ["approved"],
    },
    form_definition: { payload: hints, ui: { approved: { "ui:enumNames": ["Approve", "Reject"] } } },
    ...more,
  });
}

function send(task: Partial<SlackTask> = {}, options: Partial<MessageOptions> = {}): SlackMessage {
  const message = messageOf(taskOf(task), {
    assignee: null,
    claimed_by: null,
    answered_by_others: null,
    mayClaim: true,
    is_verified: false,
    link: LINK,
    time_zone: "Europe/Berlin",
    now: FIXTURE_NOW,
    ...options,
  });
  checkMessage(message);
  return message;
}

interface SeenButton {
  action_id: string;
  text: { text: string };
  url?: string;
  style?: string;
  confirm?: { title: { text: string }; text: { text: string } };
}

function buttonsOf({ blocks }: SlackMessage): SeenButton[] {
  return blocks.flatMap((block) => (block.type === "actions" ? (block.elements as SeenButton[]) : []));
}

const labelsOf = (message: SlackMessage): string[] => buttonsOf(message).map(({ text }) => text.text);

/** All texts, line by line. */
function textOf({ blocks }: SlackMessage): string {
  const texts: string[] = [];
  const look = (part: unknown): void => {
    const text = own(part, "text");
    if (typeof text === "string") texts.push(text);
    else if (typeof part === "object" && part !== null) for (const inner of Object.values(part)) look(inner);
  };
  look(blocks);
  return texts.join("\n");
}

void test("a message says what is to be decided, the facts, until when, and for whom", () => {
  const message = send({}, { assignee: "Mia Chen" });
  assert.equal(message.text, "Decision needed: Approve a €1,240.00 refund for order #48219 after a delivery dispute");
  assert.deepEqual(
    message.blocks.map(({ type }) => type),
    ["section", "section", "context", "actions"],
  );
  const [task, facts, about] = message.blocks;
  assert.deepEqual(own(task, "text"), {
    type: "mrkdwn",
    text: "*Approve a €1,240.00 refund for order #48219 after a delivery dispute*",
    verbatim: true,
  });
  const fields = own(facts, "fields") as { text: string }[];
  assert.equal(fields.length, 5);
  assert.equal(fields[0]?.text, "*Refund amount*\n€1,240.00");
  assert.deepEqual(
    (own(about, "elements") as { text: string }[]).map(({ text }) => text),
    [
      "Answer by <!date^1795195200^{date_short_pretty} at {time}|Fri, 20 Nov 2026, 17:20 UTC>",
      "Assigned to Mia Chen",
      "Task tsk_01K9Z8Q6V3",
    ],
  );
});

void test("when the decision is all that is needed, each option is a button that asks once more", () => {
  const message = send();
  assert.deepEqual(labelsOf(message), ["Approve", "Reject", "Add details", "Open in browser", "Claim"]);
  const [approve, reject] = buttonsOf(message);
  assert.equal(approve?.confirm?.title.text, "Send this answer?");
  assert.equal(
    approve?.confirm?.text.text,
    "Approve this refund?\nYour answer: Approve\nApproving pays the customer right away.",
  );
  assert.ok(
    buttonsOf(message).every(({ style }) => style === undefined),
    "no option looks more welcome than another",
  );
  const task = taskOf();
  const form = slackForm(task, "Europe/Berlin", FIXTURE_NOW);
  const click = parseAction(reject?.action_id ?? "");
  assert.ok(click?.act === "choose");
  assert.deepEqual(planForm(form, entriesOfChoice(form, click.index, false) ?? {}).value, { approved: false });
  assert.equal(entriesOfChoice(form, 2, false), null, "no third option");
});

const YES_OR_NO = { type: "boolean", title: "Publish?" };
const asking = (properties: Record<string, unknown>, ...required: string[]) => ({
  ...askingFor(properties, ...required),
  form_definition: null,
});

void test("when there is more to it than one choice, one button opens the form", () => {
  const answer = ["Answer", "Open in browser", "Claim"];
  assert.deepEqual(labelsOf(send({}, { is_verified: true })), answer, "something judges the answer");
  const note = { type: "string" };
  assert.deepEqual(labelsOf(send(asking({ ok: YES_OR_NO, note }, "ok", "note"))), answer);
  assert.deepEqual(labelsOf(send(asking({ note }, "note"))), answer);
  const wide = { enum: ["a", "b", "c", "d", "e", "f"] };
  assert.deepEqual(labelsOf(send(asking({ wide }, "wide"))), answer, "six options");
  const conditional = asking({ ok: YES_OR_NO }, "ok");
  const dependentSchemas = { ok: { properties: { why: { type: "string" } } } };
  const response_schema = { ...Object(conditional.response_schema), dependentSchemas };
  assert.deepEqual(labelsOf(send({ ...conditional, response_schema })), answer, "an option asks for more");
  const two = { ...Object(conditional.response_schema), minProperties: 2 };
  assert.deepEqual(labelsOf(send({ ...conditional, response_schema: two })), answer, "an option is not enough");
  const region = { ...asking({ region: YES_OR_NO }), payload: { region: true } };
  const form_definition = { decision: "/region", ui: { region: { "ui:readonly": true } } };
  assert.deepEqual(labelsOf(send({ ...region, form_definition })), answer, "a decision that nobody can change");
  const prefilled = { ...asking({ ok: YES_OR_NO, note }, "ok"), payload: { draft: "Dear customer" } };
  assert.deepEqual(
    labelsOf(send({ ...prefilled, form_definition: { prefill: { "/note": "/draft" } } })),
    answer,
    "a text that nobody has seen would be sent",
  );
  const form = slackForm(taskOf(asking({ ok: YES_OR_NO, note }, "ok", "note")), "UTC", FIXTURE_NOW);
  assert.equal(entriesOfChoice(form, 0, false), null, "and a click on a button that is not there answers nothing");
});

void test("one press is offered only where the message shows the whole payload", () => {
  const payloadOf = (payload: unknown) =>
    send({
      ...asking({ ok: YES_OR_NO }, "ok"),
      payload,
      payload_schema: { properties: { terms: { format: "markdown" } } },
    });
  const one = { name: "Dana", amount: 3 };
  const claims = Array.from({ length: 12 }, (_, i) => ({ ...one, amount: i }));
  const unseen: [payload: unknown, left_out: string][] = [
    [claims, "12 rows not shown here"],
    [{ claims }, "12 rows not shown here"],
    [{ total: 66, claims }, "+ 12 rows not shown here"],
    [
      { ...Object.fromEntries(Array.from("abcdefghij", (key) => [key, 1])), deep: { k: 1 } },
      "+ 7 more fields not shown here",
    ],
    [Object.fromEntries(Array.from("abcdefghijk", (key) => [key, 1])), "+ 7 more fields not shown here"],
    [{ ...one, nothing: [] }, "+ 1 more field not shown here"],
    [
      { total: 66, terms: "# Terms\n\n**Read** them.", claims: [...claims, one] },
      "+ 1 more field, 13 rows not shown here",
    ],
  ];
  for (const [payload, leftOut] of unseen) {
    const message = payloadOf(payload);
    assert.deepEqual(labelsOf(message), ["Answer", "Open in browser", "Claim"], leftOut);
    assert.ok(textOf(message).split("\n").includes(leftOut), `${leftOut} in ${textOf(message)}`);
  }
  const long = payloadOf({ reason: "word ".repeat(60) });
  assert.deepEqual(labelsOf(long), ["Answer", "Open in browser", "Claim"], "a text is cut");
  const scan = { url: "https://files.example.com/scan.png", bytes: 70, media_type: "image/png", name: "<scan>.png" };
  const named = payloadOf({ scan: { ...scan, sha256: "0".repeat(64) } });
  assert.deepEqual(labelsOf(named), ["Answer", "Open in browser", "Claim"], "the content of a file is not shown");
  assert.match(JSON.stringify(named), /&lt;scan&gt;\.png \(image\/png, 70 bytes, SHA-256 000000000000\.\.\.\)/);
  for (const payload of [
    {},
    one,
    { ...one, tags: ["a", "b"], nested: { city: "Bern" } },
    Object.fromEntries(Array.from("abcdefghij", (key) => [key, 1])),
  ]) {
    const message = payloadOf(payload);
    assert.deepEqual(labelsOf(message), ["Yes", "No", "Open in browser", "Claim"], JSON.stringify(payload));
    assert.doesNotMatch(textOf(message), /not shown here/);
  }
});

void test("the form says as well what it leaves out of the payload", () => {
  const task = taskOf({
    payload: {
      total: 66,
      claims: [
        { a: 1, b: 2 },
        { a: 3, b: 4 },
      ],
    },
    payload_schema: {},
  });
  const form = slackForm(task, "UTC", FIXTURE_NOW);
  const modal = modalOf(task, form, {}, { channel: "C1", ts: "1" });
  assert.match(JSON.stringify(modal), /"\+ 2 rows not shown here"/);
});

void test("without anything else to say there are no details to add", () => {
  assert.deepEqual(labelsOf(send(asking({ ok: YES_OR_NO }, "ok"))), ["Yes", "No", "Open in browser", "Claim"]);
});

void test("an unassigned task can be claimed, and a message says who is on it", () => {
  assert.ok(labelsOf(send({}, { assignee: null })).includes("Claim"));
  assert.ok(!labelsOf(send({}, { assignee: "Mia Chen" })).includes("Claim"));
  assert.match(textOf(send({}, { claimed_by: "Dana Fox" })), /^Dana Fox is working on this$/m);
  assert.match(textOf(send({}, { claimed_by: " \u200B" })), /^someone is working on this$/m);
});

void test("what a task wants to have confirmed stands in the question before the answer is sent", () => {
  const form_definition = { submit: { confirm: "This pays the customer." } };
  const [yes] = buttonsOf(send({ ...asking({ ok: YES_OR_NO }, "ok"), form_definition }));
  assert.equal(yes?.confirm?.text.text, "Publish?\nYour answer: Yes\nThis pays the customer.");
});

void test("nothing of a redacted payload is in Slack: no fact, no option, no form", () => {
  const secret = { amount: "SECRET-1", name: "SECRET-2" };
  const task = { payload: secret, redact_payload: true, form_definition: { prefill: { "/note": "/amount" } } };
  const message = send(task);
  assert.doesNotMatch(JSON.stringify(message), /SECRET/);
  assert.deepEqual(labelsOf(message), ["Answer in the browser", "Open in browser", "Claim"]);
  assert.match(textOf(message), /^Open in browser to answer\.$/m);
  const form = slackForm(taskOf(task), "UTC", FIXTURE_NOW);
  assert.equal(modalOf(taskOf(task), form, {}, { channel: "C1", ts: "1" }), null);
  const ended = end({ decision: "SECRET-3" }, task);
  assert.doesNotMatch(JSON.stringify(ended), /SECRET/);
});

function end(more: Partial<Ending> = {}, task: Partial<SlackTask> = {}): SlackMessage {
  const ending: Ending = {
    how: "completed",
    who: "Dana Fox",
    member: null,
    via: "slack",
    at: Date.parse("2026-11-20T14:32:00Z"),
    decision: "Approve",
    decided: null,
    ...more,
  };
  const message = endedMessageOf(taskOf(task), ending, { time_zone: "UTC", now: FIXTURE_NOW });
  checkMessage(message);
  assert.deepEqual(buttonsOf(message), []);
  return message;
}

void test("the message of a task that has ended says how, and has no buttons", () => {
  const when = (lead: string) => `${lead}<!date^1795185120^{date_short_pretty} at {time}|Fri, 20 Nov 2026, 14:32 UTC>`;
  const outcome = (more: Partial<Ending>) => {
    const { text, blocks } = end(more);
    const said = (own(blocks.at(-1), "elements") as { text: string }[]).map((element) => element.text);
    assert.equal(said.pop(), "Task tsk_01K9Z8Q6V3");
    return [text.split(": ")[0], ...said];
  };
  assert.deepEqual(outcome({}), ["“Approve” by Dana Fox", "“Approve” by Dana Fox", when(""), "in Slack"]);
  assert.deepEqual(outcome({ decision: null, via: "dashboard" }), [
    "Answered by Dana Fox",
    "Answered by Dana Fox",
    when(""),
    "on the dashboard",
  ]);
  assert.deepEqual(outcome({ decision: null, who: null, via: "<@U1>" }), ["Answered", "Answered", when("")]);
  assert.deepEqual(outcome({ how: "timed_out" }), ["Timed out", when("Timed out ")]);
  assert.deepEqual(outcome({ how: "cancelled" }), ["Cancelled", when("Cancelled ")]);
  assert.deepEqual(outcome({ how: "verification_exhausted" }), [
    "Automatic check failed",
    when("Automatic check failed "),
  ]);
});

void test("somebody whom only Slack knows is named to Slack, and what is no id is not", () => {
  const elementsOf = (member: string) => {
    const said = { decision: "Approve", decided: null };
    const ending: Ending = { how: "completed", who: "a Slack member", member, via: null, at: 0, ...said };
    const { text, blocks } = endedMessageOf(taskOf(), ending, { time_zone: "UTC", now: FIXTURE_NOW });
    assert.match(text, /^“Approve” by a Slack member: /);
    return (own(blocks.at(-1), "elements") as { text: string }[]).map((element) => element.text).slice(0, 2);
  };
  assert.deepEqual(elementsOf("U0123456789"), ["“Approve”", "by <@U0123456789>"]);
  assert.equal(elementsOf("U1> <!channel")[0], "“Approve” by a Slack member");
});

void test("what was decided is said in the words of the form", () => {
  const form = slackForm(taskOf(), "UTC", FIXTURE_NOW);
  assert.equal(chosenOption(form, { approved: false, note: "No" }), "Reject");
  for (const nothing of [{}, { approved: "maybe" }, null]) assert.equal(chosenOption(form, nothing), null);
  assert.equal(chosenOption(slackForm(taskOf(asking({ note: { type: "string" } })), "UTC", FIXTURE_NOW), {}), null);
});

void test("a long task has its beginning in the message, and says where the rest is", () => {
  const long = send({ task: `Check this contract.\n\n${"Clause & more. ".repeat(500)}` });
  assert.match(textOf(long), /^\*Check this contract\.\*\nClause &amp; more\..*\.\.\. see the full text$/m);
  assert.match(textOf(send({ task: "word ".repeat(2_000) })), /^word .*word\.\.\. see the full text$/m);
  assert.doesNotMatch(textOf(send()), /see the full text/);
  assert.match(textOf(send({ task: "\u202E\u200B" })), /^\*Task tsk_01K9Z8Q6V3\*$/m);
});

void test("the facts are those that the task asks for, if there are any", () => {
  const facts = (summary: unknown) => {
    const message = send({ form_definition: { channels: { slack: { summary } } } });
    return ((own(message.blocks[1], "fields") ?? []) as { text: string }[]).map(({ text }) => text.split("\n")[0]);
  };
  assert.deepEqual(facts(["/risk", "/amount", "/gone", 7]), ["*Risk*", "*Refund amount*"]);
  assert.equal(facts(undefined).length, 6);
  assert.equal(facts(["/gone"]).length, 6);
});
