import { sql, type RawBuilder, type SqlBool } from "kysely";
import { beyondHome } from "../db/beyond-home.ts";
import type { Reader, Tx } from "../db/database.ts";
import { homeOf, located, type Located } from "../db/home.ts";
import { isOneOf, locationsFor } from "../db/ids.ts";
import { forUpdate } from "../db/locks.ts";
import type { DeliveryAttemptRow, DeliveryRow } from "../db/schema.ts";
import { SHOWN_KINDS, type ShownKind } from "./kinds.ts";
import { DELIVERIES_HINT, LIVE, type DeliveryStatus, type OfDelivery } from "./store.ts";

/** Selects deliveries that operators see. */
export interface DeliveryFilter {
  /** Left out: of all kinds. */
  kind?: ShownKind | undefined;
  status?: readonly DeliveryStatus[];
  task_id?: string;
  connection?: string;
  subscription?: string;
  origin?: string;
  /** Of tasks of these projects; null: of all. */
  projects: readonly string[] | null;
}

/** Lists deliveries, newest first, that are older than the one with the id `before`. */
export async function listDeliveries(
  reader: Reader,
  { kind, status, task_id, connection, subscription, origin, projects }: DeliveryFilter,
  before: string | null,
  limit: number,
): Promise<DeliveryRow[]> {
  let select = reader.query.selectFrom("deliveries").selectAll().where(isShown(kind));
  if (status && status.length > 0) select = select.where("status", "in", status);
  if (task_id !== undefined) select = select.where("task_id", "=", task_id).where("home", "=", homeOf(task_id));
  for (const destination of [connection, subscription])
    if (destination !== undefined) select = select.where("destination", "=", destination);
  if (origin !== undefined) select = select.where("origin", "=", origin);
  if (projects !== null) select = select.where(isOfTaskIn(projects));
  // Ids sort by time.
  if (before !== null) select = select.where("id", "<", before);
  return select.orderBy("id", "desc").limit(limit).modifyEnd(beyondHome("list of deliveries")).execute();
}

/** Returns what the tasks of deliveries ask, by their ids. */
export async function readTitles(
  reader: Reader,
  rows: readonly Pick<DeliveryRow, "task_id" | "home">[],
): Promise<ReadonlyMap<string, string>> {
  if (rows.length === 0) return new Map();
  const tasks = rows.map(({ task_id: id, home }) => ({ id, home }));
  const found = await reader.query
    .selectFrom("tasks")
    .select(["id", "task"])
    .where(isOneOf(reader.dialect, ["id", "home"], locationsFor(reader, tasks)))
    .execute();
  return new Map(found.map(({ id, task }) => [id, task]));
}

/** Newest deliveries that a summary counts. */
const COUNTED_MAX = 10_000;

export interface CountedDeliveries {
  origin: string;
  status: string;
  count: number;
  /** The id of the newest of them. */
  newest: string;
}

/** Counts the newest deliveries by receiver and status. @param projects - of whose tasks they may be; null: of all */
export async function countDeliveries(
  reader: Reader,
  projects: readonly string[] | null,
): Promise<{ groups: CountedDeliveries[]; isComplete: boolean }> {
  let newest = reader.query.selectFrom("deliveries").select(["id", "origin", "status"]).where(isShown());
  if (projects !== null) newest = newest.where(isOfTaskIn(projects));
  const groups = await reader.query
    .selectFrom(newest.orderBy("id", "desc").limit(COUNTED_MAX).as("newest"))
    .select(["origin", "status", sql<number>`count(*)`.as("count"), sql<string>`max(id)`.as("newest")])
    .groupBy(["origin", "status"])
    .modifyEnd(beyondHome("list of deliveries"))
    .execute();
  return { groups, isComplete: groups.reduce((sum, { count }) => sum + count, 0) < COUNTED_MAX };
}

/** Whether operators see a delivery. One that waits for the end of its task is none yet. */
function isShown(kind?: ShownKind): RawBuilder<SqlBool> {
  const names = kind === undefined ? SHOWN_KINDS : [kind];
  const ofKind = sql.join(
    names.map((name) => (name === "resume" ? sql`kind like 'resume.%'` : sql`kind = ${sql.lit(name)}`)),
    sql` or `,
  );
  return sql<SqlBool>`(${ofKind}) and (is_live <> ${sql.lit(LIVE.at_end)} or cycle > 1)`;
}

