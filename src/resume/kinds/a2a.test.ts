import assert from "node:assert/strict";
import { test } from "node:test";
import { assert as assertProperty, asyncProperty, constantFrom, record } from "fast-check";
import { startA2a, type A2aOptions } from "../../../test/support/engines/a2a.ts";
import { attemptOnce, OUTCOME, probeOnce } from "../../../test/support/engines/attempt.ts";
import { attemptUntilSettled, scripts } from "../../../test/support/engines/until-settled.ts";
import type { Meaning } from "../kind.ts";
import { a2a } from "./a2a.ts";

const WIRES = [
  { version: "1.0", binding: "JSONRPC" },
  { version: "1.0", binding: "HTTP+JSON" },
  { version: "0.3", binding: "JSONRPC" },
] as const satisfies A2aOptions[];

for (const wire of WIRES) {
  const spoken = `${wire.version} ${wire.binding}`;

  void test(`${spoken}: a task that waits for input gets the outcome as data, once`, async (t) => {
    const engine = await startA2a(t, wire);
    const waiting = await engine.wait();
    assert.equal((await attemptOnce(t, a2a, engine, waiting)).meaning, "done");
    assert.equal((await attemptOnce(t, a2a, engine, waiting)).meaning, "done_already");
    assert.deepEqual(waiting.received, [OUTCOME]);
  });

  void test(`${spoken}: the response alone can be the data, or text; of none there is null`, async (t) => {
    const engine = await startA2a(t, wire);
    const received = async (value: string, part?: "text") => {
      const waiting = await engine.wait();
      const entry = { task_id: waiting.entry["task_id"], ...(part && { part }) };
      assert.equal((await attemptOnce(t, a2a, engine, { entry }, { value })).meaning, "done");
      return waiting.received;
    };
    assert.deepEqual(await received('{"approved":true}'), [{ approved: true }]);
    assert.deepEqual(await received('{"approved":true}', "text"), ['{"approved":true}']);
    assert.deepEqual(await received("null"), [wire.version === "0.3" ? "null" : null]);
  });

  void test(`${spoken}: the state of the task decides what an attempt means`, async (t) => {
    const engine = await startA2a(t, wire);
    const expected: [string, Meaning, afterCutOff: Meaning][] = [
      ["auth-required", "done", "done"],
      ["submitted", "later", "later"],
      ["working", "later", "later"],
      ["completed", "done_already", "done_already"],
      ["failed", "gone", "done_already"],
      ["canceled", "gone", "done_already"],
      ["rejected", "gone", "done_already"],
    ];
    for (const [state, ...meanings] of expected)
      for (const [index, meaning] of meanings.entries()) {
        const waiting = await engine.wait();
        // Agents have said something before they wait.
        await attemptOnce(t, a2a, engine, waiting, { id: "dlv_before" });
        engine.setState(waiting, state);
        const resumed = await attemptOnce(t, a2a, engine, waiting, { wasCutOff: index === 1 });
        assert.deepEqual([state, resumed.meaning], [state, meaning], resumed.message);
        assert.equal(waiting.received.length, state === "auth-required" ? 2 : 1);
      }
  });

  void test(`${spoken}: an unknown task is gone, and after a cut-off attempt it is taken for done`, async (t) => {
    const engine = await startA2a(t, wire);
    const waiting = { entry: { task_id: "no/such task" } };
    assert.equal((await attemptOnce(t, a2a, engine, waiting)).meaning, "gone");
    assert.equal((await attemptOnce(t, a2a, engine, waiting, { wasCutOff: true })).meaning, "done_already");
  });

  void test(`${spoken}: a context that is not the task's is gone, with the reason`, async (t) => {
    const engine = await startA2a(t, wire);
    const { entry, received } = await engine.wait();
    const resumed = await attemptOnce(t, a2a, engine, { entry: { ...entry, context_id: "another" } });
    assert.deepEqual([resumed.meaning, received], ["gone", []]);
    assert.match(resumed.message, /INVALID_PARAMS/);
  });

  void test(`${spoken}: a wrong secret is refused, nothing is resumed, and the probe says so`, async (t) => {
    for (const api_key_header of [null, "X-API-Key"]) {
      const engine = await startA2a(t, { ...wire, api_key_header });
      const waiting = await engine.wait();
      const connection = { ...engine.connection!, secret: "wr0ng~secret" };
      const resumed = await attemptOnce(t, a2a, { connection }, waiting);
      assert.equal(resumed.meaning, "refused");
      assert.doesNotMatch(resumed.message, /wr0ng/);
      assert.deepEqual(waiting.received, []);
      assert.deepEqual(await probeOnce(t, a2a, connection), {
        ok: false,
        detail: "The agent answered 401: it does not accept the secret.",
      });
      assert.equal((await probeOnce(t, a2a, engine.connection)).ok, true);
      assert.equal((await attemptOnce(t, a2a, engine, waiting)).meaning, "done");
    }
  });

  void test(`${spoken}: a connection with another version or url ends nothing, and the probe says what is wrong`, async (t) => {
    const engine = await startA2a(t, wire);
    const waiting = await engine.wait();
    const { address, secret } = engine.connection!;
    const other = { address: { ...address, version: wire.version === "0.3" ? "1.0" : "0.3" }, secret };
    const resumed = await attemptOnce(t, a2a, { connection: other }, waiting);
    assert.equal(resumed.meaning, "later");
    if (wire.binding === "JSONRPC") assert.match((await probeOnce(t, a2a, other)).detail, /does not speak version/);
    const elsewhere = { address: { ...address, url: `${address["url"] as string}/elsewhere` }, secret };
    assert.equal((await attemptOnce(t, a2a, { connection: elsewhere }, waiting)).meaning, "later");
    assert.match((await probeOnce(t, a2a, elsewhere)).detail, /check url/);
    assert.deepEqual(waiting.received, []);
  });
}

