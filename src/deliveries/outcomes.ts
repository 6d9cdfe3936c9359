import { sql } from "kysely";
import { type Db, type Reader, readStatement, type Tx, writeStatement } from "../db/database.ts";
import type { DeliveryAttemptRow } from "../db/schema.ts";
import type { ClaimedDelivery } from "./claim.ts";
import type { DeliveryStatus } from "./store.ts";

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
