import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Callback } from "@human-task-service/client";
import {
  generateText,
  isStepCount,
  jsonSchema,
  streamText,
  simulateReadableStream,
  tool,
  ToolLoopAgent,
  type ModelMessage,
  type Tool,
} from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { z } from "zod";
import { freePort } from "../test/support/free-port.ts";
import { startModel } from "../test/support/model.ts";
import {
  approvedTool,
  createRuns,
  humanTool,
  pausingApprovedTool,
  pausingHumanTool,
  type Decided,
  type Outcome,
  type Pending,
} from "./ai-sdk.ts";
import { programsOf, runProgram, typesOf, startAgent, testAgent, type Surroundings } from "./support/agents.ts";

const ANSWER = z.object({ approved: z.boolean(), note: z.string().default("none") });
const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};

type Call = [name: string, input: object, id?: string];

/** Returns a model that calls tools, or repeats the last result. Like a real model, it decides by the conversation. */
function modelOf(...turns: Call[][]): MockLanguageModelV4 {
  return new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => {
      const turn = turns[prompt.filter(({ role }) => role === "assistant").length];
      if (turn === undefined) {
        const told = prompt.flatMap(({ role, content }) => (role === "tool" ? content : []));
        const outputs = told.map((part) => (part.type === "tool-result" ? part.output : part));
        return {
          content: [{ type: "text", text: JSON.stringify(outputs) }],
          finishReason: { unified: "stop", raw: undefined },
          usage: USAGE,
          warnings: [],
        };
      }
      return {
        content: turn.map(([toolName, input, toolCallId = "call_1"]) => ({
          type: "tool-call",
          toolCallId,
          toolName,
          input: JSON.stringify(input),
        })),
        finishReason: { unified: "tool-calls", raw: undefined },
        usage: USAGE,
        warnings: [],
      };
    },
  });
}

const REFUND = {
  description: "Asks whether to refund.",
  inputSchema: z.object({ amount: z.number() }),
  question: ({ amount }: { amount: number }) => ({
    task: `Refund ${amount} EUR?`,
    payload: { amount },
    responseSchema: ANSWER,
    timeoutSeconds: 600,
  }),
};
const ask: Call = ["askRefund", { amount: 42.5 }];
const user = (content: string): ModelMessage[] => [{ role: "user", content }];

/** Creates a database of messages, stored as text. */
function createStore() {
  const saved = new Map<string, string>();
  return {
    saved,
    load: async (run: string) => (saved.has(run) ? (JSON.parse(saved.get(run)!) as ModelMessage[]) : null),
    save: (run: string, messages: ModelMessage[]) => void saved.set(run, JSON.stringify(messages)),
  };
}

type Store = ReturnType<typeof createStore>;

/** Creates the runs of a program that has just started: they know only the stored data. */
function refundRuns({ client }: Surroundings, { load, save }: Store, model: MockLanguageModelV4, callbackUrl?: string) {
  const tools = { askRefund: pausingHumanTool(REFUND) };
  return createRuns({
    generate: async (options) => generateText({ ...options, model, tools }),
    tools,
    load,
    save,
    callbackUrl,
    client,
  });
}

testAgent("a tool asks a person and waits, and the model gets the answer with its type", async (around) => {
  const askRefund = humanTool({ ...REFUND, run: "chat-1", client: around.client });
  const generated = generateText({
    model: modelOf([ask]),
    tools: { askRefund },
    stopWhen: isStepCount(3),
    prompt: "Refund Mia.",
  });
  while ((await around.questions()).length === 0);
  const { id, payload } = await around.question();
  assert.deepEqual(payload, { amount: 42.5 });
  await around.answer(id, { approved: true });
  const { text, steps } = await generated;
  const told = { status: "completed", taskId: id, answer: { approved: true, note: "none" } };
  assert.deepEqual(JSON.parse(text), [{ type: "json", value: told }]);
  const [result] = steps[0]!.toolResults;
  assert.ok(result?.dynamic !== true);
  const outcome: Outcome<{ approved: boolean; note: string }> | Pending = result!.output;
  assert.deepEqual(outcome, told);
});

