import assert from "node:assert/strict";
import { test } from "node:test";
import { nodesOf } from "../../../form/plan/nodes.ts";
import { planForm, readForm } from "../../../form/plan/plan.ts";
import { formOfAction } from "../../../src/actions/form.ts";
import { needsOwnPage, withoutEdits } from "./action.ts";
import { kindsOf } from "./kinds.ts";
import { answerFor, questionsOf, shareForm } from "./shared-form.ts";
import type { BatchTask } from "./tasks.ts";

const WHEN = { time_zone: "UTC", now: new Date(0) };

function task(id: string, more: Partial<BatchTask> = {}): BatchTask {
  return {
    id,
    task: id,
    payload: {},
    payload_schema: {},
    response_schema: {
      type: "object",
      properties: { approved: { type: "boolean" }, note: { type: "string" } },
      required: ["approved"],
    },
    form_definition: null,
    redact_payload: false,
    is_verified: false,
    verification_attempt: 0,
    version: 1,
    action: null,
    actions: null,
    approvals: null,
    ...more,
  };
}

/** The names of the fields that a form shows. */
function shownBy({ response_schema, form_definition, payload }: BatchTask): string[] {
  const form = readForm({ response_schema, form_definition, payload, channel: "dashboard", ...WHEN });
  return [...nodesOf(planForm(form, {}).root)]
    .filter((node) => !node.hidden && node.name !== "")
    .map(({ name }) => name);
}

const REPLY = {
  response_schema: {
    type: "object",
    properties: { approved: { type: "boolean" }, reply: { type: "string", title: "Your reply" } },
    required: ["approved", "reply"],
  },
  form_definition: { prefill: { "/reply": "/draft" } },
};

void test("tasks with the same form are of one kind, in whatever order its keys are; the largest kind comes first", () => {
  const other = { type: "object", properties: { amount: { type: "number" } } };
  const reordered = { required: ["approved"], ...task("").response_schema };
  const kinds = kindsOf([
    task("a", { response_schema: other }),
    task("b"),
    task("c", { response_schema: reordered }),
    task("d", { form_definition: { ui: { note: { "ui:title": "Why?" } } } }),
  ]);
  assert.deepEqual(
    kinds.map(({ tasks }) => tasks.map(({ id }) => id)),
    [["b", "c"], ["a"], ["d"]],
  );
  assert.equal(questionsOf(kinds[0]!.tasks[0]!, WHEN), "Approved, Note");
});

void test("every task has the answer that was entered", () => {
  const entries = { "/approved": ["true"], "/note": ["Fine."] };
  assert.deepEqual(answerFor(task("a"), entries, WHEN), { answer: { approved: true, note: "Fine." }, problem: null });
  assert.equal(answerFor(task("a"), {}, WHEN).problem, "Approved: Choose one.");
});

void test("what the payload fills in is not shown, and each task keeps its own", () => {
  const tasks = [
    task("a", { ...REPLY, payload: { draft: "Dear Mia" } }),
    task("b", { ...REPLY, payload: { draft: "Dear Lee" } }),
    task("c", { ...REPLY, payload: {} }),
  ];
  const shared = shareForm(tasks, WHEN)!;
  assert.deepEqual(shared.kept, ["Your reply"]);
  assert.deepEqual(shownBy(shared.task), ["/approved"]);
  const entries = { "/approved": ["true"] };
  assert.deepEqual(
    tasks.map((one) => answerFor(one, entries, WHEN).answer),
    [
      { approved: true, reply: "Dear Mia" },
      { approved: true, reply: "Dear Lee" },
      // It has no draft, so it needs an answer of its own.
      { approved: true },
    ],
  );
  assert.match(answerFor(tasks[2]!, entries, WHEN).problem!, /^Your reply: /);
});

void test("the form is drawn for a task that has what is filled in, wherever it is in the list", () => {
  const tasks = [task("a", { ...REPLY, payload: {} }), task("b", { ...REPLY, payload: { draft: "Dear Lee" } })];
  assert.equal(shareForm(tasks, WHEN)!.task.id, "b");
  assert.equal(shareForm(tasks.slice(0, 1), WHEN), null);
});

void test("a decision is never filled in, so it is shown", () => {
  const decided = { prefill: { "/approved": "/proposal" }, decision: "/approved" };
  const shared = shareForm([task("a", { form_definition: decided, payload: { proposal: true } })], WHEN)!;
  assert.deepEqual([shared.kept, shownBy(shared.task)], [[], ["/approved", "/note"]]);
});

void test("a form that would show the values of one task in a row of a list is not shared", () => {
  const rows = {
    response_schema: {
      type: "object",
      properties: {
        items: { type: "array", minItems: 1, items: { type: "object", properties: { n: { type: "string" } } } },
      },
      required: ["items"],
    },
    form_definition: { prefill: { "/items/0/n": "/n" } },
  };
  assert.equal(shareForm([task("a", { ...rows, payload: { n: "7" } })], WHEN), null);
});

void test("of an action, a batch decides everything but edits, and only about the same action without a high risk", () => {
  const about = (id: string, name: string, amount: number, risk: "normal" | "high" = "normal") => {
    const action = {
      name,
      risk,
      description: null,
      editable: null,
      message_required: [],
      ui_schema: null,
      allowed: ["approve", "edit", "reject"] as const,
      args: { amount },
      args_schema: { type: "object" },
    };
    return withoutEdits(task(id, { ...formOfAction(action), action }));
  };
  const tasks = [
    about("a", "refund", 1),
    about("b", "refund", 2),
    about("c", "delete", 3),
    about("d", "refund", 4, "high"),
  ];
  assert.deepEqual(
    kindsOf(tasks).map(({ tasks: some }) => [some.map(({ id }) => id).join(), some.some(needsOwnPage)]),
    [
      ["a,b", false],
      ["c", false],
      ["d", true],
    ],
  );
  const shared = shareForm(tasks.slice(0, 2), WHEN);
  assert.deepEqual(shared?.kept, []);
  const nodes = [...nodesOf(planForm(readForm({ ...shared.task, ...WHEN }), {}).root)];
  const decision = nodes.find(({ kind }) => kind === "choice");
  assert.deepEqual(decision?.kind === "choice" && decision.options.map(({ value }) => value), ["approve", "reject"]);
  assert.deepEqual(answerFor(tasks[1]!, { "/decision": ["0"] }, WHEN), {
    answer: { decision: "approve" },
    problem: null,
  });
});
