import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Callback } from "@human-task-service/client";
import {
  Agent,
  run,
  setTracingDisabled,
  shellTool,
  tool,
  Usage,
  type AgentInputItem,
  type Model,
  type ModelRequest,
  type Tool,
} from "@openai/agents";
import { assistantMessage, functionCall } from "@openai/agents/testing";
import { z } from "zod";
import { freePort } from "../test/support/free-port.ts";
import { startModel } from "../test/support/model.ts";
import {
  approvedTool,
  createRuns,
  humanTool,
  pausingApprovedTool,
  pausingHumanTool,
  type Pending,
} from "./openai-agents.ts";
import { programsOf, runProgram, typesOf, startAgent, testAgent, type Surroundings } from "./support/agents.ts";

setTracingDisabled(true);

const ANSWER = z.object({ approved: z.boolean(), note: z.string().default("none") });

type Call = [name: string, input: object, id?: string];

interface TestModel extends Model {
  requests: ModelRequest[];
  fails: boolean;
}

/** Returns a model that calls tools, or repeats the last results. Like a real model, it decides by the conversation. */
function modelOf(...turns: Call[][]): TestModel {
  const model: TestModel = {
    requests: [],
    fails: false,
    getResponse: async (request) => {
      model.requests.push(request);
      if (model.fails) throw new Error("the vendor is away");
      const items = typeof request.input === "string" ? [] : request.input;
      const told = items.flatMap((item) => (item.type === "function_call_result" ? [item.output] : []));
      let calls = items.filter((item) => item.type === "function_call").length;
      const turn = turns.find((one) => (calls -= one.length) < 0);
      const output = turn
        ? turn.map(([name, input, callId = "call_1"]) => functionCall(name, JSON.stringify(input), { callId }))
        : [assistantMessage(JSON.stringify(told))];
      return { usage: new Usage(), output };
    },
    getStreamedResponse: () => {
      throw new Error("not streamed");
    },
  };
  return model;
}

const REFUND = {
  name: "ask_refund",
  description: "Asks whether to refund.",
  parameters: z.object({ amount: z.number() }),
  question: ({ amount }: { amount: number }) => ({
    task: `Refund ${amount} EUR?`,
    payload: { amount },
    responseSchema: ANSWER,
    timeoutSeconds: 600,
  }),
};
const ask: Call = ["ask_refund", { amount: 42.5 }];

/** Returns all results of tools, as the model got them. */
function toldTo(finalOutput: string | undefined): unknown[] {
  return (JSON.parse(finalOutput!) as { text: string }[]).map(({ text }) => JSON.parse(text) as unknown);
}

/** Creates a database of runs, stored as text. */
function createStore() {
  const saved = new Map<string, string>();
  return {
    saved,
    load: async (id: string) => saved.get(id),
    save: async (id: string, text: string) => void saved.set(id, text),
  };
}

type Store = ReturnType<typeof createStore>;

/** Creates the agent and the runs of a program that has just started: they know only the stored data. */
function refundRuns({ client }: Surroundings, { load, save }: Store, model: Model, callbackUrl?: string) {
  const agent = new Agent({ name: "Refunds", model, tools: [pausingHumanTool(REFUND)] });
  return createRuns({ agent, load, save, callbackUrl, client });
}

testAgent("a tool asks a person and waits, and the model is told the answer", async (around) => {
  const tools = [humanTool({ ...REFUND, run: "conversation-1", client: around.client })];
  const running = run(new Agent({ name: "Refunds", model: modelOf([ask]), tools }), "Refund Mia.");
  while ((await around.questions()).length === 0);
  const { id, payload } = await around.question();
  assert.deepEqual(payload, { amount: 42.5 });
  await around.answer(id, { approved: true });
  const told = { status: "completed", taskId: id, answer: { approved: true, note: "none" } };
  assert.deepEqual(toldTo((await running).finalOutput), [told]);
});

