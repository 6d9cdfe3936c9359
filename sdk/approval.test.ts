import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { approval } from "./approval.ts";
import type { Question } from "./question.ts";
import { AnswerRefusedError, ApiError, HumanTaskError, NoAnswerError } from "./errors.ts";
import { answer, cancels, createTestHuman, neverAnswer } from "./testing/index.ts";

const args = { amount: 90, to: { name: "Mia" } };
const ALL = ["approve", "edit", "reject", "respond"] as const;

void test("approving gives the arguments to run, and the question names the action", async () => {
  const human = createTestHuman(answer({ decision: "approve", message: "Fine." }));
  const decision = await human.client.approve({ name: "refund", args });
  assert.deepEqual(decision, { decision: "approve", args, message: "Fine." });
  const { task, action, payload } = human.lastAsked;
  assert.deepEqual(
    [task, action?.name, action?.allowed, payload],
    ["Run refund?", "refund", ["approve", "reject"], args],
  );
});

void test("everything that an action says reaches the service", async () => {
  const human = createTestHuman(neverAnswer());
  const argsSchema = { type: "object", properties: { amount: { type: "number" } } } as const;
  const asked = await human.client.ask(
    approval({
      name: "refund",
      args: { amount: 1 },
      argsSchema,
      uiSchema: { amount: { "ui:widget": "currency", "ui:currency": "EUR" } },
      description: "Pays money back.",
      allowed: ["edit", "reject"],
      editable: ["/amount"],
      risk: "high",
      messageRequired: ["reject"],
      assignTo: { email: "dana@example.com" },
      timeoutSeconds: 60,
    }),
  );
  const { task, action, assigned_to_email, timeout_seconds } = asked.record;
  assert.deepEqual([task, assigned_to_email, timeout_seconds], ["Pays money back.", "dana@example.com", 60]);
  assert.deepEqual(action, {
    name: "refund",
    args: { amount: 1 },
    args_schema: argsSchema,
    ui_schema: { amount: { "ui:widget": "currency", "ui:currency": "EUR" } },
    description: "Pays money back.",
    allowed: ["edit", "reject"],
    editable: ["/amount"],
    risk: "high",
    message_required: ["reject"],
  });
});

void test("the question for several people is another one than that for one person", async () => {
  const human = createTestHuman(neverAnswer());
  const refund = { name: "refund", args: { amount: 1 } };
  const one = await human.client.ask(approval(refund));
  const two = await human.client.ask(approval({ ...refund, approvals: { need: 2, from: { role: "finance" } } }));
  assert.notEqual(two.id, one.id);
  assert.deepEqual([one.record.approvals, two.record.approvals?.need], [null, 2]);
});

void test("the question with an answer for the deadline is another one, and its steps are not part of its key", async () => {
  const human = createTestHuman(neverAnswer());
  const refund = { name: "refund", args: { amount: 1 } };
  const onTimeout = { response: { decision: "reject" } };
  const one = await human.client.ask(approval(refund));
  const two = await human.client.ask(approval({ ...refund, onTimeout, escalation: [{ after: 600, do: "raise" }] }));
  const same = await human.client.ask(approval({ ...refund, onTimeout }));
  assert.notEqual(two.id, one.id);
  assert.deepEqual([same.id, same.isReplay], [two.id, true]);
  assert.deepEqual([one.record.on_timeout, two.record.on_timeout], [null, onTimeout]);
  assert.deepEqual(
    two.record.escalation.map(({ do: kind, after }) => [kind, after]),
    [["raise", 600]],
  );
});

void test("an edit gives the changed arguments and what changed, checked and typed by the schema", async () => {
  const argsSchema = z.object({ amount: z.number(), due: z.iso.date().transform((text) => new Date(text)) });
  const given = { amount: 90, due: "2026-02-01" };
  const { client } = createTestHuman(answer({ decision: "edit", args: { ...given, amount: 45 } }));
  const decision = await client.approve({ name: "refund", args: given, argsSchema, allowed: ALL });
  assert.ok(decision.decision === "edit");
  const due: Date = decision.args.due;
  assert.deepEqual([decision.args.amount, due], [45, new Date("2026-02-01")]);
  assert.deepEqual(decision.patch, [{ op: "replace", path: "/amount", value: 45 }]);
});

void test("arguments of plain JSON Schema are checked by the service alone", async () => {
  const argsSchema = { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] } as const;
  const { client } = createTestHuman(answer({ decision: "edit", args: { amount: 45 } }));
  const decision = await client.approve({ name: "refund", args: { amount: 90 }, argsSchema, allowed: ["edit"] });
  const amount: number = decision.args.amount;
  assert.equal(amount, 45);
});

