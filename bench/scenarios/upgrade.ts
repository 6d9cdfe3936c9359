import { setTimeout as delay } from "node:timers/promises";
import { Kysely, PostgresDialect } from "kysely";
import { Client, Pool } from "pg";
import type { Schema } from "../../src/db/schema.ts";
import { undoFrom } from "../../test/support/older-release.ts";
import { DATABASES, type Bench } from "../support/bench.ts";
import { tasksOfAYear, writeTasks } from "../support/seed.ts";
import { makeHome, openDb, type Home } from "../support/target.ts";

const COUNTS = [100_000, 1_000_000];
/** The first migration that the release of many installations does not have. */
const FIRST_NEW = "0013";

/**
 * Measures how long a database of an earlier release, with many tasks, takes to come up, and on PostgreSQL how long another
 * connection waits meanwhile.
 */
export async function upgrade(bench: Bench): Promise<void> {
  for (const dialect of bench.dialects)
    for (const count of COUNTS) {
      const home = await makeHome(dialect);
      await writeTasks(home, tasksOfAYear(count, Date.now()));
      await undo(home);

      const others = home.databaseUrl === null ? [] : [await watch(home, READ), await watch(home, WRITE)];
      const began = performance.now();
      const db = await openDb(home);
      const took = performance.now() - began;
      const waits = await Promise.all(others.map((stop) => stop()));
      await db.close();
      await home.remove();

      const name = `${DATABASES[dialect]}, ${count} tasks: migrations since ${FIRST_NEW}`;
      bench.figure({ name, value: took / 1000, unit: "s" });
      if (waits.length > 0)
        bench.figure({ name: `${name}, longest wait of another connection`, value: Math.max(...waits), unit: "ms" });
    }
}

/** Takes the migrations back. On PostgreSQL without the time limit of a service, within which no large table gets its key back. */
async function undo(home: Home): Promise<void> {
  if (home.databaseUrl === null) {
    const db = await openDb(home);
    await db.write((tx) => undoFrom(tx, FIRST_NEW));
    return db.close();
  }
  const pool = new Pool({ connectionString: home.databaseUrl });
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  await db.transaction().execute((query) => undoFrom({ dialect: "postgres", query }, FIRST_NEW));
  await db.destroy();
}

const READ = "select id from tasks order by id limit 1";
const WRITE = "update tasks set updated_at = updated_at where id = (select id from tasks order by id limit 1)";
const BETWEEN_MS = 2;

/**
 * Repeats a statement on a connection of its own.
 * @returns a function that ends it, and resolves with the longest time that the statement took, in milliseconds
 */
async function watch({ databaseUrl }: Home, statement: string): Promise<() => Promise<number>> {
  const client = new Client({ connectionString: databaseUrl! });
  await client.connect();
  let isStopped = false;
  const repeat = async (): Promise<number> => {
    let longest = 0;
    while (!isStopped) {
      const began = performance.now();
      await client.query(statement);
      longest = Math.max(longest, performance.now() - began);
      await delay(BETWEEN_MS);
    }
    await client.end();
    return longest;
  };
  const running = repeat();
  return () => {
    isStopped = true;
    return running;
  };
}
