import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { oweCallbacks } from "../support/backlog.ts";
import { DATABASES, type Bench } from "../support/bench.ts";
import { quantile, sorted } from "../support/load.ts";
import { startBlackHole, startReceiver } from "../support/receiver.ts";
import { OWN_WORK_MS, withService } from "../support/service.ts";
import { SERVICE, startTarget, type Home } from "../support/target.ts";

const DEAD = 1000;
/** Live receivers of each sort among the dead ones: enough to tell a p99. */
const LIVE = 100;
/** Callbacks to each dead receiver at the restart. */
const BACKLOG = 10;
const UNKNOWN_UNDER_MS = 3_000;
const PROVEN_UNDER_MS = 1_500;
/** Time to write the callbacks and to start the service, before all fall due. */
const START_MS = 8_000;
/** Time in which attempts at dead receivers end. */
const TIMEOUT_MS = 11_000;
const ARRIVAL_MAX_MS = 180_000;

/**
 * How long the first callback of an unknown receiver takes beside those of a thousand other unknown ones, which accept
 * connections and never answer. All fall due at the same moment.
 */
export async function unknownReceiver(bench: Bench): Promise<void> {
  const seed = newSeed();
  for (const dialect of bench.dialects) {
    const hole = await startBlackHole();
    const live = await startLive();
    const origins = mixedOrigins(seed, [hole.port, DEAD], [live.port, LIVE]);
    let dueAt = 0;
    const prepare = async (home: Home) => {
      dueAt = Date.now() + START_MS;
      await oweCallbacks(home, origins, 1, dueAt);
    };
    await withService(bench, { dialect, prepare, computing: OWN_WORK_MS }, async () => {
      const spare = dueAt - Date.now();
      if (spare < 0) throw new Error("the callbacks were due before the service had started");
      const began = performance.now() + spare;
      const name = `${DATABASES[dialect]}: first callback of an unknown receiver beside ${DEAD} dead ones, p99`;
      reportArrivals(bench, { name, under: UNKNOWN_UNDER_MS, seed, ms: await live.msSince(began) });
      // Attempts under way would delay an orderly stop.
      return () => hole.reset();
    });
    hole.close();
    live.close();
  }
}

/**
 * How long callbacks take from the start of a process that finds ten callbacks due for each of a thousand dead receivers,
 * and one for each live receiver. Some of the live ones answered the process before, the others are unknown.
 */
export async function restartAmidDead(bench: Bench): Promise<void> {
  const seed = newSeed();
  for (const dialect of bench.dialects) {
    const hole = await startBlackHole();
    const proven = await startLive();
    const unknown = await startLive();
    const all = mixedOrigins(seed, [hole.port, DEAD], [proven.port, LIVE], [unknown.port, LIVE]);
    const originsOf = ({ port }: { port: number }) => all.filter((origin) => origin.endsWith(`:${port}`));
    const backlog = shuffled(seed, [...all, ...Array.from({ length: BACKLOG - 1 }, () => originsOf(hole)).flat()]);
    const prepare = async (home: Home) => {
      await oweCallbacks(home, originsOf(proven), 1);
      await oweCallbacks(home, originsOf(hole), 1);
      const before = await startTarget(SERVICE, home);
      await proven.msSince(performance.now());
      await delay(TIMEOUT_MS);
      hole.reset();
      await before.stop();
      proven.forget();
      await oweCallbacks(home, backlog, 1);
    };
    await withService(bench, { dialect, prepare, computing: OWN_WORK_MS }, async () => {
      const began = performance.now();
      for (const [sort, { msSince }, under] of [
        ["a proven receiver", proven, PROVEN_UNDER_MS],
        ["an unknown receiver", unknown, UNKNOWN_UNDER_MS],
      ] as const) {
        const name = `${DATABASES[dialect]}: callback to ${sort} after a restart beside ${DEAD} dead ones, p99`;
        reportArrivals(bench, { name, under, seed, ms: await msSince(began) });
      }
      return () => hole.reset();
    });
    for (const { close } of [hole, proven, unknown]) close();
  }
}

/** Receivers that answer at once, and get one callback each. */
async function startLive() {
  const arrivals = new Map<string, number>();
  const { port, close } = await startReceiver({
    onCallback: (id) => {
      if (!arrivals.has(id)) arrivals.set(id, performance.now());
    },
  });
  return {
    port,
    close,
    forget: () => arrivals.clear(),
    /** Waits for all of them. */
    msSince: async (began: number) => {
      const end = performance.now() + ARRIVAL_MAX_MS;
      while (arrivals.size < LIVE) {
        if (performance.now() > end) throw new Error(`only ${arrivals.size} of ${LIVE} callbacks arrived`);
        await delay(20);
      }
      return sorted(
        arrivals
          .values()
          .map((at) => Math.max(0, at - began))
          .toArray(),
      );
    },
  };
}

interface Arrivals {
  name: string;
  under: number;
  seed: number;
  ms: readonly number[];
}

function reportArrivals(bench: Bench, { name, under, seed, ms }: Arrivals): void {
  bench.figure({
    name,
    value: quantile(ms, 0.99),
    unit: "ms",
    hold: { under },
    note: `p50 ${quantile(ms, 0.5).toFixed(0)} ms, longest ${ms.at(-1)!.toFixed(0)} ms; seed ${seed}`,
  });
}

function newSeed(): number {
  return Number(process.env["TEST_SEED"] ?? Math.floor(Math.random() * 1e9));
}

/** Returns origins with these ports, each with its own address. Ports are mixed in the order of the list, and of the addresses. */
function mixedOrigins(seed: number, ...counts: [port: number, count: number][]): string[] {
  const ports = shuffled(
    seed,
    counts.flatMap(([port, count]) => Array<number>(count).fill(port)),
  );
  const origins = ports.map((port, i) => `http://127.1.${i >> 8}.${i & 255}:${port}`);
  return shuffled(seed + 1, origins);
}

/** Returns the items in an order that depends only on the seed. */
function shuffled<T>(seed: number, items: readonly T[]): T[] {
  const placed = items.map((item, i) => ({ item, place: createHash("sha256").update(`${seed} ${i}`).digest("hex") }));
  return placed.toSorted((a, b) => (a.place < b.place ? -1 : 1)).map(({ item }) => item);
}
