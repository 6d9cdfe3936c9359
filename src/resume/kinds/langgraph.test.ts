import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { attemptOnce, OUTCOME, probeOnce } from "../../../test/support/engines/attempt.ts";
import { attemptUntilSettled, scripts } from "../../../test/support/engines/until-settled.ts";
import { startLanggraph, type LangGraphWaiting } from "../../../test/support/engines/langgraph.ts";
import type { Connection, Fields, Meaning, Resumed } from "../kind.ts";
import { langgraph } from "./langgraph.ts";

void test("a thread that waits in an interrupt goes on once, with the outcome", async (t) => {
  const engine = await startLanggraph(t);
  const waiting = await engine.wait();
  assert.equal(langgraph.checkAddress!(waiting.entry), null);
  assert.equal((await attemptOnce(t, langgraph, engine, waiting)).meaning, "done");
  assert.deepEqual(waiting.received, [OUTCOME]);
});

void test("a task that asks for the response only sends its value", async (t) => {
  const engine = await startLanggraph(t);
  for (const value of [{ approved: true }, null, { "0123456789abcdef0123456789abcdef": 1 }]) {
    const waiting = await engine.wait();
    await attemptOnce(t, langgraph, engine, waiting, { value: JSON.stringify(value) });
    assert.deepEqual(waiting.received, [value]);
  }
});

void test("of several interrupts, the one that the entry names goes on", async (t) => {
  const engine = await startLanggraph(t);
  const waiting = await engine.wait(3);
  const [first, , third] = waiting.ids;
  assert.equal((await attemptOnce(t, langgraph, engine, waiting)).meaning, "done");
  assert.deepEqual(waiting.received, [OUTCOME]);
  assert.deepEqual(waiting.ids.slice(0, 2), [first, third]);
});

void test("however often attempts are cut off or fail, one interrupt goes on, and not the next one of its thread", async (t) => {
  const engine = await startLanggraph(t);
  await fc.assert(
    fc.asyncProperty(scripts, fc.integer({ min: 1, max: 3 }), async (script, interrupts) => {
      const waiting = await engine.wait(interrupts);
      engine.script.splice(0, Infinity, ...script);
      const last = (await attemptUntilSettled(t, langgraph, engine, waiting)).at(-1);
      assert.ok(last === "done" || last === "done_already", last);
      assert.deepEqual(waiting.received, [OUTCOME]);
    }),
    { numRuns: 30 },
  );
});

void test("two tasks resume two interrupts of a thread, one after the other", async (t) => {
  const engine = await startLanggraph(t);
  const waiting = await engine.wait();
  for (const id of ["dlv_1", "dlv_2"])
    assert.equal((await attemptOnce(t, langgraph, engine, waiting, { id })).meaning, "done");
  assert.equal(waiting.received.length, 2);
});

void test("a thread is continued once without a value, whatever number of interrupts it waits for", async (t) => {
  const engine = await startLanggraph(t);
  await fc.assert(
    fc.asyncProperty(scripts, fc.integer({ min: 1, max: 3 }), async (script, interrupts) => {
      const waiting = await engine.wait(interrupts);
      const ids = [...waiting.ids];
      engine.script.splice(0, Infinity, ...script);
      const last = (await attemptUntilSettled(t, langgraph, engine, continuing(waiting))).at(-1);
      assert.ok(last === "done" || last === "done_already", last);
      assert.deepEqual([waiting.continued, waiting.received, waiting.ids], [1, [], ids]);
    }),
    { numRuns: 30 },
  );
});

/** Returns what continues the thread of something that waits. */
function continuing({ entry }: LangGraphWaiting): { entry: Fields } {
  const { thread_id, assistant_id } = entry;
  return { entry: { thread_id, assistant_id, continue: true } };
}

void test("a thread that another task has continued to its end is done already", async (t) => {
  const engine = await startLanggraph(t);
  const waiting = await engine.wait(2);
  await attemptOnce(t, langgraph, engine, continuing(waiting), { id: "dlv_1" });
  waiting.become("busy");
  const attempt = async () => attemptOnce(t, langgraph, engine, continuing(waiting), { id: "dlv_2" });
  assert.equal((await attempt()).meaning, "later");
  waiting.become("idle");
  const { meaning, message } = await attempt();
  assert.deepEqual(
    [meaning, message, waiting.continued],
    ["done_already", "The thread waits for nothing. The run of another task has continued it.", 1],
  );
});

