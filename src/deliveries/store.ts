import { sql, type Expression, type RawBuilder, type SqlBool } from "kysely";
import { readStatement, writeStatement, type Db, type Dialect, type Reader, type Tx } from "../db/database.ts";
import type { DeliveryAttemptRow, DeliveryRow } from "../db/schema.ts";
import { newId } from "../lib/ids.ts";
import { HOLD_MS, heldUntil, pendingAnswer } from "./response-hold.ts";

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

/** Ids as one parameter, so that a statement is the same for any number of them. */
type Ids = unknown;

function idsFor(dialect: Dialect, ids: readonly string[]): Ids {
  return dialect === "postgres" ? ids : JSON.stringify(ids);
}

function isAmong(dialect: Dialect, column: string, ids: Ids): Expression<SqlBool> {
  return dialect === "postgres"
    ? sql<SqlBool>`${sql.ref(column)} = any(${ids})`
    : sql<SqlBool>`${sql.ref(column)} in (select value from json_each(${ids}))`;
}

/** Owed, and nobody is at it. Spelled like the indexes that hold exactly these rows. */
const isReady = sql<SqlBool>`lease_owner is null and next_attempt_at is not null`;

/** Who makes an attempt, and until when nobody else does. */
export interface Lease {
  owner: string;
  /** Epoch milliseconds. */
  until: number;
}

export interface ClaimedDelivery {
  id: string;
  kind: string;
  task_id: string;
  destination: string;
  origin: string;
  cycle: number;
  attempt_count: number;
  lease_epoch: number;
}

interface ClaimParams {
  ids: Ids;
  held: Ids;
  now: number;
  held_until: number;
  owner: string;
  until: number;
}

const CLAIMED = ["id", "kind", "task_id", "destination", "origin", "cycle", "attempt_count", "lease_epoch"] as const;

const claim = writeStatement<ClaimParams, ClaimedDelivery>((query, param, dialect) =>
  claimUpdate(query, param, dialect),
);

/** With the bodies, in one; only PostgreSQL takes it. */
const claimWithBodies = writeStatement<ClaimParams, ClaimedDelivery & { body: string | null }>(
  (query, param, dialect) =>
    query
      .with("claimed", (cte) => claimUpdate(cte, param, dialect))
      .selectFrom("claimed")
      .leftJoin("delivery_bodies", "delivery_bodies.delivery_id", "claimed.id")
      .selectAll("claimed")
      .select("delivery_bodies.body"),
);

function claimUpdate(
  query: Pick<Tx["query"], "updateTable" | "selectFrom">,
  param: <K extends keyof ClaimParams>(name: K) => ClaimParams[K],
  dialect: Dialect,
) {
  const free = query
    .selectFrom("deliveries")
    .select("id")
    .where(isAmong(dialect, "id", param("ids")))
    .where(isReady)
    .where(
      // Meanwhile it may have fallen due, been tried by another process and failed: the next attempt has its own time.
      sql<SqlBool>`next_attempt_at <= case when status = 'PENDING' and ${isAmong(dialect, "id", param("held"))}
        then cast(${param("held_until")} as bigint) else cast(${param("now")} as bigint) end`,
    );
  return query
    .updateTable("deliveries")
    .set({ lease_owner: param("owner"), lease_until: param("until"), lease_epoch: sql<number>`lease_epoch + 1` })
    .where("id", "in", dialect === "postgres" ? free.forUpdate().skipLocked() : free)
    .returning(CLAIMED);
}

/**
 * Takes those of `due` that are due, and those of `held` whose answer is out, unless somebody else has them; each then
 * belongs to the lease alone.
 */
export async function claimDeliveries(
  db: Db,
  { due, held }: { due: readonly string[]; held: readonly string[] },
  { owner, until }: Lease,
): Promise<(ClaimedDelivery & { body: string | null })[]> {
  const now = db.now();
  const params = {
    ids: idsFor(db.dialect, [...held, ...due]),
    held: idsFor(db.dialect, held),
    now,
    held_until: heldUntil(now),
    owner,
    until,
  };
  if (db.dialect === "postgres") return db.writeOne(claimWithBodies, params);
  const claimed = await db.writeOne(claim, params);
  const bodies = await findBodies(
    db,
    claimed.map(({ id }) => id),
  );
  return claimed.map((row) => ({ ...row, body: bodies.get(row.id) ?? null }));
}

