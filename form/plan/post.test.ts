import assert from "node:assert/strict";
import { test } from "node:test";
import { entriesOfPost, textOfPress } from "./entries.ts";
import type { Entries, Press } from "./entries.ts";
import { entriesOf, planForm, readForm } from "./plan.ts";
import type { Form } from "./plan.ts";
import { readPost, shownIn } from "./post.ts";

function formOf(response_schema: unknown, form_definition?: unknown, payload?: unknown): Form {
  return readForm({
    response_schema,
    form_definition,
    payload,
    time_zone: "UTC",
    now: new Date("2026-11-22T12:00:00Z"),
  });
}

/** Returns what a page with `entries` posts after `changes`. */
function post(form: Form, entries: Entries, changes: Entries, press?: Press): Entries {
  const plan = planForm(form, entries);
  const shown = { ...entriesOf(plan), ...changes, "~shown": [shownIn(plan)] };
  return press === undefined ? shown : { ...shown, "~press": [textOfPress(press)] };
}

const CONDITIONAL = {
  type: "object",
  properties: { approved: { type: "boolean" } },
  required: ["approved"],
  if: { properties: { approved: { const: false } }, required: ["approved"] },
  // oxlint-disable-next-line unicorn/no-thenable -- this is the keyword's name
  then: { properties: { reason: { type: "string" } }, required: ["reason"] },
};

void test("a question that an answer brings up is shown before anything is sent", () => {
  const form = formOf(CONDITIONAL);
  const first = readPost(form, post(form, {}, { "/approved": ["false"] }));
  assert.deepEqual([first.act, first.act === "show" && first.notice], ["show", "changed"]);
  const second = readPost(form, post(form, first.entries, { "/reason": ["Too expensive"] }));
  assert.deepEqual(second.act === "answer" && second.value, { approved: false, reason: "Too expensive" });
});

void test("what was entered for a question that is gone is not sent", () => {
  const form = formOf(CONDITIONAL);
  const entries = { "/approved": ["false"], "/reason": ["Too expensive"] };
  const changed = readPost(form, post(form, entries, { "/approved": ["true"] }));
  assert.equal(changed.act, "show");
  const sent = readPost(form, post(form, changed.entries, {}));
  assert.deepEqual(sent.act === "answer" && sent.value, { approved: true });
});

void test("an answer that needs a second look at its consequence is sent by the second post", () => {
  const form = formOf(
    { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] },
    { submit: { confirm: "This pays the customer." } },
  );
  const first = readPost(form, post(form, {}, { "/ok": ["true"] }));
  assert.deepEqual([first.act, first.act === "show" && first.notice], ["show", "confirm"]);
  assert.equal(readPost(form, post(form, first.entries, { "~confirmed": ["1"] })).act, "answer");
});

void test("rows are added and removed without a script, and what stands in the others moves along", () => {
  const form = formOf({ type: "object", properties: { tags: { type: "array", items: { type: "string" } } } });
  let entries: Entries = {};
  for (const tag of ["a", "b", "c"]) {
    const posted = readPost(form, post(form, entries, {}, { act: "add", name: "/tags" }));
    const row = `/tags/${tag.charCodeAt(0) - 97}`;
    entries = { ...posted.entries, [row]: [tag] };
  }
  const posted = readPost(form, post(form, entries, {}, { act: "remove", name: "/tags", row: 1 }));
  assert.deepEqual(planForm(form, posted.entries).value, { tags: ["a", "c"] });
  const cleared = readPost(form, post(form, posted.entries, {}, { act: "remove", name: "/tags", row: 7 }));
  assert.equal(cleared.act, "show");
});

