import { sql, type Kysely } from "kysely";

/**
 * Changes a table of SQLite in a way that `alter table` cannot: creates it again from its changed declaration, and copies its
 * rows. Its indexes are kept.
 *
 * @param change - returns the declaration after the change; throws if the declaration is not as expected
 */
export async function rebuildTable(
  db: Kysely<unknown>,
  table: string,
  change: (declaration: string) => string,
): Promise<void> {
  const { rows } = await sql<{ type: string; sql: string }>`
    select type, sql from sqlite_master where tbl_name = ${table} and sql is not null`.execute(db);
  const declaration = rows.find(({ type }) => type === "table")!.sql;
  const draft = `${table}_rebuilt`;
  const changed = change(declaration).replace(`"${table}"`, `"${draft}"`);
  await sql.raw(changed).execute(db);
  await sql`insert into ${sql.table(draft)} select * from ${sql.table(table)} order by rowid`.execute(db);
  await sql`drop table ${sql.table(table)}`.execute(db);
  await sql`alter table ${sql.table(draft)} rename to ${sql.table(table)}`.execute(db);
  for (const { type, sql: statement } of rows) if (type === "index") await sql.raw(statement).execute(db);
}

/** Replaces a part of a declaration. @throws Error if it is not there */
export function replacing(part: string, by: string): (declaration: string) => string {
  return (declaration) => {
    if (!declaration.includes(part)) throw new Error(`A table is not declared as expected: ${part} is missing.`);
    return declaration.replace(part, by);
  };
}
