/**
 * The origins that answered lately, stored so that every process knows them, also after a restart. Only a help: an origin
 * that is missing here is tried like an unknown one.
 */
import { sql, type SqlBool } from "kysely";
import { beyondHome } from "../db/beyond-home.ts";
import { type Db, type Reader, readStatement, writeStatement } from "../db/database.ts";
import { type Ids, idsFor, isAmong } from "../db/ids.ts";
import { forUpdateOfFree } from "../db/locks.ts";
import type { DeliveryOriginRow } from "../db/schema.ts";
import { isReady } from "./claim.ts";

/** The most origins stored. The one that has not answered for the longest time is deleted first. */
export const KNOWN_MAX = 10_000;

const selectKnown = readStatement<{ origins: Ids }, DeliveryOriginRow>((query, param, dialect) =>
  query
    .selectFrom("delivery_origins")
    .selectAll()
    .where(isAmong(dialect, "origin", param("origins"))),
);

/** Returns those of the origins that are stored. */
export async function listKnown(reader: Reader, origins: readonly string[]): Promise<DeliveryOriginRow[]> {
  return reader.run(selectKnown, { origins: idsFor(reader, origins) });
}

const selectKnownDue = readStatement<{ now: number; limit: number }, DeliveryOriginRow>((query, param, dialect) =>
  query
    .selectFrom("delivery_origins")
    .selectAll()
    .where(
      // Citus joins no ordinary table with a spread one, but takes the result of a query.
      dialect === "citus"
        ? sql<SqlBool>`origin in (select distinct origin from deliveries where ${isReady} and next_attempt_at <= ${param("now")})`
        : sql<SqlBool>`exists (select 1 from deliveries where ${isReady} and deliveries.origin = delivery_origins.origin
            and next_attempt_at <= ${param("now")})`,
    )
    .orderBy("answered_at", "desc")
    .limit(param("limit"))
    .modifyEnd(beyondHome("due origins")),
);

/** Returns the stored origins that have due deliveries, those that answered last first. */
export async function listKnownDue(reader: Reader, now: number, limit: number): Promise<DeliveryOriginRow[]> {
  return reader.run(selectKnownDue, { now, limit });
}

const upsertAnswered = writeStatement<{ origins: Ids; at: number }>((query, param, dialect) => ({
  // Rows are locked in the order of their origins.
  compile: () =>
    sql`insert into delivery_origins (origin, answered_at)
      select value, cast(${param("at")} as bigint)
      from ${dialect === "sqlite" ? sql`json_each(${param("origins")})` : sql`unnest(${param("origins")}::text[]) as listed(value)`}
      where true order by value
      on conflict (origin) do update set answered_at = excluded.answered_at`.compile(query),
}));

/** Stores that these origins answered. */
export async function storeAnswered(db: Db, origins: readonly string[]): Promise<void> {
  await db.writeOne(upsertAnswered, { origins: idsFor(db, origins), at: db.now() });
}

const deleteKnown = writeStatement<{ origins: Ids }>((query, param, dialect) =>
  query.deleteFrom("delivery_origins").where(
    "origin",
    "in",
    // A row that another process holds was written just now: that process knows better.
    forUpdateOfFree(
      dialect,
      query
        .selectFrom("delivery_origins")
        .select("origin")
        .where(isAmong(dialect, "origin", param("origins"))),
    ),
  ),
);

/** Deletes origins that no longer answer. */
export async function deleteKnownOf(db: Db, origins: readonly string[]): Promise<void> {
  await db.writeOne(deleteKnown, { origins: idsFor(db, origins) });
}

const deleteBeyond = writeStatement<{ kept: number }>((query, param, dialect) =>
  query.deleteFrom("delivery_origins").where(
    sql<SqlBool>`origin in (select origin from delivery_origins order by answered_at desc
        ${dialect === "sqlite" ? sql`limit -1 offset` : sql`offset`} ${param("kept")})`,
  ),
);

/** Deletes what is stored beyond `KNOWN_MAX`. */
export async function deleteOldest(db: Db, kept = KNOWN_MAX): Promise<void> {
  await db.writeOne(deleteBeyond, { kept });
}