const makeDueNow = writeStatement<{ ids: Ids; now: number; held_until: number }>((query, param, dialect) =>
  query
    .updateTable("deliveries")
    .set({ next_attempt_at: param("now") })
    .where(isAmong(dialect, "id", param("ids")))
    .where(isReady)
    .where("status", "=", "PENDING")
    .where("next_attempt_at", ">", param("now"))
    .where("next_attempt_at", "<=", param("held_until")),
);

/** Lets held rows fall due now, for whoever has a slot for them first. */
export async function letFallDue(db: Db, ids: readonly string[]): Promise<void> {
  const now = db.now();
  await db.writeOne(makeDueNow, { ids: idsFor(db.dialect, ids), now, held_until: heldUntil(now) });
  db.hints.publish([DELIVERIES_HINT]);
}

const selectBodies = readStatement<{ ids: Ids }, { delivery_id: string; body: string }>((query, param, dialect) =>
  query
    .selectFrom("delivery_bodies")
    .select(["delivery_id", "body"])
    .where(isAmong(dialect, "delivery_id", param("ids"))),
);

export async function findBodies(reader: Reader, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await reader.run(selectBodies, { ids: idsFor(reader.dialect, ids) });
  return new Map(rows.map(({ delivery_id, body }) => [delivery_id, body]));
}

const selectDueOrigins = readStatement<{ now: number; limit: number }, { origin: string }>((query, param) =>
  query
    .selectFrom("deliveries")
    .select("origin")
    .where(isReady)
    .where("next_attempt_at", "<=", param("now"))
    .orderBy("next_attempt_at")
    .limit(param("limit")),
);

/** The origins of the deliveries that have been due the longest, one for each delivery. */
export async function listDueOrigins(reader: Reader, now: number, limit: number): Promise<string[]> {
  return (await reader.run(selectDueOrigins, { now, limit })).map(({ origin }) => origin);
}

const walkOrigins = readStatement<{ after: string; now: number; limit: number }, { origin: string; is_due: number }>(
  (query, param) =>
    query
      .withRecursive("heads(origin, n)", (heads) =>
        heads.selectNoFrom([nextOrigin(sql`${param("after")}`).as("origin"), sql<number>`1`.as("n")]).unionAll(
          heads
            .selectFrom("heads")
            .select([nextOrigin(sql`heads.origin`).as("origin"), sql<number>`heads.n + 1`.as("n")])
            .where("heads.origin", "is not", null)
            .where("heads.n", "<", param("limit")),
        ),
      )
      .selectFrom("heads")
      .select([
        sql<string>`heads.origin`.as("origin"),
        sql<number>`case when exists (select 1 from deliveries where ${isReady} and origin = heads.origin
          and next_attempt_at <= ${param("now")}) then 1 else 0 end`.as("is_due"),
      ])
      .where("heads.origin", "is not", null)
      .orderBy("heads.n"),
);

function nextOrigin(after: Expression<unknown>) {
  return sql<string | null>`(select origin from deliveries where ${isReady} and origin > ${after}
    order by origin, next_attempt_at limit 1)`;
}

/**
 * A stretch of the origins that are owed something, in their order, with those that have something due. Goes from one to
 * the next along the index without reading the deliveries between: the cost is that of the origins.
 *
 * @returns `last`: where to go on; null when the end was reached
 */
export async function walkDueOrigins(
  reader: Reader,
  after: string,
  now: number,
  limit: number,
): Promise<{ due: string[]; last: string | null }> {
  const rows = await reader.run(walkOrigins, { after, now, limit });
  return {
    due: rows.filter(({ is_due }) => is_due === 1).map(({ origin }) => origin),
    last: rows.length < limit ? null : rows.at(-1)!.origin,
  };
}

/** So many deliveries of an origin are wanted. */
export interface Wanted {
  origin: string;
  count: number;
}

const selectDueOfOrigin = readStatement<{ origin: string; now: number; count: number }, { id: string }>(
  (query, param) =>
    query
      .selectFrom("deliveries")
      .select("id")
      .where(isReady)
      .where("origin", "=", param("origin"))
      .where("next_attempt_at", "<=", param("now"))
      .orderBy("next_attempt_at")
      .limit(param("count")),
);

