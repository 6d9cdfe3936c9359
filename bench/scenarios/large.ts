import { DATABASES, type Bench } from "../support/bench.ts";
import { get, openClient, type Ask } from "../support/client.ts";
import { createLarge, lifeOfLarge, liveLarge } from "../support/large.ts";
import { measure, quantile, sorted } from "../support/load.ts";
import { describe } from "../support/report.ts";
import { withService } from "../support/service.ts";
import { idOf } from "../support/tasks.ts";

const CLIENTS = 4;

/**
 * Measures bodies of a megabyte: four clients create a task, read it, complete it with an answer of the same size, and
 * poll it.
 */
export async function large(bench: Bench): Promise<void> {
  for (const dialect of bench.dialects) {
    await withService(bench, { dialect }, async ([service]) => {
      // The first requests compile what checks them, and start the thread for large bodies.
      const first = await openClient(service.url);
      for (let i = 0; i < 3; i++) await liveLarge(first.ask);
      first.close();
      await service.forgetStalls();
      const steps: Record<string, number[]> = { create: [], read: [], complete: [], poll: [], list: [] };
      const figures = await measure(service, async (ms) => {
        const end = performance.now() + bench.seconds * 2000;
        await Promise.all(Array.from({ length: CLIENTS }, work));
        async function work(): Promise<void> {
          const client = await openClient(service.url);
          const step = async (name: keyof typeof steps, ask: Ask) => {
            const began = performance.now();
            const answer = await client.ask(ask);
            steps[name]!.push(performance.now() - began);
            ms.push(performance.now() - began);
            return answer;
          };
          while (performance.now() < end) {
            const id = idOf(await step("create", createLarge()));
            for (const [name, ask] of lifeOfLarge(id)) await step(name, ask);
            await step("list", get("/api/tasks", '"rows":'));
          }
          client.close();
        }
      });
      bench.say(`service    ${describe(figures)}`);
      for (const [name, ms] of Object.entries(steps)) {
        bench.figure({
          name: `${DATABASES[dialect]}: ${name}, 1 MiB, by ${CLIENTS} clients, p50`,
          value: quantile(sorted(ms), 0.5),
          unit: "ms",
        });
      }
    });
  }
}
