import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test, type TestContext } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { Worker } from "node:worker_threads";
import type { Request } from "./fixtures/worker.ts";
import { clockLimit, cpuLimit } from "./time-limits.ts";
import { createWorkerCalls, type CallOutcome, type WorkerCalls, type WorkerCallsOptions } from "./worker-calls.ts";

const MODULE = new URL("./fixtures/worker.ts", import.meta.url);

function setup(
  t: TestContext,
  options: Partial<WorkerCallsOptions> = {},
): WorkerCalls<Request, string> & { threads: Worker[] } {
  const threads: Worker[] = [];
  const note = (worker: Worker): void => void threads.push(worker);
  process.on("worker", note);
  t.after(() => process.off("worker", note));
  const calls = createWorkerCalls<Request, string>({ module: MODULE, ...options });
  t.after(calls.close);
  return { ...calls, threads };
}

function said(outcome: CallOutcome<string>): string {
  return "answer" in outcome ? outcome.answer : outcome.failed;
}

test("one thread answers every call, also those that were made before it was ready", async (t) => {
  const { call, threads } = setup(t);
  assert.equal(threads.length, 0);
  assert.deepEqual((await Promise.all(["a", "b"].map(async (echo) => call({ echo })))).map(said), ["a", "b"]);
  assert.equal(said(await call({ echo: "c" })), "c");
  assert.equal(threads.length, 1);
});

test("an error that the answering function throws fails its call alone", async (t) => {
  const { call, threads } = setup(t);
  const outcome = await call({ throws: "no such thing" });
  assert.ok("failed" in outcome);
  assert.equal(outcome.failed, "threw");
  assert.match(outcome.error.message, /^Error: no such thing\n {4}at /);
  assert.equal(said(await call({ echo: "a" })), "a");
  assert.equal(threads.length, 1);
});

test("a thread that exits loses its pending calls, and the next call starts another", async (t) => {
  const lost: string[] = [];
  const { call, threads } = setup(t, { onLost: ({ message }, pending) => lost.push(`${message}, ${pending}`) });
  assert.deepEqual((await Promise.all([call({ waits: true }), call({ exits: true })])).map(said), ["lost", "lost"]);
  assert.deepEqual(lost, ["it ended, 2"]);
  assert.equal(said(await call({ echo: "a" })), "a");
  assert.equal(threads.length, 2);
});

test("the end of a lost thread does not fail the calls of its successor, and is reported once", async (t) => {
  const lost: string[] = [];
  const { call, threads } = setup(t, { onLost: ({ message }) => lost.push(message) });
  await call({ echo: "a" });
  const [first] = threads;
  // A failing thread reports the error before it has ended.
  first!.emit("error", new Error("broken"));
  const next = call({ echo: "b" });
  await first!.terminate();
  assert.equal(said(await next), "b");
  assert.deepEqual(lost, ["broken"]);
});

test("a call that is aborted ends at once, and its counterpart in the thread hears of it", async (t) => {
  const { call } = setup(t);
  const giveUp = new AbortController();
  const pending = call({ waits: true }, { signal: giveUp.signal });
  await call({ echo: "the thread has both" });
  giveUp.abort();
  assert.equal(said(await pending), "aborted");
  assert.equal(said(await call({ spinMs: 0 })), "spun, 1 aborted");
  assert.equal(said(await call({ echo: "a" }, { signal: giveUp.signal })), "aborted");
});

for (const [name, limit] of [
  ["clock", clockLimit(50)],
  ["CPU", cpuLimit(50)],
] as const)
  test(`a call that runs out of ${name} time ends the thread, and the next thread starts at once`, async (t) => {
    const { call, threads } = setup(t);
    assert.equal(said(await call({ spinMs: 60_000 }, { limits: [limit] })), "late");
    // The platform reports a new thread in a separate turn.
    await setImmediate();
    assert.equal(threads.length, 2);
    assert.equal(said(await call({ echo: "a" })), "a");
    assert.equal(threads.length, 2);
  });

test("a call that does not compute uses no CPU time", async (t) => {
  const { call } = setup(t);
  const giveUp = AbortSignal.timeout(400);
  assert.equal(said(await call({ waits: true }, { limits: [cpuLimit(200)], signal: giveUp })), "aborted");
});

test("the time that a thread takes to start has a limit of its own", async (t) => {
  const { call } = setup(t, { startLimitMs: 0 });
  assert.equal(said(await call({ echo: "a" }, { limits: [clockLimit(0)] })), "not started");
});

test("closing fails pending and later calls, and starts no thread", async (t) => {
  const { call, close, threads } = setup(t);
  const pending = call({ waits: true });
  await close();
  assert.equal(said(await pending), "closed");
  assert.equal(said(await call({ echo: "a" })), "closed");
  assert.equal(threads.length, 1);
});

test("an idle thread does not keep the process alive, and a pending call does", () => {
  const url = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href);
  const program = `
    import { createWorkerCalls } from ${url("./worker-calls.ts")};
    const { call } = createWorkerCalls({ module: new URL(${url("./fixtures/worker.ts")}), worker: { execArgv: [] } });
    for (const echo of ["a", "b"]) console.log((await call({ echo })).answer);`;
  const options = { encoding: "utf8", timeout: 60_000 } as const;
  assert.equal(execFileSync(process.execPath, ["--input-type=module", "-e", program], options), "a\nb\n");
});
