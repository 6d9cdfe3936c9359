import { setTimeout as sleep } from "node:timers/promises";
import type { TaskRecord } from "../../src/tasks/schema.ts";
import { startProcess, type ServiceProcess } from "../../test/support/processes.ts";
import { onePostgres } from "../../test/support/postgres.ts";
import { startReceiver, type Receiver } from "../../test/support/receiver.ts";
import { newTaskBody } from "../../test/support/service.ts";
import { createRandom } from "../random.ts";
import { NotRun, type Run, type Suite } from "../suite.ts";
import { findPgBouncer, startPgBouncer, type PgBouncer, type PoolMode } from "./pgbouncer.ts";

/** Concurrent waits. By default PgBouncer has 20 server connections, and session mode reserves one per client. */
const WAITING = 6;
/**
 * Twice the promise of ten seconds, because the machine may be busy. A hint may be lost with the connection, also in session
 * mode: then one of ten rounds, a second apart, finds the end. Without hints and rounds, a wait lasts the 60 seconds of a poll.
 */
const LATE_MS = 20_000;
/** Without hints, waits look at their tasks every ten seconds, and half of them would take five. */
const UNHEARD_MS = 2_500;
const TRYING_MS = 60_000;
const DELIVERED_MS = 60_000;
const WARNING = /LISTEN does not work through a pooler in transaction mode/;

export const pooler: Suite = {
  name: "pooler",
  promise:
    "behind PgBouncer with its defaults, in both modes, no acknowledged write is lost, waits end in time, and the service survives a restart of PgBouncer",
  counts: { short: 8, long: 200, unit: "rounds of tasks in each mode" },
  run: async (run) => {
    const program = findPgBouncer();
    if (program === null)
      throw new NotRun(
        "There is no pgbouncer on this machine, and apt-get cannot download it. Install the package pgbouncer.",
      );
    run.say(`PgBouncer ${program.version}, ${program.path}`);
    try {
      for (const mode of ["transaction", "session"] as const) {
        const { url, drop } = await (await onePostgres()).createDatabase();
        const bouncer = await startPgBouncer(program, url, mode);
        try {
          await proveMode(run, mode, bouncer);
        } finally {
          await bouncer.stop();
          await drop();
        }
      }
    } finally {
      program.remove();
    }
  },
};

/** Runs two processes behind `bouncer`: one creates tasks and waits for them, the other answers them. */
async function proveMode({ seed, count, say }: Run, mode: PoolMode, bouncer: PgBouncer): Promise<void> {
  const env = { SERVICE_DATABASE_URL: bouncer.url };
  const receiver = await startReceiver();
  const services: ServiceProcess[] = [];
  try {
    // Start both at once: they run the migrations at the same time.
    services.push(...(await Promise.all([startProcess(env), startProcess(env)])));
    const [a, b] = services as [ServiceProcess, ServiceProcess];
    const hasWarned = services.map(({ log }) => log.filter((line) => WARNING.test(line)).length);
    const expected = mode === "transaction" ? 1 : 0;
    if (hasWarned.some((lines) => lines !== expected))
      throw new Error(`${mode} mode: ${hasWarned.join(" and ")} warnings about LISTEN instead of ${expected} each`);

    const random = createRandom(seed);
    const restartAt = Math.floor(count / 2);
    const late: number[] = [];
    const ids: string[] = [];
    for (let round = 0; round < count; round++) {
      const isRestarted = round === restartAt;
      const tasks = await Promise.all(
        Array.from({ length: WAITING }, (_, i) => create(a, `${mode}-${seed}-${round}-${i}`, receiver)),
      );
      const polls = tasks.map(async ({ id }) => ({ id, status: await waitFor(b, id), at: performance.now() }));
      // Some answers arrive while the other process is still reading.
      await sleep(random.between(0, 300));
      const ended = new Map<string, number>();
      const answers = tasks.map(async ({ id }) => {
        await complete(a, id);
        ended.set(id, performance.now());
      });
      if (isRestarted) await bouncer.restart();
      await Promise.all(answers);
      for (const { id, status, at } of await Promise.all(polls)) {
        if (status !== "completed")
          throw new Error(`${mode} mode: ${id} was completed, and a wait for it gave ${status}`);
        // A wait that the restart cut began again.
        if (!isRestarted) late.push(Math.max(0, at - ended.get(id)!));
        ids.push(id);
      }
    }
    await checkOutcome({ mode, services, receiver, ids, late, say });
    for (const service of services.splice(0)) {
      const code = await service.stop();
      if (code !== 0) throw new Error(`${mode} mode: a service ended with ${code}:\n${service.log.join("\n")}`);
    }
  } finally {
    for (const service of services) await service.kill();
    await receiver.close();
  }
}

