import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { deserialize, serialize } from "node:v8";
import type { Callback } from "@human-task-service/client";
import { AIMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import {
  Annotation,
  Command,
  INTERRUPT,
  interrupt,
  isInterrupted,
  MemorySaver,
  MessagesAnnotation,
  StateGraph,
} from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { z } from "zod";
import { newConnection } from "../test/support/connections.ts";
import { freePort } from "../test/support/free-port.ts";
import { interruptForHuman, resumeOnCallback, waitForHuman, type WaitingForHuman } from "./langgraph.ts";
import { typesOf, programsOf, runProgram, startAgent, testAgent, type Surroundings } from "./support/agents.ts";

const DELIVERIES = "/api/admin/webhook-deliveries";
const ANSWER = z.object({ approved: z.boolean(), note: z.string().default("none") });

const Refund = Annotation.Root({
  amount: Annotation<number>,
  draft: Annotation<string>,
  outcome: Annotation<string>,
});

interface Watched {
  /** How often the node that asks has started. */
  visits: number;
  /** How often the node behind it has started. */
  paid: number;
  fails?: boolean;
}

/** Creates a graph that drafts, asks a person, and pays. It has no state of its own: only the checkpointer has. */
function refundGraph({ client }: Surroundings, checkpointer: MemorySaver, callbackUrl?: string, watched?: Watched) {
  return new StateGraph(Refund)
    .addNode("write", ({ amount }) => ({ draft: `Refund ${amount} EUR?` }))
    .addNode("ask", async ({ draft, amount }) => {
      if (watched) watched.visits++;
      const outcome = await interruptForHuman(
        { task: draft, payload: { amount }, responseSchema: ANSWER, timeoutSeconds: 600, callbackUrl },
        { client },
      );
      if (watched?.fails === true) throw new Error("the bank is away");
      if (outcome.status !== "completed") return { outcome: outcome.status };
      const { approved, note }: { approved: boolean; note: string } = outcome.answer;
      return { outcome: approved ? `approved, ${note}` : "denied" };
    })
    .addNode("pay", () => {
      if (watched) watched.paid++;
      return {};
    })
    .addEdge("__start__", "write")
    .addEdge("write", "ask")
    .addEdge("ask", "pay")
    .compile({ checkpointer });
}

const thread = (thread_id: string) => ({ configurable: { thread_id } });

/** Returns a checkpointer with the same stored data, as a new process would read it. */
function reopened(saver: MemorySaver): MemorySaver {
  const folder = mkdtempSync(join(tmpdir(), "checkpoints-"));
  const file = join(folder, "saved");
  writeFileSync(file, serialize({ storage: saver.storage, writes: saver.writes }));
  const next = Object.assign(new MemorySaver(), deserialize(readFileSync(file)));
  rmSync(folder, { recursive: true });
  return next;
}

testAgent(
  "a graph is interrupted by a question, and resumed by the answer's callback in another process",
  async (around, t) => {
    const agent = await startAgent(t);
    const before = new MemorySaver();
    const paused = await refundGraph(around, before, agent.url).invoke({ amount: 42.5 }, thread("thread 1:ü"));
    assert.ok(isInterrupted<WaitingForHuman>(paused));
    const { id, task, payload } = await around.question();
    assert.deepEqual(paused[INTERRUPT][0]!.value, {
      humanTask: { id, url: `${around.url}/tasks/${id}`, task: "Refund 42.5 EUR?" },
    });
    assert.deepEqual([task, payload], ["Refund 42.5 EUR?", { amount: 42.5 }]);

    const watched = { visits: 0, paid: 0 };
    const after = reopened(before);
    agent.resumes(resumeOnCallback(refundGraph(around, after, agent.url, watched)));
    await around.answer(id, { approved: true });
    await around.callBack();
    assert.deepEqual(await around.attempts(id), { count: 1, last: 204 });
    assert.deepEqual(watched, { visits: 1, paid: 1 });
    const state = await refundGraph(around, after).getState(thread("thread 1:ü"));
    assert.equal((state.values as { outcome: string }).outcome, "approved, none");
    assert.deepEqual([state.next, (await around.questions()).length], [[], 1]);
  },
);

testAgent("a callback that comes again resumes nothing a second time", async (around, t) => {
  const agent = await startAgent(t);
  const watched = { visits: 0, paid: 0 };
  const graph = refundGraph(around, new MemorySaver(), agent.url, watched);
  agent.resumes(resumeOnCallback(graph));
  await graph.invoke({ amount: 1 }, thread("t"));
  const { id } = await around.question();
  await around.answer(id, { approved: false });
  await around.callBack();
  for (let i = 0; i < 2; i++) {
    const [delivery] = (await around.service.call<{ id: string }[]>("GET", DELIVERIES)).body;
    await around.service.call("POST", `${DELIVERIES}/${delivery!.id}/redeliver`);
    await around.callBack();
  }
  assert.deepEqual(watched, { visits: 2, paid: 1 });
  assert.deepEqual([agent.acted.length, agent.acted.slice(1)], [3, [null, null]]);
});

testAgent("a callback that comes again while the graph runs waits for it, and resumes nothing", async (around) => {
  const watched = { visits: 0, paid: 0 };
  const graph = refundGraph(around, new MemorySaver(), undefined, watched);
  await graph.invoke({ amount: 1 }, thread("t"));
  const task = await around.question();
  await around.answer(task.id, { approved: true });
  const resume = resumeOnCallback(graph);
  const callback = { task_id: task.id, idempotency_key: task.idempotency_key } as Callback;
  const [first, ...others] = await Promise.all([resume(callback), resume(callback), resume(callback)]);
  assert.equal((first as { outcome: string }).outcome, "approved, none");
  assert.deepEqual(others, [null, null]);
  assert.deepEqual(watched, { visits: 2, paid: 1 });
});

testAgent(
  "a callback that comes before the pause was stored is refused, and resumes the graph when it comes again",
  async (around, t) => {
    const agent = await startAgent(t);
    const saver = new MemorySaver();
    await refundGraph(around, saver, agent.url).invoke({ amount: 1 }, thread("t"));
    const { id } = await around.question();
    const graph = refundGraph(around, new MemorySaver(), agent.url);
    agent.resumes(resumeOnCallback(graph));
    await around.answer(id, { approved: true });
    await around.callBack();
    assert.deepEqual(await around.attempts(id), { count: 1, last: 500 });
    // The checkpoint before the node is stored, but its interrupt is not.
    Object.assign(graph.checkpointer as MemorySaver, { storage: saver.storage });
    await around.pass(30);
    await around.callBack();
    assert.deepEqual(await around.attempts(id), { count: 2, last: 500 });

    Object.assign(graph.checkpointer as MemorySaver, { writes: saver.writes });
    await around.pass(60);
    await around.callBack();
    assert.deepEqual(await around.attempts(id), { count: 3, last: 204 });
    assert.equal(((await graph.getState(thread("t"))).values as { outcome: string }).outcome, "approved, none");
  },
);

testAgent("a graph that fails after the answer is run again by the next attempt", async (around, t) => {
  const agent = await startAgent(t);
  const watched: Watched = { visits: 0, paid: 0, fails: true };
  const graph = refundGraph(around, new MemorySaver(), agent.url, watched);
  agent.resumes(resumeOnCallback(graph));
  await graph.invoke({ amount: 1 }, thread("t"));
  const { id } = await around.question();
  await around.answer(id, { approved: true });
  await around.callBack();
  assert.deepEqual(await around.attempts(id), { count: 1, last: 500 });
  watched.fails = false;
  await around.pass(30);
  await around.callBack();
  assert.deepEqual(await around.attempts(id), { count: 2, last: 204 });
  assert.deepEqual([watched.paid, (await around.questions()).length], [1, 1]);
});

testAgent(
  "nodes that are at work beside the question are not run twice, however early the callback comes",
  async (around) => {
    const { promise: paid, resolve } = Promise.withResolvers<void>();
    const { promise: paying, resolve: begin } = Promise.withResolvers<void>();
    let payments = 0;
    const graph = new StateGraph(Refund)
      .addNode("ask", async () => {
        const question = { task: "Refund?", responseSchema: ANSWER, timeoutSeconds: 600 };
        return { outcome: (await interruptForHuman(question, { client: around.client })).status };
      })
      .addNode("pay", async () => {
        payments++;
        begin();
        await paid;
        return { amount: 1 };
      })
      .addEdge("__start__", "ask")
      .addEdge("__start__", "pay")
      .compile({ checkpointer: new MemorySaver() });
    const first = graph.invoke({}, thread("t"));
    await paying;
    while ((await around.questions()).length === 0);
    const { id, idempotency_key } = await around.question();
    while (!(await graph.getState(thread("t"))).tasks.some(({ interrupts }) => interrupts.length > 0));
    await around.answer(id, { approved: true });
    const resume = resumeOnCallback(graph);
    const callback = { task_id: id, idempotency_key } as Callback;
    await assert.rejects(resume(callback), { code: "NOT_WAITING_YET" });
    resolve();
    await first;
    const state = (await resume(callback)) as { outcome: string } | null;
    assert.deepEqual([state?.outcome, payments], ["completed", 1]);
  },
);

testAgent("a callback for what a thread does not wait for resumes nothing", async (around) => {
  const watched = { visits: 0, paid: 0 };
  const graph = refundGraph(around, new MemorySaver(), undefined, watched);
  await graph.invoke({ amount: 1 }, thread("t"));
  const resume = resumeOnCallback(graph);
  const other = { task_id: "tsk_other", idempotency_key: `langgraph:t/${"0".repeat(32)}` } as Callback;
  await assert.rejects(resume(other), { code: "NOT_WAITING_YET", taskId: "tsk_other" });
  for (const key of ["order-17", "langgraph:t", `langgraph:%E0%A4%A/${"0".repeat(32)}`])
    assert.equal(await resume({ task_id: "tsk_other", idempotency_key: key } as Callback), null);
  assert.deepEqual(watched, { visits: 1, paid: 0 });
});

testAgent("a lost callback costs an invocation, and a value given by hand is no answer", async (around) => {
  const saver = new MemorySaver();
  const graph = refundGraph(around, saver);
  await graph.invoke({ amount: 1 }, thread("t"));
  const again = await graph.invoke(new Command({ resume: { approved: true } }), thread("t"));
  assert.ok(isInterrupted(again));
  assert.ok(isInterrupted(await graph.invoke(null, thread("t"))));
  const { id } = await around.question();
  await around.answer(id, { approved: true, note: "paid" });
  const { outcome } = await refundGraph(around, reopened(saver)).invoke(null, thread("t"));
  assert.equal(outcome, "approved, paid");
});

testAgent("who answers too late, or never, is told to the graph as an outcome", async (around, t) => {
  const agent = await startAgent(t);
  const graph = refundGraph(around, new MemorySaver(), agent.url);
  agent.resumes(resumeOnCallback(graph));
  await graph.invoke({ amount: 1 }, thread("late"));
  const { id } = await around.question();
  await around.pass(600);
  await around.callBack();
  assert.equal(((await graph.getState(thread("late"))).values as { outcome: string }).outcome, "timed_out");
  assert.deepEqual(await around.attempts(id), { count: 1, last: 204 });

  await graph.invoke({ amount: 2 }, thread("withdrawn"));
  await around.client.cancel((await around.questions())[1]!.id);
  await around.callBack();
  assert.equal(((await graph.getState(thread("withdrawn"))).values as { outcome: string }).outcome, "cancelled");
});

testAgent("an answer that only the library refuses is an outcome too", async (around) => {
  const graph = new StateGraph(Refund)
    .addNode("ask", async () => {
      const responseSchema = z.object({ iban: z.string().refine((text) => text.startsWith("DE")) });
      const { status } = await interruptForHuman({ task: "Which account?", responseSchema }, around);
      return { outcome: status };
    })
    .addEdge("__start__", "ask")
    .compile({ checkpointer: new MemorySaver() });
  await graph.invoke({}, thread("t"));
  await around.answer((await around.question()).id, { iban: "FR76" });
  assert.equal((await graph.invoke(null, thread("t"))).outcome, "refused");
});

testAgent(
  "questions of branches, of loops and of one node are told apart, and their answers do not mix with other interrupts",
  async (around, t) => {
    const agent = await startAgent(t);
    const State = Annotation.Root({
      said: Annotation<string[]>({ reducer: (left, right) => left.concat(right), default: () => [] }),
    });
    const ask = async (task: string, occasion?: string) => {
      const responseSchema = z.object({ text: z.string() });
      const outcome = await interruptForHuman({ task, responseSchema, occasion, callbackUrl: agent.url }, around);
      return outcome.status === "completed" ? outcome.answer.text : outcome.status;
    };
    let runs = 0;
    const graph = new StateGraph(State)
      .addNode("twice", async () => {
        runs++;
        const first = await ask("First?", "first");
        const plain = interrupt<string, string>("a plain one");
        return { said: [`${first} ${plain} ${await ask("Second?", "second")}`] };
      })
      .addNode("beside", async () => ({ said: [await ask("Beside?")] }))
      .addNode("loop", async () => ({ said: [await ask("Once more?")] }))
      .addEdge("__start__", "twice")
      .addEdge("__start__", "beside")
      .addEdge("twice", "loop")
      .addConditionalEdges("loop", ({ said }) => (said.at(-1) === "yes" ? "loop" : "__end__"))
      .compile({ checkpointer: new MemorySaver() });
    agent.resumes(resumeOnCallback(graph));
    const open = async (task: string) =>
      (await around.questions()).find((one) => one.task === task && one.status === "created")!.id;
    const answer = async (task: string, text: string) => {
      await around.answer(await open(task), { text });
      await around.callBack();
    };
    await graph.invoke({}, thread("t"));
    await answer("Beside?", "b");
    const [{ id: delivery } = { id: "" }] = (await around.service.call<{ id: string }[]>("GET", DELIVERIES)).body;
    await around.service.call("POST", `${DELIVERIES}/${delivery}/redeliver`);
    await around.callBack();
    assert.deepEqual([runs, agent.acted[1]], [2, null]);
    await answer("First?", "f");
    await graph.invoke(new Command({ resume: "p" }), thread("t"));
    await answer("Second?", "s");
    await answer("Once more?", "yes");
    await answer("Once more?", "no");
    const { values, next } = await graph.getState(thread("t"));
    assert.deepEqual([next, (values as { said: string[] }).said.toSorted()], [[], ["b", "f p s", "no", "yes"]]);
    assert.equal((await around.questions()).length, 5);
  },
);

testAgent("another question in the place of one that was asked is refused, unless it is told apart", async (around) => {
  let draft = 0;
  const graph = new StateGraph(Refund)
    .addNode("ask", async () => {
      const { status } = await interruptForHuman({ task: `Draft ${++draft}?`, responseSchema: ANSWER }, around);
      return { outcome: status };
    })
    .addEdge("__start__", "ask")
    .compile({ checkpointer: new MemorySaver() });
  await graph.invoke({}, thread("t"));
  const refused = { code: "OTHER_QUESTION", message: /Move values that change into an earlier node/ };
  await assert.rejects(graph.invoke(null, thread("t")), refused);
  assert.equal((await around.questions()).length, 1);
});

testAgent("with a key of its own a question is asked once in its thread, wherever it is asked", async (around, t) => {
  const agent = await startAgent(t);
  const ask = async () => {
    const { status } = await interruptForHuman(
      { task: "May we begin?", responseSchema: ANSWER, idempotencyKey: "begin", callbackUrl: agent.url },
      around,
    );
    return { outcome: status };
  };
  const graph = new StateGraph(Refund)
    .addNode("one", ask)
    .addNode("two", ask)
    .addEdge("__start__", "one")
    .addEdge("one", "two")
    .compile({ checkpointer: new MemorySaver() });
  for (const id of ["a", "b"]) await graph.invoke({}, thread(id));
  const [first, second] = await around.questions();
  await around.answer(first!.id, { approved: true });
  agent.resumes(resumeOnCallback(graph));
  await around.callBack();
  const { values, next } = await graph.getState(thread("a"));
  assert.deepEqual([(values as { outcome: string }).outcome, next], ["completed", []]);
  assert.equal((await around.client.get(second!.id)).status, "created");
});

testAgent("an agent's tools ask in parallel, in a subgraph too, and the model gets each answer", async (around, t) => {
  const agent = await startAgent(t);
  const askHuman = tool(
    async ({ question }: { question: string }, config) =>
      interruptForHuman(
        { task: question, responseSchema: z.object({ text: z.string() }), callbackUrl: agent.url },
        { ...around, config },
      ),
    { name: "ask_human", description: "Asks a person.", schema: z.object({ question: z.string() }) },
  );
  const call = (id: string, question: string) => ({ id, name: "ask_human", args: { question } });
  const inner = new StateGraph(MessagesAnnotation)
    .addNode("model", ({ messages }) => ({
      messages: messages.some((message) => message instanceof ToolMessage)
        ? [new AIMessage("Thank you.")]
        : [new AIMessage({ content: "", tool_calls: [call("call_1", "Same?"), call("call_2", "Same?")] })],
    }))
    .addNode("tools", new ToolNode([askHuman]))
    .addEdge("__start__", "model")
    .addConditionalEdges("model", ({ messages }) =>
      ((messages.at(-1) as AIMessage).tool_calls ?? []).length > 0 ? "tools" : "__end__",
    )
    .addEdge("tools", "model")
    .compile();
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("agent", inner)
    .addEdge("__start__", "agent")
    .compile({ checkpointer: new MemorySaver() });
  agent.resumes(resumeOnCallback(graph));
  await graph.invoke({ messages: [{ role: "user", content: "Go." }] }, thread("t"));
  while ((await around.questions()).length < 2);
  const [first, second] = await around.questions();
  // LangGraph keeps only the first interrupt of several concurrent tools. The graph continues after any answer.
  await around.answer(second!.id, { text: "answer 1" });
  await around.callBack();
  await around.answer(first!.id, { text: "answer 0" });
  await around.callBack();
  for (const { id } of [first!, second!]) assert.deepEqual(await around.attempts(id), { count: 1, last: 204 });
  const { messages } = (await graph.getState(thread("t"))).values as { messages: { content: string }[] };
  assert.equal(messages.at(-1)!.content, "Thank you.");
  const told = messages.filter((message) => message instanceof ToolMessage).map(({ content }) => content);
  assert.equal(told.length, 2);
  for (const answered of [0, 1]) assert.ok(told.some((content) => content.includes(`answer ${answered}`)));
});

testAgent("to wait is bounded: what is pending is said, and found again", async (around) => {
  const graph = new StateGraph(Refund)
    .addNode("ask", async () => {
      const question = { task: "Quick?", responseSchema: ANSWER, idempotencyKey: "quick" };
      const outcome = await waitForHuman(question, { ...around, waitSeconds: 0.2 });
      return { outcome: outcome.status === "completed" ? outcome.answer.note : `${outcome.status} ${outcome.taskId}` };
    })
    .addEdge("__start__", "ask")
    .compile({ checkpointer: new MemorySaver() });
  const { outcome } = await graph.invoke({}, thread("t"));
  const { id } = await around.question();
  assert.equal(outcome, `pending ${id}`);
  await around.answer(id, { approved: true, note: "yes" });
  assert.equal((await graph.invoke({}, thread("t"))).outcome, "yes");
});

testAgent("the answer to a question for a single value is the value, waited for or not", async (around) => {
  const graph = new StateGraph(Refund)
    .addNode("ask", async () => {
      const paused = await interruptForHuman({ task: "How many?", responseSchema: z.number() }, around);
      const waited = await waitForHuman({ task: "Now?", idempotencyKey: "now" }, around);
      if (paused.status !== "completed" || waited.status !== "completed") return {};
      const [amount, isNow]: [number, boolean] = [paused.answer, waited.answer];
      return { outcome: JSON.stringify([amount, isNow]) };
    })
    .addEdge("__start__", "ask")
    .compile({ checkpointer: new MemorySaver() });
  assert.ok(isInterrupted(await graph.invoke({}, thread("t"))));
  await around.answer((await around.question()).id, { value: 7 });
  const going = graph.invoke(null, thread("t"));
  while ((await around.questions()).length < 2);
  const now = (await around.questions()).find(({ task }) => task === "Now?")!;
  await around.answer(now.id, { value: false });
  assert.equal((await going).outcome, "[7,false]");
});

testAgent("to wait ends with the graph's signal", async (around) => {
  const abort = new AbortController();
  let waiting: ReturnType<typeof waitForHuman> | undefined;
  const graph = new StateGraph(Refund)
    .addNode("ask", async () => {
      waiting = waitForHuman({ task: "Slow?", responseSchema: ANSWER }, around);
      return { outcome: (await waiting).status };
    })
    .addEdge("__start__", "ask")
    .compile({ checkpointer: new MemorySaver() });
  const run = graph.invoke({}, { ...thread("t"), signal: abort.signal });
  while ((await around.questions()).length === 0);
  abort.abort(new Error("the user went away"));
  await assert.rejects(run, /the user went away|Abort/);
  await assert.rejects(waiting!, /the user went away|Abort/);
  assert.equal((await around.question()).status, "created");
});

void test("a question outside of a thread says what is missing", async () => {
  const graph = new StateGraph(Refund)
    .addNode("ask", async () => {
      await waitForHuman({ task: "?", responseSchema: ANSWER });
      return {};
    })
    .addEdge("__start__", "ask")
    .compile();
  await assert.rejects(graph.invoke({}), { code: "NO_THREAD" });
  await assert.rejects(waitForHuman({ task: "?", responseSchema: ANSWER }), { code: "NO_THREAD" });
  await assert.rejects(graph.invoke({}, thread("x".repeat(213))), { code: "RUN_ID_TOO_LONG" });
});

testAgent("with a connection, a question says what is missing where no server runs its graph", async (around) => {
  const graphWith = (assistantId?: string) =>
    new StateGraph(Refund)
      .addNode("ask", async () => {
        const options = { ...around, connection: "langgraph", assistantId };
        return { outcome: (await interruptForHuman({ task: "Refund?" }, options)).status };
      })
      .addEdge("__start__", "ask")
      .compile({ checkpointer: new MemorySaver() });
  await assert.rejects(graphWith().invoke({}, thread("t")), { code: "NO_ASSISTANT", message: /give `assistantId`/ });
  const connection = { name: "langgraph", kind: "langgraph", address: { url: "http://127.0.0.1:9" }, secret: null };
  await newConnection(around.service, connection);
  await assert.rejects(graphWith("refund").invoke({}, thread("t")), /\/resume\/0\/thread_id/);
  assert.equal((await around.questions()).length, 0);

  const thread_id = "01a21e28-f213-742b-9537-3e75c35350aa";
  assert.ok(isInterrupted(await graphWith("refund").invoke({}, thread(thread_id))));
  const { resume } = await around.client.get((await around.question()).id);
  assert.deepEqual([resume![0]!["thread_id"], resume![0]!["assistant_id"]], [thread_id, "refund"]);
});

testAgent("the program of the page about LangGraph runs as it stands there", async (around, t) => {
  const port = String(await freePort());
  const [program] = programsOf("docs/frameworks/langgraph.md");
  const agent = runProgram(t, program!, around, { PORT: port });
  await agent.says(/\/tasks\/tsk_/);
  await around.answer((await around.question()).id, { approved: true });
  await around.callBack();
  await agent.says(/42.5 EUR were refunded/);
  assert.equal(await agent.ended, 0);
});

void test("the programs of the page about LangGraph have the types that they seem to have", async (t) => {
  assert.equal(await typesOf(t, "docs/frameworks/langgraph.md"), "");
});
