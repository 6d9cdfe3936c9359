import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { onePostgres } from "../../test/support/postgres.ts";
import { openDatabaseProxy } from "../../test/support/tcp-proxy.ts";
import { followDatabaseClock } from "./postgres-clock.ts";
import { createPool } from "./postgres-pool.ts";

const HEARTBEAT_MS = 15_000;
const AHEAD_MS = 3_600_000;
/** How long a connection, or an answer, takes. A measurement that counts it in is wrong by half of that. */
const SLOW_MS = 2_400;
/** Less than the error of a wrong measurement here. A busy machine measures less exactly. */
const CLOSE_MS = 1_000;

void test("the clock is the database's, and neither a busy pool nor a slow or broken line moves it (PostgreSQL)", async (t) => {
  const { url, drop } = await (await onePostgres()).createDatabase();
  const proxy = await openDatabaseProxy(url);
  const pool = createPool({ connectionString: proxy.url, max: 1 });
  t.mock.timers.enable({ apis: ["setInterval"] });
  // This machine's clock is an hour ahead.
  const truth = Date.now.bind(Date);
  const ownClock = t.mock.method(Date, "now", () => truth() + AHEAD_MS);
  const errors: unknown[] = [];
  const clock = await followDatabaseClock(pool, (error) => void errors.push(error));
  const isRight = (when: string) => {
    const off = clock.now() - truth();
    assert.ok(Math.abs(off) < CLOSE_MS, `${when}: off by ${off} ms`);
  };
  /** Resolves when no code uses or waits for a connection. */
  const settled = async () => {
    while (pool.waitingCount > 0 || pool.idleCount < pool.totalCount) await sleep(5);
  };
  try {
    isRight("at the start");

    const busy = pool.query(`select pg_sleep(${SLOW_MS / 1_000})`);
    t.mock.timers.tick(HEARTBEAT_MS);
    await busy;
    await settled();
    isRight("after waiting for a connection");

    proxy.hold();
    t.mock.timers.tick(HEARTBEAT_MS);
    await sleep(SLOW_MS);
    await proxy.pass();
    await settled();
    isRight("after a slow answer");

    await proxy.refuse();
    t.mock.timers.tick(HEARTBEAT_MS);
    while (errors.length === 0) await sleep(5);
    isRight("after a failure");
    await proxy.pass();

    for (const aheadMs of [0, -AHEAD_MS, AHEAD_MS]) {
      ownClock.mock.mockImplementation(() => truth() + aheadMs);
      isRight("after this machine's clock was set");
    }

    // The clock still follows the database: now the local time is measured wrongly.
    const passed = performance.now.bind(performance);
    t.mock.method(performance, "now", () => passed() + AHEAD_MS);
    t.mock.timers.tick(HEARTBEAT_MS);
    while (Math.abs(clock.now() - truth()) > CLOSE_MS) await sleep(5);
  } finally {
    clock.stop();
    await pool.end();
    await proxy.close();
    await drop();
  }
});

void test("a database that is far away gives the time at the start all the same (PostgreSQL)", async (t) => {
  const { url, drop } = await (await onePostgres()).createDatabase();
  const pool = createPool({ connectionString: url, max: 1 });
  const client = await pool.connect();
  const query = client.query.bind(client);
  t.mock.method(client, "query", async (text: string) => {
    const answer = await query(text);
    await sleep(250);
    return answer;
  });
  client.release();
  const truth = Date.now.bind(Date);
  t.mock.method(Date, "now", () => truth() + AHEAD_MS);
  const clock = await followDatabaseClock(pool, assert.ifError);
  clock.stop();
  assert.ok(Math.abs(clock.now() - truth()) < CLOSE_MS);
  await pool.end();
  await drop();
});
