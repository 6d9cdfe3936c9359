import { sql } from "kysely";
import { readStatement, writeStatement, type Db } from "../db/database.ts";
import { ServiceError } from "../errors.ts";
import { MINUTE, SECOND } from "../lib/time.ts";
import type { AgentCaller } from "../people/agent-caller.ts";

/** A process takes this part of the limit at once. The others stay for the other processes. */
const PORTION = 1 / 200;

/** A window that ends later was begun before the clock was set back. The clocks of processes differ by less. */
const LATEST_MS = 2 * MINUTE;

/**
 * Adds places to the window of an agent. A window begins with the first task and lasts a minute, so that up to twice the
 * limit is created around the end of one.
 */
const reserve = writeStatement<
  { bucket: string; now: number; ends_at: number; latest: number; places: number; max: number },
  { count: number; ends_at: number }
>((query, param) => {
  const isOver = sql<boolean>`(rate_windows.ends_at <= ${param("now")} or rate_windows.ends_at > ${param("latest")})`;
  return query
    .insertInto("rate_windows")
    .values({ bucket: param("bucket"), ends_at: param("ends_at"), count: param("places") })
    .onConflict((conflict) =>
      conflict
        .column("bucket")
        .doUpdateSet({
          count: sql<number>`case when ${isOver} then excluded.count else rate_windows.count + excluded.count end`,
          ends_at: sql<number>`case when ${isOver} then excluded.ends_at else rate_windows.ends_at end`,
        })
        // A full window stays as it is, so that it has room once the limit is raised.
        .where(sql<boolean>`${isOver} or rate_windows.count < ${param("max")}`),
    )
    .returning(["count", "ends_at"]);
});

const selectEnd = readStatement<{ bucket: string }, { ends_at: number }>((query, param) =>
  query.selectFrom("rate_windows").select("ends_at").where("bucket", "=", param("bucket")),
);

/** What this process knows of the current minute of an agent. */
export interface Minute {
  max: number;
  ends_at: number;
  /** Places that this process has. */
  left: number;
  /** No places are left in the database either. */
  isFull: boolean;
  asking: Promise<void> | null;
}

export function unknownMinute(): Minute {
  return { max: 0, ends_at: 0, left: 0, isFull: false, asking: null };
}

/**
 * Takes a place for a new task in the current minute of an agent.
 * @returns a function that gives it back
 * @throws ServiceError AGENT_LIMIT
 */
export async function takeOfMinute(db: Db, agent: AgentCaller, minute: Minute): Promise<() => void> {
  const { max_tasks_per_minute: max } = agent;
  // What was found out with another limit does not count.
  if (minute.max !== max) Object.assign(minute, { ...unknownMinute(), max });
  for (;;) {
    const now = db.now();
    const isOver = minute.ends_at <= now || minute.ends_at > now + LATEST_MS;
    if (!isOver && minute.left > 0) {
      minute.left--;
      const { ends_at } = minute;
      return () => {
        if (minute.ends_at === ends_at && minute.max === max) minute.left++;
      };
    }
    if (!isOver && minute.isFull)
      throw new ServiceError("AGENT_LIMIT", {
        message: `The agent may create ${max} tasks in a minute.`,
        retryAfter: Math.max(Math.ceil((minute.ends_at - now) / SECOND), 1),
      });
    minute.asking ??= askForMore(db, agent, minute).finally(() => (minute.asking = null));
    await minute.asking;
  }
}

async function askForMore(db: Db, { id, max_tasks_per_minute: max }: AgentCaller, minute: Minute): Promise<void> {
  const now = db.now();
  const places = Math.max(Math.floor(max * PORTION), 1);
  const bucket = `agent:${id}`;
  const [row] = await db
    .writeOne(reserve, { bucket, now, ends_at: now + MINUTE, latest: now + LATEST_MS, places, max })
    .catch((error: unknown) => {
      // Places that may have been taken are lost. No task was stored.
      throw error instanceof ServiceError && error.code === "COMMIT_UNKNOWN"
        ? new ServiceError("DATABASE_UNAVAILABLE", { cause: error })
        : error;
    });
  // The window may have been deleted since. Then the loop asks again.
  const [full] = row === undefined ? await db.run(selectEnd, { bucket }) : [];
  if (minute.max !== max) return;
  const ends_at = row?.ends_at ?? full?.ends_at ?? 0;
  // Places may have been given back while the database was asked.
  const kept = minute.ends_at === ends_at ? minute.left : 0;
  const taken = row === undefined ? 0 : Math.min(places, max - row.count + places);
  Object.assign(minute, { ends_at, left: kept + taken, isFull: row === undefined });
}
