import { claimDeliveries } from "../../src/deliveries/claim.ts";
import { enqueue } from "../../src/deliveries/store.ts";
import { HOMES } from "../../src/db/home.ts";
import type { Db } from "../../src/db/database.ts";
import { newId } from "../../src/lib/ids.ts";
import { CITUS, createPlainDatabase, createSpreadDatabase, dropDatabases } from "../../test/support/citus.ts";
import type { Bench } from "../support/bench.ts";
import { get, openPool, type Ask } from "../support/client.ts";
import { hammer, quantile, sorted, type Figures } from "../support/load.ts";
import { completeAsk, createAsks, createTasks, pollAsk } from "../support/tasks.ts";
import { makeHome, openDb, SERVICE, startTarget, type Home, type Target } from "../support/target.ts";

const SHARDS = 8;
const ROUNDS = 5;
const TASKS = 400;
const CLAIMED = 20;
const CLAIMS = 33;

/** A service on its own database, and tasks that it has. */
interface Side {
  home: Home;
  service: Target;
  open: string[];
  ended: string[];
}

/**
 * Compares a database whose tables are spread over a cluster of Citus with one ordinary database of its coordinator. They
 * take turns. Everything runs on one machine, so this shows what Citus costs, and not what more machines give.
 */
export async function citus(bench: Bench): Promise<void> {
  const coordinator = process.env[CITUS];
  if (coordinator === undefined) return bench.say(`not measured here: ${CITUS} is not set`);
  const [plainName, spreadName] = [`service_bench_${process.pid}_plain`, `service_bench_${process.pid}_spread`];
  try {
    const plain = await start(await createPlainDatabase(coordinator, plainName));
    const spread = await start(await createSpreadDatabase(coordinator, spreadName, SHARDS));
    for (const [name, { clients, ask }] of Object.entries(ACTS))
      await compare(bench, name, clients, ask, plain, spread);
    await compareClaims(bench, plain, spread);
    for (const { home } of [plain, spread]) await home.remove();
  } finally {
    await dropDatabases(coordinator, [plainName, spreadName]);
  }
}

/** What is asked, by how many clients at once. */
interface Act {
  clients: number;
  /** Returns the next request to a side. */
  ask: (side: Side) => () => Ask;
}

const ACTS: Record<string, Act> = {
  "creating a task": { clients: 1, ask: () => createAsks({ schemas: "same" }) },
  "creating a task, 32 clients": { clients: 32, ask: () => createAsks({ schemas: "same" }) },
  "completing a task": {
    clients: 1,
    ask:
      ({ open }) =>
      () =>
        completeAsk(open.pop()!),
  },
  "reading a task": { clients: 1, ask: ({ ended }) => inTurn(ended, (id) => get(`/api/tasks/${id}`, id)) },
  "polling a task that has ended": { clients: 1, ask: ({ ended }) => inTurn(ended, pollAsk) },
  "a list of 50 tasks": { clients: 1, ask: () => () => get("/api/tasks?limit=50", `"id"`) },
  "open tasks by deadline": {
    clients: 1,
    ask: () => () => get("/api/tasks?status=created&sort=deadline&limit=50", `"id"`),
  },
  counts: { clients: 1, ask: () => () => get("/api/tasks/counts", `"open"`) },
  statistics: { clients: 1, ask: () => () => get("/api/stats", `"totals"`) },
};

async function start(databaseUrl: string): Promise<Side> {
  const home: Home = { ...(await makeHome("sqlite")), dialect: "postgres", databaseUrl };
  const service = await startTarget(SERVICE, home);
  const pool = await openPool(service.url, 16);
  const ended = await createTasks(pool, TASKS);
  await Promise.all(ended.map(async (id) => pool.ask(completeAsk(id))));
  pool.close();
  return { home, service, open: [], ended };
}

