import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { Client } from "pg";
import type { TaskRecord } from "../../src/tasks/schema.ts";
import { pause } from "../support/pause.ts";
import { postgres } from "../support/postgres.ts";
import { startProcess, type ServiceProcess } from "../support/processes.ts";
import { expectedSignature, startReceiver, type Receiver } from "../support/receiver.ts";
import { SEED } from "../support/seed.ts";
import { newTaskBody, PAYLOAD_KEY } from "../support/service.ts";

/** A lease of 30 s, and the interval at which expired leases are found. */
const LOST_MS = 35_000;

/** Returns a random generator that a seed repeats. (mulberry32) */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Returns the number of callbacks for each task. */
function countByTask({ received }: Receiver): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { task_id } of received) counts.set(task_id, (counts.get(task_id) ?? 0) + 1);
  return counts;
}

async function end(service: ServiceProcess, callback_url: string): Promise<string> {
  const { body } = await service.call<TaskRecord>("POST", "/api/tasks", newTaskBody({ callback_url }));
  const { status } = await service.call("POST", `/api/tasks/${body.id}/complete`, { response: { approved: true } });
  assert.equal(status, 200);
  return body.id;
}

void describe("several processes on one PostgreSQL deliver", () => {
  let url: string;
  let drop: () => Promise<void>;
  let database: Client;

  before(async () => {
    ({ url, drop } = await (await postgres()).createDatabase());
    database = new Client({ connectionString: url });
    await database.connect();
  });
  after(async () => {
    await database.end();
    await drop();
  });

  test("each callback once when all is well, whoever ends the task", async () => {
    const hook = await startReceiver();
    const services = await Promise.all([0, 1].map(() => startProcess({ SERVICE_DATABASE_URL: url })));
    const ids = await Promise.all(Array.from({ length: 200 }, (_, i) => end(services[i % 2]!, hook.url)));
    await hook.until(200);
    assert.deepEqual([...countByTask(hook).keys()].toSorted(), ids.toSorted());
    for (const { body, headers } of hook.received)
      assert.equal(headers["x-service-signature"], expectedSignature(PAYLOAD_KEY, body));

    // Many tasks time out at once: both replicas sweep, and both send.
    const open = await Promise.all(
      Array.from({ length: 100 }, async (_, i) => {
        const body = newTaskBody({ callback_url: hook.url });
        return (await services[i % 2]!.call<TaskRecord>("POST", "/api/tasks", body)).body.id;
      }),
    );
    await database.query("update tasks set timeout_at = $1 where id = any($2)", [Date.now() - 1, open]);
    await hook.until(300);
    assert.ok(open.every((id) => countByTask(hook).get(id) === 1));
    for (const service of services) assert.equal(await service.stop(), 0);
    assert.equal(hook.received.length, 300);
    const { rows } = await database.query("select distinct status from deliveries");
    assert.deepEqual(rows, [{ status: "SUCCEEDED" }]);
    await hook.close();
  });

  test("kill -9 at random moments loses no callback, and repeats only what was under way", async (t) => {
    const next = random(SEED);
    // Attempts take a while, so that a kill interrupts some.
    const hook = await startReceiver((response) => void setTimeout(() => response.end(), 20 + next() * 60));
    const start = () => startProcess({ SERVICE_DATABASE_URL: url });
    const services = await Promise.all([start(), start(), start()]);
    const acknowledged = new Set<string>();
    const timeouts: string[] = [];
    let inFlightAtKills = 0;
    let running = true;
    const steady = services[0];

    const writers = Array.from({ length: 6 }, async (_, writer) => {
      for (let i = writer; running; i++) {
        try {
          if (i % 7 === 0) {
            const body = newTaskBody({ callback_url: hook.url });
            timeouts.push((await steady.call<TaskRecord>("POST", "/api/tasks", body)).body.id);
          } else {
            acknowledged.add(await end(services[i % 3]!, hook.url));
          }
        } catch {
          await delay(5); // the connection broke with its process
        }
      }
    });
    for (let kill = 0; kill < 4; kill++) {
      await delay(300 + next() * 700);
      const victim = 1 + Math.floor(next() * 2);
      await services[victim]!.kill();
      const { rows } = await database.query<{ n: number }>(
        "select count(*)::int as n from deliveries where lease_owner is not null",
      );
      inFlightAtKills += rows[0]!.n;
      services[victim] = await start();
    }
    running = false;
    await Promise.all(writers);
    await database.query("update tasks set timeout_at = $1 where id = any($2)", [Date.now() - 1, timeouts]);

    const owed = [...acknowledged, ...timeouts];
    const deadline = Date.now() + LOST_MS + 15_000;
    const missing = () => {
      const counts = countByTask(hook);
      return owed.filter((id) => !counts.has(id));
    };
    const unsettled = async () =>
      (await database.query("select id from deliveries where status <> 'SUCCEEDED'")).rows.length;
    while ((missing().length > 0 || (await unsettled()) > 0) && Date.now() < deadline) await delay(200);

    assert.deepEqual(missing(), []);
    assert.equal(await unsettled(), 0);
    const extra = [...countByTask(hook).values()].reduce((sum, count) => sum + count - 1, 0);
    t.diagnostic(`${owed.length} callbacks, ${inFlightAtKills} attempts under way at kills, ${extra} made twice`);
    assert.ok(extra <= inFlightAtKills, `${extra} extra attempts for ${inFlightAtKills} under way`);
    assert.ok(
      [...countByTask(hook).values()].every((count) => count <= 3),
      "no more than one more for each crash",
    );
    const { rows: numbers } = await database.query("select distinct attempt::int from delivery_attempts");
    assert.deepEqual(numbers, [{ attempt: 1 }], "what was lost is the same attempt again");
    const { rows: entries } = await database.query(
      "select task_id from audit_entries where action = 'timed_out' and task_id = any($1) group by task_id having count(*) = 1",
      [timeouts],
    );
    assert.equal(entries.length, timeouts.length, "each timeout once");
    await Promise.all(services.map((service) => service.kill()));
    await hook.close();
  });
});