testAgent("the answer to a question for a single value is the value, waited for or not", async (around) => {
  const { responseSchema: _, ...yesOrNo } = REFUND.question({ amount: 1 });
  const waiting = humanTool({ ...REFUND, question: () => yesOrNo, run: "chat-1", client: around.client });
  const generated = generateText({
    model: modelOf([ask]),
    tools: { askRefund: waiting },
    stopWhen: isStepCount(3),
    prompt: "Refund Mia.",
  });
  while ((await around.questions()).length === 0);
  const first = await around.question();
  await around.answer(first.id, { value: true });
  const [result] = (await generated).steps[0]!.toolResults;
  assert.ok(result?.dynamic !== true);
  const outcome: Outcome<boolean> | Pending = result!.output;
  assert.deepEqual(outcome, { status: "completed", taskId: first.id, answer: true });

  const choice = { ...yesOrNo, responseSchema: z.enum(["refund", "voucher"]) };
  const tools = { askRefund: pausingHumanTool({ ...REFUND, question: () => choice }) };
  const model = modelOf([ask]);
  const generate = async (options: { messages: ModelMessage[] }) => generateText({ ...options, model, tools });
  const runs = createRuns({ generate, tools, ...createStore(), client: around.client });
  const step = await runs.start("chat-2", user("Go."));
  assert.ok(step.status === "waiting");
  const { taskId } = step.tasks[0]!;
  await around.answer(taskId, { value: "voucher" });
  const { messages } = await runs.resume("chat-2");
  assert.match(JSON.stringify(messages), /"answer":"voucher"/);
});

testAgent(
  "a tool that has waited long enough says so, and finds its question when it is called again, or its run begins anew",
  async (around) => {
    const generate = async (run: string, waitSeconds: number, id: string) => {
      const askRefund = humanTool({ ...REFUND, run, waitSeconds, client: around.client });
      const model = modelOf([["askRefund", { amount: 1 }, id]]);
      const { text } = await generateText({ model, tools: { askRefund }, stopWhen: isStepCount(3), prompt: "Go." });
      return (JSON.parse(text) as { value: Pending }[])[0]!.value;
    };
    const pending = await generate("chat-1", 0.1, "call_a");
    const { id } = await around.question();
    const { reason } = pending;
    assert.deepEqual(pending, { status: "pending", taskId: id, url: `${around.url}/tasks/${id}`, reason });
    assert.match(reason, /nothing was decided/);
    await around.answer(id, { approved: false });
    const answered = await generate("chat-1", 10, "call_b");
    assert.deepEqual(answered, { status: "completed", taskId: id, answer: { approved: false, note: "none" } });
    // A result in another run does not answer this one.
    assert.equal((await generate("chat-2", 0.1, "call_b")).status, "pending");
  },
);

/** Returns the options of a tool that refunds what a person allows, and what it ran with. */
function refunding() {
  const ran: { amount: number; taskId: string }[] = [];
  const options = {
    name: "refund",
    description: "Refunds.",
    inputSchema: z.object({ amount: z.number().refine((amount) => amount !== 13, "unlucky") }),
    execute: ({ amount }: { amount: number }, { taskId }: { taskId: string }) => {
      ran.push({ amount, taskId });
      if (amount === 7) throw new Error("the bank is closed");
      return `${amount} EUR were refunded.`;
    },
  };
  return { ran, options };
}

const refund: Call = ["refund", { amount: 90 }];

