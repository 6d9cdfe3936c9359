/**
 * Loaded into a service with `node --import`. It does not change the service, and writes one line to stderr for each
 * stretch in which the event loop did nothing else, and for each connection that the service opens.
 *
 * A stretch is measured in elapsed time and in CPU time of the main thread: a stretch that only waited for the machine
 * has little CPU time. How slow the machine was is measured after each stretch.
 */
import { writeSync } from "node:fs";
import { Socket } from "node:net";
import { PerformanceObserver } from "node:perf_hooks";
import { isMainThread } from "node:worker_threads";
import { paceNow, preparePace } from "./pace.ts";

/** One stretch, in milliseconds; `at` is its end in epoch milliseconds. */
export interface Stall {
  at: number;
  wall: number;
  cpu: number;
  /** The part spent on garbage collection. */
  gc: number;
  /** How many times slower than a quiet machine this one was. */
  pace: number;
}

/** The longest time that one stretch may block the event loop, in milliseconds of its own work on a quiet machine. */
export const STALL_MS = 50;
/** A stall is reported a moment after it happened. */
export const TOLD_MS = 150;

/**
 * Returns how long the thread's own work without garbage collection takes on a quiet machine, in milliseconds. CPU time
 * may exceed elapsed time by one clock tick.
 */
export function workOf({ wall, cpu, gc, pace }: Stall): number {
  return (Math.min(wall, cpu) - gc) / pace;
}

export const STALL_MARK = "fuzz-stall ";
export const CONNECT_MARK = "fuzz-connect ";
const LOOK_EVERY_MS = 4;
const REPORTED_MS = 25;
/** Node reports a garbage collection some time after it. */
const GC_TOLD_MS = 80;

// The suite imports the constants from here; only a service is monitored.
// oxlint-disable-next-line node/no-process-env -- set by the suite for the service alone
if (isMainThread && process.env["FUZZ_WATCH"] === "1") watch();

function watch(): void {
  preparePace();
  const collections: { start: number; ms: number }[] = [];
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) collections.push({ start: startTime, ms: duration });
  }).observe({ entryTypes: ["gc"] });

  const stretches: Stretch[] = [];
  let wall = performance.now();
  let cpu = process.threadCpuUsage();
  setInterval(() => {
    const now = performance.now();
    const used = process.threadCpuUsage(cpu);
    const ms = (used.user + used.system) / 1000;
    if (now - wall >= REPORTED_MS && ms >= REPORTED_MS)
      stretches.push({ start: wall, end: now, cpu: ms, pace: paceNow() });
    wall = performance.now();
    cpu = process.threadCpuUsage();
    while (stretches[0] !== undefined && now - stretches[0].end > GC_TOLD_MS) tell(stretches.shift()!, collections);
    while (collections[0] !== undefined && now - collections[0].start > 5000) collections.shift();
  }, LOOK_EVERY_MS).unref();

  const connect = Socket.prototype.connect;
  Socket.prototype.connect = function (this: Socket, ...given: unknown[]) {
    // Without a port it is a Unix socket: the database.
    this.on("connectionAttempt", (address: string, port: number | undefined) => {
      if (port !== undefined) writeSync(2, `${CONNECT_MARK}${address} ${port}\n`);
    });
    return Reflect.apply(connect, this, given);
  };
}

interface Stretch {
  start: number;
  end: number;
  cpu: number;
  pace: number;
}

function tell({ start, end, cpu, pace }: Stretch, collections: { start: number; ms: number }[]): void {
  const gc = collections.filter((each) => each.start >= start && each.start < end).reduce((sum, { ms }) => sum + ms, 0);
  const stall: Stall = { at: performance.timeOrigin + end, wall: end - start, cpu, gc, pace };
  writeSync(2, STALL_MARK + JSON.stringify(stall) + "\n");
}
