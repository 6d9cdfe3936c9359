import { DATABASES, type Bench } from "../support/bench.ts";
import { get, openPool, type Ask } from "../support/client.ts";
import { hammer } from "../support/load.ts";
import { describe } from "../support/report.ts";
import { withService } from "../support/service.ts";
import { completeAsk, createAsks, createTasks, pollAsk } from "../support/tasks.ts";
import { FLOORS, makeHome, startTarget } from "../support/target.ts";

const CLIENTS = 64;
const TASKS = 200;

/** Measures reading a task and polling an ended task, by 64 clients without pauses. The figures are for information. */
export async function reads(bench: Bench): Promise<void> {
  const { seconds, say, figure } = bench;
  const home = await makeHome("sqlite");
  const echo = await startTarget(FLOORS.echo, home);
  for (const dialect of bench.dialects) {
    await withService(bench, { dialect, computing: null }, async ([service]) => {
      const pool = await openPool(service.url, 16);
      const ids = await createTasks(pool, TASKS);
      await Promise.all(ids.map(async (id) => pool.ask(completeAsk(id))));
      pool.close();
      const read = (id: string) => get(`/api/tasks/${id}`, `"id":"${id}"`);
      for (const [name, ask] of [
        ["reading a task", read],
        ["polling an ended task", pollAsk],
      ] as const) {
        const next = oneAfterTheOther(ids.map(ask));
        const load = { clients: CLIENTS, seconds };
        await hammer(service, { ...load, next });
        const echoNext = createAsks({ schemas: "same", status: 200 });
        await hammer(echo, { ...load, next: echoNext });
        const echoed = await hammer(echo, { ...load, next: echoNext });
        const ours = await hammer(service, { ...load, next });
        say(`bare echo  ${describe(echoed)}`);
        say(`service    ${describe(ours)}`);
        figure({
          name: `${DATABASES[dialect]}: ${name}, rate beside a bare echo's`,
          value: (100 * ours.rate) / echoed.rate,
          unit: "%",
          note: `${Math.round(ours.rate)}/s of ${Math.round(echoed.rate)}/s, ${Math.round(ours.cpuUs)} us CPU each`,
        });
      }
    });
  }
  await echo.stop();
  await home.remove();
}

function oneAfterTheOther(asks: readonly Ask[]): () => Ask {
  let at = 0;
  return () => asks[at++ % asks.length]!;
}
