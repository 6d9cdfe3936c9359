import { sql } from "kysely";
import { writeStatement, type Tx } from "../db/database.ts";
import { ofTask, type OfTask } from "../db/home.ts";
import { forUpdate } from "../db/locks.ts";
import type { DeliveryRow } from "../db/schema.ts";
import { DELIVERIES_HINT } from "../deliveries/store.ts";
import { DELIVERY_KIND, groupIn, type ResumeBody } from "./entries.ts";
import { freeGroup, tasksOfGroup, WITH_GROUP } from "./groups.ts";
import { isLast } from "./kind.ts";
import { resumeKind } from "./registered.ts";

interface Looking extends OfTask {
  kind: string;
  now: number;
}

/** An attempt that is under way may have read that the task is open. It is made again, as one whose process was lost. */
const lookAgain = writeStatement<Looking, { id: string }>((query, param) =>
  query
    .updateTable("deliveries")
    .set({
      status: "PENDING",
      cycle: sql<number>`cycle + 1`,
      attempt_count: 0,
      next_attempt_at: param("now"),
      losses: sql<number>`case when lease_owner is null then 0 else 1 end`,
      lease_owner: null,
      lease_until: null,
      lease_epoch: sql<number>`lease_epoch + 1`,
      updated_at: param("now"),
    })
    .where("task_id", "=", param("task_id"))
    .where("home", "=", param("home"))
    .where("kind", "=", param("kind"))
    .where((where) => where.or([where("meaning", "=", WITH_GROUP), where("lease_owner", "is not", null)]))
    .returning("id"),
);

/**
 * Lets the groups of a task go on without it, before its deliveries are deleted: it may have been the one that the others
 * waited for. The deliveries of those that have ended look at their group again.
 */
export async function leaveGroups(tx: Tx, task_id: string): Promise<void> {
  const now = tx.now();
  let isDue = false;
  for (const { id, kind, meaning, body } of await listResuming(tx, task_id)) {
    if (isLast(meaning)) continue;
    const { connection, address } = JSON.parse(body) as ResumeBody;
    const group = groupIn(resumeKind(kind.slice(DELIVERY_KIND.length)), connection, address);
    if (group === null || !(await freeGroup(tx, group.key, id))) continue;
    const others = (await tasksOfGroup(tx, group.key)).filter((other) => other.task_id !== task_id);
    // A task that ends now waits here, so that its delivery finds this one deleted.
    for (const other of others) await lockDeliveries(tx, other.task_id, kind);
    for (const other of others)
      if ((await tx.run(lookAgain, { ...ofTask(other.task_id), kind, now })).length > 0) isDue = true;
  }
  if (isDue) tx.hint(DELIVERIES_HINT);
}

async function listResuming(
  tx: Tx,
  task_id: string,
): Promise<(Pick<DeliveryRow, "id" | "kind" | "meaning"> & { body: string })[]> {
  const { home } = ofTask(task_id);
  return tx.query
    .selectFrom("deliveries")
    .innerJoin("delivery_bodies", (join) =>
      join
        .onRef("delivery_bodies.delivery_id", "=", "deliveries.id")
        .onRef("delivery_bodies.home", "=", "deliveries.home"),
    )
    .select(["deliveries.id", "deliveries.kind", "deliveries.meaning", "delivery_bodies.body"])
    .where("deliveries.task_id", "=", task_id)
    .where("deliveries.home", "=", home)
    .where("deliveries.kind", "like", `${DELIVERY_KIND}%`)
    .orderBy("deliveries.id")
    .execute();
}

async function lockDeliveries(tx: Tx, task_id: string, kind: string): Promise<void> {
  const { home } = ofTask(task_id);
  const select = tx.query.selectFrom("deliveries").select("id").where("task_id", "=", task_id).where("home", "=", home);
  await forUpdate(tx.dialect, select.where("kind", "=", kind)).execute();
}
