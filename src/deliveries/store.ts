import { type RawBuilder, sql } from "kysely";
import { type Tx, writeStatement } from "../db/database.ts";
import type { DeliveryRow } from "../db/schema.ts";
import { newId } from "../lib/ids.ts";
import { HOLD_MS, pendingAnswer } from "./response-hold.ts";

/** FAILED: it is tried again. ABANDONED: the last attempt failed. (spec: Other records, Webhook delivery row) */
export const DELIVERY_STATUSES = ["PENDING", "SUCCEEDED", "FAILED", "ABANDONED"] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** What wakes the engines of all processes. */
export const DELIVERIES_HINT = "deliveries";

export interface OwedDelivery {
  kind: "callback" | "email" | "slack" | "slack_answer" | "slack_removal";
  task_id: string;
  destination: string;
  /** What shares its fate when it is slow or down. */
  origin: string;
  /** The bytes, as text, that every attempt will send. */
  body: string;
  /** Epoch milliseconds. */
  due_at: number;
}

/** Its row, and its bytes. */
export interface OwedRow {
  id: string;
  kind: string;
  task_id: string;
  destination: string;
  origin: string;
  body: string;
  next_attempt_at: number;
  created_at: number;
}

const insertDelivery = writeStatement<OwedRow>((query, param) =>
  query.insertInto("deliveries").values({
    id: param("id"),
    kind: param("kind"),
    task_id: param("task_id"),
    destination: param("destination"),
    origin: param("origin"),
    status: "PENDING",
    cycle: 1,
    attempt_count: 0,
    next_attempt_at: param("next_attempt_at"),
    lease_epoch: 0,
    losses: 0,
    created_at: param("created_at"),
    updated_at: param("created_at"),
  }),
);

const insertBody = writeStatement<Pick<OwedRow, "id" | "body">>((query, param) =>
  query.insertInto("delivery_bodies").values({ delivery_id: param("id"), body: param("body") }),
);

/** Both as parts of a larger statement of PostgreSQL's. @param owed - a relation with the columns of `OwedRow` */
export const insertOwed = (owed: RawBuilder<unknown>) => sql`
  owed_deliveries as (
    insert into deliveries (id, kind, task_id, destination, origin, status, cycle, attempt_count, next_attempt_at,
      lease_epoch, losses, created_at, updated_at)
    select id, kind, task_id, destination, origin, 'PENDING', 1, 0, next_attempt_at, 0, 0, created_at, created_at
    from ${owed} owed
  ), owed_bodies as (
    insert into delivery_bodies (delivery_id, body) select id, body from ${owed} owed
  )`;

/**
 * Something that is owed, to be written in the transaction of what caused it. It is sent, and sent again, once that has
 * committed and the request that caused it, if one did, is answered. (spec: Events, Delivery)
 */
export interface Owed {
  row: OwedRow;
  /** To be called after the commit: begins when the answer is out. null: no answer is waited for; DELIVERIES_HINT begins it. */
  hold: (() => void) | null;
}

export function owe({ kind, task_id, destination, origin, body, due_at }: OwedDelivery): Owed {
  const id = newId("dlv", due_at);
  const answer = pendingAnswer();
  const next_attempt_at = answer ? due_at + HOLD_MS : due_at;
  return {
    row: { id, kind, task_id, destination, origin, body, next_attempt_at, created_at: due_at },
    hold: answer && (() => answer.hold({ id, origin })),
  };
}

/** Writes down what is owed, statement by statement. */
export async function addOwed(tx: Tx, { row }: Owed): Promise<void> {
  await tx.run(insertDelivery, row);
  await tx.run(insertBody, row);
}

/** A delivery that was deleted, and where it stands if it stands somewhere. (places.ts) */
export type DeletedDelivery = Pick<DeliveryRow, "id" | "task_id" | "destination" | "origin" | "lease_owner"> & {
  place: string | null;
};

/** Deletes everything that is owed for a task, sent or not. */
export async function deleteDeliveriesOf(tx: Tx, taskId: string): Promise<DeletedDelivery[]> {
  // The rows first: whoever writes an outcome or a place holds its row, and adds nothing to one that is gone.
  const deleted = await tx.query
    .deleteFrom("deliveries")
    .where("task_id", "=", taskId)
    .returning(["id", "task_id", "destination", "origin", "lease_owner"])
    .execute();
  if (deleted.length === 0) return [];
  const ids = deleted.map(({ id }) => id);
  const places = await tx.query.selectFrom("delivery_places").selectAll().where("delivery_id", "in", ids).execute();
  await deleteAllOf(tx, ids);
  const placeOf = new Map(places.map(({ delivery_id, place }) => [delivery_id, place]));
  return deleted.map((row) => ({ ...row, place: placeOf.get(row.id) ?? null }));
}

/** Takes back what was done otherwise. */
export async function deleteDelivery(tx: Tx, id: string): Promise<void> {
  await tx.query.deleteFrom("deliveries").where("id", "=", id).execute();
  await deleteAllOf(tx, [id]);
}

async function deleteAllOf(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx.query.deleteFrom("delivery_bodies").where("delivery_id", "in", ids).execute();
  await tx.query.deleteFrom("delivery_attempts").where("delivery_id", "in", ids).execute();
  await tx.query.deleteFrom("delivery_places").where("delivery_id", "in", ids).execute();
}
