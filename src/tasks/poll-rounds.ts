import { sql } from "kysely";
import { readStatement, type Db } from "../db/database.ts";
import { SECOND } from "../lib/time.ts";
import { ROUNDS_WHILE_HEALTHY, type WaitingTasks } from "./waiting-tasks.ts";

/** Ids asked for in one look at the database. */
const LOOK_AT_ONCE = 500;

/**
 * Of `ids`, those of tasks that have ended or are gone. The list is one text: a statement with as many parameters as there
 * are ids would be read again each time.
 */
const selectEnded = readStatement<{ ids: string }, { id: string }>((query, param) => ({
  compile: () =>
    sql<{ id: string }>`
      select waiting.id from unnest(string_to_array(${param("ids")}, ',')) as waiting (id)
      where not exists (select 1 from tasks where tasks.id = waiting.id and tasks.ended_at is null)`.compile(query),
}));

/**
 * Looks each second for tasks that have ended without a hint, and wakes those who wait for them: hints of other processes may
 * be lost. There are other processes only on PostgreSQL.
 *
 * A round looks at the tasks of one slot. It looks at all tasks while hints do not arrive, after hints were lost, and after a
 * round that failed.
 *
 * @returns a function that ends it
 */
export function startRounds(db: Db, waiting: WaitingTasks, onError: (error: unknown) => void): () => void {
  let isStopped = false;
  let isLooking = false;
  let round = 0;
  let mustLookAtAll = false;

  /** While the database is slow, one look at a time: more of them would only make it slower. */
  async function lookOnce(): Promise<void> {
    if (isLooking) return;
    isLooking = true;
    try {
      do await look();
      while (mustLookAtAll && !isStopped);
    } catch (error) {
      onError(error);
    } finally {
      isLooking = false;
    }
  }

  async function look(): Promise<void> {
    round = (round + 1) % ROUNDS_WHILE_HEALTHY;
    const ids = waiting.idsOf(mustLookAtAll || !db.hints.isHealthy() ? null : round);
    mustLookAtAll = false;
    try {
      for (let i = 0; i < ids.length; i += LOOK_AT_ONCE) {
        const some = ids.slice(i, i + LOOK_AT_ONCE);
        for (const { id } of await db.run(selectEnded, { ids: some.join() })) waiting.wake(id);
      }
    } catch (error) {
      // The tasks that were not reached are looked at in the next round.
      mustLookAtAll = true;
      throw error;
    }
  }

  const stopReset = db.hints.onReset(() => {
    mustLookAtAll = true;
    void lookOnce();
  });
  const timer = db.hints.isShared ? setInterval(() => void lookOnce(), SECOND) : null;
  timer?.unref();
  return () => {
    isStopped = true;
    if (timer) clearInterval(timer);
    stopReset();
  };
}
