import { DATABASES, type Bench, type Dialect } from "../support/bench.ts";
import { openPool } from "../support/client.ts";
import { quantile, sorted } from "../support/load.ts";
import { makeHome, SERVICE, startTarget, type Home } from "../support/target.ts";
import { createTasks } from "../support/tasks.ts";

const STARTS = 10;
const TASKS = 1000;

/**
 * Measures the time from spawning the process until it listens, with a compile cache that an earlier start has filled.
 */
export async function start(bench: Bench): Promise<void> {
  for (const dialect of bench.dialects) {
    const empty: number[] = [];
    await startOnce(dialect);
    for (let i = 0; i < STARTS; i++) empty.push(await startOnce(dialect));
    report(bench, `${DATABASES[dialect]}, empty database`, empty);

    const home = await makeHome(dialect);
    const used: number[] = [];
    for (let i = 0; i <= STARTS; i++) {
      const service = await startTarget(SERVICE, home, { hasProbe: false });
      if (i > 0) used.push(service.startedIn);
      else await use(service.url);
      await service.stop();
    }
    report(bench, `${DATABASES[dialect]}, ${TASKS} tasks`, used);
    await home.remove();
  }
}

async function startOnce(dialect: Dialect): Promise<number> {
  const home: Home = await makeHome(dialect);
  const service = await startTarget(SERVICE, home, { hasProbe: false });
  await service.stop();
  await home.remove();
  return service.startedIn;
}

async function use(url: string): Promise<void> {
  const pool = await openPool(url, 16);
  await createTasks(pool, TASKS);
  pool.close();
}

function report(bench: Bench, name: string, took: readonly number[]): void {
  const ms = sorted(took);
  bench.figure({
    name: `${name}: listening after, median of ${STARTS}`,
    value: quantile(ms, 0.5),
    unit: "ms",
    hold: { under: 700 },
    note: `${ms[0]!.toFixed(0)} to ${ms.at(-1)!.toFixed(0)} ms`,
  });
}
