import { setTimeout as delay } from "node:timers/promises";
import { openPool } from "./client.ts";
import { measure, pace, sorted, type Figures } from "./load.ts";
import { startReceiver } from "./receiver.ts";
import type { Target } from "./target.ts";
import { completeAsk, createAsk, idOf } from "./tasks.ts";

/** A receiver that records when the callback of each task first arrived. */
export interface CallbackWatch {
  url: string;
  /** `performance.now()`, by task. */
  arrivals: ReadonlyMap<string, number>;
  /** Returns how many callbacks were repetitions. */
  repeated(): number;
  close(): void;
}

export async function watchCallbacks(): Promise<CallbackWatch> {
  const arrivals = new Map<string, number>();
  let repeated = 0;
  const receiver = await startReceiver({
    onCallback: (id) => {
      if (arrivals.has(id)) repeated++;
      else arrivals.set(id, performance.now());
    },
  });
  return {
    url: `http://127.0.0.1:${receiver.port}/hook`,
    arrivals,
    repeated: () => repeated,
    close: receiver.close,
  };
}

const ARRIVAL_MAX_MS = 60_000;

/**
 * Creates tasks, completes them at a steady rate, and waits for their callbacks.
 * @returns `ms`: from the sending of each completion to the arrival of its callback, sorted
 */
export async function endTasks(
  service: Target,
  watch: CallbackWatch,
  rate: number,
  seconds: number,
): Promise<{ ms: number[]; figures: Figures }> {
  const pool = await openPool(service.url, 64);
  const sent = new Map<string, number>();
  const figures = await measure(service, async (ms, lateMs) => {
    await pace(rate, Math.round(rate * seconds), async (due) => {
      lateMs.push(performance.now() - due);
      const id = idOf(await pool.ask(createAsk({ callback_url: watch.url })));
      sent.set(id, performance.now());
      await pool.ask(completeAsk(id));
      ms.push(performance.now() - due);
    });
    const end = performance.now() + ARRIVAL_MAX_MS;
    while (sent.keys().some((id) => !watch.arrivals.has(id))) {
      if (performance.now() > end) throw new Error("callbacks did not arrive");
      await delay(20);
    }
  });
  pool.close();
  const ms = sent.entries().map(([id, at]) => watch.arrivals.get(id)! - at);
  return { ms: sorted([...ms]), figures };
}
