import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { Client } from "pg";
import { createCitusStandIn } from "../../test/support/citus-stand-in.ts";
import { newTaskBody, startTestService, type TestService } from "../../test/support/service.ts";
import { homeOf, homeOfKey } from "../db/home.ts";
import type { TaskRecord } from "./schema.ts";

const KEY = "asked before homes";

/** Starts a service on a stand-in for Citus. */
async function start(t: TestContext): Promise<{ service: TestService; client: Client }> {
  const { url, client, drop } = await createCitusStandIn();
  const { service, stop } = await startTestService("postgres", { env: { SERVICE_DATABASE_URL: url } });
  t.after(async () => {
    await stop();
    await drop();
  });
  assert.equal(service.ctx.db.dialect, "citus");
  return { service, client };
}

/** Creates a task whose key does not lead to its home, as `service spread` finds them. @returns its id */
async function createOlder({ create }: TestService, client: Client): Promise<string> {
  // The keys are there when the process begins to create tasks.
  await client.query("insert into older_keys values ($1, 'admin', 'tsk_00')", [KEY]);
  const { id } = await create({ idempotency_key: "another" });
  assert.notEqual(homeOf(id), homeOfKey("admin", KEY));
  await client.query("update tasks set idempotency_key = $1 where id = $2", [KEY, id]);
  await client.query("update older_keys set task_id = $1", [id]);
  return id;
}

const ask = ({ call }: TestService) =>
  call<TaskRecord>("POST", "/api/tasks", { body: newTaskBody({ idempotency_key: KEY }) });

void test("a key of a task from before homes has this task, until it is deleted (PostgreSQL)", async (t) => {
  const { service, client } = await start(t);
  const id = await createOlder(service, client);
  const again = await ask(service);
  assert.deepEqual([again.status, again.headers["idempotent-replayed"], again.body.id], [201, "true", id]);
  const { rows } = await client.query("select id from tasks");
  assert.deepEqual(rows, [{ id }]);
  const other = await service.create({ idempotency_key: "of no older task" });

  await service.call("DELETE", `/api/tasks/${id}`);
  const next = await ask(service);
  assert.deepEqual([next.status, homeOf(next.body.id)], [201, homeOfKey("admin", KEY)]);
  assert.equal(new Set([id, other.id, next.body.id]).size, 3);
});

void test("without such tasks, a process asks for them once (PostgreSQL)", async (t) => {
  const { service, client } = await start(t);
  await service.create();
  await client.query("drop table older_keys");
  await service.create();
});