/** Returns the options of a tool that refunds what a person allows, and what it ran with. */
function refunding() {
  const ran: { amount: number; taskId: string }[] = [];
  const options = {
    name: "refund",
    description: "Refunds.",
    parameters: z.object({ amount: z.number() }),
    question: ({ amount }: { amount: number }) => ({ task: `Refund ${amount}?`, editable: ["/amount"] }),
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
    const tools = [approvedTool({ ...options, client: around.client })];
    const running = run(new Agent({ name: "Refunds", model: modelOf([refund]), tools }), "Refund Mia.");
    while ((await around.questions()).length === 0);
    const { id, task } = await around.question();
    const { action } = await around.client.get(id);
    assert.deepEqual([task, action?.name, action?.args], ["Refund 90?", "refund", { amount: 90 }]);
    await around.answer(id, { decision: "edit", args: { amount: 45 }, message: "Half." });
    const executed = { status: "executed", taskId: id, editedArgs: { amount: 45 }, message: "Half." };
    assert.deepEqual(toldTo((await running).finalOutput), [{ ...executed, result: "45 EUR were refunded." }]);
    assert.deepEqual(ran, [{ amount: 45, taskId: id }]);
  },
);

testAgent("what a person does not allow does not run, and the model is told", async (around) => {
  const { ran, options } = refunding();
  const decided = async (response: object) => {
    const tools = [approvedTool({ ...options, client: around.client })];
    const running = run(new Agent({ name: "Refunds", model: modelOf([refund]), tools }), "Go.");
    for (;;) {
      const open = (await around.questions()).find(({ status }) => status === "created");
      if (open === undefined) continue;
      await around.answer(open.id, response);
      const [{ taskId, ...told }] = toldTo((await running).finalOutput) as [{ taskId: string }];
      assert.equal(taskId, open.id);
      return told;
    }
  };
  const rejected = await decided({ decision: "reject", message: "No." });
  assert.deepEqual(rejected, { status: "rejected", message: "No." });
  const responded = await decided({ decision: "respond", message: "Which order?" });
  assert.deepEqual(responded, { status: "responded", message: "Which order?" });
  assert.deepEqual(ran, []);
  const failed = await decided({ decision: "edit", args: { amount: 7 } });
  assert.deepEqual(failed, { status: "failed", reason: "the bank is closed" });
});

testAgent(
  "an interrupted run runs the call with what a person changed, in a process that starts later",
  async (around, t) => {
    const server = await startAgent(t);
    const store = createStore();
    const { ran, options } = refunding();
    const start = () => {
      const model = modelOf([refund, ["refund", { amount: 30 }, "call_2"]]);
      const agent = new Agent({ name: "Refunds", model, tools: [pausingApprovedTool(options)] });
      return createRuns({ agent, ...store, callbackUrl: server.url, client: around.client });
    };
    const step = await start().start("a", "Refund Mia.");
    assert.ok(step.status === "waiting");
    const [first, second] = step.tasks.map(({ taskId }) => taskId);
    server.resumes(start().onCallback);
    await around.answer(first!, { decision: "edit", args: { amount: 45 } });
    await around.callBack();
    assert.deepEqual(ran, []);
    await around.answer(second!, { decision: "reject" });
    await around.callBack();
    assert.deepEqual(ran, [{ amount: 45, taskId: first }]);
    const done = server.acted.at(-1) as { status: string; result: { finalOutput: string } };
    assert.deepEqual(toldTo(done.result.finalOutput), [
      { status: "executed", taskId: first, editedArgs: { amount: 45 }, result: "45 EUR were refunded." },
      { status: "rejected", taskId: second },
    ]);
  },
);

testAgent("the answer to a question for a single value is the value, waited for or not", async (around) => {
  const { responseSchema: _, ...yesOrNo } = REFUND.question({ amount: 1 });
  const waiting = humanTool({ ...REFUND, question: () => yesOrNo, run: "a", client: around.client });
  const running = run(new Agent({ name: "Refunds", model: modelOf([ask]), tools: [waiting] }), "Go.");
  while ((await around.questions()).length === 0);
  const first = await around.question();
  await around.answer(first.id, { value: true });
  const told = { status: "completed", taskId: first.id, answer: true };
  assert.deepEqual(toldTo((await running).finalOutput), [told]);

  const choice = { ...yesOrNo, responseSchema: z.enum(["refund", "voucher"]) };
  const pausing = pausingHumanTool({ ...REFUND, question: () => choice });
  const agent = new Agent({ name: "Refunds", model: modelOf([ask]), tools: [pausing] });
  const runs = createRuns({ agent, ...createStore(), client: around.client });
  const step = await runs.start("b", "Go.");
  assert.ok(step.status === "waiting");
  const { taskId } = step.tasks[0]!;
  await around.answer(taskId, { value: "voucher" });
  const done = await runs.resume("b");
  assert.ok(done.status === "finished");
  assert.deepEqual(toldTo(done.result!.finalOutput), [{ status: "completed", taskId, answer: "voucher" }]);
});

