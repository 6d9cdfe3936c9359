import { setTimeout as delay } from "node:timers/promises";
import { startVendors } from "../../test/support/vendors.ts";
import { DATABASES, type Bench } from "../support/bench.ts";
import { openClient, openPool, requestBytes } from "../support/client.ts";
import { hammer, quantile, steady } from "../support/load.ts";
import { describe } from "../support/report.ts";
import { withService } from "../support/service.ts";
import { completeAsk, createAsks, REFUND } from "../support/tasks.ts";

const RATE = 200;
/** More than are asked at once, and all that may wait for their turn. */
const HUNG = 320;
const AT_ONCE = 64;

/** What a vendor that takes every call and never answers does to everything else: creations at a steady rate. */
export async function hungVerifier(bench: Bench): Promise<void> {
  const { seconds, say, figure } = bench;
  const vendors = await startVendors();
  vendors.script.push(...Array.from({ length: HUNG * 10 }, () => "hang" as const));
  for (const dialect of bench.dialects) {
    await withService(bench, { dialect, env: vendors.env }, async ([service]) => {
      const next = createAsks({ schemas: "same" });
      const load = { rate: RATE, seconds: seconds * 3, next };
      await hammer(service, { clients: 16, seconds, next });
      const calm = await steady(service, load);
      say(`calm       ${describe(calm)}`);

      const pool = await openPool(service.url, 16);
      const ids = await Promise.all(Array.from({ length: HUNG }, async (_, i) => createVerified(pool, i)));
      pool.close();
      const { length: before } = vendors.asked;
      const waiting = await Promise.all(
        ids.map(async (id) => {
          const client = await openClient(service.url);
          // It ends with an error after half a minute, or with the bench.
          client.ask(completeAsk(id)).catch(() => {});
          return client;
        }),
      );
      // What the first call of a process costs, which loads the vendors' packages, is a figure of its own.
      await until(() => vendors.asked.length - before === AT_ONCE);
      const { ms, cpu_ms } = await service.longestStall();
      figure({
        name: `${DATABASES[dialect]}: longest stall while ${HUNG} answers come at once, the first of a process among them`,
        value: ms,
        unit: "ms",
        note: `${cpu_ms.toFixed(0)} ms of it computing`,
      });
      const hung = await steady(service, load);
      say(`hung       ${describe(hung)}, ${vendors.asked.length - before} calls to the vendor under way`);
      for (const client of waiting) client.close();
      figure({
        name: `${DATABASES[dialect]}: creation at ${RATE}/s while ${HUNG} answers wait for a vendor that hangs, p99 beside without`,
        value: quantile(hung.ms, 0.99) / quantile(calm.ms, 0.99),
        unit: "times",
        hold: { under: 1.3 },
        note: `p99 ${quantile(calm.ms, 0.99).toFixed(1)} and ${quantile(hung.ms, 0.99).toFixed(1)} ms, p50 ${quantile(calm.ms, 0.5).toFixed(1)} and ${quantile(hung.ms, 0.5).toFixed(1)} ms`,
      });
    });
  }
  await vendors.close();
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await delay(10);
}

async function createVerified(pool: Awaited<ReturnType<typeof openPool>>, i: number): Promise<string> {
  const verifier_config = { provider: "openai", instructions: "The note must say why.", max_attempts: 3 };
  const body = JSON.stringify({ ...REFUND, idempotency_key: `hung-${i}`, verifier_config });
  const answer = await pool.ask({ bytes: requestBytes("POST", "/api/tasks", body), status: 201, marks: [] });
  return (JSON.parse(answer.body.toString()) as { id: string }).id;
}
