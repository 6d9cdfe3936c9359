import { sql } from "kysely";
import { readStatement, type Db } from "../db/database.ts";
import { homeOf, located } from "../db/home.ts";
import { isOneOf, locationsFor, type Locations } from "../db/ids.ts";
import { SECOND } from "../lib/time.ts";
import { ROUNDS_WHILE_HEALTHY, type WaitingTasks } from "./waiting-tasks.ts";

/** Maximum number of ids in one query. */
const LOOK_AT_ONCE = 500;

/** Lists of the same length: the ids, their homes, and whether a question to the asker counts as well (1) or not (0). */
interface Asked {
  ids: string;
  homes: string;
  attentive: string;
}

/**
 * Selects the ids of tasks that are closed or deleted, or have what else their polls wait for. The lists are one text parameter
 * each, because a statement with a varying number of parameters would be parsed each time.
 */
const selectChanged = readStatement<Asked, { id: string }>((query, param) => ({
  compile: () =>
    sql<{ id: string }>`
      select waiting.id
      from unnest(string_to_array(${param("ids")}, ','), string_to_array(${param("homes")}, ',')::integer[],
        string_to_array(${param("attentive")}, ',')::integer[]) as waiting (id, home, attentive)
      where not exists (select 1 from tasks
        where tasks.id = waiting.id and tasks.home = waiting.home and tasks.ended_at is null
          and (waiting.attentive = 0 or tasks.waiting_on is distinct from 'agent'))`.compile(query),
}));

/** The opposite on Citus, which refuses the question above: tasks that are open. */
const selectOpen = readStatement<Locations, { id: string; waiting_on: string | null }>((query, param, dialect) =>
  query
    .selectFrom("tasks")
    .select(["id", "waiting_on"])
    .where(isOneOf(dialect, ["id", "home"], { ids: param("ids"), homes: param("homes") }))
    .where("ended_at", "is", null),
);

/** Returns those of the tasks whose polls have something to read. */
async function findChanged(
  db: Db,
  ids: readonly string[],
  isAttentive: WaitingTasks["isAttentive"],
): Promise<string[]> {
  if (db.dialect !== "citus") {
    const attentive = ids.map((id) => Number(isAttentive(id))).join();
    const asked = { ids: ids.join(), homes: ids.map(homeOf).join(), attentive };
    return (await db.run(selectChanged, asked)).map(({ id }) => id);
  }
  const open = await db.run(selectOpen, locationsFor(db, ids.map(located)));
  const still = new Set(open.filter((one) => one.waiting_on !== "agent" || !isAttentive(one.id)).map(({ id }) => id));
  return ids.filter((id) => !still.has(id));
}

/**
 * Checks every second for tasks that closed, or that need attention, without a hint, and wakes their waiters, because hints of other processes may
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
        const changed = await findChanged(db, ids.slice(i, i + LOOK_AT_ONCE), waiting.isAttentive);
        for (const id of changed) waiting.wake(id);
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
