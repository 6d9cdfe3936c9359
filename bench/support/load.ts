import { openClient, openPool, type Ask } from "./client.ts";
import type { Target } from "./target.ts";

/** The figures of one period of load. */
export interface Figures {
  /** Answered requests per second. */
  rate: number;
  /** Processor time of the program per request, in microseconds. */
  cpuUs: number;
  /** The same for the database server; 0 without one. */
  databaseCpuUs: number;
  /** Latencies in milliseconds, sorted. */
  ms: number[];
  /** At a steady rate: how late the load generator sent the requests, sorted. `ms` includes these delays. */
  lateMs: number[];
  memoryMb: number;
  stall: Stall;
}

/** The longest stall of an event loop. */
export interface Stall {
  ms: number;
  /** How much of that time its thread was computing. */
  cpu_ms: number;
  /** The most that the thread computed in one stall, which may be another one. */
  most_cpu_ms: number;
}

export const NO_STALL: Stall = { ms: 0, cpu_ms: 0, most_cpu_ms: 0 };

/** Returns the longest of both, and the most computing of both. */
export function worse(a: Stall, b: Stall): Stall {
  return { ...(b.ms > a.ms ? b : a), most_cpu_ms: Math.max(a.most_cpu_ms, b.most_cpu_ms) };
}

export interface LoadOptions {
  seconds: number;
  next: () => Ask;
}

/** Sends without pauses: each client sends its next request when it has the answer to the last one. */
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
 * Sends at a steady rate, without waiting for answers. A latency counts from the moment the request was due, so that it
 * shows when a program falls behind.
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

/** Runs `load`, which records its latencies. Returns the figures. */
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

/** Calls `act` `count` times at a steady rate, with the moment at which each call was due. Waits for all of them. */
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

/** Returns the value at the quantile `share` of sorted values. */
export function quantile(values: readonly number[], share: number): number {
  return values[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN;
}

export function sorted(values: readonly number[]): number[] {
  return values.toSorted((a, b) => a - b);
}
