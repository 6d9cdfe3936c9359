import { sql, type SqlBool } from "kysely";
import { beyondHome } from "../db/beyond-home.ts";
import { type BulkWrite, writeBulk } from "../db/bulk.ts";
import { type Column, columnsOf } from "../db/columns.ts";
import { type Db, type Reader, readStatement, type Tx, writeStatement } from "../db/database.ts";
import type { Located } from "../db/home.ts";
import { isOneOf, isSelected, locationsFor, type Locations } from "../db/ids.ts";
import { forUpdateOfFree } from "../db/locks.ts";
import { byShard } from "../db/shards.ts";
import { assignments, definitions, insertRow, names, updateRow } from "../db/rows.ts";
import type { DeliveryAttemptRow } from "../db/schema.ts";
import type { ClaimedDelivery } from "./claim.ts";
import type { DeliveryStatus } from "./store.ts";

/** The attempt that an outcome belongs to. The outcome counts only while the row has the same lease. */
export interface Attempt extends Pick<ClaimedDelivery, "id" | "home" | "cycle" | "attempt_count" | "lease_epoch"> {
  lease_owner: string;
}

/** An attempt that has ended, and the state of its delivery after it. */
export interface EndedAttempt {
  status: DeliveryStatus;
  next_attempt_at: number | null;
  started_at: number;
  duration_ms: number;
  ended_at: number;
  status_code: number | null;
  error: string | null;
  response_excerpt: string | null;
  meaning: string | null;
}

/** The columns of a delivery that an outcome changes. */
const CHANGED = [
  "status",
  "attempt_count",
  "next_attempt_at",
  "last_attempt_at",
  "last_status_code",
  "last_error",
  "meaning",
  "updated_at",
] as const satisfies Column<"deliveries">[];

/** A row without a lease. */
const RELEASED = { lease_owner: null, lease_until: null, losses: 0 };

const updateOutcome = updateRow("deliveries", {
  set: CHANGED,
  constants: RELEASED,
  where: { id: "id", home: "home", lease_owner: "lease_owner", lease_epoch: "lease_epoch" },
  returning: ["id"],
});

/** The columns of an outcome: the delivery, its lease, and what changes. */
const OUTCOME = ["id", "home", "lease_owner", "lease_epoch", ...CHANGED] as const;
const ATTEMPT = columnsOf("delivery_attempts");
/** Those that the delivery does not have. */
const OF_ATTEMPT = ATTEMPT.filter((name) => name !== "home" && name !== "meaning");

const insertAttempt = insertRow("delivery_attempts", ATTEMPT, { ignoreConflict: [] });

/** Writes an outcome. @returns false when the row has another lease by now: then nothing was written */
export async function recordOutcome(tx: Tx, attempt: Attempt, ended: EndedAttempt): Promise<boolean> {
  const written = await tx.run(updateOutcome, toOutcomeValues({ attempt, ended }));
  if (written.length === 0) return false;
  await tx.run(insertAttempt, toAttemptRow({ attempt, ended }));
  return true;
}

/** An attempt and its end. */
export interface Ended {
  attempt: Attempt;
  ended: EndedAttempt;
}

function toOutcomeValues({ attempt: { id, home, attempt_count, lease_owner, lease_epoch }, ended }: Ended) {
  const { status, next_attempt_at, ended_at, status_code, error, meaning } = ended;
  return {
    id,
    home,
    lease_owner,
    lease_epoch,
    status,
    attempt_count: attempt_count + 1,
    next_attempt_at,
    last_attempt_at: ended_at,
    last_status_code: status_code,
    last_error: error,
    meaning,
    updated_at: ended_at,
  };
}

function toAttemptRow({ attempt: { id, home, cycle, attempt_count }, ended }: Ended): DeliveryAttemptRow {
  return {
    delivery_id: id,
    home,
    cycle,
    attempt: attempt_count + 1,
    started_at: ended.started_at,
    duration_ms: ended.duration_ms,
    outcome: ended.status === "SUCCEEDED" ? "succeeded" : "failed",
    status_code: ended.status_code,
    error: ended.error,
    response_excerpt: ended.response_excerpt,
    meaning: ended.meaning,
  };
}

/** Rows are locked in the order of their ids. */
const recordMany: BulkWrite<readonly Ended[], { id: string }> = {
  atOnce: writeStatement<{ all: string }, { id: string }>((query, param) => ({
    compile: () =>
      sql<{ id: string }>`
        with ended as (
          select * from json_to_recordset(${param("all")}::json) as ended (${definitions("deliveries", OUTCOME)},
            ${definitions("delivery_attempts", OF_ATTEMPT)})
        ), locked as (
          select d.id from deliveries d join ended on d.id = ended.id and d.home = ended.home
            and d.lease_owner = ended.lease_owner and d.lease_epoch = ended.lease_epoch
          order by d.id for update of d
        ), written as (
          update deliveries d set ${assignments(CHANGED, "ended")}, lease_owner = null, lease_until = null, losses = 0
          from ended join locked on locked.id = ended.id
          where d.id = ended.id and d.home = ended.home
            and d.lease_owner = ended.lease_owner and d.lease_epoch = ended.lease_epoch
          returning d.id
        ), kept as (
          insert into delivery_attempts (${names(ATTEMPT)})
          select ${names(ATTEMPT)} from ended join written on written.id = ended.id
          on conflict do nothing
        )
        select id from written ${beyondHome("outcomes in one statement")}`.compile(query),
  })),
  toParams: (all) => ({
    all: JSON.stringify(all.map((one) => ({ ...toOutcomeValues(one), ...toAttemptRow(one) }))),
  }),
  inSteps: async (tx, all) => {
    const written: { id: string }[] = [];
    for (const { attempt, ended } of all) if (await recordOutcome(tx, attempt, ended)) written.push({ id: attempt.id });
    return written;
  },
};

