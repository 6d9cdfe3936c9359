import { setTimeout as delay } from "node:timers/promises";
import { startVendors, type Vendors } from "../../test/support/vendors.ts";
import { DATABASES, type Bench } from "../support/bench.ts";
import { openClient, openPool, requestBytes, type Client, type Pool } from "../support/client.ts";
import { hammer, quantile, sorted, steady } from "../support/load.ts";
import { describe } from "../support/report.ts";
import { withService } from "../support/service.ts";
import { completeAsk, createAsks, REFUND } from "../support/tasks.ts";
import type { Target } from "../support/target.ts";

const RATE = 200;
/** More than are asked at once, and all that may wait for their turn. */
const HUNG = 320;
const AT_ONCE = 64;
/** Of both, within the half minute that a call may take. */
const TURNS = 3;

/**
 * What a vendor that takes every call and never answers does to everything else: creations at a steady rate, at a service
 * whose answers hang and at one that is left alone, in turns.
 */
export async function hungVerifier(bench: Bench): Promise<void> {
  const vendors = await startVendors();
  vendors.script.push(...Array.from({ length: HUNG * 10 }, () => "hang" as const));
  for (const dialect of bench.dialects) {
    const name = DATABASES[dialect];
    await withService(bench, { dialect, name: `${name}, calm` }, async ([calm]) =>
      withService(bench, { dialect, name, env: vendors.env }, async ([hung]) =>
        compare(bench, name, calm, hung, vendors),
      ),
    );
  }
  await vendors.close();
}

async function compare(bench: Bench, name: string, calm: Target, hung: Target, vendors: Vendors): Promise<void> {
  const { seconds, say, figure } = bench;
  const next = createAsks({ schemas: "same" });
  const load = { rate: RATE, seconds, next };
  for (const service of [calm, hung]) await hammer(service, { clients: 16, seconds, next });

  const { length: before } = vendors.asked;
  const waiting = await hang(hung);
  // What the first call of a process costs, which loads the vendors' packages, is a figure of its own.
  await until(() => vendors.asked.length - before === AT_ONCE);
  const { ms, cpu_ms } = await hung.longestStall();
  figure({
    name: `${name}: longest stall while ${HUNG} answers come at once, the first of a process among them`,
    value: ms,
    unit: "ms",
    note: `${cpu_ms.toFixed(0)} ms of it computing`,
  });

  const took: Record<"calm" | "hung", number[]> = { calm: [], hung: [] };
  for (let turn = 0; turn < TURNS; turn++)
    for (const [which, service] of [
      ["calm", calm],
      ["hung", hung],
    ] as const) {
      const figures = await steady(service, load);
      say(`${which}       ${describe(figures)}`);
      took[which].push(...figures.ms);
    }
  for (const client of waiting) client.close();
  const [without, beside] = [sorted(took.calm), sorted(took.hung)];
  const at = (share: number) => `${quantile(without, share).toFixed(1)} and ${quantile(beside, share).toFixed(1)} ms`;
  figure({
    name: `${name}: creation at ${RATE}/s while ${HUNG} answers wait for a vendor that hangs, p99 beside without`,
    value: quantile(beside, 0.99) / quantile(without, 0.99),
    unit: "times",
    hold: { under: 1.3 },
    note: `p99 ${at(0.99)}, p50 ${at(0.5)}; ${AT_ONCE} calls under way`,
  });
}

/** Answers that nobody gets a verdict for; they end with an error after half a minute, or with the bench. */
async function hang(service: Target): Promise<Client[]> {
  const pool = await openPool(service.url, 16);
  const ids = await Promise.all(Array.from({ length: HUNG }, async (_, i) => createVerified(pool, i)));
  pool.close();
  return Promise.all(
    ids.map(async (id) => {
      const client = await openClient(service.url);
      client.ask(completeAsk(id)).catch(() => {});
      return client;
    }),
  );
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await delay(10);
}

async function createVerified(pool: Pool, i: number): Promise<string> {
  const verifier_config = { provider: "openai", instructions: "The note must say why.", max_attempts: 3 };
  const body = JSON.stringify({ ...REFUND, idempotency_key: `hung-${i}`, verifier_config });
  const answer = await pool.ask({ bytes: requestBytes("POST", "/api/tasks", body), status: 201, marks: [] });
  return (JSON.parse(answer.body.toString()) as { id: string }).id;
}
