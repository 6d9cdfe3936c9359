import { setTimeout as delay } from "node:timers/promises";
import { DAY, MINUTE, SECOND } from "../../src/lib/time.ts";
import { DATABASES, type Bench, type Dialect } from "../support/bench.ts";
import { get, openClient, type Client } from "../support/client.ts";
import { quantile, sorted } from "../support/load.ts";
import { API_RATE, useMeanwhile } from "../support/meanwhile.ts";
import { openTask, writeTasks, type Open, type SeededTask } from "../support/seed.ts";
import { OWN_WORK_MS, withService } from "../support/service.ts";
import type { Home, Target } from "../support/target.ts";

/** Tasks that fall due per second. */
const RATE = 100;
/** Time from writing the rows to the first deadline. The service must listen by then. */
const LEAD = 15 * SECOND;
const DUE_AT_ONCE = 100_000;
const GIVEN_UP_AFTER = 60 * SECOND;

/** Measures how late tasks time out at a steady rate, and the cost of a hundred thousand tasks that are due at once. */
export async function timeouts(bench: Bench): Promise<void> {
  for (const dialect of bench.dialects) {
    await steadyFlow(bench, dialect);
    await allAtOnce(bench, dialect);
  }
}

async function steadyFlow(bench: Bench, dialect: Dialect): Promise<void> {
  const name = `${DATABASES[dialect]}, ${RATE} due a second`;
  const count = Math.round(RATE * bench.seconds * 4);
  let first = 0;
  const prepare = async (home: Home) => {
    first = Date.now() + LEAD;
    await writeTasks(
      home,
      openTasks(count, (i) => ({ created_at: first - DAY + i, timeout_at: first + (i * SECOND) / RATE })),
    );
  };
  await withService(bench, { dialect, name, prepare, computing: OWN_WORK_MS }, async ([service]) => {
    if (Date.now() > first) throw new Error("the service was not up before the first deadline");
    const client = await openClient(service.url);
    await firstOpen(client);
    await service.forgetStalls();
    await delay(first + (count * SECOND) / RATE - Date.now());
    while ((await firstOpen(client)) !== null) await delay(50);
    // The long pages that are read now are not what is measured.
    await service.worstStall();
    service.rest();
    const late = await lateness(client);
    client.close();
    if (late.length !== count) throw new Error(`${late.length} of ${count} tasks timed out`);
    bench.figure({
      name: `${name}: timed out after the deadline, p99`,
      value: quantile(late, 0.99),
      unit: "ms",
      hold: { under: 250 },
      note: `p50 ${quantile(late, 0.5)} ms; by the service's clock`,
    });
  });
}

async function allAtOnce(bench: Bench, dialect: Dialect): Promise<void> {
  const name = `${DATABASES[dialect]}, ${DUE_AT_ONCE} due at once`;
  const now = Date.now();
  const tasks = openTasks(DUE_AT_ONCE, (i) => ({ created_at: now - DAY - DUE_AT_ONCE + i, timeout_at: now - MINUTE }));
  const prepare = async (home: Home) => writeTasks(home, tasks);
  await withService(bench, { dialect, name, prepare, computing: OWN_WORK_MS }, async ([service]) => {
    const began = performance.now();
    let clearedAt: number | null = null;
    const ended = untilCleared(service, began + GIVEN_UP_AFTER).then((at) => (clearedAt = at));
    const ms = await useMeanwhile(service, () => clearedAt !== null);
    await ended;
    bench.figure({
      name: `${name}: cleared after`,
      value: (clearedAt! - began) / SECOND,
      unit: "s",
      hold: { under: 30 },
      ...(clearedAt! >= began + GIVEN_UP_AFTER && { note: `given up: ${await countOpen(service)} still open` }),
    });
    bench.figure({
      name: `${name}: API at the same time, ${API_RATE}/s, p99`,
      value: quantile(ms, 0.99),
      unit: "ms",
      hold: { under: 250 },
      note: `p50 ${quantile(ms, 0.5).toFixed(1)} ms`,
    });
  });
}

function* openTasks(count: number, at: (i: number) => Open): Generator<SeededTask> {
  for (let i = 0; i < count; i++) yield openTask(i, at(i));
}

/** @returns the moment at which no open task was overdue, or `end` */
async function untilCleared(service: Target, end: number): Promise<number> {
  const client = await openClient(service.url);
  try {
    while (performance.now() < end) {
      const first = await firstOpen(client);
      if (first === null || first > Date.now()) return performance.now();
      await delay(100);
    }
    return end;
  } finally {
    client.close();
  }
}

/** Returns the deadline of the open task that falls due first. */
async function firstOpen(client: Client): Promise<number | null> {
  const { body } = await client.ask(get("/api/tasks?terminal=false&sort=deadline&limit=1"));
  const [first] = JSON.parse(body.toString()) as { timeout_at: string }[];
  return first ? Date.parse(first.timeout_at) : null;
}

async function countOpen(service: Target): Promise<number> {
  const client = await openClient(service.url);
  const { body } = await client.ask(get("/api/tasks/counts", '"open":'));
  client.close();
  return (JSON.parse(body.toString()) as { open: number }).open;
}

/** Returns the time from deadline to timeout of every timed-out task, sorted. */
async function lateness(client: Client): Promise<number[]> {
  const late: number[] = [];
  let page: string | undefined = "/api/tasks?status=timed_out&limit=200";
  while (page !== undefined) {
    const { head, body } = await client.ask(get(page));
    for (const task of JSON.parse(body.toString()) as { timed_out_at: string; timeout_at: string }[])
      late.push(Date.parse(task.timed_out_at) - Date.parse(task.timeout_at));
    page = /\r\nlink: <([^>]+)>/i.exec(head)?.[1];
  }
  return sorted(late);
}