testAgent(
  "a tool that has waited long enough says so, and finds its question when it is called again, or its run begins anew",
  async (around) => {
    const ran = async (name: string, waitSeconds: number, callId: string) => {
      const tools = [humanTool({ ...REFUND, run: name, waitSeconds, client: around.client })];
      const model = modelOf([["ask_refund", { amount: 1 }, callId]]);
      return toldTo((await run(new Agent({ name: "Refunds", model, tools }), "Go.")).finalOutput)[0] as Pending;
    };
    const pending = await ran("a", 0.1, "call_a");
    const { id } = await around.question();
    const { reason } = pending;
    assert.deepEqual(pending, { status: "pending", taskId: id, url: `${around.url}/tasks/${id}`, reason });
    await around.answer(id, { approved: false });
    const answered = await ran("a", 10, "call_b");
    assert.deepEqual(answered, { status: "completed", taskId: id, answer: { approved: false, note: "none" } });
    // A result in another run does not answer this one.
    assert.equal((await ran("b", 0.1, "call_b")).status, "pending");
  },
);

testAgent("a run whose signal is aborted stops waiting, and leaves the question open", async (around) => {
  const abort = new AbortController();
  const tools = [humanTool({ ...REFUND, run: "a", client: around.client })];
  const agent = new Agent({ name: "Refunds", model: modelOf([ask]), tools });
  const running = run(agent, "Go.", { signal: abort.signal });
  while ((await around.questions()).length === 0);
  abort.abort(new Error("the user went away"));
  await assert.rejects(running, /the user went away|abort/i);
  assert.equal((await around.question()).status, "created");
});

testAgent("a question that cannot be asked ends the run, and is nothing to tell the model", async (around) => {
  const question = () => ({ task: "", responseSchema: ANSWER });
  const tools = [humanTool({ ...REFUND, question, run: "a", client: around.client })];
  const model = modelOf([ask]);
  await assert.rejects(run(new Agent({ name: "Refunds", model, tools }), "Go."), /VALIDATION_FAILED|task/);
  assert.equal(model.requests.length, 1);
});

testAgent(
  "a run is interrupted for a person, and resumed by the callback in a process that knows only what was saved",
  async (around, t) => {
    const agent = await startAgent(t);
    const store = createStore();
    const step = await refundRuns(around, store, modelOf([ask]), agent.url).start("run 1:ü", "Refund Mia.");
    const { id, task } = await around.question();
    assert.equal(task, "Refund 42.5 EUR?");
    assert.deepEqual(step, {
      status: "waiting",
      tasks: [{ taskId: id, url: `${around.url}/tasks/${id}`, toolName: "ask_refund", toolCallId: "call_1" }],
    });

    const model = modelOf([ask]);
    agent.resumes(refundRuns(around, store, model, agent.url).onCallback);
    await around.answer(id, { approved: true });
    await around.callBack();
    assert.deepEqual(await around.attempts(id), { count: 1, last: 204 });
    const [done] = agent.acted as { status: string; result: { finalOutput: string } }[];
    assert.equal(done!.status, "finished");
    const told = { status: "completed", taskId: id, answer: { approved: true, note: "none" } };
    assert.deepEqual(toldTo(done!.result.finalOutput), [told]);
    assert.equal(model.requests.length, 1);
  },
);

testAgent("a callback that comes again resumes no run a second time, not even while it goes on", async (around, t) => {
  const agent = await startAgent(t);
  const store = createStore();
  const model = modelOf([ask]);
  const runs = refundRuns(around, store, model, agent.url);
  agent.resumes(runs.onCallback);
  await runs.start("a", "Go.");
  const { id, idempotency_key } = await around.question();
  await around.answer(id, { approved: false });
  const callback = { task_id: id, idempotency_key } as Callback;
  const steps = await Promise.all([runs.onCallback(callback), runs.onCallback(callback)]);
  assert.deepEqual([steps[0]?.status, steps[1]], ["finished", null]);
  await around.callBack();
  assert.deepEqual([await around.attempts(id), agent.acted], [{ count: 1, last: 204 }, [null]]);
  assert.deepEqual(await runs.resume("a"), { status: "finished", result: null });
  assert.equal(model.requests.length, 2);
});

