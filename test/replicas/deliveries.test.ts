import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { TaskRecord } from "../../src/tasks/schema.ts";
import { postgres } from "../support/postgres.ts";
import { startProcess, type ServiceProcess } from "../support/processes.ts";
import { expectedSignature, startReceiver } from "../support/receiver.ts";
import { newTaskBody, PAYLOAD_KEY } from "../support/service.ts";

/** Attempts that one process makes to one origin at once, at most. */
const PER_ORIGIN = 8;

test("callbacks of three processes survive kill -9 at any moment: none is lost, few are sent twice (PostgreSQL)", async () => {
  const seed = Number(process.env["TEST_SEED"] ?? Date.now() % 2 ** 31);
  console.log(`seed ${seed} (TEST_SEED)`);
  const random = createRandom(seed);
  const { url, drop } = await (await postgres()).createDatabase();
  // Slow enough that attempts are under way when a process dies.
  const receiver = await startReceiver((response) => void setTimeout(() => response.end(), 20));
  const env = { SERVICE_DATABASE_URL: url };
  const services = await Promise.all([startProcess(env), startProcess(env), startProcess(env)]);
  const ended = new Set<string>();
  let crashes = 0;
  let isOver = false;

  /** Creates and ends tasks; what was acknowledged is owed. */
  async function work(index: number): Promise<void> {
    while (!isOver) {
      try {
        const service = services[index % services.length]!;
        const { status, body } = await service.call<TaskRecord>(
          "POST",
          "/api/tasks",
          newTaskBody({ callback_url: receiver.url, idempotency_key: `${index}-${random()}` }),
        );
        if (status !== 201) continue;
        const done = await service.call("POST", `/api/tasks/${body.id}/complete`, { response: { approved: true } });
        if (done.status === 200) ended.add(body.id);
      } catch {
        await new Promise((resolve) => setImmediate(resolve)); // the process is being replaced
      }
    }
  }
  const workers = [0, 1, 2, 3, 4, 5].map(work);
  while (crashes < 6) {
    const target = ended.size + 10 + Math.floor(random() * 30);
    while (ended.size < target) await new Promise((resolve) => setImmediate(resolve));
    const victim = Math.floor(random() * services.length);
    await services[victim]!.kill();
    crashes++;
    services[victim] = await startProcess(env);
  }
  isOver = true;
  await Promise.all(workers);

  const arrived = () => new Set(receiver.received.map(({ task_id }) => task_id));
  const missing = () => [...ended].filter((id) => !arrived().has(id));
  while (missing().length > 0) await receiver.until(receiver.received.length + 1);

  const bodies = new Map<string, string>();
  for (const one of receiver.received) {
    assert.equal(one.headers["x-service-signature"], expectedSignature(PAYLOAD_KEY, one.body));
    assert.equal(one.body, bodies.get(one.task_id) ?? one.body, "every attempt has the same bytes");
    bodies.set(one.task_id, one.body);
  }
  const extra = receiver.received.length - bodies.size;
  assert.ok(extra <= crashes * PER_ORIGIN, `${extra} extra attempts after ${crashes} crashes`);
  await Promise.all(services.map((service: ServiceProcess) => service.stop()));
  await receiver.close();
  await drop();
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
    if (delivery?.status === "PENDING") continue;
    assert.deepEqual([delivery?.status, delivery?.attempt_count], ["SUCCEEDED", 1]);
    break;
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

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
