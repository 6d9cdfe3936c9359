import assert from "node:assert/strict";
import { test } from "node:test";
import { FieldError } from "../settings/field-error.ts";
import { draftOf, newDraft, stepOf, type Draft } from "./step-draft.ts";
import { sayStep, type Step } from "./step-words.ts";

const NAMES = new Map([
  ["usr_dana", "Dana"],
  ["ben@example.com", "Ben Ito"],
]);

const step = (fields: Partial<Step>): Step => ({ do: "raise", after: 60, calendar: null, to: null, ...fields });

void test("a step is said in words, and stays the same when it is entered", () => {
  const cases: [Partial<Step>, string][] = [
    [{ after: { fraction: 0.25 } }, "After a quarter of the time: mark it as urgent"],
    [{ after: { fraction: 0.5 } }, "After half of the time: mark it as urgent"],
    [{ after: { fraction: 0.75 } }, "After three quarters of the time: mark it as urgent"],
    [{ after: { fraction: 0.29 } }, "After 29% of the time: mark it as urgent"],
    [{ after: { fraction: 0.0005 } }, "After 0.05% of the time: mark it as urgent"],
    [{ after: 1 }, "After 1 second: mark it as urgent"],
    [{ after: 90 }, "After 90 seconds: mark it as urgent"],
    [{ after: 5400 }, "After 90 minutes: mark it as urgent"],
    [{ after: 3600 }, "After 1 hour: mark it as urgent"],
    [{ after: 2_592_000 }, "After 30 days: mark it as urgent"],
    [{ calendar: "office" }, "After 1 minute, counted in the calendar office: mark it as urgent"],
    [{ do: "remind" }, "After 1 minute: remind everyone who was told and has not answered"],
    [
      { do: "notify", to: ["email:a@example.com", "slack:#desk"] },
      "After 1 minute: tell email:a@example.com and slack:#desk as well",
    ],
    [{ do: "offer", to: { pool: "finance" } }, "After 1 minute: offer it to the pool finance as well"],
    [
      { do: "offer", to: { emails: ["ben@example.com", "c@example.com"] } },
      "After 1 minute: offer it to Ben Ito and c@example.com as well",
    ],
    [
      { do: "assign", to: { role: "lead", access_level: "3" } },
      "After 1 minute: assign it to someone with the role lead and the access level 3",
    ],
    [{ do: "assign", to: { email: "ben@example.com" } }, "After 1 minute: assign it to Ben Ito"],
    [{ do: "assign", to: { user_id: "usr_dana" } }, "After 1 minute: assign it to Dana"],
  ];
  for (const [fields, words] of cases) {
    const stored = step(fields);
    assert.equal(sayStep(stored, NAMES), words);
    assert.deepEqual(stepOf(draftOf(stored), "/steps/0"), stored, words);
  }
});

void test("what is wrong with a step is said of its field", () => {
  const cases: [Partial<Draft>, string][] = [
    [{ amount: "" }, "after"],
    [{ amount: "0" }, "after"],
    [{ amount: "100" }, "after"],
    [{ amount: "half" }, "after"],
    [{ unit: "seconds", amount: "0.4" }, "after"],
    [{ unit: "days", amount: "31" }, "after"],
    [{ unit: "hours", amount: "Infinity" }, "after"],
    [{ do: "notify", entries: " \n" }, "to"],
    [{ do: "offer" }, "to/pool"],
    [{ do: "offer", who: "emails" }, "to/emails"],
    [{ do: "assign", who: "emails" }, "to/email"],
    [{ do: "assign", who: "emails", emails: "a@example.com b@example.com" }, "to/email"],
  ];
  for (const [fields, field] of cases)
    assert.throws(
      () => stepOf({ ...newDraft(), ...fields }, "/steps/3"),
      (error) => error instanceof FieldError && error.field === `/steps/3/${field}`,
      JSON.stringify(fields),
    );
});

void test("numbers are read as people write them, and nothing is sent that the kind of the step does not take", () => {
  const read = (fields: Partial<Draft>) => stepOf({ ...newDraft(), ...fields }, "");
  assert.deepEqual(read({ amount: " 12,5 " }).after, { fraction: 0.125 });
  assert.deepEqual(read({ amount: "33.3" }).after, { fraction: 0.333 });
  assert.equal(read({ unit: "hours", amount: "1.5" }).after, 5400);
  const all = { entries: "slack:#desk", pool: "finance", emails: "a@example.com" };
  assert.equal(read({ ...all, do: "raise" }).to, null);
  assert.deepEqual(read({ ...all, do: "notify" }).to, ["slack:#desk"]);
  assert.deepEqual(read({ ...all, do: "offer" }).to, { pool: "finance" });
  assert.deepEqual(read({ ...all, do: "offer", who: "emails" }).to, { emails: ["a@example.com"] });
});