testAgent(
  "a tool runs a call with the arguments that a person changed, and the model hears of them",
  async (around) => {
    const { ran, options } = refunding();
    const uiSchema = { amount: { "ui:widget": "currency", "ui:currency": "EUR" } };
    const question = ({ amount }: { amount: number }) => ({
      task: `Refund ${amount}?`,
      editable: ["/amount"],
      uiSchema,
    });
    const tools = { refund: approvedTool({ ...options, question, client: around.client }) };
    const generated = generateText({
      model: modelOf([refund]),
      tools,
      stopWhen: isStepCount(3),
      prompt: "Refund Mia.",
    });
    while ((await around.questions()).length === 0);
    const { id, task } = await around.question();
    const { action } = await around.client.get(id);
    assert.deepEqual(
      [task, action?.name, action?.args, action?.allowed, action?.editable],
      ["Refund 90?", "refund", { amount: 90 }, ["approve", "edit", "reject", "respond"], ["/amount"]],
    );
    assert.deepEqual(action?.ui_schema, uiSchema);
    assert.deepEqual(ran, [], "nothing runs before the decision");
    await around.answer(id, { decision: "edit", args: { amount: 45 }, message: "Half." });
    const [result] = (await generated).steps[0]!.toolResults;
    assert.ok(result?.dynamic !== true);
    const decided: Decided<string> = result!.output;
    assert.deepEqual(decided, {
      status: "executed",
      taskId: id,
      editedArgs: { amount: 45 },
      message: "Half.",
      result: "45 EUR were refunded.",
    });
    assert.deepEqual(ran, [{ amount: 45, taskId: id }]);
  },
);

testAgent("what a person does not allow does not run, and the model is told", async (around) => {
  const { ran, options } = refunding();
  const decided = async (end: (id: string) => Promise<unknown>, more: object = {}) => {
    const tools = { refund: approvedTool({ ...options, ...more, client: around.client }) };
    const generated = generateText({ model: modelOf([refund]), tools, stopWhen: isStepCount(3), prompt: "Go." });
    for (;;) {
      const open = (await around.questions()).find(({ status }) => status === "created");
      if (open === undefined) continue;
      await end(open.id);
      const { taskId, ...told } = (await generated).steps[0]!.toolResults[0]!.output as Decided<string>;
      assert.equal(taskId, open.id);
      return told;
    }
  };
  const answering = (response: object) => async (id: string) => around.answer(id, response);
  assert.deepEqual(await decided(answering({ decision: "reject" })), { status: "rejected" });
  const rejected = await decided(answering({ decision: "reject", message: "No." }));
  assert.deepEqual(rejected, { status: "rejected", message: "No." });
  const responded = await decided(answering({ decision: "respond", message: "Which order?" }));
  assert.deepEqual(responded, { status: "responded", message: "Which order?" });
  assert.equal((await decided(async (id) => around.client.cancel(id))).status, "cancelled");
  const unlucky = answering({ decision: "edit", args: { amount: 13 } });
  assert.equal((await decided(unlucky)).status, "refused");
  const schema = jsonSchema<{ amount: number }>(
    { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] },
    {
      validate: (value) => {
        const checked = options.inputSchema.safeParse(value);
        return checked.success ? { success: true, value: checked.data } : { success: false, error: checked.error };
      },
    },
  );
  assert.equal((await decided(unlucky, { inputSchema: schema })).status, "refused");
  assert.deepEqual(ran, []);
  const failed = await decided(answering({ decision: "edit", args: { amount: 7 } }), { inputSchema: schema });
  assert.deepEqual(failed, { status: "failed", reason: "the bank is closed" });
  assert.equal(ran.length, 1);
});

testAgent("each call of a tool is decided on its own, and an aborted one is withdrawn", async (around) => {
  const { ran, options } = refunding();
  const tools = { refund: approvedTool({ ...options, client: around.client }) };
  const abort = new AbortController();
  const generated = generateText({
    model: modelOf([refund], [refund]),
    tools,
    stopWhen: isStepCount(4),
    prompt: "Go.",
    abortSignal: abort.signal,
  });
  while ((await around.questions()).length === 0);
  const first = await around.question();
  await around.answer(first.id, { decision: "approve" });
  while ((await around.questions()).length === 1);
  abort.abort(new Error("the user went away"));
  await Promise.allSettled([generated]);
  const statusOf = async () => (await around.questions())[1]!.status;
  while ((await statusOf()) === "created");
  assert.equal(await statusOf(), "cancelled");
  assert.deepEqual(ran, [{ amount: 90, taskId: first.id }]);
});

