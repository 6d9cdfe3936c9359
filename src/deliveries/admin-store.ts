import { sql, type RawBuilder, type SqlBool } from "kysely";
import type { Reader, Tx } from "../db/database.ts";
import { forUpdate } from "../db/locks.ts";
import type { DeliveryAttemptRow, DeliveryRow } from "../db/schema.ts";
import { DELIVERIES_HINT, type DeliveryStatus } from "./store.ts";

/** Selects deliveries of one kind. */
export interface DeliveryFilter {
  kind: string;
  status?: readonly DeliveryStatus[];
  task_id?: string;
  origin?: string;
  /** Of tasks of these projects; null: of all. */
  projects: readonly string[] | null;
}

/** Lists deliveries, newest first, that are older than the one with the id `before`. */
export async function listDeliveries(
  reader: Reader,
  { kind, status, task_id, origin, projects }: DeliveryFilter,
  before: string | null,
  limit: number,
): Promise<DeliveryRow[]> {
  let select = reader.query.selectFrom("deliveries").selectAll().where("kind", "=", kind);
  if (status && status.length > 0) select = select.where("status", "in", status);
  if (task_id !== undefined) select = select.where("task_id", "=", task_id);
  if (origin !== undefined) select = select.where("origin", "=", origin);
  if (projects !== null) select = select.where(isOfTaskIn(projects));
  // Ids sort by time.
  if (before !== null) select = select.where("id", "<", before);
  return select.orderBy("id", "desc").limit(limit).execute();
}

/** Whether a delivery is about a task of one of some projects. */
function isOfTaskIn(projects: readonly string[]): RawBuilder<SqlBool> {
  return sql<SqlBool>`exists (select 1 from tasks
    where tasks.id = deliveries.task_id and tasks.project in (${sql.join(projects)}))`;
}

/** @param projects - of whose tasks it may be; null: of all */
export async function findDelivery(
  reader: Reader,
  kind: string,
  id: string,
  projects: readonly string[] | null,
): Promise<DeliveryRow | null> {
  let select = reader.query.selectFrom("deliveries").selectAll().where("id", "=", id).where("kind", "=", kind);
  if (projects !== null) select = select.where(isOfTaskIn(projects));
  return (await select.executeTakeFirst()) ?? null;
}

export async function listAttempts(reader: Reader, deliveryId: string): Promise<DeliveryAttemptRow[]> {
  return reader.query
    .selectFrom("delivery_attempts")
    .selectAll()
    .where("delivery_id", "=", deliveryId)
    .orderBy("cycle")
    .orderBy("attempt")
    .execute();
}

/**
 * Starts a new cycle of attempts, due now, in any status and even while an attempt is under way: the outcome of that attempt
 * no longer counts. Rows are locked in the order of their ids.
 *
 * @param only.status - only deliveries that are still in this status; null: in any status
 * @param only.projects - only those of tasks of these projects; null: of all
 */
export async function redeliver(
  tx: Tx,
  kind: string,
  ids: readonly string[],
  { projects, status = null }: { projects: readonly string[] | null; status?: DeliveryStatus | null },
): Promise<DeliveryRow[]> {
  if (ids.length === 0) return [];
  let select = tx.query.selectFrom("deliveries").select("id").where("id", "in", ids).where("kind", "=", kind);
  if (status !== null) select = select.where("status", "=", status);
  if (projects !== null) select = select.where(isOfTaskIn(projects));
  const locked = await forUpdate(tx.dialect, select).orderBy("id").execute();
  if (locked.length === 0) return [];
  const now = tx.now();
  const rows = await tx.query
    .updateTable("deliveries")
    .set({
      status: "PENDING",
      cycle: sql<number>`cycle + 1`,
      attempt_count: 0,
      next_attempt_at: now,
      lease_owner: null,
      lease_until: null,
      lease_epoch: sql<number>`lease_epoch + 1`,
      losses: 0,
      updated_at: now,
    })
    .where(
      "id",
      "in",
      locked.map(({ id }) => id),
    )
    .returningAll()
    .execute();
  tx.hint(DELIVERIES_HINT);
  return rows;
}

/** Which deliveries an operator redelivers. */
export interface Redelivered {
  /** null: in any status. */
  status: DeliveryStatus | null;
  /** null: to any receiver. */
  origin: string | null;
  /** Of tasks of these projects; null: of all. */
  projects: readonly string[] | null;
}

/** Lists the ids of deliveries in a status that were created up to `until`, in the order of their ids. */
export async function listIdsByStatus(
  reader: Reader,
  { kind, status, origin, projects }: Redelivered & { kind: string; status: DeliveryStatus },
  { after, until, limit }: { after: string; until: number; limit: number },
): Promise<string[]> {
  let select = reader.query
    .selectFrom("deliveries")
    .select("id")
    .where("status", "=", status)
    .where("kind", "=", kind)
    .where("created_at", "<=", until)
    .where("id", ">", after);
  if (origin !== null) select = select.where("origin", "=", origin);
  if (projects !== null) select = select.where(isOfTaskIn(projects));
  return (await select.orderBy("id").limit(limit).execute()).map(({ id }) => id);
}
