import assert from "node:assert/strict";
import { test } from "node:test";
import type { ModalView, MultiStaticSelect, NumberInput, PlainTextInput } from "@slack/types";
import { token } from "../../../../form/plan/entries.ts";
import type { Entries } from "../../../../form/plan/entries.ts";
import { planForm } from "../../../../form/plan/plan.ts";
import { readPost } from "../../../../form/plan/post.ts";
import { enter, formOf, inputsOf, labelsOf, open, read, show } from "../../../../test/support/slack/modals.ts";
import { askingFor, slackTask } from "../fixtures/tasks.ts";

const typesOf = (view: ModalView): string[] => inputsOf(view).map(({ element }) => element.type);

void test("what is filled in can be taken back", () => {
  const task = slackTask({
    ...askingFor({ size: { enum: ["s", "m"] }, reply: { type: "string" }, when: { type: "string", format: "date" } }),
    payload: { draft: "Hello" },
    form_definition: { prefill: { "/reply": "/draft" } },
  });
  const view = show(task, { "/size": ["1"], "/when": ["2027-01-01"] });
  const untouched = readPost(formOf(task), read(task, view));
  assert.deepEqual(untouched.act === "answer" && untouched.value, { size: "m", reply: "Hello", when: "2027-01-01" });
  const values = {
    ...enter(view, "/size", { selected_option: { value: "none" } }),
    "/reply": enter(view, "/reply", { value: null })["/reply"]!,
    "/when": enter(view, "/when", { selected_date: null })["/when"]!,
  };
  const posted = readPost(formOf(task), read(task, view, values));
  assert.deepEqual(posted.act === "answer" && posted.value, {});
});

void test("a code that nobody else may see is written in the browser", () => {
  const task = slackTask(askingFor({ pin: { type: "string", format: "password" } }, "pin"));
  assert.equal(open(task), null);
});

void test("what cannot be changed is shown, unless it is a secret", () => {
  const task = slackTask({
    ...askingFor({
      ok: { type: "boolean" },
      region: { enum: ["north", "south"], title: "Region" },
      total: { type: "number", title: "Total" },
      pin: { type: "string", format: "password", title: "Code" },
    }),
    payload: { region: "south", total: 12.5, pin: "s3cret" },
    form_definition: {
      ui: { region: { "ui:readonly": true }, total: { "ui:readonly": true }, pin: { "ui:readonly": true } },
      prefill: { "/region": "/region", "/total": "/total", "/pin": "/pin" },
    },
  });
  const view = show(task);
  assert.deepEqual(labelsOf(view), ["Ok"]);
  const shown = view.blocks.flatMap((block) => (block.type === "section" && "text" in block ? [block.text?.text] : []));
  assert.deepEqual(shown.slice(1), ["*Region*\nSouth", "*Total*\n12.5", "*Code*\nHidden"]);
  const posted = readPost(formOf(task), read(task, view));
  assert.deepEqual(posted.act === "answer" && posted.value, task.payload);
});

void test("Slack is told of limits that it can hold people to, and of no others", () => {
  const elementOf = (field: object, entries: Entries = {}, ...required: string[]) =>
    inputsOf(show(slackTask(askingFor({ a: field }, ...required)), entries)).map(({ element }) => element)[0];
  const limits = (field: object, ...required: string[]) => {
    const { min_length, max_length } = elementOf(field, {}, ...required) as PlainTextInput;
    return [min_length, max_length];
  };
  assert.deepEqual(limits({ type: "string", minLength: 3, maxLength: 9 }, "a"), [3, 9]);
  assert.deepEqual(limits({ type: "string", minLength: 3, maxLength: 9 }), [undefined, 9], "it may be empty");
  assert.deepEqual(limits({ type: "string", maxLength: 9_000 }), [undefined, 3_000]);
  const { min_value, max_value } = elementOf({ type: "number", minimum: 9, maximum: 3 }) as NumberInput;
  assert.deepEqual([min_value, max_value], [undefined, undefined], "no number is both");
  const many = { type: "array", maxItems: 2, items: { enum: Array.from({ length: 12 }, (_, index) => index) } };
  assert.equal((elementOf(many) as MultiStaticSelect).max_selected_items, 2);
  const { max_selected_items } = elementOf(many, { "/a": ["0", "1", "2"] }) as MultiStaticSelect;
  assert.equal(max_selected_items, undefined, "more are chosen already");
  const lines = elementOf({ type: "string", maxLength: 50 }, { "/a": ["one\ntwo"] }) as PlainTextInput;
  assert.equal(lines.multiline, true);
});

