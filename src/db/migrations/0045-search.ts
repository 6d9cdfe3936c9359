import { sql, type Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import type { Dialect } from "../database.ts";
import { TRIGRAMS } from "../texts.ts";
import { homeInSqlite } from "./0021-homes.ts";
import { spreadAsTasks } from "./0024-approvals.ts";

/**
 * Adds the index of the words of tasks. It is empty: src/tasks/search-index.ts fills it while the service runs. schema.ts describes
 * the columns.
 */
export function search(dialect: Dialect): Migration {
  return {
    up: async (db: Kysely<unknown>) => {
      await db.schema
        .createTable("search_position")
        .addColumn("id", dialect === "postgres" ? "bigint" : "integer", (c) => c.primaryKey())
        .addColumn("entry_id", "text", (c) => c.notNull())
        .execute();
      await sql`insert into search_position (id, entry_id) values (1, '')`.execute(db);
      if (dialect === "sqlite") await inSqlite(db);
      else await inPostgres(db);
    },
  };
}

async function inSqlite(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("task_texts")
    // Named, because unnamed numbers of rows may change when a database is compacted.
    .addColumn("number", "integer", (c) => c.primaryKey())
    .addColumn("task_id", "text", (c) => c.notNull().unique())
    .addColumn("text", "text", (c) => c.notNull())
    .addColumn("home", "integer", (c) => c.generatedAlwaysAs(homeInSqlite("task_id")))
    .execute();
  // The index has no text of its own, and says of three letters only in which rows they are. Of a deleted row, it keeps these until
  // that part is merged: `secure-delete` would read every row with the same letters.
  for (const statement of [
    `create virtual table task_words using fts5 (text, content = 'task_texts', content_rowid = 'number',
      tokenize = 'trigram', detail = column, columnsize = 0)`,
    // src/tasks/search-index.ts merges its parts, a little at a time.
    "insert into task_words (task_words, rank) values ('automerge', 0)",
    "insert into task_words (task_words, rank) values ('crisismerge', 64)",
    `create trigger task_texts_added after insert on task_texts begin
      insert into task_words (rowid, text) values (new.number, new.text);
    end`,
    `create trigger task_texts_deleted after delete on task_texts begin
      insert into task_words (task_words, rowid, text) values ('delete', old.number, old.text);
    end`,
    `create trigger task_texts_changed after update on task_texts begin
      insert into task_words (task_words, rowid, text) values ('delete', old.number, old.text);
      insert into task_words (rowid, text) values (new.number, new.text);
    end`,
  ])
    await sql.raw(statement).execute(db);
}

async function inPostgres(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("task_texts")
    .addColumn("number", "bigint")
    .addColumn("task_id", "text", (c) => c.notNull())
    .addColumn("text", "text", (c) => c.notNull())
    .addColumn("home", "integer", (c) => c.notNull())
    .addPrimaryKeyConstraint("task_texts_pkey", ["task_id", "home"])
    .execute();
  // Databases differ in whether a user may add the extension. Without it, searches read every task, as on spread tables.
  await sql
    .raw(
      `do $$ begin
        if to_regclass('pg_dist_partition') is null then
          create extension if not exists pg_trgm;
          create index ${TRIGRAMS} on task_texts using gin (text gin_trgm_ops) with (fastupdate = off);
        end if;
      exception when others then raise notice 'no index of words: %', sqlerrm;
      end $$`,
    )
    .execute(db);
  await spreadAsTasks(db, "task_texts");
}
