import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { startTestService, testOnBoth } from "../../test/support/service.ts";
import { startDeadlines, timeOutDueTasks } from "./timeouts.ts";
import { lockTask } from "./store.ts";
import type { TaskRecord } from "./schema.ts";

testOnBoth("overdue tasks are ended in batches, the longest overdue first", async (service) => {
  for (let i = 0; i < 5; i++) await service.create({ task: `t${i}`, timeout_seconds: 60 + i });
  service.clock.advance(120_000);
  assert.equal(await timeOutDueTasks(service.ctx, 2), 2);
  const { body } = await service.call<TaskRecord[]>("GET", "/api/tasks?status=timed_out&sort=deadline");
  assert.deepEqual(
    body.map(({ task }) => task),
    ["t0", "t1"],
  );
  assert.equal(await timeOutDueTasks(service.ctx), 3);
});

testOnBoth("the sweep ends what is overdue when it starts, and what becomes due while it runs", async (service) => {
  const overdue = await service.create({ timeout_seconds: 60 });
  service.clock.advance(60_000);
  const deadlines = startDeadlines(service.ctx);
  const wait = async (id: string) =>
    (await service.call<{ status: string }>("GET", `/api/tasks/${id}/poll?timeout=30`)).body.status;
  assert.equal(await wait(overdue.id), "timed_out");
  await deadlines.stop();

  const next = await service.create({ timeout_seconds: 60 });
  // A moment before its time: the timer is set to it, and the clock has passed it when it rings.
  service.clock.advance(59_990);
  const again = startDeadlines(service.ctx);
  const waiting = wait(next.id);
  service.clock.advance(10);
  assert.equal(await waiting, "timed_out");
  await again.stop();
});

/** Starts the sweep on a database with a due task that is never free. */
function startOnHeld(t: TestContext, isOtherLooking: () => boolean = () => false) {
  let looks = 0;
  const db = {
    now: () => 1000,
    write: async () => {
      looks++;
      return 0;
    },
    run: async () => [{ timeout_at: 900 }],
    lookAlone: async (_name: string, look: () => Promise<object>) => (isOtherLooking() ? null : look()),
    hints: { listen: () => () => {} },
  };
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { stop } = startDeadlines({
    db,
    subscriptions: { refresh: () => null },
    log: { error: assert.fail },
  } as unknown as Parameters<typeof startDeadlines>[0]);
  /** @returns how often the database was asked after `ms` milliseconds */
  const looksAfter = async (ms: number) => {
    t.mock.timers.tick(ms);
    for (let i = 0; i < 10; i++) await turn();
    return looks;
  };
  return { looksAfter, stop };
}

void test("a due task that is left over is looked at again in a while, not at once", async (t) => {
  const { looksAfter, stop } = startOnHeld(t);
  assert.equal(await looksAfter(0), 1);
  assert.equal(await looksAfter(49), 1);
  assert.equal(await looksAfter(1), 2);
  await stop();
});

void test("while another process looks for due tasks, this one does not, and tries again after a second", async (t) => {
  let isOtherLooking = true;
  const { looksAfter, stop } = startOnHeld(t, () => isOtherLooking);
  assert.equal(await looksAfter(0), 0);
  isOtherLooking = false;
  assert.equal(await looksAfter(999), 0);
  assert.equal(await looksAfter(1), 1);
  await stop();
});

void test("a task that somebody else is about to end is left to them, and holds up no other (PostgreSQL)", async () => {
  const { service, stop } = await startTestService("postgres");
  try {
    const held = await service.create({ timeout_seconds: 60 });
    const free = await service.create({ timeout_seconds: 61 });
    service.clock.advance(120_000);
    await service.ctx.db.write(async (tx) => {
      await lockTask(tx, held.id);
      // On a connection of its own, as another process would.
      assert.equal(await timeOutDueTasks(service.ctx), 1);
    });
    const { body } = await service.call<TaskRecord>("GET", `/api/tasks/${free.id}`);
    assert.equal(body.status, "timed_out");
  } finally {
    await stop();
  }
});
