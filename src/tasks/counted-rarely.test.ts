import assert from "node:assert/strict";
import { test } from "node:test";
import { newAgent } from "../../test/support/agents.ts";
import { person } from "../../test/support/people.ts";
import { join, newProject } from "../../test/support/projects.ts";
import { newTaskBody, testOnBoth, type TestService } from "../../test/support/service.ts";
import type { Db } from "../db/database.ts";
import { toInserted } from "../db/rows.ts";
import { HOUR, isoTime, MINUTE, SECOND } from "../lib/time.ts";
import { COUNTED_EACH_TIME, countRarely, keptCount, ROWS_COUNTED_EACH_TIME } from "./counted-rarely.ts";
import type { Stats, StatsGroups, TaskCounts } from "./schema.ts";

const MANY = COUNTED_EACH_TIME + 1;

/** A store that has a clock only, and a count of it that returns what it is told. */
function counting(now = 1_000_000) {
  const clock = { now };
  const db = { now: () => clock.now } as Db;
  let counted = 0;
  const count = async (value: number, isMany: boolean) =>
    countRarely(db, "some", async () => {
      counted++;
      return { value, isMany };
    });
  return { db, clock, count, countedTimes: () => counted };
}

void test("a large count is kept for ten seconds and no longer, also when the clock is set back", async () => {
  const { clock, count } = counting();
  assert.equal(await count(6000, true), 6000);
  clock.now += 9999;
  assert.equal(await count(7000, true), 6000);
  clock.now += 1;
  assert.equal(await count(7000, true), 7000);
  clock.now -= 9999;
  assert.equal(await count(8000, true), 7000);
  clock.now -= 1;
  assert.equal(await count(8000, true), 8000);
});

void test("a small count is never kept", async () => {
  const { count, db } = counting();
  assert.equal(await count(1, false), 1);
  assert.equal(await count(2, false), 2);
  assert.equal(await count(6000, true), 6000);
  assert.equal(keptCount<number>(db, "some")?.value, 6000);
  assert.equal(keptCount(db, "other"), null);
});

void test("requests that come while much is counted share the count, and those that find little count for themselves", async () => {
  for (const isMany of [true, false]) {
    const { count, countedTimes } = counting();
    const found = await Promise.all([count(1, isMany), count(2, isMany), count(3, isMany)]);
    assert.deepEqual(found, isMany ? [1, 1, 1] : [1, 2, 3]);
    assert.equal(countedTimes(), isMany ? 1 : 3);
  }
});

void test("a count that fails is not kept", async () => {
  const { db, count } = counting();
  await assert.rejects(
    countRarely(db, "some", async () => Promise.reject(new Error("The database is down."))),
    /is down/,
  );
  assert.equal(await count(6000, true), 6000);
});

void test("the counts of many scopes are kept, but not without a limit", async () => {
  const { db } = counting();
  for (let i = 0; i < 501; i++) await countRarely(db, `scope ${i}`, async () => ({ value: i, isMany: true }));
  assert.equal(keptCount(db, "scope 0"), null);
  assert.deepEqual(keptCount(db, "scope 1"), { value: 1 });
});

/** Copies a task in the database. */
async function copy({ ctx }: TestService, id: string, times: number): Promise<void> {
  await ctx.db.write(async (tx) => {
    const task = await tx.query.selectFrom("tasks").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
    for (let first = 0; first < times; first += 500) {
      const rows = Array.from({ length: Math.min(500, times - first) }, (_, i) => {
        const idempotency_key = `${task.idempotency_key}-${first + i}`;
        return toInserted(tx.dialect, "tasks", { ...task, id: `${id}${first + i}`, idempotency_key });
      });
      await tx.query.insertInto("tasks").values(rows).execute();
    }
  });
}

const countsIn = async (call: TestService["call"], query = "") => {
  const { status, body, text } = await call<TaskCounts>("GET", `/api/tasks/counts${query}`);
  assert.equal(status, 200, text);
  return body;
};
const openStats = async (call: TestService["call"]) =>
  (await call<Stats>("GET", "/api/stats?window_days=1")).body.totals.created;

