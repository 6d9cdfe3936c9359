import assert from "node:assert/strict";
import { test } from "node:test";
import type { AuditEntry, Task } from "../api.ts";
import { chainOf, sayDone } from "./trail.ts";
import { comingSteps, fallbackOption, sayComing } from "./words.ts";

type Step = Task["escalation"][number];

const NAMES = new Map([
  ["usr_dana", "Dana"],
  ["ben@example.com", "Ben Ito"],
]);
const HOUR = 3_600_000;
const at = (hours: number) => new Date(hours * HOUR).toISOString();

function step(step: number, fields: Partial<Step>): Step {
  return { step, do: "remind", after: 60, calendar: null, to: null, at: at(step), done_at: null, ...fields };
}

function entry(action: string, fields: Partial<AuditEntry> = {}): AuditEntry {
  return {
    id: action,
    task_id: "tsk_1",
    action,
    from_status: null,
    to_status: "created",
    actor_type: "system",
    actor_email: null,
    channel: null,
    verifier_reason: null,
    embed_sub: null,
    extra: null,
    created_at: at(0),
    agent_id: null,
    agent_name: null,
    ...fields,
  };
}

void test("steps to come are in the order of their times, without those that happened or never will", () => {
  const escalation = [step(1, { at: at(9) }), step(2, {}), step(3, { at: at(24) }), step(4, { done_at: at(1) })];
  assert.deepEqual(
    comingSteps({ escalation, timeout_at: at(24) }).map(({ step: number }) => number),
    [2, 1],
  );
});

void test("a step says what it will do, and to people in the words of its request", () => {
  const cases: [Partial<Step>, string][] = [
    [{}, "reminder"],
    [{ do: "notify", to: ["email:ben@example.com"] }, "more people told"],
    [{ do: "raise" }, "marked as urgent"],
    [{ do: "offer", to: { pool: "finance" } }, "offered to the pool finance"],
    [{ do: "offer", to: { pool: "finance", role: "lead" } }, "offered to the pool finance with the role lead"],
    [{ do: "offer", to: { role: "lead" } }, "offered to everyone with the role lead"],
    [{ do: "offer", to: { accessLevel: "3" } }, "offered to everyone with the access level 3"],
    [{ do: "offer", to: { emails: ["a@example.com", "b@example.com"] } }, "offered to 2 people"],
    [{ do: "offer", to: { emails: ["ben@example.com"] } }, "offered to Ben Ito"],
    [{ do: "assign", to: { email: "kim@example.com" } }, "assigned to kim@example.com"],
    [{ do: "assign", to: { userId: "usr_dana" } }, "assigned to Dana"],
    [{ do: "assign", to: { user_id: "usr_unknown" } }, "assigned to one person"],
    [{ do: "assign", to: { pool: "finance" } }, "assigned to someone of the pool finance"],
    [{ do: "assign", to: { role: "lead" } }, "assigned to someone with the role lead"],
  ];
  for (const [fields, words] of cases) assert.equal(sayComing(step(1, fields), NAMES), words);
});

void test("an entry says what its step did, with the person who got the task", () => {
  const escalation = [
    step(1, { do: "notify", to: ["slack:#finance"] }),
    step(2, { do: "notify" }),
    step(3, { do: "offer", to: { pool: "finance" } }),
    step(4, { do: "assign", to: { pool: "finance" } }),
  ];
  const cases: [AuditEntry["extra"], string][] = [
    [{ step: 9, do: "remind" }, "reminded everyone who was told"],
    [{ step: 9, do: "raise" }, "marked it as urgent"],
    [{ step: 1, do: "notify" }, "told more people: slack:#finance"],
    [{ step: 2, do: "notify" }, "told more people"],
    [{ step: 3, do: "offer" }, "offered it to the pool finance"],
    [{ step: 3, do: "offer", unmatched: true }, "found no one to offer it to"],
    [{ step: 4, do: "assign", assigned_to_user_id: "usr_dana" }, "assigned it to Dana"],
    [{ step: 4, do: "assign" }, "assigned it to someone of the pool finance"],
    [{ step: 4, do: "assign", unmatched: true }, "found no one to assign it to"],
  ];
  for (const [extra, words] of cases) assert.equal(sayDone({ extra }, { escalation }, NAMES), words);
});

void test("the chain names who had a task, in order, and nothing else that happened", () => {
  const escalation = [
    step(1, { do: "offer", to: { pool: "finance" } }),
    step(2, { do: "assign", to: { role: "lead" } }),
  ];
  const ben = { actor_type: "human", actor_email: "ben@example.com" } as const;
  const trail = [
    entry("created"),
    entry("assigned", { extra: { by: "email", assigned_to_user_id: "usr_dana", assigned_to_email: null } }),
    entry("notification_sent"),
    entry("escalated", { extra: { step: 1, do: "offer", candidates: ["usr_x"] } }),
    entry("escalated", { extra: { step: 2, do: "raise" } }),
    entry("escalated", { extra: { step: 2, do: "assign", unmatched: true } }),
    entry("claimed", ben),
    entry("released", ben),
    entry("released"),
    entry("escalated", { extra: { step: 2, do: "assign", assigned_to_email: "kim@example.com" } }),
    entry("assigned"),
  ];
  const saysOf = (entries: AuditEntry[]) => chainOf(entries, { escalation }, NAMES).map(({ says }) => says);
  assert.deepEqual(saysOf(trail), [
    "created for Dana",
    "offered to the pool finance",
    "claimed by Ben Ito",
    "released by Ben Ito",
    "released",
    "assigned to kim@example.com",
    "assigned to someone",
  ]);
  const offered = [entry("created"), entry("offered", { extra: { candidates: ["usr_dana"] } }), entry("offered")];
  assert.deepEqual(saysOf(offered), ["created for Dana", "offered to several people"]);
});

void test("the answer for the deadline is named by its option, if it has one", () => {
  const task = {
    payload: {},
    form_definition: { ui: { approved: { "ui:enumNames": ["Release", "Reject"] } } },
    response_schema: { type: "object", properties: { approved: { type: "boolean" } }, required: ["approved"] },
  };
  assert.equal(fallbackOption({ ...task, on_timeout: { response: { approved: false } } }), "Reject");
  assert.equal(fallbackOption({ ...task, on_timeout: null }), null);
  const words = { type: "object", properties: { note: { type: "string" } } };
  assert.equal(fallbackOption({ ...task, response_schema: words, on_timeout: { response: { note: "x" } } }), null);
});