testAgent(
  "a callback that comes before the run was stored is refused, and resumes it when it comes again",
  async (around, t) => {
    const agent = await startAgent(t);
    const store = createStore();
    const runs = refundRuns(around, store, modelOf([ask]), agent.url);
    agent.resumes(runs.onCallback);
    await runs.start("a", "Go.");
    const { id } = await around.question();
    const stored = store.saved.get("a")!;
    store.saved.clear();
    await around.answer(id, { approved: true });
    await around.callBack();
    assert.deepEqual(await around.attempts(id), { count: 1, last: 500 });
    store.saved.set("a", stored);
    await around.pass(30);
    await around.callBack();
    assert.deepEqual(await around.attempts(id), { count: 2, last: 204 });
    // A task that is not from a run concerns no run.
    assert.equal(await runs.onCallback({ task_id: "tsk_1", idempotency_key: "order-17" } as Callback), null);
    const unknown = { task_id: "tsk_1", idempotency_key: `openai-agents:a/${"0".repeat(32)}` } as Callback;
    await assert.rejects(runs.onCallback(unknown), { code: "NOT_WAITING_YET" });
  },
);

testAgent("a run that fails after the answer goes on by the next attempt, and asks nobody again", async (around, t) => {
  const agent = await startAgent(t);
  const model = modelOf([ask]);
  const runs = refundRuns(around, createStore(), model, agent.url);
  agent.resumes(runs.onCallback);
  await runs.start("a", "Go.");
  const { id } = await around.question();
  model.fails = true;
  await around.answer(id, { approved: true });
  await around.callBack();
  assert.deepEqual(await around.attempts(id), { count: 1, last: 500 });
  model.fails = false;
  await around.pass(30);
  await around.callBack();
  assert.deepEqual([await around.attempts(id), (await around.questions()).length], [{ count: 2, last: 204 }, 1]);
});

testAgent("several calls at once are waited for together, and a lost callback costs a resume", async (around) => {
  const model = modelOf(
    [
      ["ask_refund", { amount: 1 }, "call_1"],
      ["ask_refund", { amount: 2 }, "call_2"],
      ["ask_refund", { amount: "much" }, "call_3"],
    ],
    [["ask_refund", { amount: 4 }, "call_4"]],
  );
  const runs = refundRuns(around, createStore(), model);
  await runs.start("a", "Go.");
  const [one, two, ...others] = await around.questions();
  assert.equal(others.length, 0);
  await around.answer(two!.id, { approved: true });
  const half = await runs.resume("a");
  assert.deepEqual(half.status === "waiting" && half.tasks.map(({ taskId }) => taskId), [one!.id]);
  await around.pass(600);
  assert.equal((await runs.resume("a")).status, "waiting");
  const fourth = (await around.questions())[2]!;
  assert.equal(fourth.task, "Refund 4 EUR?");
  await around.client.cancel(fourth.id);
  const done = await runs.resume("a");
  assert.ok(done.status === "finished");
  const said = String(done.result!.finalOutput);
  for (const told of ["timed_out", "completed", "arguments are invalid. No one was asked", "cancelled"])
    assert.ok(said.includes(told), `${told}: ${said}`);
  await assert.rejects(runs.resume("no such"), { code: "NO_RUN" });
});

testAgent("a person approves or rejects what a tool is to do, and nobody's answer is no approval", async (around) => {
  const paid: number[] = [];
  const pay = tool({
    name: "pay",
    description: "Pays.",
    parameters: z.object({ amount: z.number() }),
    needsApproval: true,
    execute: async ({ amount }) => {
      paid.push(amount);
      return JSON.stringify("paid");
    },
  });
  const calls: Call[] = [1, 2, 3].map((amount) => ["pay", { amount }, `call_${amount}`]);
  const start = async (approvals: object) =>
    createRuns({
      agent: new Agent({ name: "Payer", model: modelOf(calls), tools: [pay] }),
      approvals: approvals as { pay: () => { task: string } },
      ...store,
      client: around.client,
    });
  const store = createStore();
  const runs = await start({
    pay: ({ amount }: { amount: number }) => ({ task: `Pay ${amount} EUR?`, payload: { amount }, timeoutSeconds: 600 }),
  });
  await runs.start("a", "Go.");
  const all = await around.questions();
  const of = (task: string) => all.find((one) => one.task === task)!.id;
  await around.answer(of("Pay 1 EUR?"), { approved: true });
  await around.answer(of("Pay 2 EUR?"), { approved: false, note: "Too much." });
  await around.pass(600);
  const done = await runs.resume("a");
  assert.deepEqual([done.status, paid], ["finished", [1]]);
  const said = done.status === "finished" ? String(done.result!.finalOutput) : "";
  for (const told of ["paid", "Too much.", "No one answered in time"])
    assert.ok(said.includes(told), `${told}: ${said}`);
  await assert.rejects((await start({})).start("b", "Go."), { code: "NO_QUESTION" });
});

