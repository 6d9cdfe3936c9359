import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { newProject } from "../../test/support/projects.ts";
import { testOnBoth, type TestService } from "../../test/support/service.ts";
import type { Db } from "../db/database.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../lib/time.ts";
import { timeOutDueTasks } from "./timeouts.ts";
import type { Stats } from "./schema.ts";
import { deleteTask, lockTask } from "./store.ts";
import { forgetTotalsOf, startTotals, storeTotals } from "./stored-totals.ts";

const stats = async ({ call }: TestService, days = 4, more = "") =>
  (await call<Stats>("GET", `/api/stats?window_days=${days}${more}`)).body;

const complete = async ({ call }: TestService, id: string, channel: string | null = "slack") => {
  const body = { response: { approved: true }, completed_via_channel: channel };
  assert.equal((await call("POST", `/api/tasks/${id}/complete`, { body })).status, 200);
};

const remove = async ({ call }: TestService, id: string) =>
  assert.equal((await call("DELETE", `/api/tasks/${id}`)).status, 204);

/** Stores all that can be stored, and says how much it was. */
async function storeAll({ ctx }: TestService, db: Db = ctx.db): Promise<number> {
  let all = 0;
  for (let stored = await storeTotals({ db }); stored > 0; stored = await storeTotals({ db })) all += stored;
  return all;
}

/** What is stored, as `1h 11` for the hour from eleven of the first of the month. */
async function storedIn({ ctx }: TestService): Promise<string[]> {
  const rows = await ctx.db.query
    .selectFrom("task_totals")
    .select(["span", "start"])
    .where("computed_at", "is not", null)
    .orderBy("span")
    .orderBy("start")
    .execute();
  return rows.map(({ span, start }) => {
    const time = new Date(start).toISOString();
    return span === HOUR ? `${time.slice(8, 10)}h ${time.slice(11, 13)}` : `${time.slice(8, 10)}d`;
  });
}

/** The numbers as they are when nothing is stored. */
async function countedAnew(service: TestService, days?: number): Promise<Stats> {
  await service.ctx.db.write((tx) =>
    tx.query
      .updateTable("task_totals")
      .set((set) => ({ version: set("version", "+", 1), computed_at: null, totals: null }))
      .execute(),
  );
  return stats(service, days);
}

/** Three days of tasks that end in all ways, some of them on another day than they began. */
async function fill(service: TestService): Promise<{ completed: string[]; open: string[] }> {
  const completed: string[] = [];
  const open: string[] = [];
  for (let i = 0; i < 24; i++) {
    const { id } = await service.create({ timeout_seconds: i % 6 === 5 ? 60 : 900_000 });
    service.clock.advance(((i * 47) % 190) * MINUTE + i * SECOND);
    if (i % 6 === 2) await service.call("POST", `/api/tasks/${id}/cancel`);
    else if (i % 6 === 4) open.push(id);
    else if (i % 6 !== 5) {
      await complete(service, id, i % 3 === 0 ? "slack" : null);
      completed.push(id);
    }
    await timeOutDueTasks(service.ctx);
  }
  return { completed, open };
}

testOnBoth("the numbers are the same whether they are stored or counted", async (service) => {
  await fill(service);
  for (const advance of [HOUR, 9 * HOUR]) {
    service.clock.advance(advance);
    const counted = await countedAnew(service);
    assert.ok((await storeAll(service)) > 20);
    assert.deepEqual(await stats(service), counted);
    assert.deepEqual((await stats(service, 365)).totals, counted.totals);
    assert.deepEqual(await stats(service, 1), await countedAnew(service, 1));
  }
});

testOnBoth("past days of a project are counted once, and again after a deletion", async (service) => {
  const { completed } = await fill(service);
  service.clock.advance(HOUR);
  await newProject(service, "refunds");
  await service.create({ project: "refunds" });
  service.clock.advance(9 * HOUR);
  await storeAll(service);
  const created = async (project: string) =>
    (await stats(service, 4, `&project=${project}`)).by_day.reduce((sum, day) => sum + day.created, 0);
  assert.deepEqual([await created("default"), await created("refunds")], [24, 1]);

  // A task that no code of the service deleted is still counted: the days were not read again.
  const [gone, deleted] = completed as [string, string];
  await service.ctx.db.write((tx) => tx.query.deleteFrom("tasks").where("id", "=", gone).execute());
  assert.equal(await created("default"), 24);
  await remove(service, deleted);
  assert.equal(await created("default"), 22);
  await storeAll(service);
  assert.deepEqual([await created("default"), await created("refunds")], [22, 1]);
});

