/**
 * Loaded into a service beside it (`node --import`), changes nothing of it, and writes one line to its stderr for each
 * stretch in which its event loop did nothing else, and for each connection that it begins.
 *
 * A stretch is measured in time and in CPU time of the main thread: what only waited for the machine has little of the
 * latter.
 */
import { writeSync } from "node:fs";
import { Socket } from "node:net";
import { PerformanceObserver } from "node:perf_hooks";
import { isMainThread } from "node:worker_threads";

/** One stretch, in milliseconds; `at` is its end, in epoch milliseconds. */
export interface Stall {
  at: number;
  wall: number;
  cpu: number;
  /** Of it, collecting garbage. */
  gc: number;
}

/** What the event loop may be held up at most, in milliseconds of its own work. */
export const STALL_MS = 50;
/** A stall is told a moment after it. */
export const TOLD_MS = 150;

/** What the thread did of its own, garbage aside; CPU time may exceed the time by what a clock's tick is. */
export function workOf({ wall, cpu, gc }: Stall): number {
  return Math.min(wall, cpu) - gc;
}

export const STALL_MARK = "fuzz-stall ";
export const CONNECT_MARK = "fuzz-connect ";
const LOOK_EVERY_MS = 4;
const REPORTED_MS = 25;
/** The platform tells of a garbage collection some time after it. */
const GC_TOLD_MS = 80;

// The suite imports the marks from here; only a service is watched.
// oxlint-disable-next-line node/no-process-env -- set by the suite for the service alone
if (isMainThread && process.env["FUZZ_WATCH"] === "1") watch();

function watch(): void {
  const collections: { start: number; ms: number }[] = [];
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) collections.push({ start: startTime, ms: duration });
  }).observe({ entryTypes: ["gc"] });

  const stretches: { start: number; end: number; cpu: number }[] = [];
  let wall = performance.now();
  let cpu = process.threadCpuUsage();
  setInterval(() => {
    const now = performance.now();
    const used = process.threadCpuUsage(cpu);
    const ms = (used.user + used.system) / 1000;
    if (now - wall >= REPORTED_MS && ms >= REPORTED_MS) stretches.push({ start: wall, end: now, cpu: ms });
    wall = now;
    cpu = process.threadCpuUsage();
    while (stretches[0] !== undefined && now - stretches[0].end > GC_TOLD_MS) tell(stretches.shift()!, collections);
    while (collections[0] !== undefined && now - collections[0].start > 5000) collections.shift();
  }, LOOK_EVERY_MS).unref();

  const connect = Socket.prototype.connect;
  Socket.prototype.connect = function (this: Socket, ...given: unknown[]) {
    // Without a port it is a socket in the file system: the database.
    this.on("connectionAttempt", (address: string, port: number | undefined) => {
      if (port !== undefined) writeSync(2, `${CONNECT_MARK}${address} ${port}\n`);
    });
    return Reflect.apply(connect, this, given);
  };
}

function tell(
  { start, end, cpu }: { start: number; end: number; cpu: number },
  collections: { start: number; ms: number }[],
): void {
  const gc = collections.filter((each) => each.start >= start && each.start < end).reduce((sum, { ms }) => sum + ms, 0);
  const stall: Stall = { at: performance.timeOrigin + end, wall: end - start, cpu, gc };
  writeSync(2, STALL_MARK + JSON.stringify(stall) + "\n");
}
