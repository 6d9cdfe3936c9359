import { DATABASES, type Bench } from "../support/bench.ts";
import { openClient } from "../support/client.ts";
import { measure, type Figures } from "../support/load.ts";
import { median } from "../support/report.ts";
import { withService } from "../support/service.ts";
import { completeAsk, createAsk, idOf } from "../support/tasks.ts";
import type { Target } from "../support/target.ts";

const CLIENTS = 64;
const ROUNDS = 5;
/** What tasks ask for besides their question. The first are what every task was before there was anything to add. */
const KINDS: Readonly<Record<string, object>> = {
  "a plain task": {},
  "a task with steps": {
    escalation: [
      { after: { fraction: 0.5 }, do: "remind" },
      { after: { fraction: 0.75 }, do: "raise" },
    ],
    on_timeout: { response: { approved: false } },
  },
};

/**
 * Measures the processor time, of the service and of the database, of whole lives of tasks: created and answered. Each kind of
 * task has a service of its own, so that a plain one compares with itself in another checkout (`--before`).
 */
export async function lives(bench: Bench): Promise<void> {
  for (const dialect of bench.dialects)
    for (const [kind, fields] of Object.entries(KINDS)) {
      const name = `${DATABASES[dialect]}, ${kind}`;
      await withService(bench, { dialect, name, computing: null }, async ([service]) => {
        const rounds: Figures[] = [];
        for (let round = 0; round <= ROUNDS; round++) {
          const figures = await liveThem(service, bench.seconds / 2, fields);
          // The first round warms up.
          if (round > 0) rounds.push(figures);
        }
        const { cpuUs, databaseCpuUs, rate } = median(rounds);
        bench.figure({
          name: `${name}: processor time of a life`,
          value: cpuUs + databaseCpuUs,
          unit: "us",
          note: `${Math.round(rate)}/s; ${Math.round(cpuUs)} us in the service, ${Math.round(databaseCpuUs)} us in the database`,
        });
      });
    }
}

async function liveThem(service: Target, seconds: number, fields: object): Promise<Figures> {
  const clients = await Promise.all(Array.from({ length: CLIENTS }, async () => openClient(service.url)));
  return measure(service, async (ms) => {
    const end = performance.now() + seconds * 1000;
    await Promise.all(
      clients.map(async (client) => {
        for (let now = performance.now(); now < end; now = performance.now()) {
          await client.ask(completeAsk(idOf(await client.ask(createAsk({ ...fields })))));
          ms.push(performance.now() - now);
        }
        client.close();
      }),
    );
  });
}
