import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { Client } from "pg";
import { postgres } from "../../test/support/postgres.ts";
import { startTestService } from "../../test/support/service.ts";
import { openDatabaseProxy } from "../../test/support/tcp-proxy.ts";

void test(
  "while the database is slow, waiting polls look at it one at a time (PostgreSQL)",
  { timeout: 60_000 },
  async (t) => {
    t.mock.timers.enable({ apis: ["setInterval"] });
    const { url, drop } = await (await postgres()).createDatabase();
    const proxy = await openDatabaseProxy(url);
    const { service, stop } = await startTestService("postgres", { env: { SERVICE_DATABASE_URL: proxy.url } });
    try {
      const tasks = await Promise.all(Array.from({ length: 10 }, () => service.create()));
      const polls = tasks.map(({ id }) => service.call("GET", `/api/tasks/${id}/poll?timeout=60`));
      // Each poll has read its task and waits.
      while (service.ctx.waiters.count() < tasks.length) await sleep(5);
      // Other work of the service finds a connection that is open already.
      await Promise.all(Array.from({ length: 6 }, () => sql`select pg_sleep(0.3)`.execute(service.ctx.db.query)));
      const before = proxy.count();
      proxy.hold();
      for (let second = 0; second < 20; second++) {
        t.mock.timers.tick(1_000);
        await sleep(20);
      }
      assert.ok(proxy.count() <= before, `${proxy.count() - before} more connections`);
      await proxy.pass();
      service.ctx.waiters.stop();
      for (const { status } of await Promise.all(polls)) assert.equal(status, 200);
    } finally {
      await proxy.pass();
      await stop();
      await proxy.close();
      await drop();
    }
  },
);

/** The longest wait of a poll. Polls that are woken end long before. */
const POLL_MS = 60_000;

void test(
  "whoever waits hears of an end that another process wrote while LISTEN was lost (PostgreSQL)",
  { timeout: 90_000 },
  async (t) => {
    // A poll that nothing wakes would look by itself at an interval, which does not pass here.
    t.mock.timers.enable({ apis: ["setInterval"] });
    const { url, drop } = await (await postgres()).createDatabase();
    const proxy = await openDatabaseProxy(url);
    const [a, b] = [
      await startTestService("postgres", { env: { SERVICE_DATABASE_URL: url } }),
      await startTestService("postgres", { env: { SERVICE_DATABASE_URL: proxy.url } }),
    ];
    const killer = new Client({ connectionString: url });
    await killer.connect();
    t.after(async () => {
      await killer.end();
      await a.stop();
      await b.stop();
      await proxy.close();
      await drop();
    });
    const tasks = await Promise.all(Array.from({ length: 60 }, () => a.service.create()));
    const asked = performance.now();
    const polls = tasks.map(({ id }) => b.service.call<{ status: string }>("GET", `/api/tasks/${id}/poll?timeout=60`));
    while (b.service.ctx.waiters.count() < tasks.length) await sleep(5);
    const { hints } = b.service.ctx.db;
    const isBack = new Promise<void>((resolve) => hints.onReset(resolve));
    // LISTEN stays lost until all are answered.
    proxy.replace("listen service_hints", "lissen service_hints");
    await killer.query(
      // Concurrent tests have databases in the same cluster.
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'human-task-service hints'`,
    );
    while (hints.isHealthy()) await sleep(5);
    const complete = ({ id }: { id: string }) =>
      a.service.call("POST", `/api/tasks/${id}/complete`, { body: { response: { approved: true } } });
    await Promise.all(tasks.map(complete));
    assert.ok(!hints.isHealthy(), "all were answered while LISTEN was lost");
    await proxy.pass();
    await isBack;
    for (const { body } of await Promise.all(polls)) assert.equal(body.status, "completed");
    const took = performance.now() - asked;
    assert.ok(took < POLL_MS - 5_000, `the last was answered after ${Math.round(took)} ms of at most ${POLL_MS}`);
  },
);
