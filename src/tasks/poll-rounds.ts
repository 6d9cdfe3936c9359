import { sql } from "kysely";
import { readStatement, type Db } from "../db/database.ts";
import { homeOf } from "../db/home.ts";
import { SECOND } from "../lib/time.ts";
import { ROUNDS_WHILE_HEALTHY, type WaitingTasks } from "./waiting-tasks.ts";

/** Maximum number of ids in one query. */
const LOOK_AT_ONCE = 500;

/**
 * Selects the ids of tasks that are closed or deleted. The lists are one text parameter each, because a statement with a
 * varying number of parameters would be parsed each time.
 */
const selectEnded = readStatement<{ ids: string; homes: string }, { id: string }>((query, param) => ({
  compile: () =>
    sql<{ id: string }>`
      select waiting.id
      from unnest(string_to_array(${param("ids")}, ','), string_to_array(${param("homes")}, ',')::integer[])
        as waiting (id, home)
      where not exists (select 1 from tasks
        where tasks.id = waiting.id and tasks.home = waiting.home and tasks.ended_at is null)`.compile(query),
}));

/**
 * Checks every second for tasks that closed without a hint, and wakes their waiters, because hints of other processes may
 * be lost. There are other processes only on PostgreSQL.
 *
 * A round checks the tasks of one slot. It checks all tasks while hints do not arrive, after hints were lost, and after a
 * failed round.
 *
 * @returns a function that stops the rounds
 */
export function startRounds(db: Db, waiting: WaitingTasks, onError: (error: unknown) => void): () => void {
  let isStopped = false;
  let isLooking = false;
  let round = 0;
  let mustLookAtAll = false;

  /** Runs one check at a time, because more would make a slow database slower. */
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
        const asked = { ids: some.join(), homes: some.map(homeOf).join() };
        for (const { id } of await db.run(selectEnded, asked)) waiting.wake(id);
      }
    } catch (error) {
      // The next round checks the tasks that were not reached.
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