testAgent(
  "a run that pauses runs the call with what a person changed, in a process that starts later",
  async (around, t) => {
    const agent = await startAgent(t);
    const store = createStore();
    const model = modelOf([refund, ["askRefund", { amount: 42.5 }, "call_2"]]);
    const { ran, options } = refunding();
    const start = () => {
      const tools = { refund: pausingApprovedTool(options), askRefund: pausingHumanTool(REFUND) };
      const generate = async (given: { messages: ModelMessage[] }) => generateText({ ...given, model, tools });
      return createRuns({ generate, tools, ...store, callbackUrl: agent.url, client: around.client });
    };
    const step = await start().start("chat", user("Refund Mia."));
    assert.ok(step.status === "waiting");
    const [action, question] = step.tasks.map(({ taskId }) => taskId);
    const runs = start();
    agent.resumes(runs.onCallback);
    await around.answer(action!, { decision: "edit", args: { amount: 45 } });
    await around.callBack();
    assert.deepEqual([ran, (await runs.resume("chat")).status], [[], "waiting"]);
    await around.answer(question!, { approved: true });
    await around.callBack();
    assert.deepEqual(ran, [{ amount: 45, taskId: action }]);
    const done = await runs.resume("chat");
    assert.equal(done.status, "finished");
    const told = { status: "executed", taskId: action, editedArgs: { amount: 45 }, result: "45 EUR were refunded." };
    assert.ok(JSON.stringify(done.messages).includes(JSON.stringify(told)));
    assert.equal(ran.length, 1);
  },
);

testAgent("a question that nobody answers, or that is withdrawn, is told to the model", async (around) => {
  const outcome = async (run: string, end: (id: string) => Promise<unknown>) => {
    const askRefund = humanTool({ ...REFUND, run, client: around.client });
    const generated = generateText({
      model: modelOf([ask]),
      tools: { askRefund },
      stopWhen: isStepCount(3),
      prompt: "Go.",
    });
    for (;;) {
      const open = (await around.questions()).find(({ status }) => status === "created");
      if (open === undefined) continue;
      await end(open.id);
      return (JSON.parse((await generated).text) as { value: { status: string; reason: string } }[])[0]!.value;
    }
  };
  assert.equal((await outcome("a", async () => around.pass(600))).status, "timed_out");
  const cancelled = await outcome("b", async (id) => around.client.cancel(id));
  assert.deepEqual([cancelled.status, /cancelled/.test(cancelled.reason)], ["cancelled", true]);
});

testAgent("an aborted generation stops waiting, and leaves the question open", async (around) => {
  const abort = new AbortController();
  const askRefund = humanTool({ ...REFUND, run: "chat", client: around.client });
  const generated = generateText({
    model: modelOf([ask]),
    tools: { askRefund },
    stopWhen: isStepCount(3),
    prompt: "Go.",
    abortSignal: abort.signal,
  });
  while ((await around.questions()).length === 0);
  abort.abort(new Error("the user went away"));
  // Newer versions reject, and older ones return the error to the model.
  const [settled] = await Promise.allSettled([generated]);
  assert.match(
    settled.status === "rejected" ? String(settled.reason) : settled.value.text,
    /the user went away|abort/i,
  );
  assert.equal((await around.question()).status, "created");
});

