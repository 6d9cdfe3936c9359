/**
 * Kills service processes with SIGKILL under load, again and again, and judges what they left by what they had said.
 *
 * This shows that nothing acknowledged depends on the memory of a process. It does not show durability when the power
 * fails: what a killed process had handed to the operating system survives it, synced to the disk or not.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { postgres } from "../../test/support/postgres.ts";
import { startProcess } from "../../test/support/processes.ts";
import { openDatabaseProxy } from "../../test/support/tcp-proxy.ts";
import type { Suite } from "../suite.ts";
import { proveCrashes, type World } from "./crashes.ts";

const PROMISE =
  "whatever kill -9 hits, an acknowledged write stays, a task has one end, a key one id, and what is owed is delivered in time";

export const crashSqlite: Suite = {
  name: "crash-sqlite",
  promise: `on the embedded database, ${PROMISE}`,
  counts: { short: 25, long: 1000, unit: "kill cycles" },
  run: async (run) =>
    proveCrashes(run, { open: openSqliteWorld, passing: [], mayWriteAfterDeath: false, neglectMs: 30_000 }),
};

export const crashPostgres: Suite = {
  name: "crash-postgres",
  promise: `with two processes on one PostgreSQL, ${PROMISE}`,
  counts: { short: 12, long: 300, unit: "kill cycles" },
  run: async (run) =>
    proveCrashes(run, {
      open: openPostgresWorld,
      // One of the processes loses its connections to the database now and then.
      passing: ["DATABASE_UNAVAILABLE", "COMMIT_UNKNOWN"],
      mayWriteAfterDeath: true,
      // An attempt of a lost process is found when its lease of 30 s has lapsed, and may be lost again.
      neglectMs: 120_000,
    }),
};

async function openSqliteWorld(): Promise<World> {
  const dataDir = mkdtempSync(join(tmpdir(), "service-crash-"));
  return {
    names: ["process "],
    start: async () => startProcess({ SERVICE_DATA_DIR: dataDir }),
    keep: async () => dataDir,
    close: async () => rmSync(dataDir, { recursive: true, force: true }),
  };
}

/** The first process reaches the database through a proxy that can cut its connections, also in the middle of a commit. */
async function openPostgresWorld(): Promise<World> {
  const { url, drop } = await (await postgres()).createDatabase();
  const proxy = await openDatabaseProxy(url);
  return {
    names: ["a", "b"],
    start: async (name) => startProcess({ SERVICE_DATABASE_URL: name === "a" ? proxy.url : url }),
    disturb: proxy.cut,
    keep: async () => {
      const folder = mkdtempSync(join(tmpdir(), "service-crash-"));
      await saveTables(url, folder);
      return folder;
    },
    close: async () => {
      await proxy.close();
      await drop();
    },
  };
}

/** The server goes with this process; what was in the tables stays as one file each, a row of JSON a line. */
async function saveTables(url: string, folder: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'public'",
  );
  for (const { name } of rows) {
    const table = await client.query<{ row: string }>(`select row_to_json(t)::text as row from ${name} t`);
    writeFileSync(join(folder, `${name}.jsonl`), table.rows.map(({ row }) => `${row}\n`).join(""));
  }
  await client.end();
}