const STATES = [
  { status: "busy", means: "later", says: "The thread runs, and does not wait yet." },
  { status: "error", means: "later", says: "The last run of the thread has failed." },
  { status: "idle", means: "gone", says: "The thread waits for no interrupt." },
] as const;

for (const { status, means, says } of STATES)
  void test(`a thread that is ${status} is ${means}`, async (t) => {
    const engine = await startLanggraph(t);
    const waiting = await engine.wait();
    waiting.become(status);
    for (const entry of [waiting, continuing(waiting)]) {
      const { meaning, message } = await attemptOnce(t, langgraph, engine, entry);
      assert.deepEqual([meaning, message], [means, says]);
    }
    assert.deepEqual([waiting.received, waiting.continued], [[], 0]);
  });

void test("a thread that stands at a breakpoint, and not at an interrupt, is not continued", async (t) => {
  const engine = await startLanggraph(t);
  const waiting = await engine.wait(0);
  const { meaning } = await attemptOnce(t, langgraph, engine, continuing(waiting));
  assert.deepEqual([meaning, waiting.continued], ["gone", 0]);
});

for (const language of ["python", "javascript"] as const) {
  void test(`a run that begins between two requests of an attempt is not disturbed, with a server in ${language}`, async (t) => {
    const engine = await startLanggraph(t, { language });
    const waiting = await engine.wait();
    waiting.isBusySoon = true;
    const { meaning, answer } = await attemptOnce(t, langgraph, engine, waiting);
    assert.deepEqual([meaning, answer?.status], ["later", language === "python" ? 409 : 422]);
    assert.deepEqual(waiting.received, []);
  });

  void test(`unknown threads and assistants are gone, with a server in ${language}`, async (t) => {
    const engine = await startLanggraph(t, { language });
    const waiting = await engine.wait();
    const resume = async (entry: Record<string, unknown>) => attemptOnce(t, langgraph, engine, { entry });
    const thread = await resume({ ...waiting.entry, thread_id: "00000000-0000-4000-8000-000000000000" });
    assert.deepEqual(
      [thread.meaning, thread.message],
      ["gone", "LangGraph answered 404: Thread with ID 00000000-0000-4000-8000-000000000000 not found"],
    );
    const assistant = await resume({ ...waiting.entry, assistant_id: "other" });
    assert.deepEqual(
      [assistant.meaning, assistant.message],
      ["gone", 'LangGraph answered 404: No assistant found for "other".'],
    );
    assert.deepEqual(waiting.received, []);
  });
}

void test("without a name, an interrupt among several is not guessed", async (t) => {
  const engine = await startLanggraph(t);
  const waiting = await engine.wait(2);
  const { interrupt_id: _, ...entry } = waiting.entry;
  const { meaning, message } = await attemptOnce(t, langgraph, engine, { entry });
  assert.equal(meaning, "gone");
  assert.match(message, /waits for several interrupts\. `interrupt_id` must name one\.$/);
  assert.deepEqual(waiting.received, []);
});

void test("an interrupt that someone else has resumed is gone, and the next one is left alone", async (t) => {
  const engine = await startLanggraph(t);
  const waiting = await engine.wait();
  const entry = { ...waiting.entry, interrupt_id: waiting.ids[0] };
  await attemptOnce(t, langgraph, engine, { entry }, { id: "dlv_other" });
  const { meaning, message } = await attemptOnce(t, langgraph, engine, { entry });
  assert.deepEqual([meaning, message], ["gone", "The thread does not wait for this interrupt."]);
  assert.equal(waiting.received.length, 1);
});

void test("an answer means what the page about LangGraph says", async (t) => {
  const engine = await startLanggraph(t);
  const meanings: Record<Meaning, number[]> = {
    done: [],
    done_already: [],
    gone: [400, 404, 405, 413, 422],
    later: [200, 408, 409, 429, 500, 502, 503, 504],
    refused: [401, 403],
  };
  for (const [meaning, statuses] of Object.entries(meanings))
    for (const status of statuses) {
      engine.script.push({ status, body: { detail: "A reason." } });
      const found = await attemptOnce(t, langgraph, engine, await engine.wait());
      assert.deepEqual([status, found.meaning], [status, meaning]);
      const says = [400, 401, 403, 404, 422].includes(status)
        ? `LangGraph answered ${status}: A reason.`
        : found.message;
      assert.equal(found.message, status === 409 ? "The thread runs, and does not wait yet." : says);
    }
});

void test("an answer is stored without what the server says of its threads and of the outcome", async (t) => {
  const engine = await startLanggraph(t);
  const waiting = await engine.wait();
  for (const means of ["done", "done_already"]) {
    const { meaning, answer } = await attemptOnce(t, langgraph, engine, waiting);
    assert.deepEqual([meaning, answer?.status, answer?.body], [means, 200, ""]);
  }
});