async function compare(
  { seconds, figure }: Bench,
  name: string,
  clients: number,
  ask: Act["ask"],
  plain: Side,
  spread: Side,
): Promise<void> {
  const figures = new Map<Side, Figures[]>([plain, spread].map((side) => [side, []]));
  for (let round = 0; round <= ROUNDS; round++)
    for (const side of [plain, spread]) {
      if (name.startsWith("completing")) await refill(side, seconds);
      const one = await hammer(side.service, { clients, seconds: seconds / ROUNDS, next: ask(side) });
      // The first round warms up.
      if (round > 0) figures.get(side)!.push(one);
    }
  const medianOf = (side: Side) => quantile(sorted(figures.get(side)!.flatMap(({ ms }) => ms)), 0.5);
  const rateOf = (side: Side) => quantile(sorted(figures.get(side)!.map(({ rate }) => rate)), 0.5);
  figure({
    name: `Citus beside one PostgreSQL: ${name}`,
    value: clients === 1 ? medianOf(spread) / medianOf(plain) : rateOf(plain) / rateOf(spread),
    unit: "times",
    note:
      clients === 1
        ? `${medianOf(spread).toFixed(1)} and ${medianOf(plain).toFixed(1)} ms`
        : `${Math.round(rateOf(spread))} and ${Math.round(rateOf(plain))}/s`,
  });
}

/** Creates more open tasks than one turn completes. */
async function refill(side: Side, seconds: number): Promise<void> {
  const wanted = Math.ceil(1000 * (seconds / ROUNDS));
  if (side.open.length >= wanted) return;
  const pool = await openPool(side.service.url, 16);
  side.open.push(...(await createTasks(pool, wanted - side.open.length)));
  pool.close();
}

/** Compares how long it takes to claim due deliveries of several homes. Stops both services, which would take them. */
async function compareClaims({ figure }: Bench, plain: Side, spread: Side): Promise<void> {
  const sides = [plain, spread];
  await Promise.all(sides.map(async ({ service }) => service.stop()));
  const times = new Map<Side, number[]>(sides.map((side) => [side, []]));
  const dbs = new Map<Side, Db>();
  for (const side of sides) dbs.set(side, await openDb(side.home));
  for (let i = 0; i < CLAIMS; i++) for (const side of sides) times.get(side)!.push(await timeOfClaim(dbs.get(side)!));
  for (const db of dbs.values()) await db.close();
  const medianOf = (side: Side) => quantile(sorted(times.get(side)!), 0.5);
  figure({
    name: `Citus beside one PostgreSQL: claiming ${CLAIMED} due deliveries`,
    value: medianOf(spread) / medianOf(plain),
    unit: "times",
    note: `${medianOf(spread).toFixed(1)} and ${medianOf(plain).toFixed(1)} ms`,
  });
}

let last = 0;

async function timeOfClaim(db: Db): Promise<number> {
  const now = db.now();
  const due = [];
  for (let i = 0; i < CLAIMED; i++) {
    const home = (last += 37) % HOMES;
    const task_id = newId("tsk", now, home);
    const delivery = { kind: "callback", task_id, destination: "http://127.0.0.1:9/", origin: "http://127.0.0.1:9" };
    await db.write((tx) => enqueue(tx, { ...delivery, body: "{}", due_at: now }));
    const { id } = await db.query
      .selectFrom("deliveries")
      .select("id")
      .where("task_id", "=", task_id)
      .where("home", "=", home)
      .executeTakeFirstOrThrow();
    due.push({ id, home });
  }
  const began = performance.now();
  const claimed = await claimDeliveries(db, { due, held: [] }, { owner: "bench", until: now + 60_000 });
  const took = performance.now() - began;
  if (claimed.length !== CLAIMED) throw new Error(`${claimed.length} of ${CLAIMED} deliveries were claimed.`);
  return took;
}

function inTurn(ids: readonly string[], ask: (id: string) => Ask): () => Ask {
  let at = 0;
  return () => ask(ids[at++ % ids.length]!);
}
