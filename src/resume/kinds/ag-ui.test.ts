import assert from "node:assert/strict";
import { test } from "node:test";
import { assert as assertProperty, asyncProperty, boolean, integer, record } from "fast-check";
import { startAgUi, stream } from "../../../test/support/engines/ag-ui.ts";
import { attemptOnce, OUTCOME, probeOnce } from "../../../test/support/engines/attempt.ts";
import type { Waiting } from "../../../test/support/engines/engine.ts";
import { attemptUntilSettled, scripts } from "../../../test/support/engines/until-settled.ts";
import type { Meaning, Outcome } from "../kind.ts";
import { agUi } from "./ag-ui.ts";

const RESOLVED = { status: "resolved", payload: { approved: true } };

/** The other tasks of a group, with an outcome each. */
const othersOf = (waiting: readonly Waiting[], outcome: Outcome = OUTCOME) =>
  waiting.slice(1).map(({ entry }) => ({ address: entry, outcome }));

void test("an interrupted thread goes on once, with the response as the payload", async (t) => {
  const engine = await startAgUi(t);
  const waiting = await engine.wait();
  assert.equal((await attemptOnce(t, agUi, engine, waiting)).meaning, "done");
  assert.deepEqual(waiting.received, [RESOLVED]);
  const [{ threadId, runId, messages, tools, context, forwardedProps }] = engine.runs as [Record<string, unknown>];
  assert.deepEqual(
    [threadId, runId, messages, tools, context, forwardedProps],
    [waiting.entry["thread_id"], "dlv_1", [], [], [], {}],
  );
});

void test("the tasks of a group answer all interrupts of their run at once", async (t) => {
  const engine = await startAgUi(t);
  const [first, ...rest] = await engine.waitForAll(3);
  const others = othersOf([first!, ...rest]);
  others[1]!.outcome = { ...OUTCOME, status: "timed_out", response: null };
  assert.equal((await attemptOnce(t, agUi, engine, first!, { others })).meaning, "done");
  assert.deepEqual(
    [first!, ...rest].map(({ received }) => received),
    [[RESOLVED], [RESOLVED], [{ status: "cancelled" }]],
  );
  assert.equal(engine.runs.length, 1);
});

void test("the tasks of a group are those of one thread and one name", () => {
  const entry = { thread_id: "t", interrupt_id: "i", group: "run-1", group_size: 2 };
  assert.deepEqual(agUi.groupOf!(entry), { id: '["t","run-1"]', size: 2 });
  assert.notEqual(agUi.groupOf!({ ...entry, thread_id: "u" })!.id, agUi.groupOf!(entry)!.id);
  assert.equal(agUi.groupOf!({ thread_id: "t", interrupt_id: "i" }), null);
});

void test("an answer to some interrupts of a run is gone, with the reason", async (t) => {
  const engine = await startAgUi(t);
  const [first] = await engine.waitForAll(2);
  const resumed = await attemptOnce(t, agUi, engine, first!);
  assert.equal(resumed.meaning, "gone");
  assert.match(resumed.message, /PARTIAL_RESUME/);
  assert.deepEqual(first!.received, []);
});

void test("a decision becomes the approval that AG-UI recommends, and a single value itself", async (t) => {
  const engine = await startAgUi(t);
  const entryFor = async (response: Outcome["response"], payload: string, status: Outcome["status"] = "completed") => {
    const { entry } = await engine.wait();
    const outcome = { ...OUTCOME, status, response };
    assert.equal((await attemptOnce(t, agUi, engine, { entry: { ...entry, payload } }, { outcome })).meaning, "done");
    const { interruptId, ...rest } = (engine.runs.at(-1)!["resume"] as Record<string, unknown>[])[0]!;
    assert.equal(interruptId, entry["interrupt_id"]);
    return rest;
  };
  assert.deepEqual(await entryFor({ decision: "approve", args: { a: 1 } }, "approval"), {
    status: "resolved",
    payload: { approved: true },
  });
  assert.deepEqual(await entryFor({ decision: "edit", args: { a: 2 } }, "approval"), {
    status: "resolved",
    payload: { approved: true, editedArgs: { a: 2 } },
  });
  for (const decision of ["reject", "respond"])
    assert.deepEqual(await entryFor({ decision, message: "Not now." }, "approval"), {
      status: "resolved",
      payload: { approved: false },
      metadata: { message: "Not now." },
    });
  assert.deepEqual(await entryFor({ value: false }, "value"), { status: "resolved", payload: false });
  assert.deepEqual(await entryFor(null, "response", "cancelled"), {
    status: "cancelled",
    metadata: { reason: "cancelled" },
  });
});

void test("what an agent needs besides is sent with the run, and cannot take the place of the answer", async (t) => {
  const engine = await startAgUi(t);
  const { entry } = await engine.wait();
  const input = { state: { n: 1 }, messages: [{ id: "1", role: "user", content: "Refund" }], forwardedProps: { a: 1 } };
  await attemptOnce(t, agUi, engine, { entry: { ...entry, input } });
  const { state, messages, forwardedProps } = engine.runs[0]!;
  assert.deepEqual({ state, messages, forwardedProps }, input);
  const wrong = (given: object) => agUi.checkAddress!({ thread_id: "t", interrupt_id: "i", input: given })?.path;
  assert.equal(wrong(input), undefined);
  assert.equal(wrong({ resume: [] }), "/input/resume");
  assert.equal(wrong({ runId: "x" }), "/input/runId");
  assert.equal(wrong({ messages: "all" }), "/input/messages");
  assert.equal(wrong({ "a/b": 1 }), "/input/a~1b");
});

