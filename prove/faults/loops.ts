import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { MINUTE, SECOND } from "../../src/lib/time.ts";
import { startWorker } from "../../src/worker.ts";
import { startReceiver } from "../../test/support/receiver.ts";
import { startTestService } from "../../test/support/service.ts";
import type { Scene, Stage } from "./fault.ts";
import { createFaultyDb } from "./faulty-db.ts";
import { findTorn, type Query } from "./whole.ts";

const TASKS = 30;
const STRIKES = 10;
/** Waits of 20 ms; after an error a loop pauses for a second. */
const STRIKE_WAITS = 100;
const PATIENCE_MS = 60_000;
const OPEN = "select id from tasks where ended_at is null";
const OWED = "select id from deliveries where status <> 'SUCCEEDED'";

/** Checks that the background loops (timeouts and callbacks) continue after their statements failed at random. */
export const loops: Scene = {
  name: "the statements of the loops fail at random",
  play: async (stage) => (await Promise.all([play("sqlite", stage), play("postgres", stage)])).flat(),
};

async function play(dialect: "sqlite" | "postgres", { random, say }: Stage): Promise<string[]> {
  const faulty = createFaultyDb();
  const receiver = await startReceiver();
  const { service, stop } = await startTestService(dialect, { db: faulty.wrap });
  const { ctx, clock } = service;
  const query: Query = async (text) =>
    (await sql<Record<string, unknown>>`${sql.raw(text)}`.execute(ctx.db.query)).rows;
  for (let i = 0; i < TASKS; i++) await service.create({ timeout_seconds: 60, callback_url: receiver.url });
  clock.advance(2 * MINUTE);

  const worker = startWorker(ctx);
  let struck = 0;
  for (let i = 0; i < STRIKES; i++) {
    faulty.arm(random.between(1, 6), random.pick(["refused", "lost"] as const));
    for (let waits = 0; waits < STRIKE_WAITS && !faulty.hasStruck(); waits++) await sleep(20);
    if (faulty.disarm()) struck++;
  }
  const violations = struck > 0 ? [] : [`${dialect}: no statement failed`];
  const isDone = async () => (await query(`${OPEN} union all ${OWED}`)).length === 0;
  const until = performance.now() + PATIENCE_MS;
  while (!(await isDone()) && performance.now() < until) {
    // The leases of attempts with a lost outcome must expire.
    clock.advance(10 * SECOND);
    await sleep(200);
  }
  const [open, owed] = [await query(OPEN), await query(OWED)];
  if (open.length > 0) violations.push(`${dialect}: ${open.length} overdue tasks never timed out`);
  if (owed.length > 0) violations.push(`${dialect}: ${owed.length} callbacks were never sent`);
  const told = new Set(receiver.received.map(({ task_id }) => task_id));
  if (open.length + owed.length === 0 && told.size !== TASKS)
    violations.push(`${dialect}: only ${told.size} of ${TASKS} tasks had a callback`);
  for (const torn of await findTorn(query)) violations.push(`${dialect}: ${torn}`);
  say(`${dialect}: ${struck} statements failed, ${receiver.received.length} callbacks for ${TASKS} tasks`);
  await worker.stop();
  await stop();
  await receiver.close();
  return violations;
}