/** Whether a delivery is about a task of one of some projects. */
function isOfTaskIn(projects: readonly string[]): RawBuilder<SqlBool> {
  return sql<SqlBool>`exists (select 1 from tasks
    where tasks.id = deliveries.task_id and tasks.home = deliveries.home and tasks.project in (${sql.join(projects)}))`;
}

/** @param projects - of whose tasks it may be; null: of all */
export async function findDelivery(
  reader: Reader,
  id: string,
  projects: readonly string[] | null,
): Promise<DeliveryRow | null> {
  const find = async (home: number) => {
    let select = reader.query.selectFrom("deliveries").selectAll().where("id", "=", id).where("home", "=", home);
    if (projects !== null) select = select.where(isOfTaskIn(projects));
    return (await select.where(isShown()).executeTakeFirst()) ?? null;
  };
  const found = await find(homeOf(id));
  if (found !== null) return found;
  const [other] = await findOtherHomes(reader, [id]);
  return other === undefined ? null : find(other.home);
}

/** Returns the deliveries whose ids do not end with their homes, because an earlier release made them. */
async function findOtherHomes(reader: Reader, ids: readonly string[]): Promise<Located[]> {
  if (ids.length === 0) return [];
  const rows = await reader.query
    .selectFrom("deliveries")
    .select(["id", "home"])
    .where("id", "in", ids)
    .modifyEnd(beyondHome("delivery of an earlier release"))
    .execute();
  return rows.filter(({ id, home }) => home !== homeOf(id));
}

export async function listAttempts(reader: Reader, { id, task_id }: OfDelivery): Promise<DeliveryAttemptRow[]> {
  return reader.query
    .selectFrom("delivery_attempts")
    .selectAll()
    .where("delivery_id", "=", id)
    .where("home", "=", homeOf(task_id))
    .orderBy("cycle")
    .orderBy("attempt")
    .execute();
}

/**
 * Starts a new cycle of attempts, due now, in any status and even while an attempt is under way: the outcome of that attempt
 * no longer counts. Rows are locked in the order of their ids.
 */
export async function redeliver(
  tx: Tx,
  deliveries: readonly Located[],
  status: DeliveryStatus | null = null,
): Promise<DeliveryRow[]> {
  if (deliveries.length === 0) return [];
  const { dialect } = tx;
  let select = tx.query
    .selectFrom("deliveries")
    .select(["id", "home"])
    .where(isOneOf(dialect, ["id", "home"], locationsFor(tx, deliveries)))
    .where(isShown());
  if (status !== null) select = select.where("status", "=", status);
  const locked = await forUpdate(dialect, select)
    .orderBy("id")
    .modifyEnd(beyondHome("redelivered deliveries"))
    .execute();
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
    .where(isOneOf(dialect, ["id", "home"], locationsFor(tx, locked)))
    .returningAll()
    .execute();
  tx.hint(DELIVERIES_HINT);
  return rows;
}

/**
 * Returns those of the deliveries that exist, with their homes.
 * @param projects - of whose tasks they may be; null: of all
 */
export async function locate(
  reader: Reader,
  ids: readonly string[],
  projects: readonly string[] | null,
): Promise<Located[]> {
  const find = async (rows: readonly Located[]) => {
    if (rows.length === 0) return [];
    let select = reader.query
      .selectFrom("deliveries")
      .select(["id", "home"])
      .where(isOneOf(reader.dialect, ["id", "home"], locationsFor(reader, rows)));
    if (projects !== null) select = select.where(isOfTaskIn(projects));
    return select.execute();
  };
  const found = await find(ids.map(located));
  if (found.length === ids.length) return found;
  const isFound = new Set(found.map(({ id }) => id));
  const others = await findOtherHomes(
    reader,
    ids.filter((id) => !isFound.has(id)),
  );
  return [...found, ...(await find(others))];
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

/** Lists deliveries in a status that were created up to `until`, in the order of their ids. */
export async function listByStatus(
  reader: Reader,
  { status, origin, projects }: Redelivered & { status: DeliveryStatus },
  { after, until, limit }: { after: string; until: number; limit: number },
): Promise<Located[]> {
  let select = reader.query
    .selectFrom("deliveries")
    .select(["id", "home"])
    .where("status", "=", status)
    .where(isShown())
    .where("created_at", "<=", until)
    .where("id", ">", after);
  if (origin !== null) select = select.where("origin", "=", origin);
  if (projects !== null) select = select.where(isOfTaskIn(projects));
  return select.orderBy("id").limit(limit).modifyEnd(beyondHome("list of deliveries")).execute();
}