const selectDueOfOrigins = readStatement<
  { origins: unknown; counts: unknown; now: number },
  { id: string; origin: string }
>((query, param) =>
  query
    .selectFrom(
      sql<{
        origin: string;
        count: number;
      }>`unnest(${param("origins")}::text[], ${param("counts")}::int[])`.as<"wanted">(sql`wanted(origin, count)`),
    )
    .innerJoinLateral(
      (d) =>
        d
          .selectFrom("deliveries")
          .select("id")
          .where(isReady)
          .where(sql<SqlBool>`deliveries.origin = wanted.origin`)
          .where("next_attempt_at", "<=", param("now"))
          .orderBy("next_attempt_at")
          .limit(sql<number>`wanted.count`)
          .as("due"),
      (join) => join.onTrue(),
    )
    .select(["due.id", "wanted.origin"]),
);

/** The deliveries of these origins that have been due the longest; nobody is held to them yet. */
export async function listDueOf(
  reader: Reader,
  wanted: readonly Wanted[],
  now: number,
): Promise<{ id: string; origin: string }[]> {
  if (wanted.length === 0) return [];
  if (reader.dialect === "postgres") {
    const origins = wanted.map(({ origin }) => origin);
    return reader.run(selectDueOfOrigins, { origins, counts: wanted.map(({ count }) => count), now });
  }
  const found: { id: string; origin: string }[] = [];
  for (const { origin, count } of wanted)
    for (const { id } of await reader.run(selectDueOfOrigin, { origin, now, count })) found.push({ id, origin });
  return found;
}

const selectNextDue = readStatement<object, { next_attempt_at: number }>((query) =>
  query
    .selectFrom("deliveries")
    .select(sql<number>`next_attempt_at`.as("next_attempt_at"))
    .where(isReady)
    .orderBy("next_attempt_at")
    .limit(1),
);

/** When the first of the deliveries that nobody is at falls or fell due, epoch milliseconds. */
export async function findNextDue(reader: Reader): Promise<number | null> {
  const [row] = await reader.run(selectNextDue, {});
  return row?.next_attempt_at ?? null;
}

/** How late the delivery is that has been due the longest and that nobody is at. */
export async function overdueSeconds(reader: Reader & { now(): number }): Promise<number> {
  const due = await findNextDue(reader);
  return due === null ? 0 : Math.max(0, reader.now() - due) / 1000;
}

/** Which attempt an outcome belongs to; it counts only while its lease does. */
export interface Attempt extends Pick<ClaimedDelivery, "id" | "cycle" | "attempt_count" | "lease_epoch"> {
  lease_owner: string;
}

/** What is known of an attempt that has ended, and of its delivery after it. */
export interface EndedAttempt {
  status: DeliveryStatus;
  next_attempt_at: number | null;
  started_at: number;
  duration_ms: number;
  ended_at: number;
  status_code: number | null;
  error: string | null;
  response_excerpt: string | null;
}

interface OutcomeValues extends Omit<EndedAttempt, "started_at" | "duration_ms" | "response_excerpt"> {
  id: string;
  attempt: number;
  owner: string;
  epoch: number;
}

const updateOutcome = writeStatement<OutcomeValues, { id: string }>((query, param) =>
  query
    .updateTable("deliveries")
    .set({
      status: param("status"),
      attempt_count: param("attempt"),
      next_attempt_at: param("next_attempt_at"),
      last_attempt_at: param("ended_at"),
      last_status_code: param("status_code"),
      last_error: param("error"),
      lease_owner: null,
      lease_until: null,
      losses: 0,
      updated_at: param("ended_at"),
    })
    .where("id", "=", param("id"))
    .where("lease_owner", "=", param("owner"))
    .where("lease_epoch", "=", param("epoch"))
    .returning("id"),
);

const insertAttempt = writeStatement<DeliveryAttemptRow>((query, param) =>
  query
    .insertInto("delivery_attempts")
    .values({
      delivery_id: param("delivery_id"),
      cycle: param("cycle"),
      attempt: param("attempt"),
      started_at: param("started_at"),
      duration_ms: param("duration_ms"),
      outcome: param("outcome"),
      status_code: param("status_code"),
      error: param("error"),
      response_excerpt: param("response_excerpt"),
    })
    .onConflict((conflict) => conflict.doNothing()),
);

