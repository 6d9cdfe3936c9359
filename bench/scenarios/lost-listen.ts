import { setTimeout as delay } from "node:timers/promises";
import { Client } from "pg";
import { SECOND } from "../../src/lib/time.ts";
import type { Bench } from "../support/bench.ts";
import { openPool } from "../support/client.ts";
import { quantile, sorted } from "../support/load.ts";
import { withService } from "../support/service.ts";
import { completeAsk, createTasks, pollAsk } from "../support/tasks.ts";

const WAITING = 100;
const ROUNDS = 3;
/** The service retries LISTEN one second after a loss. An answer at this time comes before the retry. */
const SOON_MS = 300;
/** After this time, LISTEN was retried and works. */
const BACK_MS = 3 * SECOND;
const KEEP_AWAY_MS = 200;
const QUANTILES = { p50: 0.5, p99: 0.99, max: 1 };

/** Measures how late waits end after their process lost LISTEN, when another process stored the answer. */
export async function lostListen(bench: Bench): Promise<void> {
  if (!bench.dialects.includes("postgres")) return;
  const name = "PostgreSQL, two replicas";
  await withService(bench, { dialect: "postgres", replicas: 2, name }, async ([answering, polled], home) => {
    const pool = await openPool(answering.url, 16);
    const pollers = await openPool(polled!.url, WAITING);
    const database = new Client({ connectionString: home.databaseUrl! });
    await database.connect();
    const loseListen = async () =>
      database.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name like '% hints'",
      );

    /** @returns for each wait, the time from the response to the completion until the response to the wait */
    const answerAll = async (lose: () => Promise<() => Promise<void>>): Promise<number[]> => {
      const late: number[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const ids = await createTasks(pool, WAITING);
        const waits = ids.map(async (id) => pollers.ask(pollAsk(id)).then(() => performance.now()));
        await delay(SECOND);
        const recover = await lose();
        const answered = await Promise.all(
          ids.map(async (id) => pool.ask(completeAsk(id)).then(() => performance.now())),
        );
        const ended = await Promise.all(waits);
        late.push(...ended.map((at, i) => Math.max(0, at - answered[i]!)));
        await recover();
        await delay(BACK_MS);
      }
      return sorted(late);
    };
    const tell = (when: string, ms: readonly number[]) => {
      for (const [label, share] of Object.entries(QUANTILES))
        bench.figure({
          name: `${name}: a wait ends after its answer, ${when}, ${label}`,
          value: quantile(ms, share),
          unit: "ms",
        });
    };

    const once = async () => {
      await loseListen();
      await delay(SOON_MS);
      return async () => {};
    };
    tell("LISTEN lost just before", await answerAll(once));

    const forLong = async () => {
      await loseListen();
      const ending = setInterval(() => void loseListen().catch(() => {}), KEEP_AWAY_MS);
      await delay(SECOND);
      return async () => clearInterval(ending);
    };
    tell("LISTEN away", await answerAll(forLong));
    tell("LISTEN back", await answerAll(async () => async () => {}));

    await database.end();
    pool.close();
    pollers.close();
  });
}
