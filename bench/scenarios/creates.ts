import { hammer, type Figures } from "../support/load.ts";
import { describe, median, type Bench } from "../support/report.ts";
import { FLOORS, makeHome, SERVICE, startTarget } from "../support/target.ts";
import { createRequests } from "../support/tasks.ts";

const CLIENTS = 64;
const TURNS = 7;

/** Durable creations by 64 clients, as fast as they go, with schemas that are new every time and with one pair for all. */
export async function creates({ seconds, say }: Bench): Promise<void> {
  for (const dialect of ["sqlite", "postgres"] as const) {
    for (const schemas of ["distinct", "same"] as const) {
      const homes = [await makeHome(dialect), await makeHome(dialect)];
      const floor = await startTarget(FLOORS[dialect], homes[0]!.env);
      const service = await startTarget(SERVICE, homes[1]!.env);
      const load = { clients: CLIENTS, seconds, next: createRequests(schemas), check: requireCreated };
      const turns = { floor: [] as Figures[], service: [] as Figures[] };
      // The first turn of each is for the engine to warm up.
      for (let turn = 0; turn <= TURNS; turn++) {
        const figures = { floor: await hammer(floor, load), service: await hammer(service, load) };
        if (turn === 0) continue;
        turns.floor.push(figures.floor);
        turns.service.push(figures.service);
      }
      const [least, ours] = [median(turns.floor), median(turns.service)];
      say(`${dialect}, ${schemas} schemas: ${Math.round((100 * ours.rate) / least.rate)} % of the floor's rate`);
      say(`  floor    ${describe(least)}`);
      say(`  service  ${describe(ours)}`);
      await Promise.all([floor.stop(), service.stop()]);
      for (const home of homes) await home.remove();
    }
  }
}

function requireCreated({ status, body }: { status: number; body: Buffer }): void {
  if (status !== 201) throw new Error(`a creation gave ${status}: ${body.toString()}`);
}
