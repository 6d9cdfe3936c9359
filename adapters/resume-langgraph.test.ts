import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { langgraph } from "../src/resume/kinds/langgraph.ts";
import { attemptOnce, OUTCOME, probeOnce } from "../test/support/engines/attempt.ts";
import { startLangGraphServer } from "./support/langgraph-server.ts";

const startServer = async (t: TestContext) =>
  startLangGraphServer(t, {
    newsletter: "fixtures/langgraph.mjs:newsletter",
    both: "fixtures/langgraph.mjs:both",
  });

void test("LangGraph's own server: an interrupt goes on once, and the next one of its thread keeps waiting", async (t) => {
  const server = await startServer(t);
  assert.deepEqual(await probeOnce(t, langgraph, server.connection), {
    ok: true,
    detail: "The server answers, and accepts the key.",
  });
  const thread_id = await server.begin("newsletter");
  const waiting = { entry: { thread_id, assistant_id: "newsletter" } };
  const attempt = async () => (await attemptOnce(t, langgraph, server, waiting, { wasCutOff: true })).meaning;

  assert.equal(await attempt(), "done");
  const after = await server.settled(thread_id);
  assert.deepEqual(after.values.answers, [OUTCOME]);
  assert.deepEqual(
    after.tasks.map(({ name }) => name),
    ["confirm"],
  );
  assert.equal(await attempt(), "done_already");
  assert.deepEqual((await server.settled(thread_id)).values.answers, [OUTCOME]);

  const { meaning } = await attemptOnce(t, langgraph, server, waiting, { id: "dlv_2", value: '{"sure":true}' });
  assert.equal(meaning, "done");
  const over = await server.settled(thread_id);
  assert.deepEqual([over.values.answers, over.tasks], [[OUTCOME, { sure: true }], []]);
  assert.equal((await attemptOnce(t, langgraph, server, waiting, { id: "dlv_3" })).meaning, "gone");
});

void test("LangGraph's own server: of two interrupts, the one that is named goes on", async (t) => {
  const server = await startServer(t);
  const thread_id = await server.begin("both");
  const entry = { thread_id, assistant_id: "both" };
  assert.equal((await attemptOnce(t, langgraph, server, { entry })).meaning, "gone");

  const { tasks } = await server.state(thread_id);
  const interrupt_id = tasks.find(({ name }) => name === "right")!.interrupts[0]!.id;
  const named = { entry: { ...entry, interrupt_id } };
  assert.equal((await attemptOnce(t, langgraph, server, named, { value: "true" })).meaning, "done");
  assert.deepEqual((await server.settled(thread_id)).values.answers, [{ right: true }]);

  // The question that was answered is no longer one that the thread waits for, and the other one is the only one left.
  assert.equal((await attemptOnce(t, langgraph, server, named, { id: "dlv_2" })).meaning, "gone");
  assert.equal((await attemptOnce(t, langgraph, server, { entry }, { id: "dlv_3", value: "false" })).meaning, "done");
  assert.deepEqual((await server.settled(thread_id)).values.answers, [{ left: false }, { right: true }]);
});

void test("LangGraph's own server: a thread that is continued runs its nodes again, once, and no interrupt gets a value", async (t) => {
  const server = await startServer(t);
  for (const [graph, nodes] of [
    ["newsletter", ["ask"]],
    ["both", ["left", "right"]],
  ] as const) {
    const thread_id = await server.begin(graph);
    const before = await server.runs(thread_id);
    const continuing = { entry: { thread_id, assistant_id: graph, continue: true } };
    const attempt = async () => (await attemptOnce(t, langgraph, server, continuing, { wasCutOff: true })).meaning;
    assert.equal(await attempt(), "done");
    const { values, tasks } = await server.settled(thread_id);
    assert.deepEqual([values.answers, tasks.map(({ name }) => name).toSorted()], [[], nodes]);
    assert.equal(await attempt(), "done_already");
    assert.deepEqual((await server.runs(thread_id)) - before, 1);
  }
});

void test("LangGraph's own server: unknown threads and assistants are gone", async (t) => {
  const server = await startServer(t);
  const thread_id = await server.begin("newsletter");
  const entries = [
    { thread_id: "00000000-0000-4000-8000-000000000000", assistant_id: "newsletter" },
    { thread_id, assistant_id: "other" },
  ];
  for (const entry of entries) {
    const { meaning, answer } = await attemptOnce(t, langgraph, server, { entry });
    assert.deepEqual([meaning, answer?.status], ["gone", 404]);
  }
  assert.deepEqual((await server.state(thread_id)).values.answers, []);
});