void test("a field may have any name", () => {
  const names = ["x".repeat(300), "<&>", "__proto__", "名前", "", "a/b~c", 'say "hi"'];
  const task = slackTask(askingFor(Object.fromEntries(names.map((name) => [name, { type: "string" }]))));
  const entries = Object.fromEntries(names.map((name, index) => [`/${token(name)}`, [`text ${index}`]]));
  const view = show(task, entries);
  assert.ok(inputsOf(view).every(({ block_id }) => /^[\x20-\x7e]{1,255}$/.test(block_id ?? "")));
  const answer = planForm(formOf(task), read(task, view));
  assert.deepEqual(answer.value, planForm(formOf(task), entries).value);
});

void test("choices that Slack has no room for keep the form in the browser", () => {
  const many = (count: number) => ({ enum: Array.from({ length: count }, (_, index) => `Option number ${index}`) });
  const isShown = (pick: object) => {
    const task = slackTask(askingFor({ pick }, "pick"));
    return open(task) !== null;
  };
  assert.ok(isShown(many(100)));
  assert.ok(!isShown(many(101)));
  assert.ok(isShown({ enum: ["x".repeat(75), "y"] }));
  assert.ok(!isShown({ enum: ["x".repeat(76), "y"] }));
  assert.ok(!isShown({ enum: ["&".repeat(16), "y"] }), "as long as it is when it is sent");
  assert.ok(!isShown({ type: "array", items: many(101) }));
  assert.deepEqual(
    [10, 11].map((count) => typesOf(show(slackTask(askingFor({ pick: many(count) }, "pick"))))[0]),
    ["radio_buttons", "static_select"],
  );
  assert.deepEqual(
    [10, 11].map((count) => typesOf(show(slackTask(askingFor({ pick: { type: "array", items: many(count) } }))))[0]),
    ["checkboxes", "multi_static_select"],
  );
});

void test("a form of more blocks than Slack takes stays in the browser", () => {
  const fields = (count: number) =>
    slackTask(askingFor(Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, { type: "string" }]))));
  assert.ok(open(fields(98)) !== null);
  assert.equal(open(fields(99)), null);
  const asked = slackTask({ ...fields(98), asker: "refunds-bot asks" });
  assert.ok(open(asked) !== null, "the line about the agent is left out");
  assert.ok(JSON.stringify(show(slackTask({ ...fields(97), asker: "refunds-bot asks" }))).includes("refunds-bot asks"));
  const wordy = (length: number) => {
    const words = { type: "string", title: "&".repeat(length), description: "&".repeat(length) };
    return slackTask(askingFor(Object.fromEntries(Array.from({ length: 90 }, (_, i) => [`f${i}`, words]))));
  };
  assert.ok(open(wordy(200)) !== null);
  assert.equal(open(wordy(400)), null, "250 kB");
});

void test("a moment is the one that was picked, also in the hour that comes twice", () => {
  const task = slackTask(askingFor({ at: { type: "string", format: "date-time" } }, "at"));
  for (const at of ["2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "2027-07-01T12:30:00Z"]) {
    const view = show(task);
    const picked = enter(view, "/at", { selected_date_time: Date.parse(at) / 1000 });
    const posted = readPost(formOf(task), read(task, view, picked));
    assert.deepEqual(posted.act === "answer" && posted.value, { at });
    const again = show(task, posted.entries);
    assert.deepEqual(readPost(formOf(task), read(task, again)), posted);
  }
});

void test("what Slack's pickers cannot show is a text, so that nothing is lost", () => {
  const properties = {
    at: { type: "string", format: "date-time" },
    opens: { type: "string", format: "time" },
    count: { type: "number", maximum: 5 },
    mail: { type: "string", format: "email" },
    site: { type: "string", format: "uri" },
  };
  const payload = {
    at: "1999-12-31T23:59:59Z",
    opens: "08:15:30Z",
    mail: "ü@example.com",
    site: "urn:isbn:0451450523",
  };
  const prefill = Object.fromEntries(Object.keys(payload).map((key) => [`/${key}`, `/${key}`]));
  const task = slackTask({ ...askingFor(properties), payload, form_definition: { prefill } });
  const view = show(task, { "/count": ["12"], "/mail": ["ada"] });
  assert.deepEqual(new Set(typesOf(view)), new Set(["plain_text_input"]));
  const plan = planForm(formOf(task), read(task, view));
  assert.deepEqual(plan.value, { ...payload, count: 12, mail: "ada" });
});
