import { writeStatement, type Tx } from "../db/database.ts";
import { newId } from "../lib/ids.ts";

export interface OwedDelivery {
  kind: "callback";
  task_id: string;
  destination: string;
  /** The bytes, as text, that every attempt will send. */
  body: string;
  /** Epoch milliseconds. */
  due_at: number;
}

interface DeliveryValues {
  id: string;
  kind: string;
  task_id: string;
  destination: string;
  due_at: number;
}

const insertDelivery = writeStatement<DeliveryValues>((query, param) =>
  query.insertInto("deliveries").values({
    id: param("id"),
    kind: param("kind"),
    task_id: param("task_id"),
    destination: param("destination"),
    status: "PENDING",
    attempt_count: 0,
    next_attempt_at: param("due_at"),
    last_attempt_at: null,
    last_status_code: null,
    last_error: null,
    created_at: param("due_at"),
    updated_at: param("due_at"),
  }),
);

const insertBody = writeStatement<{ delivery_id: string; body: string }>((query, param) =>
  query.insertInto("delivery_bodies").values({ delivery_id: param("delivery_id"), body: param("body") }),
);

/** Writes down that something is owed; it is sent, and sent again, once the transaction has committed. (spec: Events, Delivery) */
export async function enqueueDelivery(
  tx: Tx,
  { kind, task_id, destination, body, due_at }: OwedDelivery,
): Promise<void> {
  const id = newId("dlv", due_at);
  await tx.run(insertDelivery, { id, kind, task_id, destination, due_at });
  await tx.run(insertBody, { delivery_id: id, body });
  tx.hint("deliveries");
}

/** Takes back everything that is owed for a task, sent or not. */
export async function deleteDeliveriesOf(tx: Tx, taskId: string): Promise<void> {
  const ofTask = tx.query.selectFrom("deliveries").select("id").where("task_id", "=", taskId);
  await tx.query.deleteFrom("delivery_bodies").where("delivery_id", "in", ofTask).execute();
  await tx.query.deleteFrom("deliveries").where("task_id", "=", taskId).execute();
}
