import assert from "node:assert/strict";
import { test } from "node:test";
import { checkPlan } from "../../../../form/plan/check.ts";
import { FIXTURE_ZONE, FORM_FIXTURES } from "../../../../form/fixtures/forms.ts";
import type { FormFixture } from "../../../../form/fixtures/forms.ts";
import { FIXTURE_NOW } from "../../../../form/fixtures/payloads.ts";
import { entriesOf, planForm } from "../../../../form/plan/plan.ts";
import { readPost } from "../../../../form/plan/post.ts";
import { enter, formOf, inputsOf, labelsOf, MESSAGE, open, read, show } from "../../../../test/support/slack/modals.ts";
import { checkModal, isAccepted, submitted } from "../../../../test/support/slack/surfaces.ts";
import { blockOf } from "./block-ids.ts";
import { askingFor, slackTask, taskOfForm } from "../fixtures/tasks.ts";
import { messageOf } from "../message.ts";
import { modalOf, parseModalData } from "./modal.ts";
import { entriesOfView, errorsOfView } from "./values.ts";

/** What becomes of each form in Slack: "browser", or what its modal leaves out of the answer. */
const IN_SLACK: Readonly<Record<string, "browser" | readonly string[]>> = {
  approval: [],
  choices: [],
  several: [],
  numbers: [],
  // A code would be shown while it is written.
  texts: ["pin"],
  times: [],
  consent: [],
  lists: "browser",
  records: "browser",
  variants: "browser",
  regions: [],
  conditions: [],
  groups: [],
  "one-of-these": [],
  anything: "browser",
  "whole-answer-json": "browser",
  prefilled: [],
  "right-to-left": [],
  zod: "browser",
  pydantic: "browser",
};

function answerOf({ name, answer }: FormFixture): unknown {
  const leftOut = IN_SLACK[name] ?? [];
  return Object.fromEntries(Object.entries(answer).filter(([key]) => !leftOut.includes(key)));
}

void test("each form has a modal that gives its answer, or a message that sends people to the browser", () => {
  assert.deepEqual(
    Object.keys(IN_SLACK),
    FORM_FIXTURES.map(({ name }) => name),
  );
  for (const fixture of FORM_FIXTURES) {
    const task = taskOfForm(fixture);
    const form = formOf(task);
    const untouched = open(task);
    const leftOut = IN_SLACK[fixture.name];
    const message = JSON.stringify(
      messageOf(task, {
        assignee: null,
        claimed_by: null,
        answered_by_others: null,
        mayClaim: true,
        is_verified: true,
        link: "https://tasks.example.com/tasks/tsk_01K9Z8Q6V3",
        time_zone: FIXTURE_ZONE,
        now: FIXTURE_NOW,
      }),
    );
    if (leftOut === "browser" || leftOut === undefined) {
      assert.equal(untouched, null, fixture.name);
      assert.match(message, /Open in browser to answer\./, fixture.name);
      assert.doesNotMatch(message, /answer:open/, fixture.name);
      continue;
    }
    assert.ok(untouched !== null, fixture.name);
    assert.match(message, /answer:open/, fixture.name);
    const answer = answerOf(fixture);
    const filled = open(task, entriesOf(planForm(form, {}, answer)));
    assert.ok(filled !== null, fixture.name);
    assert.ok(isAccepted(filled, submitted(filled)), fixture.name);
    const posted = readPost(form, read(task, filled));
    assert.deepEqual(posted, { act: "answer", entries: posted.entries, value: answer }, fixture.name);
  }
});

void test("a wrong answer is told at its field", () => {
  for (const fixture of FORM_FIXTURES) {
    if (IN_SLACK[fixture.name] === "browser") continue;
    const task = taskOfForm(fixture);
    const form = formOf(task);
    const right = entriesOf(planForm(form, {}, answerOf(fixture)));
    for (const { entries, at, says } of fixture.wrong) {
      const posted = { ...right, ...entries };
      const errors = errorsOfView(form, posted, checkPlan(form, planForm(form, posted)));
      const view = open(task, { ...posted });
      const blocks = Object.keys(submitted(view ?? { blocks: [] }));
      const block = at === "" ? blocks[0]! : blockOf(at);
      assert.ok(blocks.includes(block), `${fixture.name} ${at}`);
      assert.deepEqual(errors, { [block]: says }, `${fixture.name} ${at}`);
    }
  }
});

