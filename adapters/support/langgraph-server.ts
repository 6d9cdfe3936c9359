import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import type { TestContext } from "node:test";
import { watchProgram } from "../../test/support/program.ts";

/** What is read of a thread's state. */
export interface State {
  values: { answers: unknown[] };
  tasks: { name: string; interrupts: { id: string; value: unknown }[] }[];
}

export interface LangGraphServer {
  connection: { address: { url: string }; secret: null };
  /** Runs a graph in a new thread until it waits. */
  begin(graph: string, input?: object): Promise<string>;
  /** Runs a thread on with this. */
  run(thread: string, graph: string, body: object): Promise<void>;
  /** Returns how many runs a thread has had. */
  runs(thread: string): Promise<number>;
  state(thread: string): Promise<State>;
  /** Returns the state once no run is active. */
  settled(thread: string): Promise<State>;
}

const ADAPTERS = join(import.meta.dirname, "..");

/**
 * Starts LangGraph's own server in a process of its own.
 * @param graphs - where each graph is: `<file below adapters/>:<export>`
 * @param env - of the process
 */
export async function startLangGraphServer(
  t: TestContext,
  graphs: Record<string, string>,
  env: Record<string, string> = {},
): Promise<LangGraphServer> {
  const cwd = mkdtempSync(join(tmpdir(), "langgraph-"));
  t.after(() => rmSync(cwd, { recursive: true, force: true }));
  const specs = Object.entries(graphs).map(([name, spec]) => [name, relative(cwd, join(ADAPTERS, spec))]);
  const options = { port: 0, nWorkers: 1, host: "127.0.0.1", cwd, graphs: Object.fromEntries(specs) as object };
  const child = spawn(process.execPath, ["fixtures/langgraph-server.mjs", JSON.stringify(options)], {
    cwd: ADAPTERS,
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env["PATH"], LANGSMITH_TRACING: "false", ...env },
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
    begin: async (graph, input = {}) => {
      const { thread_id: thread } = (await call("/threads", {})) as { thread_id: string };
      await call(`/threads/${thread}/runs/wait`, { assistant_id: graph, input });
      return thread;
    },
    run: async (thread, graph, body) => {
      await call(`/threads/${thread}/runs/wait`, { assistant_id: graph, ...body });
    },
    runs: async (thread) => ((await call(`/threads/${thread}/runs`)) as unknown[]).length,
    state,
    settled: async (thread) => {
      for (;;) {
        const { status } = (await call(`/threads/${thread}`)) as { status: string };
        if (status !== "busy") return state(thread);
      }
    },
  };
}
