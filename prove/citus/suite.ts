/**
 * Kills the nodes of a cluster of Citus and the processes of the service under load, and checks the data against earlier
 * answers. All commits are synced, but as in the other crash suites, a power failure is not shown.
 */
import { proveCrashes, type World } from "../crash/crashes.ts";
import { saveTables } from "../crash/save-tables.ts";
import { failStatements } from "../faults/statements.ts";
import { createRandom } from "../random.ts";
import type { Run, Suite } from "../suite.ts";
import { installedCitus } from "../../test/support/citus.ts";
import { startProcess } from "../../test/support/processes.ts";
import { startCitus } from "./cluster.ts";

const LACKING =
  "It needs a PostgreSQL with Citus, which is not part of this project. Set CITUS_INSTALLED to its folder with bin/, such as /usr/lib/postgresql/15.";

export const citus: Suite = {
  name: "citus",
  promise:
    "with tables spread over the nodes of Citus, acknowledged writes stay, a task ends once, a key has one id, and callbacks arrive in time, when kill -9 hits any node or process",
  counts: { short: 4, long: 52, unit: "kill cycles" },
  lacking: () => (installedCitus() === undefined ? LACKING : null),
  run: async (run) => {
    await proveCrashes(run, {
      open: openWorld,
      // A node that is down cannot write the rows of its homes.
      passing: ["DATABASE_UNAVAILABLE", "COMMIT_UNKNOWN"],
      mayWriteAfterDeath: true,
      // A lost attempt is found when its lease of 30 s expires, and may be lost again.
      neglectMs: 120_000,
      // The tasks on a node that is down are cancelled when it is back, and nodes are killed one after another.
      sweptMs: 90_000,
    });
    await proveStatements(run);
  },
};

/** Lets every statement of every use case fail once on spread tables. */
async function proveStatements({ seed, say }: Run): Promise<void> {
  const { url, remove } = await startCitus(installedCitus()!);
  const violations = await failStatements({ random: createRandom(seed), say }, url);
  await remove();
  if (violations.length > 0) throw new Error(violations.join("\n"));
}

async function openWorld(): Promise<World> {
  const { url, nodes, startAll, settle, remove } = await startCitus(installedCitus()!);
  return {
    names: ["a", "b"],
    start: async () => startProcess({ SERVICE_DATABASE_URL: url }),
    servers: nodes,
    settle,
    keep: async () => {
      await startAll();
      return saveTables(url);
    },
    close: remove,
  };
}
