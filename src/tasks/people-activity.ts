import { sql } from "kysely";
import { beyondHome } from "../db/beyond-home.ts";
import type { Db } from "../db/database.ts";
import { emailKey } from "../lib/text.ts";
import { DAY, isoTime } from "../lib/time.ts";
import { requireOperator, type Caller } from "../people/caller.ts";
import { lastSeenOf } from "../people/session-list.ts";
import { OPEN_STATUSES } from "./lifecycle.ts";
import type { UserActivity } from "./schema.ts";
import { COUNTED_MAX } from "./stats-groups.ts";
import { startOf } from "./stored-totals.ts";

/** Days in which answers are counted, today included. */
const ANSWERED_DAYS = 30;

/**
 * Returns what people have to do, have done and when they were last seen, for operators. Answers are counted among the last
 * `COUNTED_MAX` closed tasks.
 * @throws ServiceError FORBIDDEN
 */
export async function readUserActivity(
  { db }: { db: Db },
  caller: Caller,
  ids: readonly string[],
): Promise<UserActivity[]> {
  requireOperator(caller);
  const reader = db.heavy;
  const users = await reader.query.selectFrom("users").select(["id", "email"]).where("id", "in", ids).execute();
  if (users.length === 0) return [];
  const tasks = () => reader.query.selectFrom("tasks").modifyEnd(beyondHome("counts and statistics"));
  const known = users.map(({ id }) => id);
  const byId = await tasks()
    .select(["assigned_to_user_id as key", sql<number>`count(*)`.as("count")])
    .where("assigned_to_user_id", "in", known)
    .where("status", "in", OPEN_STATUSES)
    .groupBy("assigned_to_user_id")
    .execute();
  const keyOf = new Map(users.flatMap(({ id, email }) => (email === null ? [] : [[emailKey(email), id] as const])));
  const byEmail =
    keyOf.size === 0
      ? []
      : await tasks()
          .select([sql<string>`lower(assigned_to_email)`.as("key"), sql<number>`count(*)`.as("count")])
          .where("assigned_to_email", "is not", null)
          .where("assigned_to_user_id", "is", null)
          .where(sql<boolean>`lower(assigned_to_email) in (${sql.join([...keyOf.keys()])})`)
          .where("status", "in", OPEN_STATUSES)
          .groupBy(sql`lower(assigned_to_email)`)
          .execute();

  const now = db.now();
  const from = startOf(DAY, now) - (ANSWERED_DAYS - 1) * DAY;
  const closed = tasks()
    .where("ended_at", ">=", from)
    .where("ended_at", "<", now + DAY);
  const [beyond] = await closed
    .select("ended_at")
    .orderBy("ended_at", "desc")
    .orderBy("id", "desc")
    .limit(1)
    .offset(COUNTED_MAX)
    .execute();
  const answered = await closed
    .where("ended_at", ">", beyond?.ended_at ?? from - 1)
    .where("completed_by_user_id", "in", known)
    .select(["completed_by_user_id as key", sql<number>`count(*)`.as("count")])
    .groupBy("completed_by_user_id")
    .execute();
  const seen = await lastSeenOf(reader, known);

  const countIn = (rows: readonly { key: string | null; count: number }[], key: string | null): number =>
    rows.find((row) => row.key !== null && row.key === key)?.count ?? 0;
  return users.map(({ id, email }) => ({
    user_id: id,
    open: countIn(byId, id) + countIn(byEmail, email === null ? null : emailKey(email)),
    answered: countIn(answered, id),
    last_seen_at: isoTime(seen.get(id) ?? null),
  }));
}
