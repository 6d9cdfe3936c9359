import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { HOUR, MINUTE } from "../../src/lib/time.ts";
import type { TaskRecord } from "../../src/tasks/schema.ts";
import { postgres } from "../../test/support/postgres.ts";
import { startProcess, type ServiceProcess } from "../../test/support/processes.ts";
import { startReceiver } from "../../test/support/receiver.ts";
import { newTaskBody } from "../../test/support/service.ts";
import type { Scene, Stage } from "./fault.ts";
import { startLoad } from "./load.ts";
import type { Query } from "./whole.ts";

/** The second attempt is due after half a minute, and at most three seconds late. */
const RETRY_MS = 60_000;

interface Act {
  service: ServiceProcess;
  query: Query;
  /** Sets the clock of the service's machine ahead of the true time by `aheadMs`; resolves once it is set. */
  set(aheadMs: number): Promise<void>;
}

/** Sets the machine's clock ahead and back by hours while the service runs. */
export const clock: Scene = {
  name: "the clock is set ahead and back",
  play: async (stage) => (await Promise.all([onSqlite(stage), onPostgres(stage)])).flat(),
};

async function startWithClock(env: Record<string, string>): Promise<Pick<Act, "service" | "set">> {
  const service = await startProcess(env, { node: ["--import", new URL("own-clock.ts", import.meta.url).href] });
  const set = async (aheadMs: number) => {
    service.child.send(aheadMs);
    await once(service.child, "message");
  };
  return { service, set };
}

/** A single process follows its machine's clock ahead; when the clock is set back, service time continues forward. */
async function onSqlite({ random, say }: Stage): Promise<string[]> {
  const dataDir = mkdtempSync(join(tmpdir(), "prove-clock-"));
  const { service, set } = await startWithClock({ SERVICE_DATA_DIR: dataDir });
  const database = new DatabaseSync(join(dataDir, "service.db"), { readOnly: true });
  const act: Act = { service, set, query: async (sql) => database.prepare(sql).all() };
  const violations: string[] = [];
  const receiver = await startReceiver((response, { task_id }) => {
    const isFirst = receiver.received.filter((callback) => callback.task_id === task_id).length === 1;
    response.writeHead(isFirst && task_id === retried ? 500 : 200).end();
  });
  let retried = "";
  const load = startLoad(service, random, receiver);
  try {
    await load.progress();
    const aheadMs = random.between(2, 9) * HOUR;
    const short = await create(act, 60);
    const long = await create(act, 10 * 24 * 3600);
    await set(aheadMs);
    const timedOut = await poll(act, short.id);
    if (timedOut.status !== "timed_out") violations.push(`${short.id} is ${timedOut.status} hours after its timeout`);
    if ((await poll(act, long.id, 0)).status !== "created") violations.push(`${long.id} ended before its timeout`);
    await load.progress();

    const last = await create(act, 3600);
    await set(-random.between(2, 9) * HOUR);
    const [first, second] = [await create(act, 3600), await sleep(50).then(async () => create(act, 3600))];
    if (!(last.created_at <= first.created_at && first.created_at < second.created_at))
      violations.push(
        `After the clock was set back, tasks were created at ${last.created_at}, ${first.created_at}, ${second.created_at}`,
      );
    for (const { created_at, timeout_at } of [first, second])
      if (Date.parse(timeout_at) - Date.parse(created_at) !== HOUR)
        violations.push(`A task with an hour from ${created_at} times out at ${timeout_at}`);
    await load.progress();

    retried = (await create(act, 3600, receiver.url)).id;
    await service.call("POST", `/api/tasks/${retried}/cancel`);
    const until = performance.now() + RETRY_MS;
    const tries = () => receiver.received.filter(({ task_id }) => task_id === retried).length;
    while (tries() < 2 && performance.now() < until) await sleep(50);
    if (tries() < 2)
      violations.push(`A refused callback was not retried within ${RETRY_MS / 1000} s, with the clock set back`);
    await remove(act);
  } catch (error) {
    violations.push(String(error));
  }
  violations.push(...(await load.check(act.query)));
  say(`SQLite: ${load.summary()}`);
  await service.stop();
  database.close();
  await receiver.close();
  rmSync(dataDir, { recursive: true });
  return violations;
}

/** Replicas follow the database's clock, so the clock of one machine changes nothing. */
async function onPostgres({ random, say }: Stage): Promise<string[]> {
  const { url, drop } = await (await postgres()).createDatabase();
  const database = new Client({ connectionString: url });
  await database.connect();
  const { service, set } = await startWithClock({ SERVICE_DATABASE_URL: url });
  const act: Act = { service, set, query: async (sql) => (await database.query<Record<string, unknown>>(sql)).rows };
  const receiver = await startReceiver();
  const load = startLoad(service, random, receiver);
  const violations: string[] = [];
  try {
    await load.progress();
    const open = await create(act, 3600);
    for (const aheadMs of [random.between(2, 9) * HOUR, -random.between(2, 9) * HOUR, 0]) {
      await set(aheadMs);
      const { created_at } = await create(act, 3600);
      if (Math.abs(Date.parse(created_at) - Date.now()) > MINUTE)
        violations.push(
          `A task was created at ${created_at} when the clock of a machine was set by ${aheadMs / HOUR} hours`,
        );
      await load.progress();
    }
    const { status } = await poll(act, open.id, 0);
    if (status !== "created") violations.push(`${open.id} is ${status} long before its timeout`);
    await remove(act);
  } catch (error) {
    violations.push(String(error));
  }
  violations.push(...(await load.check(act.query)));
  say(`PostgreSQL: ${load.summary()}`);
  await service.stop();
  await receiver.close();
  await database.end();
  await drop();
  return violations;
}

const OWN = "clock-";
let lastKey = 0;

async function create({ service }: Act, timeout_seconds: number, callback_url?: string): Promise<TaskRecord> {
  const idempotency_key = `${OWN}${++lastKey}`;
  const body = newTaskBody({ timeout_seconds, idempotency_key, ...(callback_url !== undefined && { callback_url }) });
  const answer = await service.call<TaskRecord>("POST", "/api/tasks", body);
  if (answer.status !== 201) throw new Error(`a creation gave ${answer.status}`);
  return answer.body;
}

async function poll({ service }: Act, id: string, timeout = 30): Promise<TaskRecord> {
  return (await service.call<TaskRecord>("GET", `/api/tasks/${id}/poll?timeout=${timeout}`)).body;
}

/** Deletes the tasks of this scene, because the load counts only its own. */
async function remove({ service, query }: Act): Promise<void> {
  for (const { id } of await query(`select id from tasks where idempotency_key like '${OWN}%'`))
    await service.call("DELETE", `/api/tasks/${String(id)}`);
}
