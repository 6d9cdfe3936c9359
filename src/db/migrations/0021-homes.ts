import { sql, type Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import type { Dialect } from "../database.ts";

/** The tables with the id of a task in each row, in this column, and the other columns of their keys. */
const OF_TASKS = {
  tasks: { task: "id", key: ["id"] },
  task_documents: { task: "task_id", key: ["task_id"] },
  task_responses: { task: "task_id", key: ["task_id"] },
  audit_entries: { task: "task_id", key: ["task_id", "seq"] },
  verification_attempts: { task: "task_id", key: ["task_id", "attempt"] },
  task_candidates: { task: "task_id", key: ["person", "is_open", "task_id"] },
  deliveries: { task: "task_id", key: ["id"] },
} as const;

/** The tables whose rows have only the id of their delivery. */
const OF_DELIVERIES = {
  delivery_bodies: ["delivery_id"],
  delivery_attempts: ["delivery_id", "cycle", "attempt"],
  delivery_places: ["delivery_id"],
} as const;

/** Keys before this migration, which a test restores. */
export const KEYS: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(Object.entries(OF_TASKS).map(([table, { key }]) => [table, key])),
  ...OF_DELIVERIES,
};

/**
 * Adds the home of its task to every row of a task and of its deliveries: the last two characters of the id of the task. On
 * PostgreSQL it becomes part of the keys. SQLite computes it where the row has the id, so that nothing is rewritten there.
 * schema.ts describes the column.
 */
export function homes(dialect: Dialect): Migration {
  return { up: dialect === "postgres" ? upPostgres : upSqlite };
}

async function upPostgres(db: Kysely<unknown>): Promise<void> {
  // All locks first, so that no other transaction ends this one after minutes.
  const tables = Object.keys(KEYS).map((table) => sql.table(table));
  await sql`lock table ${sql.join(tables)} in access exclusive mode`.execute(db);
  for (const [table, { task, key }] of Object.entries(OF_TASKS)) {
    // Computed in the same pass that rewrites the table.
    await sql`alter table ${sql.table(table)}
      add column home integer generated always as (${homeInPostgres(task)}) stored,
      drop constraint ${sql.ref(`${table}_pkey`)},
      add constraint ${sql.ref(`${table}_pkey`)} primary key (${columns([...key, "home"])})`.execute(db);
    // Services write it from now on.
    await sql`alter table ${sql.table(table)} alter column home drop expression`.execute(db);
  }
  for (const [table, key] of Object.entries(OF_DELIVERIES)) {
    // Without the key, the update has no index to change.
    await sql`alter table ${sql.table(table)} drop constraint ${sql.ref(`${table}_pkey`)}, add column home integer`.execute(
      db,
    );
    await sql`update ${sql.table(table)} o set home = d.home from deliveries d where d.id = o.delivery_id`.execute(db);
    // A row without its delivery is no reason to fail.
    await sql`update ${sql.table(table)} set home = ${homeInPostgres("delivery_id")} where home is null`.execute(db);
    await sql`alter table ${sql.table(table)}
      add constraint ${sql.ref(`${table}_pkey`)} primary key (${columns([...key, "home"])})`.execute(db);
  }
}

async function upSqlite(db: Kysely<unknown>): Promise<void> {
  for (const [table, { task }] of Object.entries(OF_TASKS))
    // `not null` would read the whole table.
    await sql`alter table ${sql.table(table)}
      add column home integer generated always as (${homeInSqlite(task)}) virtual`.execute(db);
  for (const table of Object.keys(OF_DELIVERIES)) {
    await sql`alter table ${sql.table(table)} add column home integer`.execute(db);
    await sql`update ${sql.table(table)} set home = coalesce(
      (select d.home from deliveries d where d.id = delivery_id), ${homeInSqlite("delivery_id")})`.execute(db);
  }
}

const ALPHABET = sql.lit("0123456789abcdefghjkmnpqrstvwxyz");

function homeInPostgres(id: string) {
  const digit = (fromEnd: number) =>
    sql`(strpos(${ALPHABET}, left(right(${sql.ref(id)}, ${sql.lit(fromEnd)}), 1)) - 1)`;
  return sql`${digit(2)} * 32 + ${digit(1)}`;
}

export function homeInSqlite(id: string) {
  const digit = (fromEnd: number) => sql`(instr(${ALPHABET}, substr(${sql.ref(id)}, -${sql.lit(fromEnd)}, 1)) - 1)`;
  return sql`${digit(2)} * 32 + ${digit(1)}`;
}

function columns(names: readonly string[]) {
  return sql.join(names.map((name) => sql.ref(name)));
}
