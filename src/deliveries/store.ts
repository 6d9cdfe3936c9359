import { type RawBuilder, sql } from "kysely";
import type { Tx } from "../db/database.ts";
import { homeOf } from "../db/home.ts";
import { definitions, insertRow, names } from "../db/rows.ts";
import type { DeliveryRow } from "../db/schema.ts";
import { newId } from "../lib/ids.ts";
import { HOLD_MS, pendingResponse } from "./after-response.ts";

/** FAILED: it will be tried again. ABANDONED: the last attempt failed. (spec: Other records, Webhook delivery row) */
export const DELIVERY_STATUSES = ["PENDING", "SUCCEEDED", "FAILED", "ABANDONED"] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** The hint that wakes the engines of all processes. */
export const DELIVERIES_HINT = "deliveries";

/** Values of `is_live`: the changes of its task that make a delivery due again (live-messages.ts). */
export const LIVE = { never: 0, every_change: 1, at_end: 2 } as const;

export interface DeliveryFields {
  /** A kind that the engine knows (kinds.ts). */
  kind: string;
  /** The delivery shows its task, and is made again whenever the task changes (live-messages.ts). */
  is_live?: boolean;
  task_id: string;
  destination: string;
  /** Isolation key: deliveries with the same origin slow down together. */
  origin: string;
  /** Every attempt sends these bytes. */
  body: string;
  /** When the first attempt is due, in epoch milliseconds. */
  due_at: number;
  /** The first attempt waits for this long, so that what follows can be sent with it. */
  wait_ms?: number;
}

/** The row of a new delivery, and its body. */
export interface NewDeliveryRow {
  id: string;
  home: number;
  kind: string;
  is_live: number;
  task_id: string;
  destination: string;
  origin: string;
  body: string;
  next_attempt_at: number;
  created_at: number;
}

/** The columns in which new deliveries differ, and the values of the others. */
const OWN = [
  "id",
  "home",
  "kind",
  "is_live",
  "task_id",
  "destination",
  "origin",
  "next_attempt_at",
  "created_at",
] as const;
const BEGINNING = { status: "PENDING", cycle: 1, attempt_count: 0, lease_epoch: 0, losses: 0 };

const insertDeliveryRow = insertRow("deliveries", [...OWN, "updated_at"], { constants: BEGINNING });
const insertBody = insertRow("delivery_bodies");

/** Nothing is to be sent before the task is closed, so the row counts as done until then. */
const insertWaitingRow = insertRow("deliveries", [...OWN, "updated_at"], {
  constants: { ...BEGINNING, status: "SUCCEEDED" },
});

/** Returns the column definitions with which PostgreSQL reads `NewDeliveryRow`s from JSON. */
export const newDeliveryColumns = () =>
  sql`${definitions("deliveries", OWN)}, ${definitions("delivery_bodies", ["body"])}`;

/**
 * Returns both insertions as common table expressions (PostgreSQL).
 * @param outgoing - a relation with the columns of `NewDeliveryRow`
 */
export const enqueueCte = (outgoing: RawBuilder<unknown>) => sql`
  new_deliveries as (
    insert into deliveries (${names(OWN)}, updated_at, ${names(Object.keys(BEGINNING))})
    select ${names(OWN)}, created_at, ${sql.join(Object.values(BEGINNING).map((value) => sql.lit(value)))} from ${outgoing} outgoing
  ), new_bodies as (
    insert into delivery_bodies (delivery_id, home, body) select id, home, body from ${outgoing} outgoing
  )`;

/**
 * A delivery that is not stored yet. It is written in the transaction of the change that caused it, and starts after the
 * commit and after the response to the request. (spec: Events, Delivery)
 */
export interface NewDelivery {
  row: NewDeliveryRow;
  /** To be called after the commit: starts the delivery once the response was sent. null: no request; DELIVERIES_HINT starts it. */
  startAfterResponse: (() => void) | null;
}

