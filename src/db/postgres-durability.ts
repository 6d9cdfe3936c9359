import { sql } from "kysely";
import type { Reader } from "./database.ts";

/** What an operator must know of a PostgreSQL that acknowledges commits which are not on disk yet, in sentences. */
export async function durabilityWarnings({ query }: Pick<Reader, "query">): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from (values ('fsync'), ('synchronous_commit')) as wanted (name)
    where current_setting(name) = 'off'`.execute(query);
  return rows.map(
    ({ name }) =>
      `PostgreSQL acknowledges commits before they are on disk (${name} is off): a crash of its machine can lose what this service has acknowledged.`,
  );
}
