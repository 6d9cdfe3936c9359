import { DATABASES, type Bench } from "../support/bench.ts";
import { get, openClient, requestBytes, type Ask } from "../support/client.ts";
import { measure, quantile, sorted } from "../support/load.ts";
import { describe } from "../support/report.ts";
import { withService } from "../support/service.ts";
import { createAsk, idOf, pollAsk, REFUND } from "../support/tasks.ts";

const CLIENTS = 4;
const BODY_BYTES = 1024 * 1024;
const OPEN_OBJECT = { type: "object", properties: { rows: { type: "array", items: { type: "object" } } } };

/**
 * Measures bodies of a megabyte: four clients create a task, read it, complete it with an answer of the same size, and
 * poll it.
 */
export async function large(bench: Bench): Promise<void> {
  const rows = fill(BODY_BYTES - 2000);
  for (const dialect of bench.dialects) {
    await withService(bench, { dialect }, async ([service]) => {
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
            const payload = { rows };
            const fields = { payload, payload_schema: OPEN_OBJECT, response_schema: OPEN_OBJECT };
            const id = idOf(await step("create", createAsk(fields)));
            await step("read", get(`/api/tasks/${id}`, `"id":"${id}"`, rows.at(-1)!.number));
            await step("complete", {
              bytes: requestBytes("POST", `/api/tasks/${id}/complete`, JSON.stringify({ response: { rows } })),
              status: 200,
              marks: [`"id":"${id}"`, '"status":"completed"'],
            });
            await step("poll", pollAsk(id));
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

/** Returns orders that are `bytes` bytes of JSON together. */
function fill(bytes: number): (typeof REFUND.payload.order)[] {
  const { order } = REFUND.payload;
  const count = Math.floor(bytes / (JSON.stringify(order).length + 1));
  return Array.from({ length: count }, (_, i) => ({ ...order, number: `2026-118-${1000 + (i % 9000)}` }));
}