void test("an optional group that was removed leaves nothing behind", () => {
  const address = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
  const form = formOf({ type: "object", properties: { shipping: address } });
  const opened = readPost(form, post(form, {}, {}, { act: "open", name: "/shipping" }));
  const filled = { ...opened.entries, "/shipping/city": ["Berlin"] };
  assert.deepEqual(planForm(form, filled).value, { shipping: { city: "Berlin" } });
  const closed = readPost(form, post(form, filled, {}, { act: "close", name: "/shipping" }));
  assert.deepEqual(planForm(form, closed.entries).value, {});
  const again = readPost(form, post(form, closed.entries, {}, { act: "open", name: "/shipping" }));
  assert.equal(planForm(form, again.entries).value === undefined, false);
  assert.deepEqual(planForm(form, again.entries).value, { shipping: {} });
});

void test("a box that was ticked for a person and unticked by them stays unticked", () => {
  const form = formOf(
    {
      type: "object",
      properties: { copy: { type: "boolean" }, kinds: { type: "array", items: { enum: ["a", "b"] } } },
    },
    { prefill: { "/copy": "/copy", "/kinds": "/kinds" } },
    { copy: true, kinds: ["b"] },
  );
  assert.deepEqual(planForm(form, {}).value, { copy: true, kinds: ["b"] });
  // Browsers post only the hidden entries of boxes that are not ticked.
  const posted = entriesOfPost(`~shown=${shownIn(planForm(form, {}))}&/copy=&/kinds=`);
  assert.deepEqual(readPost(form, posted), { act: "answer", entries: posted, value: {} });
});

void test("a press that is none, or is about nothing, changes nothing", () => {
  const form = formOf(CONDITIONAL);
  for (const text of ["", "add", "explode:/a", "remove:99999:/a", "add:/nothing", "remove:0:/nothing"]) {
    const posted = { ...post(form, {}, { "/approved": ["true"] }), "~press": [text] };
    const { entries } = readPost(form, posted);
    assert.equal(planForm(form, entries).value !== undefined, true);
    assert.deepEqual(planForm(form, entries).value, { approved: true });
  }
});

void test("an option that was chosen of other options is no answer: it is asked again", () => {
  const one = (value: string) => ({ properties: { country: { const: value } } });
  const regions = (...names: string[]) => ({ properties: { region: { enum: names } } });
  const form = formOf({
    type: "object",
    properties: { country: { enum: ["US", "DE"] }, region: { type: "string" } },
    required: ["country", "region"],
    allOf: [
      // oxlint-disable-next-line unicorn/no-thenable -- this is the keyword's name
      { if: one("US"), then: regions("California", "Texas") },
      // oxlint-disable-next-line unicorn/no-thenable -- this is the keyword's name
      { if: one("DE"), then: regions("Bavaria", "Berlin") },
    ],
  });
  const entries = entriesOf(planForm(form, { "/country": ["0"], "/region": ["1"] }));
  assert.deepEqual(planForm(form, entries).value, { country: "US", region: "Texas" });
  const moved = readPost(form, post(form, entries, { "/country": ["1"] }));
  assert.deepEqual([moved.act, moved.act === "show" && moved.notice], ["show", "changed"]);
  assert.deepEqual(planForm(form, moved.entries).value, { country: "DE" });
  const chosen = readPost(form, post(form, moved.entries, { "/region": ["1"] }));
  assert.deepEqual(chosen.act === "answer" && chosen.value, { country: "DE", region: "Berlin" });
});

void test("what was chosen in one form is not chosen in another that asks by the same name", () => {
  const act = (kind: string, ...reasons: string[]) => ({
    type: "object",
    properties: { kind: { const: kind }, reason: { enum: reasons }, note: { type: "string" } },
    required: ["kind", "reason"],
  });
  const form = formOf({
    type: "object",
    properties: { act: { oneOf: [act("approve", "correct", "goodwill"), act("reject", "fraud", "late")] } },
    required: ["act"],
  });
  const entries = entriesOf(planForm(form, { "/act~form": ["0"], "/act/reason": ["1"], "/act/note": ["As agreed"] }));
  const moved = readPost(form, post(form, entries, { "/act~form": ["1"] }));
  assert.equal(moved.act, "show");
  assert.deepEqual(planForm(form, moved.entries).value, { act: { kind: "reject", note: "As agreed" } });
});