void test("an answer that brings up a field shows it at once, and keeps what was entered", () => {
  const task = taskOfForm(FORM_FIXTURES.find(({ name }) => name === "conditions")!);
  const before = show(task);
  assert.deepEqual(labelsOf(before), ["Publish this article?", "Express"]);
  assert.deepEqual(
    inputsOf(before).map(({ dispatch_action }) => dispatch_action),
    [true, true],
  );
  const no = enter(before, "/approved", { selected_option: { value: "1" } });
  const after = show(task, read(task, before, no));
  assert.deepEqual(labelsOf(after), ["Publish this article?", "Express", "What must change?"]);
  const kept = submitted(after, no);
  const told = enter({ ...after }, "/reason", { value: "The second source is missing." });
  const posted = readPost(formOf(task), read(task, after, { ...kept, "/reason": told["/reason"]! }));
  assert.deepEqual(posted.act === "answer" && posted.value, {
    approved: false,
    reason: "The second source is missing.",
  });
});

void test("what is submitted before the field that it brings up was seen is asked once more", () => {
  const task = taskOfForm(FORM_FIXTURES.find(({ name }) => name === "conditions")!);
  const view = show(task);
  const posted = readPost(
    formOf(task),
    read(task, view, enter(view, "/approved", { selected_option: { value: "0" } })),
  );
  assert.equal(posted.act === "show" && posted.notice, "changed");
});

void test("an option of another list is never taken for one of this list", () => {
  const task = taskOfForm(FORM_FIXTURES.find(({ name }) => name === "regions")!);
  const german = show(task, { "/country": ["1"], "/region": ["1"] });
  assert.deepEqual(readPost(formOf(task), read(task, german)).act, "answer");
  const american = enter(german, "/country", { selected_option: { value: "0" } });
  const entries = read(task, german, american);
  assert.equal(entries["/region"], undefined);
  assert.deepEqual(planForm(formOf(task), entries).value, { country: "US" });
});

void test("only fields that decide about others tell of every change", () => {
  for (const { name, dispatches } of [
    { name: "approval", dispatches: [false, false] },
    { name: "regions", dispatches: [true, false] },
  ]) {
    const view = show(taskOfForm(FORM_FIXTURES.find((fixture) => fixture.name === name)!), { "/country": ["0"] });
    assert.deepEqual(
      inputsOf(view).map(({ dispatch_action = false }) => dispatch_action),
      dispatches,
      name,
    );
  }
});

void test("a group that may be missing is in the answer as soon as one of its fields is", () => {
  const task = taskOfForm(FORM_FIXTURES.find(({ name }) => name === "groups")!);
  const view = show(task);
  assert.ok(
    inputsOf(view)
      .filter(({ block_id }) => block_id?.startsWith("/pickup/"))
      .every(({ optional }) => optional),
  );
  const street = enter(view, "/pickup/street", { value: "Drottninggatan 5" });
  const entries = read(task, view, street);
  const errors = errorsOfView(formOf(task), entries, checkPlan(formOf(task), planForm(formOf(task), entries)));
  assert.deepEqual(errors, {
    "/billing/street": "Required",
    "/billing/city": "Required",
    "/billing/country": "Choose one.",
    "/pickup/city": "Required",
    "/pickup/country": "Choose one.",
  });
  assert.equal(readPost(formOf(task), entries).act, "show");
});

void test("a group that only a box tells of goes to the browser when the box is not ticked", () => {
  const properties = { note: { type: ["string", "null"] }, urgent: { type: "boolean" } };
  const task = slackTask(askingFor({ more: { type: "object", properties, required: ["note"] } }));
  const modal = (more: object) => open(task, entriesOf(planForm(formOf(task), {}, { more })));
  // It would come back as an answer without the group.
  assert.equal(modal({ note: null, urgent: false }), null);
  assert.notEqual(modal({ note: null, urgent: true }), null);
});

