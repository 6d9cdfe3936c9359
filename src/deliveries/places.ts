/**
 * Deliveries that show how a task stands, such as a message in a chat: posted once, changed whenever the task has. Their row
 * falls due again with every change, and each attempt makes what is shown what it should be.
 */
import { sql, type RawBuilder } from "kysely";
import { writeStatement, type Db, type Reader, type Tx } from "../db/database.ts";
import type { DeliveryPlaceRow } from "../db/schema.ts";
import { SECOND } from "../lib/time.ts";
import { DELIVERIES_HINT } from "./store.ts";

/** A change is shown once its request will have been answered. */
const AFTER_MS = 0.5 * SECOND;

const KIND = "slack";

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
    .where("kind", "=", KIND)
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
    from ${changed} changed where d.task_id = changed.id and d.kind = ${sql.lit(KIND)}
  )`;

export async function findPlace(reader: Reader, delivery_id: string): Promise<DeliveryPlaceRow | null> {
  const select = reader.query.selectFrom("delivery_places").selectAll().where("delivery_id", "=", delivery_id);
  return (await select.executeTakeFirst()) ?? null;
}

/** Notes what is known of where a delivery stands. */
export async function setPlace(db: Db, delivery_id: string, set: Partial<Omit<DeliveryPlaceRow, "delivery_id">>) {
  await db.write(async (tx) => {
    // A task that was deleted meanwhile leaves nothing behind, and one that is being deleted waits.
    const select = tx.query.selectFrom("deliveries").select("id").where("id", "=", delivery_id);
    const owner = await (tx.dialect === "postgres" ? select.forUpdate() : select).executeTakeFirst();
    if (owner === undefined) return;
    await tx.query
      .insertInto("delivery_places")
      .values({ delivery_id, begun_at: null, place: null, shown: null, is_noted: 0, ...set })
      .onConflict((conflict) => conflict.column("delivery_id").doUpdateSet(set))
      .execute();
  });
}
