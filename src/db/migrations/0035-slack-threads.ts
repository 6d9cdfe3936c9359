import { sql, type Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import type { Dialect } from "../database.ts";

/** Adds an index by which the task of a thread in Slack is found. The place of a message is JSON, and `ts` is its id in Slack. */
export function slackThreads(dialect: Dialect): Migration {
  return {
    up: async (db: Kysely<unknown>) => {
      const ts = sql.raw(dialect === "postgres" ? "((place::json) ->> 'ts')" : `json_extract(place, '$."ts"')`);
      await sql`create index delivery_places_by_ts on delivery_places (${ts})`.execute(db);
    },
  };
}