/** @returns false when the attempt's lease is no longer the row's: then nothing was written */
export async function recordOutcome(tx: Tx, attempt: Attempt, ended: EndedAttempt): Promise<boolean> {
  const written = await tx.run(updateOutcome, toOutcomeValues({ attempt, ended }));
  if (written.length === 0) return false;
  await tx.run(insertAttempt, toAttemptRow({ attempt, ended }));
  return true;
}

/** An attempt with what came of it. */
export interface Ended {
  attempt: Attempt;
  ended: EndedAttempt;
}

function toOutcomeValues({ attempt: { id, attempt_count, lease_owner, lease_epoch }, ended }: Ended): OutcomeValues {
  return { ...ended, id, attempt: attempt_count + 1, owner: lease_owner, epoch: lease_epoch };
}

function toAttemptRow({ attempt: { id, cycle, attempt_count }, ended }: Ended): DeliveryAttemptRow {
  return {
    delivery_id: id,
    cycle,
    attempt: attempt_count + 1,
    started_at: ended.started_at,
    duration_ms: ended.duration_ms,
    outcome: ended.status === "SUCCEEDED" ? "succeeded" : "failed",
    status_code: ended.status_code,
    error: ended.error,
    response_excerpt: ended.response_excerpt,
  };
}

/** The same for many in one statement; rows are locked in the order of their ids. */
const recordMany = writeStatement<{ rows: string }, { id: string }>((query, param) => ({
  compile: () =>
    sql<{ id: string }>`
      with ended as (
        select * from json_to_recordset(${param("rows")}::json) as ended (id text, owner text, epoch bigint,
          status text, attempt bigint, next_attempt_at bigint, ended_at bigint, status_code bigint, error text,
          cycle bigint, started_at bigint, duration_ms bigint, outcome text, response_excerpt text)
      ), locked as (
        select d.id from deliveries d join ended on d.id = ended.id and d.lease_owner = ended.owner
          and d.lease_epoch = ended.epoch
        order by d.id for update of d
      ), written as (
        update deliveries d set status = ended.status, attempt_count = ended.attempt,
          next_attempt_at = ended.next_attempt_at, last_attempt_at = ended.ended_at,
          last_status_code = ended.status_code, last_error = ended.error, lease_owner = null, lease_until = null,
          losses = 0, updated_at = ended.ended_at
        from ended join locked on locked.id = ended.id
        where d.id = ended.id and d.lease_owner = ended.owner and d.lease_epoch = ended.epoch
        returning d.id
      ), kept as (
        insert into delivery_attempts (delivery_id, cycle, attempt, started_at, duration_ms, outcome, status_code, error,
          response_excerpt)
        select ended.id, cycle, attempt, started_at, duration_ms, outcome, status_code, error, response_excerpt
        from ended join written on written.id = ended.id
        on conflict do nothing
      )
      select id from written`.compile(query),
}));

/** Writes what came of many attempts. @returns for each, in their order, whether its lease was still the row's */
export async function recordOutcomes(db: Db, all: readonly Ended[]): Promise<boolean[]> {
  if (db.dialect === "sqlite")
    return db.write(async (tx) => {
      const written: boolean[] = [];
      for (const { attempt, ended } of all) written.push(await recordOutcome(tx, attempt, ended));
      return written;
    });
  const rows = all.map((one) => ({ ...toOutcomeValues(one), ...toAttemptRow(one) }));
  const written = new Set((await db.writeOne(recordMany, { rows: JSON.stringify(rows) })).map(({ id }) => id));
  return all.map(({ attempt }) => written.has(attempt.id));
}

const releaseLease = writeStatement<{ id: string; owner: string; epoch: number }>((query, param) =>
  query
    .updateTable("deliveries")
    .set({ lease_owner: null, lease_until: null })
    .where("id", "=", param("id"))
    .where("lease_owner", "=", param("owner"))
    .where("lease_epoch", "=", param("epoch")),
);