testAgent(
  "a run pauses for a person, and goes on by the callback in a process that knows only what was saved",
  async (around, t) => {
    const agent = await startAgent(t);
    const store = createStore();
    const step = await refundRuns(around, store, modelOf([ask]), agent.url).start("chat 1:ü", user("Refund Mia."));
    const { id, task } = await around.question();
    assert.equal(task, "Refund 42.5 EUR?");
    assert.ok(step.status === "waiting");
    assert.deepEqual(step.tasks, [
      { taskId: id, url: `${around.url}/tasks/${id}`, toolName: "askRefund", toolCallId: "call_1" },
    ]);

    const model = modelOf([ask]);
    agent.resumes(refundRuns(around, store, model, agent.url).onCallback);
    await around.answer(id, { approved: true });
    await around.callBack();
    assert.deepEqual(await around.attempts(id), { count: 1, last: 204 });
    const told = { status: "completed", taskId: id, answer: { approved: true, note: "none" } };
    const [done] = agent.acted as { status: string; result: { text: string } }[];
    assert.equal(done!.status, "finished");
    assert.deepEqual(JSON.parse(done!.result.text), [{ type: "json", value: told }]);
    const roles = (await store.load("chat 1:ü"))!.map(({ role }) => role);
    assert.deepEqual([roles, model.doGenerateCalls.length], [["user", "assistant", "tool", "assistant"], 1]);
  },
);

testAgent("a callback that comes again resumes no run a second time, not even while it goes on", async (around, t) => {
  const agent = await startAgent(t);
  const store = createStore();
  const model = modelOf([ask]);
  const runs = refundRuns(around, store, model, agent.url);
  agent.resumes(runs.onCallback);
  await runs.start("chat", user("Go."));
  const { id, idempotency_key } = await around.question();
  await around.answer(id, { approved: false });
  const callback = { task_id: id, idempotency_key } as Callback;
  const steps = await Promise.all([runs.onCallback(callback), runs.onCallback(callback)]);
  assert.deepEqual([steps[0]?.status, steps[1]], ["finished", null]);
  await around.callBack();
  assert.deepEqual([await around.attempts(id), agent.acted], [{ count: 1, last: 204 }, [null]]);
  assert.equal(model.doGenerateCalls.length, 2);
  const again = await runs.resume("chat");
  assert.deepEqual([again.status, model.doGenerateCalls.length], ["finished", 2]);
});

testAgent(
  "a callback that comes before the run was stored is refused, and resumes it when it comes again",
  async (around, t) => {
    const agent = await startAgent(t);
    const store = createStore();
    const runs = refundRuns(around, store, modelOf([ask]), agent.url);
    agent.resumes(runs.onCallback);
    await runs.start("chat", user("Go."));
    const { id } = await around.question();
    const stored = store.saved.get("chat")!;
    for (const [attempt, before] of [undefined, JSON.stringify(user("Go."))].entries()) {
      if (before === undefined) store.saved.clear();
      else store.saved.set("chat", before);
      if (attempt === 0) await around.answer(id, { approved: true });
      else await around.pass(30);
      await around.callBack();
      assert.deepEqual(await around.attempts(id), { count: attempt + 1, last: 500 });
    }
    store.saved.set("chat", stored);
    await around.pass(60);
    await around.callBack();
    assert.deepEqual(await around.attempts(id), { count: 3, last: 204 });
    assert.equal((await runs.resume("chat")).status, "finished");
    // A task that is not from a run concerns no run.
    const other = { task_id: "tsk_1", idempotency_key: "order-17" } as Callback;
    assert.equal(await runs.onCallback(other), null);
    const unknown = { task_id: "tsk_1", idempotency_key: `ai-sdk:chat/${"0".repeat(32)}` } as Callback;
    await assert.rejects(runs.onCallback(unknown), { code: "NOT_WAITING_YET" });
  },
);

testAgent(
  "a turn that begins while somebody is being asked is refused, and the run goes on as it was",
  async (around) => {
    const store = createStore();
    const runs = refundRuns(around, store, modelOf([ask]));
    const { messages } = await runs.start("chat", user("Go."));
    await assert.rejects(runs.start("chat", [...messages, ...user("Hurry.")]), { code: "RUN_IS_WAITING" });
    const { id } = await around.question();
    await around.answer(id, { approved: true });
    const { status, messages: all } = await runs.resume("chat");
    assert.equal(status, "finished");
    assert.equal((await runs.start("chat", [...all, ...user("And now?")])).status, "finished", "the next turn");
  },
);

