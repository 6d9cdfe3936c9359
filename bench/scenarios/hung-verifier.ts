import { setTimeout as delay } from "node:timers/promises";
import { startVendors, type Vendors } from "../../test/support/vendors.ts";
import { DATABASES, type Bench } from "../support/bench.ts";
import { openClient, openPool, requestBytes, type Pool } from "../support/client.ts";
import { hammer, quantile, sorted, steady } from "../support/load.ts";
import { describe } from "../support/report.ts";
import { withService } from "../support/service.ts";
import { completeAsk, createAsks, REFUND } from "../support/tasks.ts";
import type { Target } from "../support/target.ts";

const RATE = 200;
/** More than are asked at once, and all that may wait for their turn. */
const HUNG = 320;
const AT_ONCE = 64;
/** Of each service, within the half minute that a call may take. */
const TURNS = 3;
const TURN_SECONDS = 2.5;
/** Each with calls of its own: a p99 of one alone is the worst thirty of three thousand, and says little. */
const ROUNDS = 4;

/**
 * What a vendor that takes every call and never answers does to everything else: creations at a steady rate, at a service
 * whose answers hang and at two that are left alone, in turns. What one of those two is beside the other is noise.
 */
export async function hungVerifier(bench: Bench): Promise<void> {
  const vendors = await startVendors();
  vendors.script.push(...Array.from({ length: HUNG * 10 }, () => "hang" as const));
  for (const dialect of bench.dialects) {
    const name = DATABASES[dialect];
    await withService(bench, { dialect, name: `${name}, calm` }, async ([calm]) =>
      withService(bench, { dialect, name: `${name}, calm as well` }, async ([control]) =>
        withService(bench, { dialect, name, env: vendors.env }, async ([hung]) =>
          compare(bench, name, { calm, control, hung }, vendors),
        ),
      ),
    );
  }
  await vendors.close();
}

type Which = "calm" | "control" | "hung";

async function compare(bench: Bench, name: string, services: Record<Which, Target>, vendors: Vendors): Promise<void> {
  const { say, figure } = bench;
  const next = createAsks({ schemas: "same" });
  const took: Record<Which, number[]> = { calm: [], control: [], hung: [] };
  const all = Object.entries(services) as [Which, Target][];
  for (const [, service] of all) await hammer(service, { clients: 16, seconds: bench.seconds, next });

  for (let round = 0; round < ROUNDS; round++) {
    const { length: before } = vendors.asked;
    const waiting = await hang(services.hung, `round-${round}`);
    await until(() => vendors.asked.length - before === AT_ONCE);
    // What the first call of a process costs, which loads the vendors' packages, is a figure of its own.
    const { ms, cpu_ms } = await services.hung.longestStall();
    if (round === 0)
      figure({
        name: `${name}: longest stall while ${HUNG} answers come at once, including the first one that this process checks`,
        value: ms,
        unit: "ms",
        note: `${cpu_ms.toFixed(0)} ms of it computing`,
      });
    for (let turn = 0; turn < TURNS; turn++)
      // Whoever comes first has no advantage of it.
      for (const [which, service] of turn % 2 === 0 ? all : all.toReversed()) {
        const figures = await steady(service, { rate: RATE, seconds: TURN_SECONDS, next });
        say(`${which.padEnd(10)} ${describe(figures)}`);
        took[which].push(...figures.ms);
      }
    await Promise.all(waiting);
  }

  const [calm, control, hung] = [sorted(took.calm), sorted(took.control), sorted(took.hung)];
  const beside = (other: number[], share: number) => quantile(other, share) / quantile(calm, share);
  const at = (other: number[], share: number) =>
    `p${share * 100} ${quantile(calm, share).toFixed(1)} and ${quantile(other, share).toFixed(1)} ms`;
  figure({
    name: `${name}: creation at 200/s at two idle services, p99 of one compared with the other`,
    value: beside(control, 0.99),
    unit: "times",
    note: `${at(control, 0.99)}, ${at(control, 0.5)}`,
  });
  figure({
    name: `${name}: creation at ${RATE}/s while ${HUNG} answers wait for a vendor that hangs, p99 compared with an idle service`,
    value: beside(hung, 0.99),
    unit: "times",
    hold: { under: 1.3 },
    note: `${at(hung, 0.99)}, ${at(hung, 0.5)}; ${AT_ONCE} calls under way`,
  });
}

/**
 * Answers that nobody gets a verdict for: they end with an error after half a minute.
 * @param model - of its own, so that nobody has heard yet that its vendor does not answer
 */
async function hang(service: Target, model: string): Promise<Promise<void>[]> {
  const pool = await openPool(service.url, 16);
  const ids = await Promise.all(Array.from({ length: HUNG }, async (_, i) => createVerified(pool, model, i)));
  pool.close();
  const clients = await Promise.all(ids.map(async () => openClient(service.url)));
  return clients.map(async (client, i) => {
    // A client takes an answer of another status for its own mistake.
    await client.ask(completeAsk(ids[i]!)).catch(() => {});
    client.close();
  });
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await delay(10);
}

async function createVerified(pool: Pool, model: string, i: number): Promise<string> {
  const verifier_config = { provider: "openai", model, instructions: "The note must say why.", max_attempts: 3 };
  const body = JSON.stringify({ ...REFUND, idempotency_key: `${model}-${i}`, verifier_config });
  const answer = await pool.ask({ bytes: requestBytes("POST", "/api/tasks", body), status: 201, marks: [] });
  return (JSON.parse(answer.body.toString()) as { id: string }).id;
}