/** Gives back an attempt that was not finished; somebody makes the same one again, at once. */
export async function giveBack(db: Db, { id, lease_owner, lease_epoch }: Attempt): Promise<void> {
  await db.writeOne(releaseLease, { id, owner: lease_owner, epoch: lease_epoch });
}

const repeatLapsed = writeStatement<{ lapsed_by: number; losses: number; limit: number }, { id: string }>(
  (query, param, dialect) => {
    const lapsed = query
      .selectFrom("deliveries")
      .select("id")
      .where("lease_owner", "is not", null)
      .where("lease_until", "<=", param("lapsed_by"))
      .where("losses", "<", param("losses"))
      .orderBy("lease_until")
      .limit(param("limit"));
    return query
      .updateTable("deliveries")
      .set({ lease_owner: null, lease_until: null, losses: sql<number>`losses + 1` })
      .where("id", "in", dialect === "postgres" ? lapsed.forUpdate().skipLocked() : lapsed)
      .returning("id");
  },
);

/** Frees deliveries whose process was lost in the attempt, to make the same attempt again; says how many. */
export async function freeLapsed(db: Db, lapsedBy: number, losses: number, limit: number): Promise<number> {
  return (await db.writeOne(repeatLapsed, { lapsed_by: lapsedBy, losses, limit })).length;
}

const selectLost = readStatement<
  { lapsed_by: number; losses: number; limit: number },
  ClaimedDelivery & { lease_owner: string; lease_until: number }
>((query, param) =>
  query
    .selectFrom("deliveries")
    .select(["id", "kind", "task_id", "destination", "origin", "cycle", "attempt_count", "lease_epoch"])
    .select([sql<string>`lease_owner`.as("lease_owner"), sql<number>`lease_until`.as("lease_until")])
    .where("lease_owner", "is not", null)
    .where("lease_until", "<=", param("lapsed_by"))
    .where("losses", ">=", param("losses"))
    .orderBy("lease_until")
    .limit(param("limit")),
);

/** Deliveries whose attempt was lost once too often. */
export async function listLost(reader: Reader, lapsedBy: number, losses: number, limit: number) {
  return reader.run(selectLost, { lapsed_by: lapsedBy, losses, limit });
}

/** Deliveries of one kind, narrowed down. */
export interface DeliveryFilter {
  kind: string;
  status?: readonly DeliveryStatus[];
  task_id?: string;
  origin?: string;
}

/** Newest first, from after `before`. */
export async function listDeliveries(
  reader: Reader,
  { kind, status, task_id, origin }: DeliveryFilter,
  before: string | null,
  limit: number,
): Promise<DeliveryRow[]> {
  let select = reader.query.selectFrom("deliveries").selectAll().where("kind", "=", kind);
  if (status && status.length > 0) select = select.where("status", "in", status);
  if (task_id !== undefined) select = select.where("task_id", "=", task_id);
  if (origin !== undefined) select = select.where("origin", "=", origin);
  // Ids sort by time.
  if (before !== null) select = select.where("id", "<", before);
  return select.orderBy("id", "desc").limit(limit).execute();
}

export async function findDelivery(reader: Reader, kind: string, id: string): Promise<DeliveryRow | null> {
  const select = reader.query.selectFrom("deliveries").selectAll().where("id", "=", id).where("kind", "=", kind);
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
 * Begins a new cycle of attempts, due now, whatever the status and even while an attempt is under way: the outcome of that
 * one no longer counts. Rows are taken in the order of their ids.
 *
 * @param status - only those that are still in it; null: whatever theirs is
 */
export async function redeliver(
  tx: Tx,
  kind: string,
  ids: readonly string[],
  status: DeliveryStatus | null = null,
): Promise<DeliveryRow[]> {
  if (ids.length === 0) return [];
  let select = tx.query.selectFrom("deliveries").select("id").where("id", "in", ids).where("kind", "=", kind);
  if (status !== null) select = select.where("status", "=", status);
  if (tx.dialect === "postgres") select = select.forUpdate();
  const locked = await select.orderBy("id").execute();
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

/** Ids of deliveries in a status, in their order, created up to `until`. */
export async function listIdsByStatus(
  reader: Reader,
  { kind, status, origin }: { kind: string; status: DeliveryStatus; origin: string | null },
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
  return (await select.orderBy("id").limit(limit).execute()).map(({ id }) => id);
}
