import assert from "node:assert/strict";
import { test } from "node:test";
import { checkPlan } from "../../../form/check.ts";
import type { Entries } from "../../../form/entries.ts";
import { FIXTURE_ZONE, FORM_FIXTURES } from "../../../form/fixtures.ts";
import type { FormFixture } from "../../../form/fixtures.ts";
import { FIXTURE_NOW } from "../../../form/payload-fixtures.ts";
import { entriesOf, planForm } from "../../../form/plan.ts";
import type { Form } from "../../../form/plan.ts";
import { readPost } from "../../../form/post.ts";
import { checkModal, isAccepted, submitted } from "../../../test/support/slack/surfaces.ts";
import { HOUR } from "../../lib/time.ts";
import { blockOf } from "./block-ids.ts";
import { slackForm } from "./form.ts";
import { messageOf } from "./message.ts";
import { modalOf, parseModalData } from "./modal.ts";
import type { SlackTask } from "./summary.ts";
import { entriesOfView, errorsOfView } from "./values.ts";

function taskOf({ title, response_schema, form_definition = {}, payload = {} }: FormFixture): SlackTask {
  return {
    id: "tsk_01K9Z8Q6V3",
    task: title,
    payload,
    payload_schema: {},
    response_schema,
    form_definition,
    redact_payload: false,
    timeout_at: FIXTURE_NOW.getTime() + 4 * HOUR,
  };
}

const MESSAGE = { channel: "C0123456789", ts: "1763647200.000100" };

function open(task: SlackTask, form: Form, entries: Entries = {}) {
  const view = modalOf(task, form, entries, MESSAGE);
  if (view !== null) checkModal(view, task.task);
  return view;
}

/** What comes of a modal that is submitted as it stands. */
function submit(form: Form, view: NonNullable<ReturnType<typeof open>>): Entries {
  const data = parseModalData(view.private_metadata ?? "");
  assert.ok(data !== null);
  return entriesOfView(form, submitted(view), data);
}

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
    const task = taskOf(fixture);
    const form = slackForm(task, FIXTURE_ZONE, FIXTURE_NOW);
    const untouched = open(task, form);
    const leftOut = IN_SLACK[fixture.name];
    const message = JSON.stringify(
      messageOf(task, {
        assignee: null,
        claimed_by: null,
        is_verified: true,
        link: "https://tasks.example.com/tasks/tsk_01K9Z8Q6V3",
        time_zone: FIXTURE_ZONE,
        now: FIXTURE_NOW,
      }),
    );
    if (leftOut === "browser" || leftOut === undefined) {
      assert.equal(untouched, null, fixture.name);
      assert.match(message, /This one needs the browser\./, fixture.name);
      assert.doesNotMatch(message, /answer:open/, fixture.name);
      continue;
    }
    assert.ok(untouched !== null, fixture.name);
    assert.match(message, /answer:open/, fixture.name);
    const answer = answerOf(fixture);
    const filled = open(task, form, entriesOf(planForm(form, {}, answer)));
    assert.ok(filled !== null, fixture.name);
    assert.ok(isAccepted(filled, submitted(filled)), fixture.name);
    const posted = readPost(form, submit(form, filled));
    assert.deepEqual(posted, { act: "answer", entries: posted.entries, value: answer }, fixture.name);
  }
});

void test("a wrong answer is told at its field", () => {
  for (const fixture of FORM_FIXTURES) {
    if (IN_SLACK[fixture.name] === "browser") continue;
    const task = taskOf(fixture);
    const form = slackForm(task, FIXTURE_ZONE, FIXTURE_NOW);
    const right = entriesOf(planForm(form, {}, answerOf(fixture)));
    for (const { entries, at, says } of fixture.wrong) {
      const posted = { ...right, ...entries };
      const errors = errorsOfView(form, posted, checkPlan(form, planForm(form, posted)));
      const view = open(task, form, { ...posted });
      const blocks = Object.keys(submitted(view ?? { blocks: [] }));
      const block = at === "" ? blocks[0]! : blockOf(at);
      assert.ok(blocks.includes(block), `${fixture.name} ${at}`);
      assert.deepEqual(errors, { [block]: says }, `${fixture.name} ${at}`);
    }
  }
});
