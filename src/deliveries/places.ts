/**
 * Deliveries that show how a task stands, such as a message in a chat: posted once, changed whenever the task has. Their row
 * falls due again with every change, and each attempt makes what is shown what it should be.
 */
import { sql, type RawBuilder } from "kysely";
import { writeStatement, type Db, type Reader, type Tx } from "../db/database.ts";
import { forUpdate } from "../db/locks.ts";
import type { DeliveryPlaceRow, DeliveryRow } from "../db/schema.ts";
import { MINUTE, SECOND } from "../lib/time.ts";
import { removalOf } from "./kinds.ts";
import { deleteDeliveriesOf, DELIVERIES_HINT, enqueue } from "./store.ts";

/** A change is shown once its request will have been answered. */
const AFTER_MS = 0.5 * SECOND;

const fallDue = writeStatement<{ task_id: string; now: number; due_at: number }, { id: string }>((query, param) =>
  query
    .updateTable("deliveries")
    .set({
      status: "PENDING",
      cycle: sql<number>`cycle + 1`,
      attempt_count: 0,
      next_attempt_at: param("due_at"),
      lease_owner: null,
      lease_until: null,
      lease_epoch: sql<number>`lease_epoch + 1`,
      losses: 0,
      updated_at: param("now"),
    })
    .where("task_id", "=", param("task_id"))
    .where("is_live", "=", 1)
    .returning("id"),
);

/** What shows the task shows it anew. An attempt under way counts no more; the next one finds what it has left. */
export async function showAnew(tx: Tx, task_id: string): Promise<void> {
  const now = tx.now();
  const rows = await tx.run(fallDue, { task_id, now, due_at: now + AFTER_MS });
  if (rows.length > 0) tx.hint(DELIVERIES_HINT);
}

/** The same as part of a larger statement of PostgreSQL's. @param changed - a relation of tasks, with `id` and `updated_at` */
export const shownAnew = (changed: RawBuilder<unknown>) => sql`
  shown_anew as (
    update deliveries d set status = 'PENDING', cycle = d.cycle + 1, attempt_count = 0,
      next_attempt_at = changed.updated_at + ${sql.lit(AFTER_MS)}, lease_owner = null, lease_until = null,
      lease_epoch = d.lease_epoch + 1, losses = 0, updated_at = changed.updated_at
    from ${changed} changed where d.task_id = changed.id and d.is_live = 1
  )`;

export async function findPlace(reader: Reader, delivery_id: string): Promise<DeliveryPlaceRow | null> {
  const select = reader.query.selectFrom("delivery_places").selectAll().where("delivery_id", "=", delivery_id);
  return (await select.executeTakeFirst()) ?? null;
}

/**
 * Notes what is known of where a delivery stands. Where its task was deleted meanwhile, nothing is noted, and what stands
 * there by now is owed to be removed.
 *
 * @returns false: the task was deleted
 */
export async function setPlace(
  db: Db,
  delivery: StandingDelivery,
  set: Partial<Omit<DeliveryPlaceRow, "delivery_id">>,
): Promise<boolean> {
  return db.write(async (tx) => {
    // A task that is being deleted waits.
    const select = tx.query.selectFrom("deliveries").select("id").where("id", "=", delivery.id);
    const owner = await forUpdate(tx.dialect, select).executeTakeFirst();
    if (owner === undefined) {
      if (set.place != null) await enqueueRemoval(tx, delivery, set.place, tx.now());
      return false;
    }
    await tx.query
      .insertInto("delivery_places")
      .values({ delivery_id: delivery.id, begun_at: null, place: null, shown: null, is_noted: 0, ...set })
      .onConflict((conflict) => conflict.column("delivery_id").doUpdateSet(set))
      .execute();
    return true;
  });
}

/** An attempt that was under way at a deletion has changed what is shown by then, or never will. */
const AFTER_ATTEMPT_MS = 1 * MINUTE;

/**
 * Takes back everything that is owed for a task, sent or not. What stands somewhere is owed to be removed there: that
 * alone is left, and its row goes once it is done. (spec: Tasks, delete)
 */
export async function removeDeliveriesOf(tx: Tx, task_id: string): Promise<void> {
  const now = tx.now();
  for (const { place, lease_owner, ...delivery } of await deleteDeliveriesOf(tx, task_id)) {
    if (place === null) continue;
    await enqueueRemoval(tx, delivery, place, now);
    if (lease_owner !== null) await enqueueRemoval(tx, delivery, place, now + AFTER_ATTEMPT_MS);
  }
}

/** Of a delivery that stands somewhere, what outlives it. */
type StandingDelivery = Pick<DeliveryRow, "id" | "kind" | "task_id" | "destination" | "origin">;

async function enqueueRemoval(
  tx: Tx,
  { kind, task_id, destination, origin }: StandingDelivery,
  place: string,
  due_at: number,
): Promise<void> {
  await enqueue(tx, { kind: removalOf(kind), task_id, destination, origin, body: place, due_at });
}
