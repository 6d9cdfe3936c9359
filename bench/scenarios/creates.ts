import { DATABASES, type Bench } from "../support/bench.ts";
import { hammer, type Figures } from "../support/load.ts";
import { describe, median } from "../support/report.ts";
import { reportProcesses } from "../support/service.ts";
import { createAsks, createBatchAsks } from "../support/tasks.ts";
import { FLOORS, makeHome, SERVICE, startTarget } from "../support/target.ts";

const CLIENTS = 64;
const TURNS = 5;
/** Tasks in one request, and its clients. */
const BATCH = { size: 50, clients: 4 };
const HOLD = { distinct: 60, same: 75 };

/**
 * Measures the rate of durable creations by 64 clients without pauses: with new schemas every time, and with one pair
 * of schemas for all. Then the same with many tasks in one request.
 */
export async function creates(bench: Bench): Promise<void> {
  const { seconds, fsyncMs, say, figure } = bench;
  const load = { clients: CLIENTS, seconds };
  const echo = await startTarget(FLOORS.echo, await makeHome("sqlite"));
  const bare = { ...load, next: createAsks({ schemas: "same", status: 200 }) };
  await hammer(echo, bare);
  const echoed = await hammer(echo, bare);
  await echo.stop();
  say(`bare echo  ${describe(echoed)}`);

  for (const dialect of bench.dialects) {
    for (const schemas of ["distinct", "same"] as const) {
      const homes = [await makeHome(dialect, fsyncMs), await makeHome(dialect, fsyncMs)] as const;
      const floor = await startTarget(FLOORS[dialect], homes[0]);
      const service = await startTarget(SERVICE, homes[1]);
      const next = createAsks({ schemas });
      const batch = { clients: BATCH.clients, seconds, next: createBatchAsks({ schemas, size: BATCH.size }) };
      const turns = { floor: [] as Figures[], service: [] as Figures[], batches: [] as Figures[] };
      // The first turn of each warms up the engine.
      for (let turn = 0; turn <= TURNS; turn++) {
        const figures = {
          floor: await hammer(floor, { ...load, next }),
          service: await hammer(service, { ...load, next }),
          batches: await hammer(service, batch),
        };
        if (turn === 0) continue;
        turns.floor.push(figures.floor);
        turns.service.push(figures.service);
        turns.batches.push(figures.batches);
      }
      const [least, ours, batches] = [median(turns.floor), median(turns.service), median(turns.batches)];
      say(`floor      ${describe(least)}`);
      say(`service    ${describe(ours)}`);
      const name = `${DATABASES[dialect]}, ${schemas} schemas`;
      figure({
        name: `${name}: rate beside the floor's`,
        value: (100 * ours.rate) / least.rate,
        unit: "%",
        hold: { atLeast: HOLD[schemas] },
        note: `${Math.round(ours.rate)}/s of ${Math.round(least.rate)}/s`,
      });
      figure({
        name: `${name}: rate beside a bare echo's`,
        value: (100 * ours.rate) / echoed.rate,
        unit: "%",
        note: `of ${Math.round(echoed.rate)}/s`,
      });
      figure({ name: `${name}: processor time of one`, value: ours.cpuUs, unit: "us" });
      figure({
        name: `${name}: rate in requests of ${BATCH.size} beside single ones`,
        value: (100 * batches.rate * BATCH.size) / ours.rate,
        unit: "%",
        note: `${Math.round(batches.rate * BATCH.size)}/s, ${Math.round(batches.cpuUs / BATCH.size)} us of the processor each`,
      });
      await reportProcesses(bench, name, [service], null);
      await Promise.all([floor.stop(), service.stop()]);
      for (const home of homes) await home.remove();
    }
  }
}