void test("each answer to a message means what the page says", async (t) => {
  const expected: [number, unknown, Meaning][] = [
    [200, { result: { messageId: "m", role: "ROLE_AGENT" } }, "done"],
    [200, { result: { id: "x", status: {} } }, "done"],
    [200, "<html>", "later"],
    [200, { error: { code: -32001, message: "" } }, "gone"],
    [200, { error: { code: -32004, message: "" } }, "later"],
    [200, { error: { code: -32005, message: "" } }, "gone"],
    [200, { error: { code: -32008, message: "" } }, "gone"],
    [200, { error: { code: -32009, message: "" } }, "later"],
    [200, { error: { code: -32600, message: "" } }, "later"],
    [200, { error: { code: -32601, message: "" } }, "later"],
    [200, { error: { code: -32602, message: "" } }, "gone"],
    [200, { error: { code: -32603, message: "" } }, "later"],
    [200, { error: { code: -32050, message: "" } }, "later"],
    [400, { error: { code: 400, status: "INVALID_ARGUMENT" } }, "gone"],
    [404, { error: { code: 404, status: "NOT_FOUND" } }, "later"],
    [500, { error: { code: 500, status: "INTERNAL" } }, "later"],
    [400, {}, "gone"],
    [400, { error: { code: -32603, message: "" } }, "later"],
    [401, { error: { code: -32602, message: "" } }, "refused"],
    [403, {}, "refused"],
    [404, {}, "later"],
    [413, {}, "gone"],
    [429, {}, "later"],
    [500, {}, "later"],
    [503, {}, "later"],
  ];
  const engine = await startA2a(t);
  for (const [status, body, meaning] of expected) {
    engine.script.push({ status, body });
    const resumed = await attemptOnce(t, a2a, engine, await engine.wait());
    assert.deepEqual([status, body, resumed.meaning], [status, body, meaning]);
  }
});

void test("an agent that asks again gets the outcome once, because it shows the message that it has", async (t) => {
  const engine = await startA2a(t, { asksAgain: true });
  const waiting = await engine.wait();
  engine.script.push("lost");
  assert.deepEqual(await attemptUntilSettled(t, a2a, engine, waiting), ["cut off", "done_already"]);
  assert.equal(waiting.received.length, 1);
});

void test("an agent without a history is taken to go on because of an attempt that was cut off", async (t) => {
  const engine = await startA2a(t, { showsHistory: false });
  const waiting = await engine.wait();
  engine.script.push("lost");
  assert.deepEqual(await attemptUntilSettled(t, a2a, engine, waiting), ["cut off", "done_already"]);
});

void test("a connection speaks one of the bindings, with a secret that a header can have", () => {
  const { checkAddress, checkSecret } = a2a.connection!;
  const wrong = (address: object, secret: string | null = null) =>
    checkAddress!({ url: "http://a", ...address }, secret);
  assert.equal(wrong({}), null);
  assert.equal(wrong({ version: "0.3" }), null);
  assert.equal(wrong({ version: "0.3", binding: "HTTP+JSON" })?.path, "/binding");
  assert.equal(wrong({ api_key_header: "X-API-Key" })?.path, "/api_key_header");
  assert.equal(wrong({ api_key_header: "X-API-Key" }, "k"), null);
  assert.equal(checkSecret!("eyJhbGciOi.J9-_~+/="), null);
  for (const secret of ["", "two words", "line\nbreak", "Größe"]) assert.notEqual(checkSecret!(secret), null);
});

void test("whatever goes wrong on the way, the agent goes on once", async (t) => {
  await assertProperty(
    asyncProperty(
      scripts,
      record({
        wire: constantFrom(...WIRES),
        asksAgain: constantFrom(true, false),
        end: constantFrom("working", "completed"),
      }),
      async (script, { wire, asksAgain, end }) => {
        const engine = await startA2a(t, { ...wire, asksAgain });
        const waiting = await engine.wait();
        engine.script.push(...script);
        const before = await attemptUntilSettled(t, a2a, engine, waiting, { max: script.length });
        if (waiting.received.length > 0 && !asksAgain) engine.setState(waiting, end);
        const meanings = [...before, ...(await attemptUntilSettled(t, a2a, engine, waiting))];
        assert.ok(["done", "done_already"].includes(meanings.at(-1)!), meanings.join());
        assert.equal(waiting.received.length, 1);
        await engine.close();
      },
    ),
    { numRuns: 40 },
  );
});
