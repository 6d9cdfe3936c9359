/**
 * Kills service processes with SIGKILL under load, again and again, and checks the data against earlier answers.
 *
 * This shows that no acknowledged write depends on the memory of a process. It does not show durability at a power
 * failure: data that a killed process passed to the operating system survives, synced or not.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { postgres } from "../../test/support/postgres.ts";
import { startProcess } from "../../test/support/processes.ts";
import { openDatabaseProxy } from "../../test/support/tcp-proxy.ts";
import type { Suite } from "../suite.ts";
import { proveCrashes, type World } from "./crashes.ts";
import { saveTables } from "./save-tables.ts";

const PROMISE =
  "when kill -9 hits any process, acknowledged writes stay, a task ends once, a key has one id, and callbacks arrive in time";

export const crashSqlite: Suite = {
  name: "crash-sqlite",
  promise: `on the embedded database, ${PROMISE}`,
  counts: { short: 25, long: 1000, unit: "kill cycles" },
  run: async (run) =>
    proveCrashes(run, {
      open: openSqliteWorld,
      passing: [],
      mayWriteAfterDeath: false,
      neglectMs: 30_000,
      sweptMs: 20_000,
    }),
};

export const crashPostgres: Suite = {
  name: "crash-postgres",
  promise: `with two processes on one PostgreSQL, ${PROMISE}`,
  counts: { short: 12, long: 300, unit: "kill cycles" },
  run: async (run) =>
    proveCrashes(run, {
      open: openPostgresWorld,
      // One process loses its database connections now and then.
      passing: ["DATABASE_UNAVAILABLE", "COMMIT_UNKNOWN"],
      mayWriteAfterDeath: true,
      // A lost attempt is found when its lease of 30 s expires, and may be lost again.
      neglectMs: 120_000,
      sweptMs: 20_000,
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

/** The first process reaches the database through a proxy that can cut connections, even in the middle of a commit. */
async function openPostgresWorld(): Promise<World> {
  const { url, drop } = await (await postgres()).createDatabase();
  const proxy = await openDatabaseProxy(url);
  return {
    names: ["a", "b"],
    start: async (name) => startProcess({ SERVICE_DATABASE_URL: name === "a" ? proxy.url : url }),
    disturb: proxy.cut,
    keep: async () => saveTables(url),
    close: async () => {
      await proxy.close();
      await drop();
    },
  };
}