void test("a group inside of a group is in the answer when nothing else of the outer one is filled in", () => {
  const text = { type: "string" };
  // Whether a group is there is asked only where it would demand something.
  const group = (properties: object) => ({ type: "object", properties, required: Object.keys(properties).slice(0, 1) });
  const door = group({ code: text, bell: text });
  const delivery = group({
    note: { type: ["string", "null"] },
    place: group({ street: { type: ["string", "null"] }, door }),
  });
  const task = slackTask(askingFor({ ok: { type: "boolean" }, delivery }, "ok"));
  const before = { ok: true, delivery: { note: null, place: { street: null, door: { code: "4711" } } } };
  const view = show(task, entriesOf(planForm(formOf(task), {}, before)));
  const answerOf = (values = submitted(view), filled = view): unknown => {
    const posted = readPost(formOf(task), read(task, filled, values));
    return posted.act === "answer" ? posted.value : posted.act;
  };
  assert.deepEqual(answerOf(), before);
  // The inner ones are not asked for before the outer one is there, and then nobody misses them.
  const blank = show(task);
  assert.deepEqual(labelsOf(blank), ["Ok", "Note"]);
  assert.deepEqual(answerOf(enter(blank, "/ok", { selected_option: { value: "0" } }), blank), { ok: true });
  const bell = enter(view, "/delivery/place/door/bell", { value: "Dana" });
  const place = { street: null, door: { code: "4711", bell: "Dana" } };
  assert.deepEqual(answerOf(bell), { ok: true, delivery: { note: null, place } });
  assert.deepEqual(answerOf(enter(view, "/delivery/place/door/code", { value: null })), { ok: true });
});

void test("a default inside a group that nobody asked for does not add it", () => {
  const part = {
    type: "object",
    properties: { sku: { type: "string" }, count: { type: "integer", default: 1 } },
    required: ["sku"],
  };
  const task = slackTask(askingFor({ ok: { type: "boolean" }, part }, "ok"));
  const view = show(task);
  const posted = readPost(formOf(task), read(task, view, enter(view, "/ok", { selected_option: { value: "0" } })));
  assert.deepEqual(posted.act === "answer" && posted.value, { ok: true });
});

void test("what Slack cannot ask, but nobody has to answer, is left out and named", () => {
  const anything = { title: "Patch <!channel>" };
  const view = show(slackTask(askingFor({ ok: { type: "boolean" }, anything }, "ok")));
  assert.deepEqual(labelsOf(view), ["Ok"]);
  const text = "Optional, in the browser only: Patch &lt;!channel&gt;";
  assert.deepEqual(view.blocks.at(-1), {
    type: "context",
    elements: [{ type: "plain_text", text, emoji: false }],
  });
});

void test("an answer that brings up what Slack cannot ask sends people to the browser", () => {
  const lines = { type: "array", items: { type: "string" }, minItems: 1 };
  const task = slackTask({
    response_schema: {
      ...(askingFor({ ok: { type: "boolean" }, more: { type: "boolean" } }, "ok").response_schema as object),
      dependentSchemas: { more: { properties: { lines }, required: ["lines"] } },
    },
  });
  const view = show(task);
  const entries = read(task, view, enter(view, "/more", { selected_options: [{ value: "0" }] }));
  assert.deepEqual(entries["/more"], ["true"]);
  assert.equal(readPost(formOf(task), entries).act, "show");
  assert.equal(open(task, entries), null);
});

void test("a task names its modal and the button that submits it", () => {
  const named = (title: string, label: string) => {
    const form_definition = { channels: { slack: { title } }, submit: { label } };
    const { title: shown, submit: button } = show(slackTask({ form_definition }));
    return [shown.text, button?.text];
  };
  assert.deepEqual(named("Refund", "Send decision"), ["Refund", "Send decision"]);
  assert.deepEqual(named("", " "), ["Your answer", "Submit answer"]);
  assert.deepEqual(named("Refund for order number 48219", "x".repeat(30)), [
    "Refund for order...",
    `${"x".repeat(21)}...`,
  ]);
});

