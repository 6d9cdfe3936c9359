import { DATABASES, type Bench } from "../support/bench.ts";
import { quantile } from "../support/load.ts";
import { describe } from "../support/report.ts";
import { endTasks, watchCallbacks } from "../support/callbacks.ts";
import { withService } from "../support/service.ts";

const RATE = 200;

/**
 * Measures the time from the end of a task to the first attempt at its callback. Tasks are created and completed at a
 * steady rate.
 */
export async function callbacks(bench: Bench): Promise<void> {
  for (const dialect of bench.dialects) {
    await withService(bench, { dialect }, async ([service]) => {
      const receiver = await watchCallbacks();
      await endTasks(service, receiver, 50, bench.seconds);
      const ended = await endTasks(service, receiver, RATE, bench.seconds * 3);
      bench.say(`service    ${describe(ended.figures)}`);
      for (const [name, share, under] of [
        ["p50", 0.5, 20],
        ["p99", 0.99, 250],
      ] as const) {
        bench.figure({
          name: `${DATABASES[dialect]}: first attempt after the completion was sent, at ${RATE}/s, ${name}`,
          value: quantile(ended.ms, share),
          unit: "ms",
          hold: { under },
        });
      }
      bench.figure({
        name: `${DATABASES[dialect]}: processor time of a creation, its completion and its callback`,
        value: ended.figures.cpuUs,
        unit: "us",
      });
      receiver.close();
    });
  }
}
