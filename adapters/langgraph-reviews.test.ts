import assert from "node:assert/strict";
import { approval, type Callback } from "@human-task-service/client";
import { fakeModel } from "@langchain/core/testing";
import { AIMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { Annotation, interrupt, MemorySaver, StateGraph } from "@langchain/langgraph";
import type { HumanInterrupt, HumanResponse } from "@langchain/langgraph/prebuilt";
import { createAgent, humanInTheLoopMiddleware, type HITLRequest, type InterruptOnConfig } from "langchain";
import { z } from "zod";
import { createReviews, interruptForHuman, resumeOnCallback } from "./langgraph.ts";
import { startAgent, testAgent } from "./support/agents.ts";

const thread = (thread_id: string) => ({ configurable: { thread_id } });

/** Creates an agent of LangChain whose model calls these tools at once, and then ends. */
function agentThatCalls(calls: { name: string; args: Record<string, unknown> }[], checkpointer = new MemorySaver()) {
  const ran: unknown[] = [];
  const toolNamed = (name: string) =>
    tool((args: unknown) => void ran.push([name, args]), {
      name,
      description: name,
      schema: z.object({ to: z.string(), amount: z.number().optional() }),
    });
  const model = fakeModel()
    .respondWithTools(calls.map((call, i) => ({ ...call, id: `call-${i}` })))
    .respond(new AIMessage("Done."));
  const allowed: InterruptOnConfig = { allowedDecisions: ["approve", "edit", "reject"] };
  // Its types do not fit `exactOptionalPropertyTypes`.
  const review = (humanInTheLoopMiddleware as (options: object) => unknown)({
    interruptOn: { mail: allowed, refund: allowed },
  });
  const agent = createAgent({
    model,
    tools: [toolNamed("mail"), toolNamed("refund")],
    middleware: [review as never],
    checkpointer,
  });
  return { agent: agent.graph, ran };
}

const THREE = [
  { name: "mail", args: { to: "mia" } },
  { name: "refund", args: { to: "mia", amount: 90 } },
  { name: "mail", args: { to: "lee" } },
];

testAgent(
  "three tool calls of a LangChain agent are decided at once, and an edited one runs as edited",
  async (around, t) => {
    const { agent, ran } = agentThatCalls(THREE);
    const program = await startAgent(t);
    const question = () => ({ assignTo: { email: "dana@example.com" }, timeoutSeconds: 600 });
    const reviews = createReviews(agent, { client: around.client, callbackUrl: program.url, question });
    program.resumes(reviews.onCallback);
    await agent.invoke({ messages: [{ role: "user", content: "Pay Mia back." }] }, thread("t"));
    const step = await reviews.resume("t");
    const { id } = await around.question();
    assert.deepEqual(step, { status: "waiting", tasks: [{ taskId: id, url: `${around.url}/tasks/${id}` }] });
    assert.deepEqual(await reviews.resume("t"), step);
    const { task, actions, assigned_to_email } = await around.client.get(id);
    assert.deepEqual([task, assigned_to_email], ["Run 3 actions?", "dana@example.com"]);
    assert.deepEqual(
      actions?.map(({ name, args, allowed }) => ({ name, args, allowed })),
      THREE.map((one) => ({ ...one, allowed: ["approve", "edit", "reject"] })),
    );
    await around.answer(id, {
      decisions: [
        { decision: "approve" },
        { decision: "edit", args: { to: "mia", amount: 45 } },
        { decision: "approve" },
      ],
    });
    await around.callBack();
    assert.deepEqual(await around.attempts(id), { count: 1, last: 204 });
    assert.deepEqual(ran, [
      ["mail", { to: "mia" }],
      ["refund", { to: "mia", amount: 45 }],
      ["mail", { to: "lee" }],
    ]);
    const callback = { task_id: id, idempotency_key: (await around.client.get(id)).idempotency_key } as Callback;
    assert.deepEqual(
      [await reviews.onCallback(callback), await reviews.resume("t")],
      [null, { status: "resumed", result: null }],
    );
    assert.deepEqual([ran.length, (await around.questions()).length], [3, 1]);
  },
);

testAgent("a rejected call does not run, and the model reads why; nor does one that nobody decided", async (around) => {
  for (const isAnswered of [true, false]) {
    const { agent, ran } = agentThatCalls([{ name: "refund", args: { to: "mia", amount: 90 } }]);
    const reviews = createReviews(agent, { client: around.client, question: () => ({ timeoutSeconds: 600 }) });
    const name = `thread ${isAnswered}`;
    await agent.invoke({ messages: [{ role: "user", content: "Pay Mia back." }] }, thread(name));
    await reviews.resume(name);
    const { id, task } = (await around.questions()).at(-1)!;
    assert.equal(task, "Run refund?");
    if (isAnswered) await around.answer(id, { decision: "reject", message: "Mia was paid." });
    else await around.pass(600);
    const done = await reviews.resume(name);
    assert.ok(done.status === "resumed" && done.result !== null);
    const messages = (done.result as { messages: unknown[] }).messages;
    const told = messages.find((one) => ToolMessage.isInstance(one))!;
    assert.match(told.text, isAnswered ? /Mia was paid\./ : /timed out|in time/);
    assert.deepEqual(ran, []);
  }
});

const State = Annotation.Root({ answer: Annotation<unknown> });

/** Creates a graph with a node for each value, all at once, that interrupts with it and keeps what it gets. */
function graphThatAsks(...values: unknown[]) {
  const got: unknown[] = [];
  const ask = (value: unknown, i: number) => () => {
    got[i] = interrupt(value);
    return {};
  };
  const graph = new StateGraph(State) as StateGraph<unknown, unknown, object, string>;
  for (const [i, value] of values.entries()) graph.addNode(`ask ${i}`, ask(value, i)).addEdge("__start__", `ask ${i}`);
  return { graph: graph.compile({ checkpointer: new MemorySaver() }), got };
}

const CONFIG = { allow_accept: true, allow_edit: true, allow_ignore: true, allow_respond: true };
const INBOX: HumanInterrupt[] = [
  { action_request: { action: "mail", args: { to: "mia" } }, config: CONFIG, description: "A mail to Mia." },
  { action_request: { action: "refund", args: { amount: 90 } }, config: CONFIG },
  { action_request: { action: "log", args: {} }, config: { ...CONFIG, allow_edit: false, allow_ignore: false } },
  { action_request: { action: "wait", args: {} }, config: CONFIG },
];
const DECIDED = [
  { decision: "approve" },
  { decision: "edit", args: { amount: 45 } },
  { decision: "respond", message: "Later." },
  { decision: "reject", message: "No." },
];
const ACTIONS = INBOX.map(({ action_request: { action, args } }) => ({ name: action, args }));
const EVERY = ["approve", "edit", "reject", "respond"];

testAgent("each spelling of a request is answered in its own, once all of its thread are decided", async (around) => {
  const camel: HITLRequest = {
    actionRequests: ACTIONS,
    reviewConfigs: ACTIONS.map(({ name }) => ({ actionName: name, allowedDecisions: EVERY as "edit"[] })),
  };
  // One for each name, in another order.
  const configs = ACTIONS.toReversed().map(({ name }) => ({
    action_name: name,
    allowed_decisions: [...EVERY, "other"],
  }));
  const snake = { action_requests: ACTIONS, review_configs: configs };
  const { graph, got } = graphThatAsks(camel, snake, INBOX, "something else");
  const reviews = createReviews(graph, { client: around.client });
  await graph.invoke({}, thread("t"));
  await reviews.resume("t");
  const questions = await around.questions();
  assert.equal(questions.length, 3);
  const allowed = await Promise.all(
    questions.map(async ({ id }) => (await around.client.get(id)).actions?.map((one) => one.allowed)),
  );
  const all = ACTIONS.map(() => EVERY);
  assert.deepEqual(
    allowed.toSorted((a, b) => String(b).length - String(a).length),
    [all, all, [EVERY, EVERY, ["approve", "respond"], EVERY]],
  );
  for (const { id } of questions) {
    const step = await reviews.resume("t");
    assert.deepEqual([step.status, got], ["waiting", []]);
    await around.answer(id, { decisions: DECIDED });
  }
  assert.equal((await reviews.resume("t")).status, "resumed");
  const said = { type: "respond", message: "Later." };
  const no = { type: "reject", message: "No." };
  const edited = { name: "refund", args: { amount: 45 } };
  assert.deepEqual(got, [
    { decisions: [{ type: "approve" }, { type: "edit", editedAction: edited }, said, no] },
    { decisions: [{ type: "approve" }, { type: "edit", edited_action: edited }, said, no] },
    [
      { type: "accept", args: null },
      { type: "edit", args: { action: "refund", args: { amount: 45 } } },
      { type: "response", args: "Later." },
      { type: "ignore", args: null },
    ] satisfies HumanResponse[],
  ]);
});

testAgent("what an agent asks again, or in another thread, is another review", async (around) => {
  const { graph, got } = graphThatAsks([INBOX[0]]);
  const reviews = createReviews(graph, { client: around.client });
  for (const name of ["one", "two", "one"]) {
    await graph.invoke({}, thread(name));
    assert.equal((await reviews.resume(name)).status, "waiting");
    await around.answer((await around.questions()).at(-1)!.id, { decision: "approve" });
    assert.equal((await reviews.resume(name)).status, "resumed");
  }
  assert.deepEqual(got, [[{ type: "accept", args: null }]]);
  assert.equal((await around.questions()).length, 3);
});

testAgent("a callback of another task resumes no review", async (around) => {
  const { graph } = graphThatAsks([INBOX[0]]);
  const { onCallback } = createReviews(graph, { client: around.client });
  assert.equal(await onCallback({ task_id: "tsk_1", idempotency_key: "v1-1" } as Callback), null);
});

testAgent("a node that asks about an action goes on with the edited arguments", async (around, t) => {
  const program = await startAgent(t);
  const graph = new StateGraph(State)
    .addNode("pay", async () => {
      const action = { name: "refund", args: { amount: 90 }, allowed: ["approve", "edit"] as const };
      const question = approval({ ...action, timeoutSeconds: 600, callbackUrl: program.url });
      const outcome = await interruptForHuman(question, { client: around.client });
      if (outcome.status !== "completed") return { answer: outcome.status };
      const amount: number = outcome.answer.args.amount;
      return { answer: amount };
    })
    .addEdge("__start__", "pay")
    .compile({ checkpointer: new MemorySaver() });
  program.resumes(resumeOnCallback(graph));
  await graph.invoke({}, thread("t"));
  const { id } = await around.question();
  await around.answer(id, { decision: "edit", args: { amount: 45 } });
  await around.callBack();
  assert.equal((await graph.getState(thread("t"))).values.answer, 45);
});
