import { sql, type Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import { originOf } from "../../outbound/outbound-url.ts";
import type { Dialect } from "../database.ts";

const BATCH = 500;

/** Leases of deliveries, their attempts, and indexes of due deliveries. schema.ts describes the columns. */
export function deliveries(dialect: Dialect): Migration {
  const int = dialect === "postgres" ? "bigint" : "integer";
  const inKeyOrder = dialect === "sqlite" ? sql`without rowid` : sql``;

  return {
    up: async (db: Kysely<unknown>) => {
      const alter = () => db.schema.alterTable("deliveries");
      await alter()
        .addColumn("origin", "text", (c) => c.notNull().defaultTo(""))
        .execute();
      await alter()
        .addColumn("cycle", int, (c) => c.notNull().defaultTo(1))
        .execute();
      await alter().addColumn("lease_owner", "text").execute();
      await alter()
        .addColumn("lease_epoch", int, (c) => c.notNull().defaultTo(0))
        .execute();
      await alter().addColumn("lease_until", int).execute();
      await alter()
        .addColumn("losses", int, (c) => c.notNull().defaultTo(0))
        .execute();
      await nameOrigins(db);

      // The index is as small as the number of pending deliveries: rows that are settled or leased are not in it.
      await sql`create index deliveries_ready_by_time on deliveries (next_attempt_at)
        where lease_owner is null and next_attempt_at is not null`.execute(db);
      await sql`create index deliveries_ready_by_origin on deliveries (origin, next_attempt_at)
        where lease_owner is null and next_attempt_at is not null`.execute(db);
      await sql`create index deliveries_leased on deliveries (lease_until) where lease_owner is not null`.execute(db);
      await db.schema.createIndex("deliveries_by_status").on("deliveries").columns(["status", "id"]).execute();
      await db.schema.createIndex("deliveries_by_origin").on("deliveries").columns(["origin", "id"]).execute();

      await db.schema
        .createTable("delivery_attempts")
        .addColumn("delivery_id", "text", (c) => c.notNull())
        .addColumn("cycle", int, (c) => c.notNull())
        .addColumn("attempt", int, (c) => c.notNull())
        .addColumn("started_at", int, (c) => c.notNull())
        .addColumn("duration_ms", int, (c) => c.notNull())
        .addColumn("outcome", "text", (c) => c.notNull())
        .addColumn("status_code", int)
        .addColumn("error", "text")
        .addColumn("response_excerpt", "text")
        .addPrimaryKeyConstraint("delivery_attempts_pkey", ["delivery_id", "cycle", "attempt"])
        .modifyEnd(inKeyOrder)
        .execute();
    },
  };
}

type OriginTables = {
  deliveries: { id: string; destination: string; origin: string };
};

/** Fills in the origin of rows that are older than this column. */
async function nameOrigins(untyped: Kysely<unknown>): Promise<void> {
  const db = untyped.withTables<OriginTables>();
  for (;;) {
    const rows = await db
      .selectFrom("deliveries")
      .select(["id", "destination"])
      .where("origin", "=", "")
      .limit(BATCH)
      .execute();
    for (const { id, destination } of rows)
      await db
        .updateTable("deliveries")
        .set({ origin: originOf(destination) })
        .where("id", "=", id)
        .execute();
    if (rows.length < BATCH) return;
  }
}