testOnBoth("among many open tasks, each scope has its own numbers, and small ones are as of now", async (service) => {
  const { call, create, clock } = service;
  for (const slug of ["refunds", "hiring"]) await newProject(service, slug);
  const ada = await person(service, { email: "ada@example.com" });
  const ben = await person(service, { email: "ben@example.com" });
  await join(service, "refunds", ada.user.id, "operator");
  await join(service, "hiring", ada.user.id);
  await join(service, "hiring", ben.user.id, "operator");
  const agent = await newAgent(service);

  const inProject = (project: string, fields = {}) => create({ project, timeout_seconds: 86_400, ...fields });
  const refund = await inProject("refunds", { timeout_seconds: 1800 });
  const hire = await inProject("hiring", { assign_to: { email: ada.user.email } });
  await inProject("hiring");
  await copy(service, refund.id, MANY - 1);

  const all = { mine: 0, closed_today: 0, due_within_hour: MANY };
  assert.deepEqual(await countsIn(call), { ...all, open: MANY + 2, unclaimed: MANY + 1 });
  assert.deepEqual(await countsIn(call, "?project=refunds"), { ...all, open: MANY, unclaimed: MANY });
  const hiring = { open: 2, mine: 0, unclaimed: 1, due_within_hour: 0, closed_today: 0 };
  assert.deepEqual(await countsIn(ben.call), hiring);
  assert.deepEqual(await countsIn(ada.call), { ...all, open: MANY + 1, mine: 1, unclaimed: MANY });
  assert.equal(await openStats(call), MANY + 2);
  assert.equal(await openStats(ben.call), 2);

  // What is small is counted each time, beside what is not.
  await inProject("hiring", { assign_to: { email: ada.user.email } });
  await inProject("refunds");
  assert.equal((await countsIn(ben.call)).open, 3);
  assert.equal(await openStats(ben.call), 3);
  const ofAda = await countsIn(ada.call);
  assert.deepEqual([ofAda.open, ofAda.mine], [MANY + 2, 2]);
  assert.equal((await countsIn(agent.call)).open, 0);
  clock.advance(10 * SECOND - 1);
  assert.equal((await countsIn(call)).open, MANY + 2);
  assert.equal(await openStats(call), MANY + 2);
  clock.advance(1);
  assert.equal((await countsIn(call)).open, MANY + 4);
  assert.equal(await openStats(call), MANY + 4);

  // Snoozed tasks are left out of what was counted before.
  const until = isoTime(clock.now() + 10 * MINUTE);
  for (const id of [refund.id, hire.id])
    assert.equal((await ada.call("PUT", `/api/tasks/${id}/snooze`, { body: { until } })).status, 200);
  const awake = await countsIn(ada.call);
  assert.deepEqual(
    [awake.open, awake.mine, awake.unclaimed, awake.due_within_hour, awake.snoozed],
    [MANY + 1, 1, MANY, MANY - 1, 2],
  );
});

testOnBoth("of many tasks that closed today, each scope counts its own", async (service) => {
  const { call, clock } = service;
  for (const slug of ["refunds", "hiring"]) await newProject(service, slug);
  const ada = await person(service, { email: "ada@example.com" });
  const ben = await person(service, { email: "ben@example.com" });
  await join(service, "refunds", ada.user.id, "operator");
  await join(service, "hiring", ben.user.id);
  const agent = await newAgent(service);
  const close = async (fields: object, as = call) => {
    const { body, text } = await as<{ id: string }>("POST", "/api/tasks", { body: { ...newTaskBody(), ...fields } });
    assert.ok(body.id, text);
    assert.equal((await as("POST", `/api/tasks/${body.id}/cancel`)).status, 200);
    return body.id;
  };
  const refund = await close({ project: "refunds" });
  await copy(service, refund, ROWS_COUNTED_EACH_TIME);
  await close({ project: "hiring", assign_to: { email: ben.user.email } });
  await close({}, agent.call);
  const closed = async () => {
    const found = [];
    for (const one of [call, ada.call, ben.call, agent.call]) found.push((await countsIn(one)).closed_today);
    return found;
  };
  const refunds = ROWS_COUNTED_EACH_TIME + 1;
  assert.deepEqual(await closed(), [refunds + 2, refunds, 1, 1]);
  await close({ project: "refunds" });
  assert.deepEqual(await closed(), [refunds + 2, refunds, 1, 1], "the count of a moment ago");
  clock.advance(10 * SECOND);
  assert.deepEqual(await closed(), [refunds + 3, refunds + 1, 1, 1]);
  clock.advance(12 * HOUR);
  assert.deepEqual(await closed(), [0, 0, 0, 0], "another day");
});

testOnBoth("statistics of many tasks are kept for each scope apart", async (service) => {
  const { call, create, clock } = service;
  for (const slug of ["refunds", "hiring"]) await newProject(service, slug);
  const [ada, ben] = [await person(service), await person(service)];
  await join(service, "refunds", ada.user.id, "operator");
  await join(service, "hiring", ben.user.id, "operator");
  const refund = await create({ project: "refunds" });
  await call("POST", `/api/tasks/${refund.id}/cancel`);
  await copy(service, refund.id, MANY);
  const hire = await create({ project: "hiring" });
  await call("POST", `/api/tasks/${hire.id}/cancel`);

  const closed = async () => {
    const found = [];
    for (const one of [call, ada.call, ben.call]) {
      const { body: groups } = await one<StatsGroups>("GET", "/api/stats/groups?window_days=1");
      const { body: stats } = await one<Stats>("GET", "/api/stats?window_days=1");
      assert.equal(stats.totals.cancelled, groups.all.closed);
      found.push(groups.all.closed);
    }
    return found;
  };
  assert.deepEqual(await closed(), [MANY + 2, MANY + 1, 1]);
  const other = await create({ project: "refunds" });
  await call("POST", `/api/tasks/${other.id}/cancel`);
  assert.deepEqual(await closed(), [MANY + 2, MANY + 1, 1]);
  clock.advance(10 * SECOND);
  assert.deepEqual(await closed(), [MANY + 3, MANY + 2, 1]);
});