testAgent("a run that fails after the answer goes on by the next attempt, and asks nobody again", async (around, t) => {
  const agent = await startAgent(t);
  const store = createStore();
  const model = modelOf([ask]);
  const generate = model.doGenerate;
  const runs = refundRuns(around, store, model, agent.url);
  agent.resumes(runs.onCallback);
  await runs.start("chat", user("Go."));
  const { id } = await around.question();
  model.doGenerate = async () => Promise.reject(new Error("the vendor is away"));
  await around.answer(id, { approved: true });
  await around.callBack();
  assert.deepEqual(await around.attempts(id), { count: 1, last: 500 });
  model.doGenerate = generate;
  await around.pass(30);
  await around.callBack();
  assert.deepEqual([await around.attempts(id), (await around.questions()).length], [{ count: 2, last: 204 }, 1]);
});

testAgent("several calls at once are waited for together, and a lost callback costs a resume", async (around) => {
  const store = createStore();
  const turns: Call[][] = [
    [
      ["askRefund", { amount: 1 }, "call_1"],
      ["askRefund", { amount: 2 }, "call_2"],
    ],
    // Some models restart the numbers.
    [["askRefund", { amount: 3 }, "call_1"]],
  ];
  const runs = refundRuns(around, store, modelOf(...turns));
  await runs.start("chat", user("Go."));
  // They are asked concurrently, so their order varies.
  const [one, two] = (await around.questions()).toSorted((a, b) => a.task.localeCompare(b.task));
  await around.answer(two!.id, { approved: true });
  const half = await runs.resume("chat");
  assert.deepEqual(half.status === "waiting" && half.tasks.map(({ taskId }) => taskId), [one!.id]);
  await around.pass(600);
  assert.equal((await runs.resume("chat")).status, "waiting");
  const third = (await around.questions())[2]!;
  assert.equal(third.task, "Refund 3 EUR?");
  await around.answer(third.id, { approved: true });
  const done = await runs.resume("chat");
  assert.ok(done.status === "finished");
  const told = JSON.parse(done.result!.text) as { value: { status: string } }[];
  assert.deepEqual(
    told.map(({ value }) => value.status),
    ["timed_out", "completed", "completed"],
  );
  await assert.rejects(runs.resume("no such"), { code: "NO_RUN" });
});

testAgent("a person approves or denies what a tool is to do, and nobody's answer is no approval", async (around) => {
  const paid: number[] = [];
  const pay = tool({
    inputSchema: z.object({ amount: z.number() }),
    execute: async ({ amount }) => {
      paid.push(amount);
      return "paid";
    },
  });
  const model = modelOf([
    ["pay", { amount: 1 }, "call_1"],
    ["pay", { amount: 2 }, "call_2"],
    ["pay", { amount: 3 }, "call_3"],
    ["askRefund", { amount: 4 }, "call_4"],
  ]);
  const tools = { pay, askRefund: pausingHumanTool(REFUND) };
  const agent = new ToolLoopAgent({ model, tools, toolApproval: { pay: "user-approval" } });
  const store = createStore();
  const runs = createRuns({
    generate: async (options) => agent.generate(options),
    tools,
    approvals: { pay: ({ amount }) => ({ task: `Pay ${amount} EUR?`, payload: { amount }, timeoutSeconds: 600 }) },
    ...store,
    client: around.client,
  });
  const { status } = await runs.start("chat", user("Go."));
  const all = await around.questions();
  assert.deepEqual([status, all.length], ["waiting", 4]);
  const of = (task: string) => all.find((one) => one.task === task)!.id;
  await around.answer(of("Pay 1 EUR?"), { approved: true });
  await around.answer(of("Pay 2 EUR?"), { approved: false, note: "Too much." });
  await around.answer(of("Refund 4 EUR?"), { approved: true });
  await around.pass(600);
  const done = await runs.resume("chat");
  assert.deepEqual([done.status, paid], ["finished", [1]]);
  const said = JSON.stringify(done.messages);
  for (const told of ["paid", "Too much.", "No one answered in time"]) assert.ok(said.includes(told), told);
  assert.deepEqual([(await runs.resume("chat")).status, paid], ["finished", [1]]);
});

