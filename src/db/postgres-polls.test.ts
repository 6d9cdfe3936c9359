import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
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
      // Each has read its task and waits.
      while (service.ctx.waiters.count() < tasks.length) await sleep(5);
      await sleep(200);
      const before = proxy.count();
      proxy.hold();
      for (let second = 0; second < 12; second++) {
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
