import { Kysely, SqliteDialect } from "kysely";
import { bind, type Reader } from "./database.ts";
import type { Schema } from "./schema.ts";
import type { Connection } from "./sqlite-connection.ts";
import { asServiceError } from "./sqlite-errors.ts";

/** Runs queries on a connection of this thread. */
export function readerOn(connection: Connection): Reader & { query: Kysely<Schema> } {
  const query = new Kysely<Schema>({ dialect: new SqliteDialect({ database: connection }) });
  return {
    dialect: "sqlite",
    query,
    run: async (statement, params) => {
      const { sql, parameters } = bind(statement, "sqlite", query, params);
      return connection.all(sql, parameters) as never;
    },
  };
}

/** Returns the same connection for reads of requests: temporary errors become ServiceErrors. */
export function forCallers(connection: Connection): Connection {
  const translated = <T>(read: () => T): T => {
    try {
      return read();
    } catch (error) {
      throw asServiceError(error);
    }
  };
  return {
    ...connection,
    prepare: (sql) => {
      const statement = translated(() => connection.prepare(sql));
      return { ...statement, all: (parameters) => translated(() => statement.all(parameters)) };
    },
    all: (sql, parameters) => translated(() => connection.all(sql, parameters)),
  };
}