void test("an entry has a whole group, and a time that is one", () => {
  const wrong = (given: object) => agUi.checkAddress!({ thread_id: "t", interrupt_id: "i", ...given })?.path;
  assert.equal(wrong({ group: "g", group_size: 2, expires_at: "2026-01-31T12:00:00.000Z" }), undefined);
  assert.equal(wrong({ group: "g" }), "/group_size");
  assert.equal(wrong({ group_size: 2 }), "/group_size");
  assert.equal(wrong({ expires_at: "soon" }), "/expires_at");
});

void test("nothing is sent for an interrupt that has expired, of any task of the group", async (t) => {
  const engine = await startAgUi(t);
  const waiting = await engine.waitForAll(2, { expiresAt: "2020-01-01T00:00:00Z" });
  const [first, second] = waiting;
  const open = { entry: { ...first!.entry, expires_at: undefined } };
  for (const [one, others] of [
    [first!, []],
    [open, othersOf([first!, second!])],
  ] as const) {
    const { meaning, answer } = await attemptOnce(t, agUi, engine, one, { others });
    assert.deepEqual([meaning, answer], ["gone", null]);
  }
  assert.equal(engine.runs.length, 0);
});

void test("each answer means what the page says", async (t) => {
  const engine = await startAgUi(t);
  const started = { type: "RUN_STARTED", threadId: "t", runId: "r" };
  const finished = { ...started, type: "RUN_FINISHED" };
  const failed = (code?: string) => ({ type: "RUN_ERROR", message: "x", ...(code && { code }) });
  const again = { ...finished, outcome: { type: "interrupt", interrupts: [{ id: "2", reason: "confirmation" }] } };
  const expected: [ReturnType<typeof stream>, Meaning | "cut off", afterCutOff?: Meaning][] = [
    [stream(started, finished), "done"],
    [stream(started, again), "done"],
    [stream(started, failed()), "later"],
    [stream(started, failed("THREAD_BUSY")), "later"],
    [stream(failed("INTERRUPT_EXPIRED")), "gone"],
    [stream(started, failed("INVALID_PAYLOAD")), "gone"],
    [stream(started, failed("PARTIAL_RESUME")), "gone"],
    [stream(started, failed("INTERRUPT_RESUME_ERROR")), "gone", "done_already"],
    [stream(started), "cut off"],
    [stream(), "cut off"],
    [{ status: 200, body: {} }, "later"],
    [{ status: 400 }, "gone"],
    [{ status: 401 }, "refused"],
    [{ status: 403 }, "refused"],
    [{ status: 404 }, "later"],
    [{ status: 405 }, "later"],
    [{ status: 413 }, "gone"],
    [{ status: 422 }, "gone"],
    [{ status: 429 }, "later"],
    [{ status: 500 }, "later"],
    [{ status: 503 }, "later"],
  ];
  for (const [reply, meaning, afterCutOff = meaning] of expected)
    for (const wasCutOff of [false, true]) {
      engine.script.push(reply);
      const attempt = attemptOnce(t, agUi, engine, await engine.wait(), { wasCutOff });
      const said = await attempt.then(
        (resumed) => resumed.meaning,
        ({ name }: Error) => (name === "NotAnswered" ? "cut off" : name),
      );
      assert.deepEqual([reply, said], [reply, wasCutOff ? afterCutOff : meaning]);
    }
});

void test("a wrong secret is refused, and nothing runs; the probe says what it can see", async (t) => {
  for (const header of [null, "X-API-Key"]) {
    const engine = await startAgUi(t, header);
    const waiting = await engine.wait();
    const connection = { ...engine.connection!, secret: "wr0ng~secret" };
    const resumed = await attemptOnce(t, agUi, { connection }, waiting);
    assert.equal(resumed.meaning, "refused");
    assert.doesNotMatch(resumed.message, /wr0ng/);
    assert.deepEqual(await probeOnce(t, agUi, connection), {
      ok: false,
      detail: "The agent answered 401: it does not accept the secret.",
    });
    const { ok, detail } = await probeOnce(t, agUi, engine.connection);
    assert.ok(ok);
    assert.match(detail, /405 to GET/);
    assert.equal(engine.runs.length, 0);
    assert.equal((await attemptOnce(t, agUi, engine, waiting)).meaning, "done");
  }
});

void test("whatever goes wrong on the way, the thread goes on once", async (t) => {
  await assertProperty(
    asyncProperty(
      scripts,
      record({ size: integer({ min: 1, max: 3 }), refusesReplays: boolean() }),
      async (script, { size, refusesReplays }) => {
        const engine = await startAgUi(t);
        engine.refusesReplays = refusesReplays;
        const waiting = await engine.waitForAll(size);
        engine.script.push(...script);
        const meanings = await attemptUntilSettled(t, agUi, engine, waiting[0]!, { others: othersOf(waiting) });
        assert.ok(["done", "done_already"].includes(meanings.at(-1)!), meanings.join());
        for (const { received } of waiting) assert.deepEqual(received, [RESOLVED]);
        await engine.close();
      },
    ),
    { numRuns: 40 },
  );
});
