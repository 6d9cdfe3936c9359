import { DATABASES, type Bench } from "../support/bench.ts";
import { hammer, quantile, steady } from "../support/load.ts";
import { describe } from "../support/report.ts";
import { withService } from "../support/service.ts";
import { createAsks } from "../support/tasks.ts";
import { FLOORS, makeHome, startTarget } from "../support/target.ts";

const RATE = 500;
const HOLD_MS = { sqlite: 10, postgres: 20 };

/** Measures how long creations take at a steady rate, from the moment each one was due. */
export async function createLatency(bench: Bench): Promise<void> {
  const { seconds, fsyncMs, say, figure } = bench;
  for (const dialect of bench.dialects) {
    const load = { rate: RATE, seconds: seconds * 4, next: createAsks({ schemas: "distinct" }) };
    const warm = { clients: 16, seconds, next: load.next };
    const home = await makeHome(dialect, fsyncMs);
    const floor = await startTarget(FLOORS[dialect], home);
    await hammer(floor, warm);
    const least = await steady(floor, load);
    say(`floor      ${describe(least)}`);
    await floor.stop();
    await home.remove();

    await withService(bench, { dialect }, async ([service]) => {
      await hammer(service, warm);
      const ours = await steady(service, load);
      say(`service    ${describe(ours)}`);
      figure({
        name: `${DATABASES[dialect]}: creation at ${RATE}/s, p99`,
        value: quantile(ours.ms, 0.99),
        unit: "ms",
        hold: { under: HOLD_MS[dialect] },
        note: `p50 ${quantile(ours.ms, 0.5).toFixed(1)} ms; floor p50 ${quantile(least.ms, 0.5).toFixed(1)}, p99 ${quantile(least.ms, 0.99).toFixed(1)} ms`,
      });
      figure({ name: `${DATABASES[dialect]}: processor time of one`, value: ours.cpuUs, unit: "us" });
    });
  }
}
