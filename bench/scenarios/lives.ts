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
 * Measures the processor time, of the service and of the database, of whole lives of tasks: created and answered. Kinds of
 * tasks take turns, so that a plain one shows beside the others, and beside itself in another checkout (`--before`).
 */
export async function lives(bench: Bench): Promise<void> {
  for (const dialect of bench.dialects)
    await withService(bench, { dialect }, async ([service]) => {
      const rounds = new Map<string, Figures[]>(Object.keys(KINDS).map((kind) => [kind, []]));
      for (let round = 0; round <= ROUNDS; round++)
        for (const [kind, fields] of Object.entries(KINDS)) {
          const figures = await liveThem(service, bench.seconds / 2, fields);
          // The first round warms up.
          if (round > 0) rounds.get(kind)!.push(figures);
        }
      for (const [kind, figures] of rounds) {
        const { cpuUs, databaseCpuUs, rate } = median(figures);
        bench.figure({
          name: `${DATABASES[dialect]}: processor time of the life of ${kind}`,
          value: cpuUs + databaseCpuUs,
          unit: "us",
          note: `${Math.round(rate)}/s; ${Math.round(cpuUs)} us in the service, ${Math.round(databaseCpuUs)} us in the database`,
        });
      }
    });
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