void test("what would be left out with a value in it keeps the form in the browser", () => {
  const task = slackTask({
    ...askingFor({ ok: { type: "boolean" }, anything: { title: "Patch" } }, "ok"),
    payload: { patch: { op: "replace" } },
    form_definition: { prefill: { "/anything": "/patch" } },
  });
  assert.equal(open(task), null);
});

void test("what was entered elsewhere is not lost in a modal that has no room for it", () => {
  const task = slackTask(askingFor({ ok: { type: "boolean" }, anything: { title: "Patch" } }, "ok"));
  assert.equal(open(task, { "/ok": ["true"], "/anything~json": ["null"] }), null);
  assert.ok(open(task, { "/ok": ["true"], "/anything~json": [""] }) !== null);
});

void test("what a task wants to have confirmed must be ticked", () => {
  const task = slackTask({
    ...askingFor({ ok: { type: "boolean" } }, "ok"),
    form_definition: { submit: { confirm: "This pays the customer." } },
  });
  const view = show(task);
  assert.deepEqual(labelsOf(view), ["Ok", "This pays the customer."]);
  const yes = enter(view, "/ok", { selected_option: { value: "0" } });
  assert.ok(!isAccepted(view, yes));
  const unticked = readPost(formOf(task), read(task, view, yes));
  assert.equal(unticked.act === "show" && unticked.notice, "confirm");
  const ticked = {
    ...yes,
    "~confirmed": enter(view, "~confirmed", { selected_options: [{ value: "0" }] })["~confirmed"]!,
  };
  assert.equal(readPost(formOf(task), read(task, view, ticked)).act, "answer");
});

void test("a modal begins with why the last answer was sent back", () => {
  const task = slackTask(askingFor({ ok: { type: "boolean" } }, "ok"));
  const note = { title: "Sent back (attempt 2)", text: "The photos show *no* damage.\nSay why." };
  const view = modalOf(task, formOf(task), { "/ok": ["true"] }, { ...MESSAGE, note });
  assert.ok(view !== null);
  checkModal(view);
  assert.deepEqual(view.blocks[0], {
    type: "section",
    text: { type: "plain_text", text: "Sent back (attempt 2)\nThe photos show *no* damage.\nSay why.", emoji: false },
  });
  const posted = readPost(formOf(task), read(task, view));
  assert.deepEqual(posted.act === "answer" && posted.value, { ok: true });
});

void test("a modal carries where it came from and nothing of the task's content", () => {
  const view = show(slackTask({ ...askingFor({ ok: { type: "boolean" } }), payload: { secret: "SECRET" } }));
  const data = parseModalData(view.private_metadata ?? "");
  assert.deepEqual(data, { task: "tsk_01K9Z8Q6V3", ...MESSAGE, shown: data?.shown });
  assert.ok((view.private_metadata ?? "").length < 300);
  for (const other of ["", "{", "null", "[]", '{"task":1}', '{"task":"tsk_1","channel":"C1","ts":"1"}'])
    assert.equal(parseModalData(other), null, other);
});

void test("values that are no modal's of ours answer nothing", () => {
  const task = slackTask(askingFor({ ok: { type: "boolean" }, pick: { enum: ["a", "b", "c"] } }, "ok"));
  const data = { task: task.id, ...MESSAGE, shown: "" };
  for (const values of [
    null,
    7,
    [],
    {},
    { "/ok": null },
    { "/ok": { "input:x": { selected_option: { value: "0" } } } },
  ])
    assert.deepEqual(planForm(formOf(task), entriesOfView(formOf(task), values, data)).value, {});
  const view = show(task);
  const beyond = read(task, view, enter(view, "/pick", { selected_option: { value: "99" } }));
  assert.equal(readPost(formOf(task), beyond).act, "show");
});
