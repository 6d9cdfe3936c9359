import { execFileSync } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { DATABASES, type Bench, type Dialect } from "../support/bench.ts";
import { openPool } from "../support/client.ts";
import { quantile, sorted } from "../support/load.ts";
import { FLOORS, makeHome, PACKAGE, SERVICE, startTarget, type Home, type Target } from "../support/target.ts";
import { createTasks } from "../support/tasks.ts";

const STARTS = 10;
const TASKS = 1000;
/** From listening until the memory is read: what a process does first is over then. */
const SETTLING_MS = 1_000;

interface Start {
  ms: number;
  cpuMs: number;
  memoryMb: number;
}

/**
 * Measures starts with a compile cache that an earlier start has filled: the time from spawning the process until it
 * listens, the processor time until then, and the memory a second later. The service as a package and a bare `node:http`
 * server take turns with it.
 */
export async function start(bench: Bench): Promise<void> {
  execFileSync(process.execPath, ["pack/build.ts"], { stdio: "inherit" });
  for (const dialect of bench.dialects) {
    const empty: Start[] = [];
    const packed: Start[] = [];
    const floor: Start[] = [];
    await onNewDatabase(SERVICE, dialect);
    await onNewDatabase(PACKAGE, dialect);
    for (let i = 0; i < STARTS; i++) {
      empty.push(await onNewDatabase(SERVICE, dialect));
      packed.push(await onNewDatabase(PACKAGE, dialect));
      floor.push(await onNewDatabase(FLOORS.echo, dialect));
    }
    report(bench, `${DATABASES[dialect]}, empty database`, empty, floor);
    report(bench, `${DATABASES[dialect]}, empty database, as a package`, packed, floor);

    const home = await makeHome(dialect);
    const used: Start[] = [];
    for (let i = 0; i <= STARTS; i++) {
      const started = await startOnce(SERVICE, home, async ({ url }) => (i === 0 ? use(url) : undefined));
      if (i > 0) used.push(started);
    }
    report(bench, `${DATABASES[dialect]}, ${TASKS} tasks`, used, floor);
    await home.remove();
  }
}

async function onNewDatabase(program: string, dialect: Dialect): Promise<Start> {
  const home = await makeHome(dialect);
  const started = await startOnce(program, home);
  await home.remove();
  return started;
}

async function startOnce(program: string, home: Home, using?: (target: Target) => Promise<void>): Promise<Start> {
  const target = await startTarget(program, home, { hasProbe: false });
  const cpuMs = target.cpuSeconds() * 1000;
  await delay(SETTLING_MS);
  const memoryMb = target.memoryMb();
  await using?.(target);
  await target.stop();
  return { ms: target.startedIn, cpuMs, memoryMb };
}

async function use(url: string): Promise<void> {
  const pool = await openPool(url, 16);
  await createTasks(pool, TASKS);
  pool.close();
}

function report(bench: Bench, name: string, starts: readonly Start[], floor: readonly Start[]): void {
  const ms = sorted(starts.map((one) => one.ms));
  bench.figure({
    name: `${name}: listening after, median of ${STARTS}`,
    value: quantile(ms, 0.5),
    unit: "ms",
    hold: { under: 500 },
    note: `${ms[0]!.toFixed(0)} to ${ms.at(-1)!.toFixed(0)} ms; ${beside(floor, "ms")}`,
  });
  bench.figure({
    name: `${name}: processor time until it listens, median of ${STARTS}`,
    value: median(starts, "cpuMs"),
    unit: "ms",
    note: beside(floor, "cpuMs"),
  });
  bench.figure({
    name: `${name}: resident memory a second later, median of ${STARTS}`,
    value: median(starts, "memoryMb"),
    unit: "MB",
    hold: { under: 150 },
    note: beside(floor, "memoryMb"),
  });
}

const median = (starts: readonly Start[], figure: keyof Start) =>
  quantile(sorted(starts.map((one) => one[figure])), 0.5);

function beside(floor: readonly Start[], figure: keyof Start): string {
  return `bare node:http: ${median(floor, figure).toFixed(0)} ${figure === "memoryMb" ? "MB" : "ms"}`;
}