/** Writes many outcomes. @returns for each, in their order, whether its row still had the lease */
export async function recordOutcomes(db: Db, all: readonly Ended[]): Promise<boolean[]> {
  const written = new Set((await writeBulk(db, recordMany, all)).map(({ id }) => id));
  return all.map(({ attempt }) => written.has(attempt.id));
}

const clearLease = writeStatement<Located & { owner: string; epoch: number; due_at: number | null }>((query, param) =>
  query
    .updateTable("deliveries")
    .set({
      lease_owner: null,
      lease_until: null,
      next_attempt_at: sql<number | null>`coalesce(cast(${param("due_at")} as bigint), next_attempt_at)`,
    })
    .where("id", "=", param("id"))
    .where("home", "=", param("home"))
    .where("lease_owner", "=", param("owner"))
    .where("lease_epoch", "=", param("epoch")),
);

/**
 * Ends the lease of an attempt that was not finished: an engine makes the same attempt again.
 * @param due_at - when, in epoch milliseconds; null: at once
 */
export async function releaseLease(
  db: Db,
  { id, home, lease_owner, lease_epoch }: Attempt,
  due_at: number | null,
): Promise<void> {
  await db.writeOne(clearLease, { id, home, owner: lease_owner, epoch: lease_epoch, due_at });
}

interface Lapsed {
  lapsed_by: number;
  losses: number;
}

const KEY = ["id", "home"] as const;

const repeatLapsed = writeStatement<Lapsed & { limit: number }, { id: string }>((query, param, dialect) => {
  const lapsed = query.selectFrom("deliveries").where(hasLapsed(param)).orderBy("lease_until").limit(param("limit"));
  return setRepeated(query)
    .where(
      isSelected(dialect, KEY, (withHome) =>
        forUpdateOfFree(dialect, lapsed.select(withHome ? KEY : (["id"] as const))),
      ),
    )
    .modifyEnd(beyondHome("lapsed leases"));
});

/** On Citus in two steps, because it locks no rows in a subquery. */
const selectLapsed = readStatement<Lapsed & { limit: number }, Located>((query, param) =>
  query
    .selectFrom("deliveries")
    .select(KEY)
    .where(hasLapsed(param))
    .orderBy("lease_until")
    .limit(param("limit"))
    .modifyEnd(beyondHome("lapsed leases")),
);
const repeatLapsedOf = writeStatement<Lapsed & Locations, { id: string }>((query, param, dialect) =>
  setRepeated(query)
    .where(isOneOf(dialect, KEY, { ids: param("ids"), homes: param("homes") }))
    .where(hasLapsed(param)),
);

function hasLapsed(param: <K extends keyof Lapsed>(name: K) => Lapsed[K]) {
  return sql<SqlBool>`lease_owner is not null and lease_until <= ${param("lapsed_by")} and losses < ${param("losses")}`;
}

function setRepeated(query: Pick<Tx["query"], "updateTable">) {
  return query
    .updateTable("deliveries")
    .set({ lease_owner: null, lease_until: null, losses: sql<number>`losses + 1` })
    .returning("id");
}

/** Ends leases that lapsed, so that the same attempts are made again. @returns how many */
export async function freeLapsed(db: Db, lapsedBy: number, losses: number, limit: number): Promise<number> {
  const lapsed = { lapsed_by: lapsedBy, losses };
  if (db.dialect !== "citus") return (await db.writeOne(repeatLapsed, { ...lapsed, limit })).length;
  let count = 0;
  for (const some of byShard(db, await db.run(selectLapsed, { ...lapsed, limit }), ({ home }) => home))
    count += (await db.writeOne(repeatLapsedOf, { ...lapsed, ...locationsFor(db, some) })).length;
  return count;
}

const selectLost = readStatement<
  { lapsed_by: number; losses: number; limit: number },
  ClaimedDelivery & { lease_owner: string; lease_until: number }
>((query, param) =>
  query
    .selectFrom("deliveries")
    .select([
      "id",
      "home",
      "kind",
      "task_id",
      "destination",
      "origin",
      "cycle",
      "attempt_count",
      "lease_epoch",
      "losses",
    ])
    .select([sql<string>`lease_owner`.as("lease_owner"), sql<number>`lease_until`.as("lease_until")])
    .where("lease_owner", "is not", null)
    .where("lease_until", "<=", param("lapsed_by"))
    .where("losses", ">=", param("losses"))
    .orderBy("lease_until")
    .limit(param("limit"))
    .modifyEnd(beyondHome("lost attempts")),
);

/** Lists deliveries whose attempt was lost `losses` times before, and is lost again. */
export async function listLost(reader: Reader, lapsedBy: number, losses: number, limit: number) {
  return reader.run(selectLost, { lapsed_by: lapsedBy, losses, limit });
}
