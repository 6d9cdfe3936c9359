import assert from "node:assert/strict";
import { describe, test, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { onePostgres } from "../../test/support/postgres.ts";
import { openDatabaseProxy } from "../../test/support/tcp-proxy.ts";
import { openPostgresHints } from "./postgres-hints.ts";

const TEST = { timeout: 60_000 };
const HEARTBEAT_MS = 15_000;

async function setup(t: TestContext) {
  const { url, drop } = await (await onePostgres()).createDatabase();
  const proxy = await openDatabaseProxy(url);
  const problems: unknown[] = [];
  const open = (at = proxy.url) =>
    openPostgresHints({ url: at, onError: (error) => problems.push(error), onWarning: (text) => problems.push(text) });
  t.after(async () => {
    await proxy.close();
    await drop();
  });
  return { proxy, open, direct: () => open(url), problems };
}

/** Resolves when `isTrue`, which is called repeatedly. What never comes about runs into the limit of the test. */
async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await sleep(5);
}

void describe("hints between processes (PostgreSQL)", { concurrency: true }, () => {
  test("a connection that falls silent is noticed when a hint is sent, and replaced", TEST, async (t) => {
    const { proxy, open, direct } = await setup(t);
    const [hints, other] = [await open(), await direct()];
    assert.ok(hints.isHealthy());
    proxy.freeze();
    hints.publish(["task:1"]);
    await until(() => !hints.isHealthy());
    // They are not kept for later listeners.
    for (let i = 0; i < 1_000; i++) hints.publish([`task:lost${i}`]);
    await proxy.pass();
    await until(() => hints.isHealthy());
    assert.equal(proxy.count(), 2, "the silent ones are closed");
    const received: string[] = [];
    other.listen((hint) => received.push(hint));
    hints.publish(["task:2"]);
    await until(() => received.length > 0);
    assert.deepEqual(received, ["task:2"]);
    await hints.close();
    await other.close();
  });

  test("where LISTEN or NOTIFY is refused, polling takes over, on two connections at most", TEST, async (t) => {
    for (const [text, wrong] of [
      ["listen service_hints", "lissen service_hints"],
      ["select pg_notify", "selekt pg_notify"],
    ] as const) {
      const { proxy, open, problems } = await setup(t);
      proxy.replace(text, wrong);
      const hints = await open();
      await until(() => problems.length > 0);
      // The service keeps trying to listen.
      await sleep(1_500);
      assert.ok(!hints.isHealthy());
      assert.ok(proxy.count() <= 2, `${proxy.count()} connections`);
      assert.deepEqual(problems.length, 1, "told once");
      assert.match(String(problems[0]), /^LISTEN does not work/);
      await proxy.pass();
      await until(() => hints.isHealthy());
      await hints.close();
    }
  });

  test("others look at everything when hints to them were lost", TEST, async (t) => {
    const { proxy, open, direct } = await setup(t);
    const [hints, other] = [await open(), await direct()];
    let resets = 0;
    other.onReset(() => resets++);
    proxy.freeze();
    proxy.cut();
    await until(() => !hints.isHealthy());
    hints.publish(["task:1"]);
    await proxy.pass();
    await until(() => resets > 0);
    assert.ok(other.isHealthy(), "its own connections were never lost");
    assert.equal(resets, 1);
    await hints.close();
    await other.close();
  });

  test("a stop while a connection is being made leaves none behind", TEST, async (t) => {
    const { proxy, open } = await setup(t);
    const hints = await open();
    proxy.freeze();
    proxy.cut();
    await until(() => proxy.count() === 0);
    await until(() => proxy.count() === 2);
    await hints.close();
    await until(() => proxy.count() === 0);
    await proxy.pass();
    await sleep(1_500);
    assert.equal(proxy.count(), 0);
  });

  test("a stop does not wait for a connection that fell silent", TEST, async (t) => {
    const { proxy, open } = await setup(t);
    const hints = await open();
    proxy.freeze();
    hints.publish(["task:1"]);
    const started = performance.now();
    await hints.close();
    // The silent connection would fail after six seconds.
    assert.ok(performance.now() - started < 5_000);
  });
});

void test("a connection that falls silent is noticed at the next heartbeat (PostgreSQL)", TEST, async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const { proxy, open } = await setup(t);
  const hints = await open();
  proxy.freeze();
  t.mock.timers.tick(HEARTBEAT_MS);
  await until(() => !hints.isHealthy());
  await proxy.pass();
  await until(() => hints.isHealthy());
  assert.equal(proxy.count(), 2);
  await hints.close();
});

void test("the connection for hints is given one query at a time (PostgreSQL)", TEST, async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const { proxy, open, direct } = await setup(t);
  const [hints, other] = [await open(), await direct()];
  const warnings: string[] = [];
  const onWarning = (warning: Error) => warnings.push(warning.message);
  process.on("warning", onWarning);
  const received = new Set<string>();
  other.listen((hint) => received.add(hint));
  proxy.hold();
  for (let i = 0; i < 10; i++) {
    hints.publish([`task:${i}`]);
    t.mock.timers.tick(HEARTBEAT_MS);
    await sleep(20);
  }
  await proxy.pass();
  await until(() => received.size === 10);
  assert.ok(hints.isHealthy());
  process.off("warning", onWarning);
  assert.deepEqual(warnings, []);
  await hints.close();
  await other.close();
});
