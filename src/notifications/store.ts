import type { Reader, Tx } from "../db/database.ts";
import type { NotificationChoicesRow, PushSubscriptionRow } from "../db/schema.ts";

/** The browsers in which a person is told, the oldest first. */
export async function subscriptionsOf(reader: Reader, user_id: string): Promise<PushSubscriptionRow[]> {
  return reader.query
    .selectFrom("push_subscriptions")
    .selectAll()
    .where("user_id", "=", user_id)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
}

/** The browsers of these people; ids that no one has are passed over. */
export async function addressesOf(
  reader: Reader,
  user_ids: readonly string[],
): Promise<Pick<PushSubscriptionRow, "id" | "endpoint">[]> {
  return reader.query
    .selectFrom("push_subscriptions")
    .select(["id", "endpoint"])
    .where("user_id", "in", user_ids)
    .orderBy("id")
    .execute();
}

export async function hasSubscriptions(reader: Reader): Promise<boolean> {
  const row = await reader.query.selectFrom("push_subscriptions").select("id").limit(1).executeTakeFirst();
  return row !== undefined;
}

export async function findPushSubscription(reader: Reader, id: string): Promise<PushSubscriptionRow | null> {
  const row = await reader.query.selectFrom("push_subscriptions").selectAll().where("id", "=", id).executeTakeFirst();
  return row ?? null;
}

/** Adds a browser, or gives it to the person who uses it now. */
export async function putSubscription(tx: Tx, row: PushSubscriptionRow): Promise<void> {
  const { id: _id, ...columns } = row;
  await tx.query
    .insertInto("push_subscriptions")
    .values(row)
    .onConflict((conflict) => conflict.column("id").doUpdateSet(columns))
    .execute();
}

export async function updateSubscription(
  tx: Tx,
  id: string,
  columns: Partial<Pick<PushSubscriptionRow, "told_at" | "told_task_id" | "told_purpose" | "failure">>,
): Promise<void> {
  await tx.query.updateTable("push_subscriptions").set(columns).where("id", "=", id).execute();
}

/** @param user_id - whose it must be; null: anyone's @returns whether it was there */
export async function deleteSubscription(tx: Tx, id: string, user_id: string | null): Promise<boolean> {
  const { numDeletedRows } = await tx.query
    .deleteFrom("push_subscriptions")
    .where("id", "=", id)
    .$if(user_id !== null, (query) => query.where("user_id", "=", user_id!))
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function findChoices(reader: Reader, user_id: string): Promise<NotificationChoicesRow | null> {
  const row = await reader.query
    .selectFrom("notification_choices")
    .selectAll()
    .where("user_id", "=", user_id)
    .executeTakeFirst();
  return row ?? null;
}

export async function putChoices(tx: Tx, row: NotificationChoicesRow): Promise<void> {
  const { user_id: _id, ...columns } = row;
  await tx.query
    .insertInto("notification_choices")
    .values(row)
    .onConflict((conflict) => conflict.column("user_id").doUpdateSet(columns))
    .execute();
}

/** The people whose digest is due, those who wait longest first. */
export async function findDueDigests(
  reader: Reader,
  now: number,
  limit: number,
): Promise<Pick<NotificationChoicesRow, "user_id" | "digest_due_at">[]> {
  return reader.query
    .selectFrom("notification_choices")
    .select(["user_id", "digest_due_at"])
    .where("digest_due_at", "<=", now)
    .orderBy("digest_due_at")
    .limit(limit)
    .execute();
}

/** When the next digest is due, epoch milliseconds; null: never. */
export async function findNextDigest(reader: Reader): Promise<number | null> {
  const row = await reader.query
    .selectFrom("notification_choices")
    .select("digest_due_at")
    .where("digest_due_at", "is not", null)
    .orderBy("digest_due_at")
    .limit(1)
    .executeTakeFirst();
  return row?.digest_due_at ?? null;
}

export async function setDigestDue(tx: Tx, user_id: string, digest_due_at: number | null): Promise<void> {
  await tx.query.updateTable("notification_choices").set({ digest_due_at }).where("user_id", "=", user_id).execute();
}
