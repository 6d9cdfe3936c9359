import assert from "node:assert/strict";
import { testOnBoth, type TestService } from "../../test/support/service.ts";
import type { Db, Statement } from "../db/database.ts";
import { createTaskFinder } from "./finder.ts";
import { createMover } from "./mover.ts";
import type { AuditEntryRecord, TaskRecord } from "./schema.ts";
import { completeTask } from "./tasks.ts";

const MANY = 30;
const ADMIN = { kind: "admin" } as const;

const read = async ({ call }: TestService, id: string) => (await call<TaskRecord>("GET", `/api/tasks/${id}`)).body;
const trail = async ({ call }: TestService, id: string) =>
  (await call<AuditEntryRecord[]>("GET", `/api/tasks/${id}/audit`)).body.map(({ action }) => action);
const callbacksOf = async ({ ctx }: TestService, id: string) =>
  ctx.db.query.selectFrom("deliveries").select("id").where("task_id", "=", id).where("kind", "=", "callback").execute();

/** The context of a service, with a count of the statements that its answers run outside of transactions. */
function counting({ ctx }: TestService) {
  const counted = { reads: 0, writes: 0 };
  const db: Db = {
    ...ctx.db,
    run: async <P, R>(statement: Statement<P, R, "read">, params: P) => {
      counted.reads++;
      return ctx.db.run(statement, params);
    },
    writeOne: async <P, R>(statement: Statement<P, R>, params: P) => {
      counted.writes++;
      return ctx.db.writeOne(statement, params);
    },
  };
  return { counted, with: { ...ctx, db, finder: createTaskFinder(db), mover: createMover(db) } };
}

testOnBoth("answers of many tasks at one moment are each stored with their own task", async (service) => {
  const ids = await Promise.all(
    Array.from({ length: MANY }, async () => (await service.create({ callback_url: "https://example.com/done" })).id),
  );
  const { counted, with: ctx } = counting(service);
  const done = await Promise.all(
    ids.map(async (id, i) =>
      completeTask(ctx, ADMIN, id, { response: { approved: i % 3 === 0, note: `answer ${i}` } }),
    ),
  );
  for (const [i, id] of ids.entries()) {
    const response = { approved: i % 3 === 0, note: `answer ${i}` };
    assert.equal(done[i]!.id, id);
    assert.deepEqual(JSON.parse(done[i]!.response!), response);
    const record = await read(service, id);
    assert.equal(record.status, "completed");
    assert.deepEqual(record.response, response);
    assert.deepEqual(await trail(service, id), ["created", "completed"]);
    assert.equal((await callbacksOf(service, id)).length, 1);
  }
  // One of each, unless the machine splits the moment.
  const { reads, writes } = counted;
  if (ctx.db.dialect === "postgres") assert.ok(reads + writes < MANY / 2, `${reads} reads, ${writes} writes`);
});

testOnBoth(
  "of two answers to one task at one moment, one counts, and the others beside them are stored",
  async (service) => {
    const [twice, ...others] = await Promise.all(Array.from({ length: 6 }, async () => (await service.create()).id));
    const { counted, with: ctx } = counting(service);
    const answers = await Promise.allSettled(
      [twice!, ...others, twice!].map(async (id, i) =>
        completeTask(ctx, ADMIN, id, { response: { approved: i === 0 } }),
      ),
    );
    const refused = answers.flatMap((one) =>
      one.status === "rejected" ? [(one.reason as { code: string }).code] : [],
    );
    assert.deepEqual(refused, ["TASK_ALREADY_TERMINAL"]);
    const record = await read(service, twice!);
    assert.deepEqual(record.response, { approved: answers[0]!.status === "fulfilled" });
    assert.deepEqual(await trail(service, twice!), ["created", "completed"]);
    for (const id of others) assert.equal((await read(service, id)).status, "completed");
    // A statement with both would fail, and each answer would be written alone.
    if (ctx.db.dialect === "postgres") assert.ok(counted.writes <= others.length, `${counted.writes} writes`);
  },
);

testOnBoth("a task that was cancelled in the meantime keeps no other answer from its task", async (service) => {
  const [gone, ...others] = await Promise.all(Array.from({ length: 6 }, async () => (await service.create()).id));
  const { ctx } = service;
  // After all are read, and before any is written.
  let isCancelled: Promise<unknown> | null = null;
  const mover = createMover(ctx.db);
  const slow = {
    ...ctx,
    mover: async (move: Parameters<typeof mover>[0]) => {
      await (isCancelled ??= service.call("POST", `/api/tasks/${gone!}/cancel`, { body: {} }));
      return mover(move);
    },
  };
  const answers = await Promise.allSettled(
    [gone!, ...others].map(async (id) => completeTask(slow, ADMIN, id, { response: { approved: true } })),
  );
  assert.deepEqual(
    answers.map(({ status }) => status),
    ["rejected", ...others.map(() => "fulfilled")],
  );
  assert.deepEqual(await trail(service, gone!), ["created", "cancelled"]);
  for (const id of others) assert.deepEqual(await trail(service, id), ["created", "completed"]);
});

testOnBoth("tasks that are looked for together are found or not, each for itself", async (service) => {
  const { id } = await service.create();
  const { with: ctx } = counting(service);
  const missing = `${id.slice(0, -4)}zzzz`;
  const [found, gone, again] = await Promise.allSettled([ctx.finder(id), ctx.finder(missing), ctx.finder(id)]);
  assert.ok(found.status === "fulfilled" && again.status === "fulfilled" && gone.status === "rejected");
  assert.equal((gone.reason as { code: string }).code, "TASK_NOT_FOUND");
  assert.deepEqual(found.value, again.value);
  assert.notEqual(found.value, again.value, "one caller may change what it gets");
});
