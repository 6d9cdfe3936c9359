/**
 * Live messages: deliveries that show the state of a task, such as a message in a chat. They are posted once and updated with
 * every change of the task. Each change makes the row due again, and each attempt updates the message to the task as it is.
 *
 * Notices of the end wait in the same table until their task is closed, and become due with the change that closes it.
 */
import { sql, type RawBuilder } from "kysely";
import { writeStatement, type Db, type Reader, type Tx } from "../db/database.ts";
import { homeOf, ofTask, type OfTask } from "../db/home.ts";
import { forUpdate } from "../db/locks.ts";
import type { DeliveryPlaceRow, DeliveryRow } from "../db/schema.ts";
import { MINUTE, SECOND } from "../lib/time.ts";
import { removalOf } from "./kinds.ts";
import { deleteDeliveriesOf, DELIVERIES_HINT, enqueue, LIVE, type OfDelivery } from "./store.ts";

/** The wait before a message is updated, so that changes that follow at once are shown together. What waits for the end begins at once. */
const AFTER_MS = 0.5 * SECOND;

const refresh = writeStatement<OfTask & { now: number; up_to: number }, { id: string }>((query, param) =>
  query
    .updateTable("deliveries")
    .set({
      status: "PENDING",
      cycle: sql<number>`cycle + 1`,
      attempt_count: 0,
      next_attempt_at: sql<number>`cast(${param("now")} as bigint) + ${afterMs(sql`is_live`)}`,
      lease_owner: null,
      lease_until: null,
      lease_epoch: sql<number>`lease_epoch + 1`,
      losses: 0,
      updated_at: param("now"),
    })
    .where("task_id", "=", param("task_id"))
    .where("home", "=", param("home"))
    .where("is_live", ">=", LIVE.every_change)
    .where("is_live", "<=", param("up_to"))
    .returning("id"),
);

function afterMs(isLive: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`case when ${isLive} = ${sql.lit(LIVE.at_end)} then 0 else ${sql.lit(AFTER_MS)} end`;
}

/**
 * Schedules a refresh of every message that shows the task, and the notices of its end if it is closed. The outcome of an
 * attempt under way no longer counts.
 */
export async function scheduleRefresh(
  tx: Tx,
  { id, ended_at }: { id: string; ended_at: number | null },
): Promise<void> {
  const now = tx.now();
  const up_to = ended_at === null ? LIVE.every_change : LIVE.at_end;
  const rows = await tx.run(refresh, { ...ofTask(id), now, up_to });
  if (rows.length > 0) tx.hint(DELIVERIES_HINT);
}

/** Returns the same as a common table expression (PostgreSQL), with the ids of tasks that had any. @param changed - a relation of tasks, with `id`, `home`, `updated_at` and `ended_at` */
export const refreshCte = (changed: RawBuilder<unknown>) => sql`
  refreshed as (
    update deliveries d set status = 'PENDING', cycle = d.cycle + 1, attempt_count = 0,
      next_attempt_at = changed.updated_at + ${afterMs(sql`d.is_live`)}, lease_owner = null, lease_until = null,
      lease_epoch = d.lease_epoch + 1, losses = 0, updated_at = changed.updated_at
    from ${changed} changed where d.task_id = changed.id and d.home = changed.home and (d.is_live = ${sql.lit(LIVE.every_change)}
      or (d.is_live = ${sql.lit(LIVE.at_end)} and changed.ended_at is not null))
    returning d.task_id
  )`;

export async function findPlace(reader: Reader, { id, task_id }: OfDelivery): Promise<DeliveryPlaceRow | null> {
  const row = await reader.query
    .selectFrom("delivery_places")
    .selectAll()
    .where("delivery_id", "=", id)
    .where("home", "=", homeOf(task_id))
    .executeTakeFirst();
  return row ?? null;
}

/**
 * Stores where a message was posted. When its task was deleted in the meantime, nothing is stored, and a message that was
 * posted is removed by another delivery.
 *
 * @param posted - where the message is, if it is posted
 * @returns false: the task was deleted
 */
export async function setPlace(
  db: Db,
  delivery: PostedDelivery,
  set: Partial<Omit<DeliveryPlaceRow, "delivery_id" | "home">>,
  posted: string | null = set.place ?? null,
): Promise<boolean> {
  const home = homeOf(delivery.task_id);
  return db.write(async (tx) => {
    if (!(await lockDelivery(tx, delivery))) {
      if (posted !== null) await enqueueRemoval(tx, delivery, posted, tx.now());
      return false;
    }
    await tx.query
      .insertInto("delivery_places")
      .values({ delivery_id: delivery.id, home, begun_at: null, place: null, shown: null, is_noted: 0, ...set })
      // The key of SQLite is without the home.
      .onConflict((conflict) =>
        conflict.columns(tx.dialect === "sqlite" ? ["delivery_id"] : ["delivery_id", "home"]).doUpdateSet(set),
      )
      .execute();
    return true;
  });
}

/**
 * Takes the place of a message for one attempt, so that no other attempt posts the same beside it. `setPlace` gives it back,
 * with a `begun_at` of null.
 *
 * @param lostMs - an attempt that took it longer ago is lost
 * @returns the place as it is stored now; "busy": another attempt has it; null: the task was deleted
 */
export async function takePlace(
  db: Db,
  delivery: OfDelivery,
  lostMs: number,
): Promise<DeliveryPlaceRow | "busy" | null> {
  return db.write(async (tx) => {
    if (!(await lockDelivery(tx, delivery))) return null;
    const known = await findPlace(tx, delivery);
    if (known === null) return null;
    const now = tx.now();
    if (known.begun_at !== null && now - known.begun_at < lostMs) return "busy";
    await tx.query
      .updateTable("delivery_places")
      .set({ begun_at: now })
      .where("delivery_id", "=", delivery.id)
      .where("home", "=", homeOf(delivery.task_id))
      .execute();
    return { ...known, begun_at: now };
  });
}

/** Locks a delivery. A deletion of its task waits for this. @returns false: the task was deleted */
async function lockDelivery(tx: Tx, { id, task_id }: OfDelivery): Promise<boolean> {
  const select = tx.query
    .selectFrom("deliveries")
    .select("id")
    .where("id", "=", id)
    .where("home", "=", homeOf(task_id));
  return (await forUpdate(tx.dialect, select).executeTakeFirst()) !== undefined;
}

/** An attempt that was under way at a deletion has updated the message by then, or never will. */
const AFTER_ATTEMPT_MS = 1 * MINUTE;

/**
 * Deletes all deliveries of a task, sent or not. For each posted message, one new delivery removes it; its row is deleted
 * once that is done. (spec: Tasks, delete)
 */
export async function removeDeliveriesOf(tx: Tx, task_id: string): Promise<void> {
  const now = tx.now();
  for (const { place, lease_owner, ...delivery } of await deleteDeliveriesOf(tx, task_id)) {
    if (place === null) continue;
    await enqueueRemoval(tx, delivery, place, now);
    if (lease_owner !== null) await enqueueRemoval(tx, delivery, place, now + AFTER_ATTEMPT_MS);
  }
}

/** The part of a posted message that its removal needs. */
type PostedDelivery = Pick<DeliveryRow, "id" | "kind" | "task_id" | "destination" | "origin">;

async function enqueueRemoval(
  tx: Tx,
  { kind, task_id, destination, origin }: PostedDelivery,
  place: string,
  due_at: number,
): Promise<void> {
  await enqueue(tx, { kind: removalOf(kind), task_id, destination, origin, body: place, due_at });
}
