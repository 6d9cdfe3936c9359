import { openClient, type Answer } from "./client.ts";
import type { Target } from "./target.ts";

/** What a stretch of load showed. */
export interface Figures {
  /** Requests answered in a second. */
  rate: number;
  /** Microseconds of the program's processor time for each request. */
  cpuUs: number;
  /** Latencies in milliseconds, sorted. */
  ms: number[];
  memoryMb: number;
  stall: { ms: number; cpu_ms: number };
}

export interface LoadOptions {
  clients: number;
  seconds: number;
  next: () => Buffer;
  /** Told of each answer. @throws when it is not what was asked for */
  check: (answer: Answer) => void;
}

/** As fast as it goes: each client sends its next request when it has the answer to the one before. */
export async function hammer(target: Target, { clients, seconds, next, check }: LoadOptions): Promise<Figures> {
  const opened = await Promise.all(Array.from({ length: clients }, () => openClient(target.url)));
  await target.longestStall();
  const ms: number[] = [];
  const cpuBefore = target.cpuSeconds();
  const began = performance.now();
  const end = began + seconds * 1000;
  await Promise.all(
    opened.map(async (client) => {
      for (let now = performance.now(); now < end;) {
        const answer = await client.send(next());
        check(answer);
        const then = performance.now();
        ms.push(then - now);
        now = then;
      }
    }),
  );
  const took = (performance.now() - began) / 1000;
  const cpu = target.cpuSeconds() - cpuBefore;
  const stall = await target.longestStall();
  for (const client of opened) client.close();
  return {
    rate: ms.length / took,
    cpuUs: (cpu / ms.length) * 1e6,
    ms: ms.toSorted((a, b) => a - b),
    memoryMb: target.memoryMb(),
    stall,
  };
}

/** The value below which `share` of sorted values lie. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
