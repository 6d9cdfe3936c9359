import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { checkPlan } from "../../../form/plan/check.ts";
import { FIXTURE_ZONE, FORM_FIXTURES } from "../../../form/fixtures/forms.ts";
import { isRaw } from "../../../form/plan/hints.ts";
import { FIXTURE_NOW, PAYLOAD_FIXTURES } from "../../../form/fixtures/payloads.ts";
import { entriesOf, planForm } from "../../../form/plan/plan.ts";
import type { Form } from "../../../form/plan/plan.ts";
import { readPost } from "../../../form/plan/post.ts";
import { anyForm } from "../../../form/fixtures/random-forms.ts";
import { oneLine } from "../../../form/plain-text.ts";
import { factOf } from "../payload-summary.ts";
import { checkMessage, checkModal, submitted } from "../../../test/support/slack/surfaces.ts";
import { HOSTILE, slackTask, taskOfForm } from "./fixtures/tasks.ts";
import { slackForm } from "./modal/form.ts";
import { endedMessageOf, messageOf } from "./message.ts";
import { modalOf, parseModalData } from "./modal/modal.ts";
import type { SlackTask } from "./modal/summary.ts";
import { entriesOfView, errorsOfView } from "./modal/values.ts";

const MESSAGE = { channel: "C0123456789", ts: "1763647200.000100" };

/** Draws everything that there can be about a task, holds it to what Slack takes, and gives back its modal. */
function draw(task: SlackTask, words: string, entries = {}) {
  const form = slackForm(task, FIXTURE_ZONE, FIXTURE_NOW);
  for (const is_verified of [true, false])
    checkMessage(
      messageOf(task, {
        assignee: is_verified ? words : null,
        claimed_by: words,
        answered_by_others: null,
        mayClaim: true,
        is_verified,
        link: "https://tasks.example.com/tasks/tsk_01K9Z8Q6V3",
        time_zone: FIXTURE_ZONE,
        now: FIXTURE_NOW,
      }),
    );
  const fact = factOf({ name: words }, [oneLine(words)]);
  const decided = { said: "Approved with changes", facts: [fact], left_out: "3 more changes", messages: [] };
  const asked = { who: words, member: null, via: words, at: FIXTURE_NOW.getTime(), decision: words };
  for (const how of ["completed", "timed_out", "cancelled", "verification_exhausted"] as const)
    for (const known of [null, decided]) {
      const ending = { ...asked, how, decided: known };
      checkMessage(endedMessageOf(task, ending, { time_zone: FIXTURE_ZONE, now: FIXTURE_NOW }));
    }
  const note = { title: words, text: words };
  const view = modalOf(task, form, entries, { ...MESSAGE, note });
  if (view !== null) checkModal(view);
  return { form, view };
}

function submit(form: Form, view: NonNullable<ReturnType<typeof modalOf>>) {
  const data = parseModalData(view.private_metadata ?? "");
  assert.ok(data !== null);
  return entriesOfView(form, submitted(view), data);
}

/** The schema with these words wherever people read some. */
function saying(words: readonly string[], schema: unknown): unknown {
  let next = 0;
  const word = (): string => words[next++ % words.length] ?? "";
  const walk = (raw: unknown): unknown => {
    if (Array.isArray(raw)) return raw.map(walk);
    if (!isRaw(raw)) return raw;
    const inner = Object.fromEntries(
      Object.entries(raw).map(([key, value]) => [key, KEPT.has(key) ? value : walk(value)]),
    );
    return "type" in raw || "enum" in raw ? { ...inner, title: word(), description: word() } : inner;
  };
  return walk(schema);
}

const KEPT = new Set(["enum", "const", "required"]);

void test("whatever a modal is filled in with is what comes back", () => {
  let modals = 0;
  fc.assert(
    fc.property(anyForm, ({ schema, value }) => {
      const task = slackTask({ response_schema: schema });
      const form = slackForm(task, FIXTURE_ZONE, FIXTURE_NOW);
      const entries = entriesOf(planForm(form, {}, value));
      const { view } = draw(task, "Dana", entries);
      if (view === null) return;
      modals++;
      const read = submit(form, view);
      assert.deepEqual(planForm(form, read).value, planForm(form, entries).value);
      const posted = readPost(form, read);
      assert.ok(posted.act === "answer" || posted.errors.length > 0, "a modal asked what its answer is about");
      const blocks = Object.keys(submitted(view));
      for (const block of Object.keys(errorsOfView(form, read, checkPlan(form, planForm(form, read)))))
        assert.ok(blocks.includes(block), block);
    }),
    { numRuns: 150 },
  );
  assert.ok(modals > 25, `${modals} modals`);
});

void test("no text of a task, a payload or a person calls, links or breaks anything", () => {
  fc.assert(
    fc.property(
      anyForm,
      fc.array(fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: "binary" }), fc.string()), {
        minLength: 1,
        maxLength: 6,
      }),
      ({ schema, value }, words) => {
        const [word = ""] = words;
        const response_schema = saying(words, schema);
        const task = slackTask({
          task: words.join("\n"),
          asker: words.join(" "),
          response_schema,
          payload: Object.fromEntries(words.map((text, index) => [`${text}${index}`, text])),
          form_definition: {
            submit: { confirm: word },
            channels: { slack: { title: word } },
            prefill: { "/note": `/${word}` },
          },
        });
        draw(task, word);
        const form = slackForm(task, FIXTURE_ZONE, FIXTURE_NOW);
        draw(task, word, entriesOf(planForm(form, {}, value)));
      },
    ),
    { numRuns: 30 },
  );
});

void test("each hostile text by itself, as everything that a task can say", () => {
  for (const words of HOSTILE) {
    const oneOf = [words, `${words} `, "x"].map((title, index) => ({ const: index, title, description: words }));
    const properties = {
      pick: { title: words, description: words, oneOf },
      text: { type: "string", title: words },
      [words]: { type: "string" },
      list: { type: "array", title: words, items: { type: "string" } },
    };
    const ui = { text: { "ui:placeholder": words, "ui:help": words } };
    draw(
      slackTask({
        task: words,
        payload: { [words]: words, list: [words, words], inner: { [`${words}2`]: words }, draft: words },
        response_schema: { type: "object", properties, required: ["pick"] },
        form_definition: { ui, prefill: { "/text": "/draft" }, submit: { confirm: words }, decision: "/pick" },
      }),
      words,
    );
  }
});

void test("every form and every payload of the fixtures can be drawn", () => {
  for (const fixture of FORM_FIXTURES) draw(taskOfForm(fixture), fixture.title);
  for (const { title, payload, payload_schema, hints, redact = false } of Object.values(PAYLOAD_FIXTURES))
    draw(
      slackTask({
        task: title,
        payload,
        payload_schema: payload_schema ?? {},
        form_definition: { payload: hints },
        redact_payload: redact,
      }),
      title,
    );
  for (const nothing of [null, 7, "text", [], { $ref: "#" }])
    draw(
      slackTask({ payload: nothing, payload_schema: nothing, response_schema: nothing, form_definition: nothing }),
      "",
    );
});