testOnBoth("what is over is stored once and not counted again; days from their hours", async (service) => {
  await service.create();
  const { id } = await service.create();
  assert.equal(await storeAll(service), 11, "from midnight of the first day to ten minutes ago");
  service.clock.advance(12 * HOUR + 10 * MINUTE);
  assert.equal(await storeAll(service), 14);
  assert.deepEqual((await storedIn(service)).slice(-2), ["31h 23", "31d"]);
  assert.equal(await storeAll(service), 0);
  const created = async () => (await stats(service, 2)).by_day.map((day) => day.created);
  await service.ctx.db.write((tx) => tx.query.deleteFrom("tasks").where("id", "=", id).execute());
  assert.deepEqual(await created(), [2, 0]);
  await service.create();
  assert.deepEqual(await created(), [2, 1]);
});

testOnBoth(
  "an hour is stored ten minutes after its end, and a task counts in the hour it ended in",
  async (service) => {
    await service.create();
    service.clock.advance(HOUR - 1);
    const first = await service.create();
    await complete(service, first.id);
    service.clock.advance(1);
    const second = await service.create();
    await complete(service, second.id);
    const hour = async (start: number) => {
      const row = await service.ctx.db.query
        .selectFrom("task_totals")
        .select("totals")
        .where("start", "=", Date.UTC(2026, 0, 31, start))
        .where("span", "=", HOUR)
        .executeTakeFirst();
      return row?.totals == null ? null : (JSON.parse(row.totals) as { created: number; took: object });
    };
    service.clock.advance(10 * MINUTE - 1);
    await storeAll(service);
    assert.deepEqual([(await hour(11)) !== null, await hour(12)], [true, null]);
    service.clock.advance(1);
    await storeAll(service);
    assert.deepEqual([(await hour(12))?.created, (await hour(12))?.took, await hour(13)], [2, { each: [0] }, null]);
    assert.deepEqual([(await stats(service)).totals.completed, (await stats(service)).by_day.at(-1)?.created], [2, 3]);
    service.clock.advance(HOUR);
    await storeAll(service);
    assert.equal((await hour(13))?.created, 1);
  },
);

testOnBoth("a deleted task is in no number any more, and its hours are stored anew", async (service) => {
  const { completed, open } = await fill(service);
  service.clock.advance(DAY);
  await storeAll(service);
  for (const id of [completed[0]!, completed[5]!, open[0]!]) {
    const before = await stats(service);
    await remove(service, id);
    const after = await stats(service);
    assert.notDeepEqual(after, before);
    assert.ok((await storeAll(service)) >= 2);
    assert.deepEqual(await stats(service), after);
  }
  const after = await stats(service);
  assert.deepEqual(await countedAnew(service), after);
});

testOnBoth("a task that is deleted while its hour is being counted is not counted", async (service) => {
  const { completed } = await fill(service);
  service.clock.advance(DAY);
  const { db } = service.ctx;
  // The hour and the day alike: something is deleted between each counting and the writing of what was counted.
  const doomed = completed.slice();
  let isInside = false;
  const deleting: Db = {
    ...db,
    write: async (fn) => {
      if (!isInside && doomed.length > 0) {
        isInside = true;
        await remove(service, doomed.shift()!);
        isInside = false;
      }
      return db.write(fn);
    },
  };
  await storeAll(service, deleting);
  assert.equal(doomed.length, 0);
  await storeAll(service);
  const found = await stats(service);
  assert.equal(found.totals.completed, 0);
  assert.deepEqual(await countedAnew(service), found);
});

testOnBoth("nor is one whose deletion is under way when the counting begins and ends", async (service) => {
  // SQLite has one writer: there, no other transaction is ever under way.
  if (service.dialect === "sqlite") return;
  await service.create();
  const { id } = await service.create();
  await complete(service, id);
  service.clock.advance(12 * HOUR + 10 * MINUTE);
  const { db } = service.ctx;
  let commit = () => {};
  const mayCommit = new Promise<void>((resolve) => (commit = resolve));
  let writes = 0;
  let deletion: Promise<void> | undefined;
  const slow: Db = {
    ...db,
    write: async (fn) => {
      const value = await db.write(fn);
      // The hours are claimed, and none of them is counted yet.
      if (++writes === 1) {
        await new Promise<void>((isDone) => {
          deletion = db.write(async (tx) => {
            const task = await lockTask(tx, id);
            await deleteTask(tx, id);
            await forgetTotalsOf(tx, task);
            isDone();
            await mayCommit;
          });
        });
      }
      return value;
    },
  };
  const storing = storeAll(service, slow);
  // By now the hour of the task has been counted, and writing that down waits for the deletion.
  await sleep(200);
  commit();
  await Promise.all([storing, deletion]);
  const found = await stats(service, 2);
  assert.deepEqual([found.totals.completed, found.by_day.map(({ created }) => created)], [0, [1, 0]]);
});