test("what was being sent when the process was killed is sent again at the next start, under its number (SQLite)", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "service-killed-"));
  let isUp = false;
  const receiver = await startReceiver((response) => {
    if (isUp) response.end();
  });
  const first = await startProcess({ SERVICE_DATA_DIR: dataDir });
  const { id } = (await first.call<TaskRecord>("POST", "/api/tasks", newTaskBody({ callback_url: receiver.url }))).body;
  await first.call("POST", `/api/tasks/${id}/cancel`);
  await receiver.until(1);
  await first.kill();
  isUp = true;
  const second = await startProcess({ SERVICE_DATA_DIR: dataDir });
  await receiver.until(2);
  assert.equal(receiver.received[0]!.body, receiver.received[1]!.body);
  for (;;) {
    const [delivery] = (
      await second.call<{ status: string; attempt_count: number }[]>(
        "GET",
        `/api/admin/webhook-deliveries?task_id=${id}`,
      )
    ).body;
    if (delivery?.status !== "PENDING") {
      assert.deepEqual([delivery?.status, delivery?.attempt_count], ["SUCCEEDED", 1]);
      break;
    }
    await pause();
  }
  await second.stop();
  await receiver.close();
  rmSync(dataDir, { recursive: true, force: true });
});

test("a stop lets an attempt under way end and writes it down (SQLite)", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "service-drain-"));
  let answer: () => void = () => {};
  const receiver = await startReceiver((response) => void (answer = () => response.end()));
  const first = await startProcess({ SERVICE_DATA_DIR: dataDir });
  const { id } = (await first.call<TaskRecord>("POST", "/api/tasks", newTaskBody({ callback_url: receiver.url }))).body;
  await first.call("POST", `/api/tasks/${id}/cancel`);
  await receiver.until(1);
  const stopped = first.stop();
  answer();
  assert.equal(await stopped, 0);
  const second = await startProcess({ SERVICE_DATA_DIR: dataDir });
  const [delivery] = (await second.call<{ status: string }[]>("GET", `/api/admin/webhook-deliveries?task_id=${id}`))
    .body;
  assert.equal(delivery?.status, "SUCCEEDED");
  assert.equal(receiver.received.length, 1);
  await second.stop();
  await receiver.close();
  rmSync(dataDir, { recursive: true, force: true });
});
