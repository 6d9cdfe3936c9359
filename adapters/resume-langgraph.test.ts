import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { test, type TestContext } from "node:test";
import { langgraph } from "../src/resume/kinds/langgraph.ts";
import { attemptOnce, OUTCOME, probeOnce } from "../test/support/engines/attempt.ts";
import { watchProgram } from "../test/support/program.ts";

/** What is read of a thread's state. */
interface State {
  values: { answers: unknown[] };
  tasks: { name: string; interrupts: { id: string; value: unknown }[] }[];
}

interface Server {
  connection: { address: { url: string }; secret: null };
  /** Runs a graph in a new thread until it waits. */
  begin(graph: string): Promise<string>;
  state(thread: string): Promise<State>;
  /** Returns the state once no run is active. */
  settled(thread: string): Promise<State>;
}

/** Starts LangGraph's own server in a process of its own, with the graphs of `fixtures/langgraph.mjs`. */
async function startServer(t: TestContext): Promise<Server> {
  const cwd = mkdtempSync(join(tmpdir(), "langgraph-"));
  t.after(() => rmSync(cwd, { recursive: true, force: true }));
  const graphs = relative(cwd, join(import.meta.dirname, "fixtures/langgraph.mjs"));
  const options = {
    port: 0,
    nWorkers: 1,
    host: "127.0.0.1",
    cwd,
    graphs: { newsletter: `${graphs}:newsletter`, both: `${graphs}:both` },
  };
  const child = spawn(process.execPath, ["fixtures/langgraph-server.mjs", JSON.stringify(options)], {
    cwd: import.meta.dirname,
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env["PATH"], LANGSMITH_TRACING: "false" },
  });
  const [, host] = await watchProgram(t, child).says(/^listens on (\S+)$/);
  const url = `http://${host}`;
  const call = async (path: string, body?: object): Promise<unknown> => {
    const request =
      body === undefined
        ? {}
        : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
    const response = await fetch(url + path, request);
    assert.equal(response.status, 200, path);
    return response.json();
  };
  const state = async (thread: string) => (await call(`/threads/${thread}/state`)) as State;
  return {
    connection: { address: { url }, secret: null },
    begin: async (graph) => {
      const { thread_id: thread } = (await call("/threads", {})) as { thread_id: string };
      await call(`/threads/${thread}/runs/wait`, { assistant_id: graph, input: {} });
      return thread;
    },
    state,
    settled: async (thread) => {
      for (;;) {
        const { status } = (await call(`/threads/${thread}`)) as { status: string };
        if (status !== "busy") return state(thread);
      }
    },
  };
}

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
