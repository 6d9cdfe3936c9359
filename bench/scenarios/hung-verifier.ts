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
/** As many answers as the service accepts: those that it checks at once, and a full queue. */
const HUNG = 320;
const AT_ONCE = 64;
/** Turns of each service. They fit into the half minute that a call may take. */
const TURNS = 3;
const TURN_SECONDS = 2.5;
/** Each round makes its own calls. The p99 of a single round rests on only thirty of three thousand requests. */
const ROUNDS = 4;

/**
 * Measures how a vendor that accepts every call and never answers affects other requests. Tasks are created at a steady
 * rate, in turns: at a service whose verifier calls hang, and at two idle services. The difference between the two idle
 * services is noise.
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
    // The first call of a process loads the vendors' packages. Its cost is a separate figure.
    const { ms, cpu_ms } = await services.hung.longestStall();
    if (round === 0)
      figure({
        name: `${name}: longest stall while ${HUNG} answers come at once, including the first one that this process checks`,
        value: ms,
        unit: "ms",
        note: `${cpu_ms.toFixed(0)} ms of it computing`,
      });
    for (let turn = 0; turn < TURNS; turn++)
      // Alternate the order, so that no service benefits from being first.
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
 * Submits answers that get no verdict: they end with an error after half a minute.
 * @param model - a new model, so that the service does not know yet that its vendor does not answer
 */
async function hang(service: Target, model: string): Promise<Promise<void>[]> {
  const pool = await openPool(service.url, 16);
  const ids = await Promise.all(Array.from({ length: HUNG }, async (_, i) => createVerified(pool, model, i)));
  pool.close();
  const clients = await Promise.all(ids.map(async () => openClient(service.url)));
  return clients.map(async (client, i) => {
    // The client throws on an unexpected status. Here every status is expected.
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