/** Returns a new delivery to be written. Reads which request runs this, to start after its response. */
export function newDelivery({
  kind,
  is_live = false,
  task_id,
  destination,
  origin,
  body,
  due_at,
  wait_ms = 0,
}: DeliveryFields): NewDelivery {
  const home = homeOf(task_id);
  const id = newId("dlv", due_at, home);
  const response = wait_ms > 0 ? null : pendingResponse();
  const next_attempt_at = due_at + (response ? HOLD_MS : wait_ms);
  return {
    row: {
      id,
      home,
      kind,
      is_live: is_live ? LIVE.every_change : LIVE.never,
      task_id,
      destination,
      origin,
      body,
      next_attempt_at,
      created_at: due_at,
    },
    startAfterResponse: response && (() => response.hold({ id, home, origin })),
  };
}

/** Inserts a delivery with its body. The caller sees to its start. */
export async function insertDelivery(tx: Tx, { row }: NewDelivery): Promise<void> {
  await tx.run(insertDeliveryRow, { ...row, updated_at: row.created_at });
  await tx.run(insertBody, { delivery_id: row.id, home: row.home, body: row.body });
}

/** Writes a delivery in the transaction of what caused it; it begins once that has committed and its request is answered. */
export async function enqueue(tx: Tx, delivery: DeliveryFields): Promise<void> {
  await enqueueNew(tx, newDelivery(delivery));
}

/** The same with a delivery that is made already. */
export async function enqueueNew(tx: Tx, outgoing: NewDelivery): Promise<void> {
  await insertDelivery(tx, outgoing);
  if (outgoing.startAfterResponse) tx.afterCommit(outgoing.startAfterResponse);
  else tx.hint(DELIVERIES_HINT);
}

/** Writes a delivery that becomes due when its task is closed, or now if it is. The caller holds the lock of the task. */
export async function enqueueAtEnd(
  tx: Tx,
  { kind, task_id, destination, origin, body }: Omit<DeliveryFields, "due_at" | "is_live">,
  isClosed: boolean,
): Promise<void> {
  const now = tx.now();
  const home = homeOf(task_id);
  const id = newId("dlv", now, home);
  await tx.run(insertWaitingRow, {
    id,
    home,
    kind,
    is_live: LIVE.at_end,
    task_id,
    destination,
    origin,
    next_attempt_at: isClosed ? now : null,
    created_at: now,
    updated_at: now,
  });
  await tx.run(insertBody, { delivery_id: id, home, body });
  if (isClosed) tx.hint(DELIVERIES_HINT);
}

/** Identifies a delivery. Its rows have the home of its task. */
export type OfDelivery = Pick<DeliveryRow, "id" | "task_id">;

/** A delivery that was deleted, and where its message was posted, if it was. (live-messages.ts) */
export type DeletedDelivery = Pick<
  DeliveryRow,
  "id" | "kind" | "task_id" | "destination" | "origin" | "lease_owner"
> & {
  place: string | null;
};

/** Deletes all deliveries of a task, sent or not. */
export async function deleteDeliveriesOf(tx: Tx, taskId: string): Promise<DeletedDelivery[]> {
  const home = homeOf(taskId);
  // The rows first: an outcome or a place is written under the lock of its row, and not once the row is gone.
  const deleted = await tx.query
    .deleteFrom("deliveries")
    .where("task_id", "=", taskId)
    .where("home", "=", home)
    .returning(["id", "kind", "task_id", "destination", "origin", "lease_owner"])
    .execute();
  if (deleted.length === 0) return [];
  const ids = deleted.map(({ id }) => id);
  const places = await tx.query
    .selectFrom("delivery_places")
    .selectAll()
    .where("delivery_id", "in", ids)
    .where("home", "=", home)
    .execute();
  await deleteAllOf(tx, ids, home);
  const placeOf = new Map(places.map(({ delivery_id, place }) => [delivery_id, place]));
  return deleted.map((row) => ({ ...row, place: placeOf.get(row.id) ?? null }));
}

/** Deletes a delivery whose work was done another way. */
export async function deleteDelivery(tx: Tx, { id, task_id }: OfDelivery): Promise<void> {
  const home = homeOf(task_id);
  await tx.query.deleteFrom("deliveries").where("id", "=", id).where("home", "=", home).execute();
  await deleteAllOf(tx, [id], home);
}

/** @param home - that of their task */
async function deleteAllOf(tx: Tx, ids: readonly string[], home: number): Promise<void> {
  for (const table of ["delivery_bodies", "delivery_attempts", "delivery_places"] as const)
    await tx.query.deleteFrom(table).where("delivery_id", "in", ids).where("home", "=", home).execute();
}