void test("a wrong key is refused, and nothing goes on", async (t) => {
  const engine = await startLanggraph(t);
  for (const secret of [null, "wrong"]) {
    const waiting = await engine.wait();
    const connection = { ...engine.connection, secret };
    const { meaning, message, answer } = await attemptOnce(t, langgraph, { connection }, waiting);
    assert.deepEqual([meaning, message], ["refused", "LangGraph answered 403: Invalid token"]);
    assert.ok(!JSON.stringify([message, answer]).includes("wrong"));
    assert.deepEqual(waiting.received, []);
  }
});

void test("a server that does not answer with the thread means the same", async (t) => {
  const engine = await startLanggraph(t);
  const waiting = await engine.wait();
  for (const [status, means] of [
    [403, "refused"],
    [404, "gone"],
    [500, "later"],
  ] as const) {
    const { meaning } = await attemptWith(waiting.entry, engine.connection, ({ pathname }) =>
      pathname === "/threads/search" ? { status, body: "" } : { status: 200, body: "[]" },
    );
    assert.equal(meaning, means);
  }
});

/** Makes an attempt at a server that answers like this. */
async function attemptWith(
  address: Fields,
  connection: Connection,
  answer: (url: URL) => { status: number; body: string },
): Promise<Resumed> {
  const attempt = {
    id: "dlv_1",
    task_id: OUTCOME.task_id,
    address,
    connection,
    value: "null",
    outcome: OUTCOME,
    now: 0,
    wasCutOff: async () => false,
  };
  return langgraph.resume(attempt, async ({ url }) => ({ headers: {}, ...answer(new URL(url)) }));
}

void test("an answer that is not that of a LangGraph server is tried again", async (t) => {
  const engine = await startLanggraph(t);
  const waiting = await engine.wait();
  for (const wrong of ["/threads/search", "/runs"]) {
    const { meaning } = await attemptWith(waiting.entry, engine.connection, ({ pathname }) => ({
      status: 200,
      body: pathname.endsWith(wrong) ? "<html>" : "[]",
    }));
    assert.equal(meaning, "later");
  }
});

void test("an entry names a thread, and an interrupt as LangGraph names it", () => {
  const check = (entry: Fields, select?: string) => langgraph.checkAddress!(entry, select)?.path ?? null;
  const thread_id = "01A21E28-f213-742b-9537-3e75c35350aa";
  assert.equal(check({ thread_id, assistant_id: "agent" }), null);
  assert.equal(check({ thread_id, assistant_id: "agent", interrupt_id: "3251d93a8f7bf4c74b707c3398221dc3" }), null);
  for (const wrong of ["..", "01a21e28-f213-742b-9537-3e75c35350a/"])
    assert.equal(check({ thread_id: wrong, assistant_id: "agent" }), "/thread_id");
  assert.equal(check({ thread_id, assistant_id: "agent", interrupt_id: "first" }), "/interrupt_id");

  const continued = { thread_id, assistant_id: "agent", continue: true };
  const interrupt_id = "3251d93a8f7bf4c74b707c3398221dc3";
  assert.equal(check(continued), null);
  assert.equal(check({ ...continued, interrupt_id }), "/interrupt_id");
  assert.equal(check(continued, "response"), "/select");
  assert.equal(check({ ...continued, continue: false, interrupt_id }, "response"), null);
});

void test("a probe says whether the server is there, and accepts the key", async (t) => {
  const engine = await startLanggraph(t);
  const { address, secret } = engine.connection;
  const probe = async (changes: object, key = secret) =>
    probeOnce(t, langgraph, { address: { ...address, ...changes }, secret: key });
  assert.deepEqual(await probe({}), { ok: true, detail: "The server answers, and accepts the key." });
  assert.deepEqual(await probe({}, "wrong"), { ok: false, detail: "LangGraph answered 403: Invalid token" });
  assert.deepEqual(await probe({ url: `${String(address["url"])}/other` }), {
    ok: false,
    detail: "LangGraph answered 404: 404 Not Found",
  });
  assert.deepEqual(
    await langgraph.connection!.probe(engine.connection, async () => ({ status: 200, headers: {}, body: "<html>" }), 0),
    { ok: false, detail: "LangGraph answered 200, but not with its assistants." },
  );
  await engine.close();
  await assert.rejects(probe({}), { name: "NotAnswered" });
});
