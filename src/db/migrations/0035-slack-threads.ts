import { sql, type Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import type { Dialect } from "../database.ts";

/** The id in Slack of a message, in the JSON of its place; null for places of other channels, which may be any text. */
export function threadOfPlace(dialect: Dialect) {
  return dialect === "sqlite"
    ? sql<string | null>`case when json_valid(place) then json_extract(place, '$."ts"') end`
    : sql<string | null>`case when place like '{"%' then (place::json) ->> 'ts' end`;
}

/** Adds an index by which the task of a thread in Slack is found. */
export function slackThreads(dialect: Dialect): Migration {
  return {
    up: async (db: Kysely<unknown>) => {
      await sql`create index delivery_places_by_ts on delivery_places ((${threadOfPlace(dialect)}))`.execute(db);
    },
  };
}