interface Outcome {
  mode: PoolMode;
  services: readonly ServiceProcess[];
  receiver: Receiver;
  ids: readonly string[];
  late: readonly number[];
  say(line: string): void;
}

async function checkOutcome({ mode, services, receiver, ids, late, say }: Outcome): Promise<void> {
  const [a] = services as [ServiceProcess];
  const until = performance.now() + DELIVERED_MS;
  const missing = () => {
    const arrived = new Set(receiver.received.map(({ task_id }) => task_id));
    return ids.filter((id) => !arrived.has(id));
  };
  while (missing().length > 0 && performance.now() < until) await sleep(50);
  const violations = missing().map((id) => `the callback of ${id} did not arrive`);
  for (const id of ids) {
    const { status, body } = await a.call<TaskRecord>("GET", `/api/tasks/${id}`);
    if (status !== 200 || body.status !== "completed") violations.push(`${id} is ${status}, ${body.status}`);
  }
  const slowest = Math.max(...late);
  if (slowest > LATE_MS) violations.push(`a wait ended ${Math.round(slowest)} ms after the answer`);
  const sorted = late.toSorted((x, y) => x - y);
  const middle = sorted[Math.floor(sorted.length / 2)]!;
  say(
    `${mode} mode: ${ids.length} tasks, each with its callback; waits ended after ${Math.round(middle)} ms (p50), at most ${Math.round(slowest)} ms`,
  );
  if (mode === "session" && middle > UNHEARD_MS)
    violations.push(`hints do not arrive: half of the waits took ${Math.round(middle)} ms`);
  if (violations.length > 0) throw new Error(`${mode} mode:\n${violations.join("\n")}`);
}

async function create(service: ServiceProcess, idempotency_key: string, { url }: Receiver): Promise<TaskRecord> {
  const body = newTaskBody({ idempotency_key, callback_url: url });
  return trying(async () => {
    const answer = await service.call<TaskRecord>("POST", "/api/tasks", body);
    return answer.status === 201 ? answer.body : null;
  }, "a creation");
}

async function complete(service: ServiceProcess, id: string): Promise<void> {
  await trying(async () => {
    const { status } = await service.call("POST", `/api/tasks/${id}/complete`, { response: { approved: true } });
    // 409: an earlier try succeeded.
    return status === 200 || status === 409 ? true : null;
  }, `completing ${id}`);
}

async function waitFor(service: ServiceProcess, id: string): Promise<string> {
  return trying(async () => {
    const { status, body } = await service.call<{ status: string }>("GET", `/api/tasks/${id}/poll?timeout=60`);
    return status === 200 ? body.status : null;
  }, `waiting for ${id}`);
}

/** Retries as a client does while the database is unreachable. */
async function trying<T>(ask: () => Promise<T | null>, what: string): Promise<T> {
  const until = performance.now() + TRYING_MS;
  for (;;) {
    const result = await ask();
    if (result !== null) return result;
    if (performance.now() > until) throw new Error(`${what} did not succeed for ${TRYING_MS} ms`);
    await sleep(100);
  }
}