void test("arguments that only the library refuses are no answer", async () => {
  const argsSchema = z.object({ amount: z.number().refine((amount) => amount % 10 === 0, "must be tens") });
  const { client } = createTestHuman(answer({ decision: "edit", args: { amount: 45 } }));
  const question = { name: "refund", args: { amount: 90 }, argsSchema, allowed: ALL };
  await assert.rejects(client.approve(question), (error: unknown) => {
    assert.ok(error instanceof AnswerRefusedError);
    return /must be tens/.test(error.message);
  });
});

void test("rejecting and responding give no arguments", async () => {
  const reject = createTestHuman(answer({ decision: "reject" }));
  const rejected = await reject.client.approve({ name: "refund", args });
  assert.deepEqual([rejected, rejected.args], [{ decision: "reject" }, undefined]);
  const respond = createTestHuman(answer({ decision: "respond", message: "Ask Lee." }));
  const responded = await respond.client.approve({ name: "refund", args, allowed: ["respond"] });
  const message: string = responded.message;
  assert.equal(message, "Ask Lee.");
});

void test("several actions are decided in their order", async () => {
  const decided = [
    { decision: "edit", args: { to: "lee" } },
    { decision: "reject", message: "Too much." },
  ];
  const human = createTestHuman(answer({ decisions: decided }));
  const { decisions } = await human.client.approve({
    actions: [
      { name: "mail", args: { to: "mia" }, allowed: ["approve", "edit"] },
      { name: "refund", args, argsSchema: z.object({ amount: z.number() }) },
    ],
  });
  const [mail, refund] = decisions;
  const to: string = mail.args.to;
  const amount: number | undefined = refund.args?.amount;
  assert.deepEqual([to, amount, refund.message], ["lee", undefined, "Too much."]);
  assert.deepEqual(mail.patch, [{ op: "replace", path: "/to", value: "lee" }]);
  assert.equal(human.lastAsked.task, "Run 2 actions?");
  assert.deepEqual(
    human.lastAsked.actions?.map(({ name }) => name),
    ["mail", "refund"],
  );
});

void test("no decision, and a question that the service refuses, are the errors of awaitHuman", async () => {
  const isNoAnswer = (status: string) => (error: unknown) => error instanceof NoAnswerError && error.status === status;
  const never = createTestHuman(neverAnswer());
  await assert.rejects(never.client.approve({ name: "refund", args }), isNoAnswer("timed_out"));
  const cancelled = createTestHuman(cancels());
  await assert.rejects(cancelled.client.approve({ name: "refund", args }), isNoAnswer("cancelled"));
  const few = never.client.approve({ actions: [] });
  await assert.rejects(few, (error: unknown) => error instanceof ApiError && error.code === "VALIDATION_FAILED");
  const unknown = { "~standard": { version: 1, vendor: "x", validate: () => ({ value: {} }) } } as const;
  const noSchema = never.client.approve({ name: "refund", args: {}, argsSchema: unknown });
  await assert.rejects(
    noSchema,
    (error: unknown) => error instanceof HumanTaskError && error.code === "NO_JSON_SCHEMA",
  );
});

void test("the same action is asked once, and other arguments are another question", async () => {
  const human = createTestHuman(neverAnswer());
  const { client } = human;
  const ask = async (more: object) => client.ask(approval({ name: "refund", args, ...more }));
  const first = await ask({});
  assert.deepEqual(
    [(await ask({})).id, (await ask({ callbackUrl: "https://agent.example" })).id],
    [first.id, first.id],
  );
  for (const more of [{ args: { amount: 1 } }, { name: "pay" }, { allowed: ALL }, { risk: "high" }, { occasion: "2" }])
    assert.notEqual((await ask(more)).id, first.id);
  const both = {
    actions: [
      { name: "refund", args },
      { name: "refund", args },
    ],
  };
  const list = await client.ask(approval(both));
  assert.equal((await client.ask(approval(both))).id, list.id);
  assert.equal(human.asked.length, 7);
});

void test("a key that belongs to other actions is refused, and not one whose texts a deploy has changed", async () => {
  const { client } = createTestHuman(neverAnswer());
  const idempotencyKey = "refund-17";
  const first = { name: "refund", args, task: "Refund?", idempotencyKey };
  const { id } = await client.ask(approval(first));
  const changed = approval({ ...first, description: "Pays back.", argsSchema: { type: "object" } });
  assert.equal((await client.ask(changed)).id, id);
  const others: Question[] = [
    approval({ ...first, args: { amount: 1 } }),
    approval({ ...first, name: "pay" }),
    approval({ ...first, allowed: ALL }),
    approval({ ...first, task: "Refund it?" }),
    approval({ actions: [first, first], task: "Refund?", idempotencyKey }),
    { task: "Refund?", payload: args, idempotencyKey },
  ];
  for (const other of others)
    await assert.rejects(
      client.ask(other),
      (error: unknown) => error instanceof HumanTaskError && error.code === "OTHER_QUESTION" && error.taskId === id,
    );
});
