import { openClient, openPool, type Ask } from "./client.ts";
import type { Target } from "./target.ts";

/** What a stretch of load showed. */
export interface Figures {
  /** Requests answered in a second. */
  rate: number;
  /** Microseconds of the program's processor time for each request. */
  cpuUs: number;
  /** The same of the database server, where there is one. */
  databaseCpuUs: number;
  /** Latencies in milliseconds, sorted. */
  ms: number[];
  /** At a steady rate: how long after their time the load generator sent the requests, sorted; it is part of `ms`. */
  lateMs: number[];
  memoryMb: number;
  stall: Stall;
}

/** The longest that an event loop stood still, and how much of that its thread was computing. */
export interface Stall {
  ms: number;
  cpu_ms: number;
}

export interface LoadOptions {
  seconds: number;
  next: () => Ask;
}

/** As fast as it goes: each client sends its next request when it has the answer to the one before. */
export async function hammer(
  target: Target,
  { clients, seconds, next }: LoadOptions & { clients: number },
): Promise<Figures> {
  const opened = await Promise.all(Array.from({ length: clients }, async () => openClient(target.url)));
  return measure(target, async (ms) => {
    const end = performance.now() + seconds * 1000;
    await Promise.all(
      opened.map(async (client) => {
        for (let now = performance.now(); now < end;) {
          await client.ask(next());
          const then = performance.now();
          ms.push(then - now);
          now = then;
        }
        client.close();
      }),
    );
  });
}

/**
 * At a steady rate, whether or not there were answers: a latency counts from the moment the request was due, so that a
 * program that falls behind is seen to.
 */
export async function steady(
  target: Target,
  { rate, seconds, next, connections = 128 }: LoadOptions & { rate: number; connections?: number },
): Promise<Figures> {
  const pool = await openPool(target.url, connections);
  const figures = await measure(target, async (ms, lateMs) =>
    pace(rate, Math.round(rate * seconds), async (due) => {
      lateMs.push(performance.now() - due);
      await pool.ask(next());
      ms.push(performance.now() - due);
    }),
  );
  pool.close();
  return figures;
}

/** Runs `load`, which notes its latencies, and tells what it cost the program. */
export async function measure(
  target: Target,
  load: (ms: number[], lateMs: number[]) => Promise<unknown>,
): Promise<Figures> {
  await target.longestStall();
  const ms: number[] = [];
  const lateMs: number[] = [];
  const cpuBefore = target.cpuSeconds();
  const databaseCpu = target.countDatabaseCpu();
  const began = performance.now();
  await load(ms, lateMs);
  const took = (performance.now() - began) / 1000;
  const cpu = target.cpuSeconds() - cpuBefore;
  const database = databaseCpu();
  return {
    rate: ms.length / took,
    cpuUs: (cpu / ms.length) * 1e6,
    databaseCpuUs: (database / ms.length) * 1e6,
    ms: sorted(ms),
    lateMs: sorted(lateMs),
    memoryMb: target.memoryMb(),
    stall: await target.longestStall(),
  };
}

const TICK_MS = 1;

/** Calls `act` `count` times at a steady rate with the moment at which each call was due, and waits for all of them. */
export async function pace(rate: number, count: number, act: (due: number) => Promise<unknown>): Promise<void> {
  const began = performance.now();
  const acting: Promise<unknown>[] = [];
  await new Promise<void>((resolve, reject) => {
    const timer = setInterval(() => {
      const now = performance.now();
      for (; acting.length < count;) {
        const due = began + (acting.length * 1000) / rate;
        if (due > now) return;
        const acted = act(due);
        acted.catch(reject);
        acting.push(acted);
      }
      clearInterval(timer);
      resolve();
    }, TICK_MS);
  });
  await Promise.all(acting);
}

/** The value below which `share` of sorted values lie. */
export function quantile(values: readonly number[], share: number): number {
  return values[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN;
}

export function sorted(values: readonly number[]): number[] {
  return values.toSorted((a, b) => a - b);
}