testAgent("who approves a command sees it", async (around) => {
  const store = createStore();
  const model = modelOf();
  const call = { type: "shell_call", callId: "c1", status: "completed", action: { commands: ["rm -rf /srv"] } };
  model.getResponse = async () => ({ usage: new Usage(), output: [call as never] });
  const shell = shellTool({
    shell: { run: async () => Promise.reject(new Error("It was run.")) },
    needsApproval: true,
  });
  const agent = new Agent({ name: "Operator", model, tools: [shell] });
  const approvals = { shell: (payload: object) => ({ task: "Run it?", payload, timeoutSeconds: 600 }) };
  const { client } = around;
  assert.equal((await createRuns({ agent, ...store, client, approvals }).start("a", "Go.")).status, "waiting");
  assert.deepEqual((await around.question()).payload, { commands: ["rm -rf /srv"] });
});

testAgent("an agent that is the tool of another one is answered as well", async (around, t) => {
  const agent = await startAgent(t);
  const store = createStore();
  const started = (callbackUrl: string) => {
    const inner = new Agent({ name: "Inner", model: modelOf([ask]), tools: [pausingHumanTool(REFUND)] });
    const asTool = inner.asTool({ toolName: "inner", toolDescription: "Asks." });
    const outer = new Agent({
      name: "Outer",
      model: modelOf([["inner", { input: "Ask." }, "call_0"]]),
      tools: [asTool as Tool],
    });
    return createRuns({ agent: outer, ...store, callbackUrl, client: around.client });
  };
  await started(agent.url).start("a", "Go.");
  agent.resumes(started(agent.url).onCallback);
  const { id } = await around.question();
  await around.answer(id, { approved: true });
  await around.callBack();
  assert.deepEqual(await around.attempts(id), { count: 1, last: 204 });
  const [done] = agent.acted as { status: string; result: { finalOutput: string } }[];
  assert.match(done!.result.finalOutput, /approved/);
});

testAgent("a call that was approved elsewhere is told as a mistake, and is no answer", async (around) => {
  const agent = new Agent({ name: "Refunds", model: modelOf([ask]), tools: [pausingHumanTool(REFUND)] });
  const { state } = await run(agent, [{ role: "user", content: "Go." }] satisfies AgentInputItem[]);
  state.approve(state.getInterruptions()[0]!);
  await assert.rejects(run(agent, state), /answered by createRuns/);
  assert.equal((await around.questions()).length, 0);
});

testAgent(
  "the program of the page about OpenAI Agents runs as it stands there, with OpenAI's format",
  async (around, t) => {
    const folder = mkdtempSync(join(tmpdir(), "runs-"));
    t.after(() => rmSync(folder, { recursive: true }));
    const vendor = await startModel(t, "ask_finance", { customer: "Mia", amount: 42.5 });
    const env = { ...vendor, PORT: String(await freePort()), RUNS: folder, OPENAI_AGENTS_DISABLE_TRACING: "1" };
    const agent = runProgram(t, programsOf("docs/frameworks/openai-agents.md")[0]!, around, env);
    await agent.says(/\/tasks\/tsk_/);
    await around.answer((await around.question()).id, { approved: true });
    await around.callBack();
    await agent.says(/It was said: .*approved.*true/);
    assert.equal(await agent.ended, 0);
  },
);

testAgent(
  "the program of the page about OpenAI Agents ends when it is started again after the answer came",
  async (around, t) => {
    const folder = mkdtempSync(join(tmpdir(), "runs-"));
    t.after(() => rmSync(folder, { recursive: true }));
    const vendor = await startModel(t, "ask_finance", { customer: "Mia", amount: 42.5 });
    const start = async () => {
      const env = { ...vendor, PORT: String(await freePort()), RUNS: folder, OPENAI_AGENTS_DISABLE_TRACING: "1" };
      return runProgram(t, programsOf("docs/frameworks/openai-agents.md")[0]!, around, env);
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

void test("the programs of the page about OpenAI Agents have the types that they seem to have", async (t) => {
  assert.equal(await typesOf(t, "docs/frameworks/openai-agents.md"), "");
});
