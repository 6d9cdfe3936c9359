import { type RawBuilder, sql } from "kysely";
import type { Tx } from "../db/database.ts";
import { definitions, insertRow, names } from "../db/rows.ts";
import type { DeliveryRow } from "../db/schema.ts";
import { newId } from "../lib/ids.ts";
import { HOLD_MS, pendingAnswer } from "./response-hold.ts";

/** FAILED: it is tried again. ABANDONED: the last attempt failed. (spec: Other records, Webhook delivery row) */
export const DELIVERY_STATUSES = ["PENDING", "SUCCEEDED", "FAILED", "ABANDONED"] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** What wakes the engines of all processes. */
export const DELIVERIES_HINT = "deliveries";

export interface OwedDelivery {
  /** A kind that the engine knows (kinds.ts). */
  kind: string;
  /** The delivery shows its task, and is made again whenever the task changes (places.ts). */
  is_live?: boolean;
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
  is_live: number;
  task_id: string;
  destination: string;
  origin: string;
  body: string;
  next_attempt_at: number;
  created_at: number;
}

/** Columns of a new delivery that are its own, and what the others begin with. */
const OWN = ["id", "kind", "is_live", "task_id", "destination", "origin", "next_attempt_at", "created_at"] as const;
const BEGINNING = { status: "PENDING", cycle: 1, attempt_count: 0, lease_epoch: 0, losses: 0 };

const insertDelivery = insertRow("deliveries", [...OWN, "updated_at"], { constants: BEGINNING });
const insertBody = insertRow("delivery_bodies");

/** A relation of PostgreSQL's made of JSON of `OwedRow`s. */
export const owedColumns = () => sql`${definitions("deliveries", OWN)}, ${definitions("delivery_bodies", ["body"])}`;

/** Both insertions as parts of a larger statement of PostgreSQL's. @param owed - a relation with the columns of `OwedRow` */
export const insertOwed = (owed: RawBuilder<unknown>) => sql`
  owed_deliveries as (
    insert into deliveries (${names(OWN)}, updated_at, ${names(Object.keys(BEGINNING))})
    select ${names(OWN)}, created_at, ${sql.join(Object.values(BEGINNING).map((value) => sql.lit(value)))} from ${owed} owed
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

export function owe({ kind, is_live = false, task_id, destination, origin, body, due_at }: OwedDelivery): Owed {
  const id = newId("dlv", due_at);
  const answer = pendingAnswer();
  const next_attempt_at = answer ? due_at + HOLD_MS : due_at;
  return {
    row: {
      id,
      kind,
      is_live: is_live ? 1 : 0,
      task_id,
      destination,
      origin,
      body,
      next_attempt_at,
      created_at: due_at,
    },
    hold: answer && (() => answer.hold({ id, origin })),
  };
}

/** Writes down what is owed, statement by statement. */
export async function addOwed(tx: Tx, { row }: Owed): Promise<void> {
  await tx.run(insertDelivery, { ...row, updated_at: row.created_at });
  await tx.run(insertBody, { delivery_id: row.id, body: row.body });
}

/** Writes a delivery in the transaction of what caused it; it begins once that has committed and its request is answered. */
export async function enqueue(tx: Tx, delivery: OwedDelivery): Promise<void> {
  const owed = owe(delivery);
  await addOwed(tx, owed);
  if (owed.hold) tx.afterCommit(owed.hold);
  else tx.hint(DELIVERIES_HINT);
}

/** A delivery that was deleted, and where it stands if it stands somewhere. (places.ts) */
export type DeletedDelivery = Pick<
  DeliveryRow,
  "id" | "kind" | "task_id" | "destination" | "origin" | "lease_owner"
> & {
  place: string | null;
};

/** Deletes everything that is owed for a task, sent or not. */
export async function deleteDeliveriesOf(tx: Tx, taskId: string): Promise<DeletedDelivery[]> {
  // The rows first: whoever writes an outcome or a place holds its row, and adds nothing to one that is gone.
  const deleted = await tx.query
    .deleteFrom("deliveries")
    .where("task_id", "=", taskId)
    .returning(["id", "kind", "task_id", "destination", "origin", "lease_owner"])
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
