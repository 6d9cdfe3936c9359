import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import type { SqliteDatabase, SqliteStatement } from "kysely";

/** Prepared statements kept by a connection. */
const STATEMENTS_KEPT = 300;

export interface Connection extends SqliteDatabase {
  readonly database: DatabaseSync;
  all(sql: string, parameters: readonly unknown[]): unknown[];
  /** Returns how many characters were passed to statements that returned no rows. It measures how much was written. */
  written(): number;
}

/** Opens `node:sqlite` in the form that Kysely's dialect expects. It keeps prepared statements. */
export function connect(path: string, options: { readOnly?: boolean } = {}): Connection {
  const database = new DatabaseSync(path, { readOnly: options.readOnly ?? false, timeout: 5000 });
  // What is deleted is overwritten, so that payloads of deleted tasks are not in the file.
  database.exec("pragma secure_delete = on");
  database.exec("pragma foreign_keys = on; pragma temp_store = memory; pragma cache_size = -65536");
  let written = 0;
  const kept = new Map<string, StatementSync & { isReader?: boolean }>();
  const statement = (sql: string) => {
    let found = kept.get(sql);
    if (!found) {
      found = database.prepare(sql);
      found.isReader = found.columns().length > 0;
      if (kept.size >= STATEMENTS_KEPT) kept.delete(kept.keys().next().value!);
      kept.set(sql, found);
    }
    return found;
  };
  return {
    database,
    prepare: (sql): SqliteStatement => {
      const prepared = statement(sql);
      return {
        reader: prepared.isReader === true,
        all: (parameters) => prepared.all(...values(parameters)),
        run: (parameters) => prepared.run(...values(parameters)),
        iterate: (parameters) => prepared.iterate(...values(parameters)) as IterableIterator<unknown>,
      };
    },
    all: (sql, parameters) => {
      const prepared = statement(sql);
      if (prepared.isReader) return prepared.all(...values(parameters));
      prepared.run(...values(parameters));
      for (const value of parameters) if (typeof value === "string") written += value.length;
      return [];
    },
    written: () => written,
    close: () => {
      kept.clear();
      database.close();
    },
  };
}

/**
 * Returns the parameters after a check. An object as the first value would be read as named parameters, and NULL would
 * be bound silently.
 */
function values(parameters: readonly unknown[]): SQLInputValue[] {
  for (const value of parameters) {
    if (typeof value === "object" && value !== null && !ArrayBuffer.isView(value))
      throw new TypeError("a parameter is an object");
  }
  return parameters as SQLInputValue[];
}