testOnBoth("a day is not stored while one of its hours is missing", async (service) => {
  await service.create();
  service.clock.advance(12 * HOUR + 10 * MINUTE);
  const { db } = service.ctx;
  let writes = 0;
  const forgetful: Db = {
    ...db,
    write: async (fn) => {
      const value = await db.write(fn);
      // The hours are written, the day is not.
      if (++writes === 2)
        await db.write((tx) =>
          tx.query
            .updateTable("task_totals")
            .set({ computed_at: null, totals: null })
            .where("start", "=", Date.UTC(2026, 0, 31, 12))
            .execute(),
        );
      return value;
    },
  };
  assert.equal(await storeTotals({ db: forgetful }), 24);
  assert.ok(!(await storedIn(service)).includes("31d"));
  assert.equal(await storeAll(service), 2);
  assert.equal((await stats(service, 2)).by_day[0]?.created, 1);
});

testOnBoth("any number of processes may store the same, while tasks are deleted", async (service) => {
  const { completed, open } = await fill(service);
  service.clock.advance(DAY);
  const deletions = async () => {
    for (const id of [...completed.slice(0, 6), ...open]) await remove(service, id);
  };
  await Promise.all([storeAll(service), storeAll(service), deletions(), storeAll(service)]);
  await storeAll(service);
  const found = await stats(service);
  assert.equal(found.totals.completed, completed.length - 6);
  assert.deepEqual(await countedAnew(service), found);
  await Promise.all([storeAll(service), storeAll(service), storeAll(service)]);
  assert.deepEqual(await stats(service), found);
});

testOnBoth("what was stored under a clock that was ahead is forgotten when it is set back", async (service) => {
  const { clock, ctx } = service;
  const ahead: Db = { ...ctx.db, now: () => clock.now() + 2 * DAY };
  await service.create();
  assert.equal(await storeAll(service, ahead), 24 + 1 + 24 + 1 + 11, "two days seem to be over");

  await complete(service, (await service.create()).id);
  assert.deepEqual((await stats(service)).totals.completed, 1, "they are not believed");
  clock.advance(DAY);
  // Whatever the time is, as long as it is before that of the clock that was ahead.
  await storeTotals(ctx);
  clock.advance(2 * DAY);
  const found = await stats(service);
  assert.deepEqual([found.totals.completed, found.by_day.map(({ created }) => created)], [1, [2, 0, 0, 0]]);
  await storeAll(service);
  assert.deepEqual(await stats(service), found);
});

testOnBoth("totals of processes whose clocks are seconds apart are kept", async (service) => {
  await service.create();
  await storeAll(service, { ...service.ctx.db, now: () => service.clock.now() + 50 * SECOND });
  assert.equal(await storeAll(service), 0);
  assert.equal((await storedIn(service)).length, 11);
});

testOnBoth("totals that no window reaches any more are deleted", async (service) => {
  await service.create();
  await storeAll(service);
  service.clock.advance(400 * DAY);
  await service.create();
  await storeTotals(service.ctx);
  assert.deepEqual((await storedIn(service)).filter((period) => period.startsWith("31h")).length, 0);
});

testOnBoth("totals are stored without being asked for, until the service stops", async (service) => {
  await service.create();
  const totals = startTotals(service.ctx);
  while ((await storedIn(service)).length < 11) await sleep(10);
  await totals.stop();
  service.clock.advance(2 * HOUR);
  assert.equal(await storeAll(service), 2);
});

testOnBoth(
  "a new service finds out that there is nothing to count without its reader of many rows",
  async (service) => {
    const { db } = service.ctx;
    let uses = 0;
    const watched: Db = Object.create(db, {
      heavy: { get: () => (uses++, db.heavy) },
    });
    assert.equal(await storeTotals({ db: watched }), 0);
    assert.equal(uses, 0, "that reader is a thread on SQLite, which a new service does not start");
    await service.create();
    await storeTotals({ db: watched });
    assert.notEqual(uses, 0);
  },
);