testAgent("a call that nobody is asked about says so", async (around) => {
  const model = modelOf([["pay", {}]]);
  const inputSchema = z.object({});
  const start = async (tools: { pay: Tool }, toolApproval: { pay?: "user-approval" }) =>
    createRuns({
      generate: async (options) => generateText({ ...options, model, tools, toolApproval }),
      tools,
      ...createStore(),
      client: around.client,
    }).start("chat", user("Go."));
  const refused = (sentence: RegExp) => (error: { code: string; message: string }) =>
    error.code === "NO_QUESTION" && sentence.test(error.message);
  const pay = tool({ inputSchema, execute: async () => "paid" });
  await assert.rejects(start({ pay: tool({ inputSchema }) }, {}), refused(/does not execute and asks no one/));
  await assert.rejects(start({ pay }, { pay: "user-approval" }), refused(/approvals does not say who to ask/));
});

void test("a stream is generated from as well", async () => {
  const store = createStore();
  const model = new MockLanguageModelV4({
    doStream: async () => ({
      stream: simulateReadableStream({
        chunks: [
          { type: "text-start", id: "1" },
          { type: "text-delta", id: "1", delta: "Hello" },
          { type: "text-end", id: "1" },
          { type: "finish", finishReason: { unified: "stop", raw: undefined }, usage: USAGE },
        ],
      }),
    }),
  });
  const generate = (options: { messages: ModelMessage[] }) => streamText({ ...options, model });
  const client = {} as never;
  const { status, messages } = await createRuns({ generate, tools: {}, ...store, client }).start("chat", user("Go."));
  assert.deepEqual([status, messages.length, (await store.load("chat"))?.length], ["finished", 2, 2]);
});

testAgent(
  "the program of the page about the AI SDK runs as it stands there, with OpenAI's format",
  async (around, t) => {
    const folder = mkdtempSync(join(tmpdir(), "runs-"));
    t.after(() => rmSync(folder, { recursive: true }));
    const vendor = await startModel(t, "askFinance", { customer: "Mia", amount: 42.5 });
    const env = { ...vendor, PORT: String(await freePort()), RUNS: folder };
    const agent = runProgram(t, programsOf("docs/frameworks/ai-sdk.md")[0]!, around, env);
    await agent.says(/\/tasks\/tsk_/);
    await around.answer((await around.question()).id, { approved: true });
    await around.callBack();
    await agent.says(/It was said: .*approved.*true/);
    assert.equal(await agent.ended, 0);
  },
);

testAgent(
  "the program of the page about the AI SDK ends when it is started again after the answer came",
  async (around, t) => {
    const folder = mkdtempSync(join(tmpdir(), "runs-"));
    t.after(() => rmSync(folder, { recursive: true }));
    const vendor = await startModel(t, "askFinance", { customer: "Mia", amount: 42.5 });
    const start = async () => {
      const env = { ...vendor, PORT: String(await freePort()), RUNS: folder };
      return runProgram(t, programsOf("docs/frameworks/ai-sdk.md")[0]!, around, env);
    };
    const crashed = await start();
    await crashed.says(/\/tasks\/tsk_/);
    await crashed.crash();
    const waiting = await start();
    await waiting.says(/\/tasks\/tsk_/);
    await waiting.crash();
    await around.answer((await around.question()).id, { approved: true });
    const again = await start();
    await again.says(/It was said: .*approved.*true/);
    assert.equal(await again.ended, 0);
    const late = await start();
    await late.says(/had finished before/);
    assert.equal(await late.ended, 0);
  },
);

void test("the programs of the page about the AI SDK have the types that they seem to have", async (t) => {
  assert.equal(await typesOf(t, "docs/frameworks/ai-sdk.md"), "");
});
