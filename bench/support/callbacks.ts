import { setTimeout as delay } from "node:timers/promises";
import type { Bench } from "./bench.ts";
import { openPool } from "./client.ts";
import { measure, pace, quantile, sorted, type Figures } from "./load.ts";
import { startReceiver, type ReceiverOptions } from "./receiver.ts";
import type { Target } from "./target.ts";
import { completeAsk, createAsk, idOf } from "./tasks.ts";

/** A receiver that records when the outcome of each task first arrived. */
export interface OutcomeWatch {
  /** Its address, without a path. */
  origin: string;
  /** The fields of a task that bring the outcome there. */
  fields: Record<string, unknown>;
  /** `performance.now()`, by task. */
  arrivals: ReadonlyMap<string, number>;
  /** Returns how many of them were repetitions. */
  repeated(): number;
  close(): void;
}

export async function watchCallbacks(): Promise<OutcomeWatch> {
  return watch((origin) => ({ callback_url: `${origin}/hook` }));
}

/**
 * Watches what an engine of Inngest is sent, over a connection.
 * @param connection - its name
 */
export async function watchSignals(connection: string): Promise<OutcomeWatch> {
  return watch(() => ({ resume: [{ connection, signal: "approved" }] }), {
    taskOf: (_head, body) => (JSON.parse(body.toString()) as { data: { task_id: string } }).data.task_id,
    answer: '{"data":{"run_id":"01JQ"}}',
  });
}

async function watch(
  fieldsOf: (origin: string) => Record<string, unknown>,
  options: Pick<ReceiverOptions, "taskOf" | "answer"> = {},
): Promise<OutcomeWatch> {
  const arrivals = new Map<string, number>();
  let repeated = 0;
  const receiver = await startReceiver({
    ...options,
    onCallback: (id) => {
      if (arrivals.has(id)) repeated++;
      else arrivals.set(id, performance.now());
    },
  });
  const origin = `http://127.0.0.1:${receiver.port}`;
  return {
    origin,
    fields: fieldsOf(origin),
    arrivals,
    repeated: () => repeated,
    close: receiver.close,
  };
}

/** Reports how long live receivers wait beside dead ones. @param ms - from `endTasks` */
export function reportWait(bench: Bench, name: string, ms: readonly number[], watch: OutcomeWatch): void {
  bench.figure({
    name: `${name}, p99`,
    value: quantile(ms, 0.99),
    unit: "ms",
    hold: { under: 1500 },
    note: `p50 ${quantile(ms, 0.5).toFixed(1)} ms, longest ${ms.at(-1)!.toFixed(0)} ms; ${watch.repeated()} came twice`,
  });
}

const ARRIVAL_MAX_MS = 60_000;

/**
 * Creates tasks, completes them at a steady rate, and waits for their outcomes.
 * @returns `ms`: from the sending of each completion to the arrival of its outcome, sorted
 */
export async function endTasks(
  service: Target,
  watch: OutcomeWatch,
  rate: number,
  seconds: number,
): Promise<{ ms: number[]; figures: Figures }> {
  const pool = await openPool(service.url, 64);
  const sent = new Map<string, number>();
  const figures = await measure(service, async (ms, lateMs) => {
    await pace(rate, Math.round(rate * seconds), async (due) => {
      lateMs.push(performance.now() - due);
      const id = idOf(await pool.ask(createAsk(watch.fields)));
      sent.set(id, performance.now());
      await pool.ask(completeAsk(id));
      ms.push(performance.now() - due);
    });
    const end = performance.now() + ARRIVAL_MAX_MS;
    while (sent.keys().some((id) => !watch.arrivals.has(id))) {
      if (performance.now() > end) throw new Error("outcomes did not arrive");
      await delay(20);
    }
  });
  pool.close();
  const ms = sent.entries().map(([id, at]) => watch.arrivals.get(id)! - at);
  return { ms: sorted([...ms]), figures };
}
