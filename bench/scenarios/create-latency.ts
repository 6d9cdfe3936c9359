import { DATABASES, type Bench } from "../support/bench.ts";
import { hammer, quantile, sorted, steady, type Figures } from "../support/load.ts";
import { describe } from "../support/report.ts";
import { reportProcesses } from "../support/service.ts";
import { createAsks } from "../support/tasks.ts";
import { FLOORS, makeHome, SERVICE, startTarget, type Target } from "../support/target.ts";

const RATE = 500;
const TURNS = 5;
/** How many times the floor's p99 that of the service may be. */
const HOLD = 2;

/**
 * Measures how long creations take at a steady rate, from the moment each one was due. Floor and service take turns, and
 * the median of the turns counts: one slow sync of the disk is most of the p99 of its turn.
 */
export async function createLatency(bench: Bench): Promise<void> {
  const { seconds, fsyncMs, say, figure } = bench;
  for (const dialect of bench.dialects) {
    const load = { rate: RATE, seconds, next: createAsks({ schemas: "distinct" }) };
    const homes = [await makeHome(dialect, fsyncMs), await makeHome(dialect, fsyncMs)] as const;
    const floor = await startTarget(FLOORS[dialect], homes[0]);
    const service = await startTarget(SERVICE, homes[1]);
    for (const target of [floor, service]) {
      await hammer(target, { clients: 16, seconds, next: load.next });
      // What follows is judged at this rate.
      await target.forgetStalls();
    }
    const turns = { floor: [] as Figures[], service: [] as Figures[] };
    for (let turn = 0; turn < TURNS; turn++) {
      turns.floor.push(await oneTurn(floor));
      turns.service.push(await oneTurn(service));
      say(`floor      ${describe(turns.floor.at(-1)!)}`);
      say(`service    ${describe(turns.service.at(-1)!)}`);
    }
    const [least, ours] = [middle(turns.floor), middle(turns.service)];
    figure({
      name: `${DATABASES[dialect]}: creation at ${RATE}/s, p99 beside the floor's`,
      value: ours.p99 / least.p99,
      unit: "times",
      hold: { under: HOLD },
      note: `p50 ${ours.p50.toFixed(1)}, p99 ${ours.p99.toFixed(1)} ms; floor p50 ${least.p50.toFixed(1)}, p99 ${least.p99.toFixed(1)} ms`,
    });
    figure({ name: `${DATABASES[dialect]}: processor time of one`, value: ours.cpuUs, unit: "us" });
    await reportProcesses(bench, DATABASES[dialect], [service]);
    await Promise.all([floor.stop(), service.stop()]);
    for (const home of homes) await home.remove();

    async function oneTurn(target: Target): Promise<Figures> {
      const figures = await steady(target, load);
      target.rest();
      return figures;
    }
  }
}

/** Returns the median of each figure over the turns. */
function middle(turns: readonly Figures[]): { p50: number; p99: number; cpuUs: number } {
  const of = (figure: (turn: Figures) => number) => quantile(sorted(turns.map(figure)), 0.5);
  return {
    p50: of(({ ms }) => quantile(ms, 0.5)),
    p99: of(({ ms }) => quantile(ms, 0.99)),
    cpuUs: of(({ cpuUs }) => cpuUs),
  };
}
