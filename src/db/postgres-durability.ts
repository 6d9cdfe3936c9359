import { sql } from "kysely";
import type { Reader } from "./database.ts";

/** Returns warnings for an operator if PostgreSQL acknowledges commits before they are on disk. */
export async function durabilityWarnings({ query }: Pick<Reader, "query">): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from (values ('fsync'), ('synchronous_commit')) as wanted (name)
    where current_setting(name) = 'off'`.execute(query);
  return rows.map(
    ({ name }) =>
      `PostgreSQL acknowledges commits before they are on disk (${name} is off): a crash of its machine can lose what this service has acknowledged.`,
  );
}
