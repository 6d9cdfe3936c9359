import { readConfig } from "../config.ts";
import type { Spread } from "../db/spread.ts";
import { SERVICE_COMMAND } from "../lib/command.ts";
import { UsageError } from "./options.ts";
import type { Output } from "./clients.ts";

export interface SpreadOptions {
  shards?: string;
  run?: boolean;
}

const STEPS = `Nothing was changed. To spread the tables of tasks over the workers of Citus:
1. Back up the database.
2. Stop all processes of the service.
3. Run \`${SERVICE_COMMAND} migrate\`.
4. Run this command again with --run. It runs the SQL above.
5. Start the processes again.`;

/**
 * Spreads the tables of tasks over the workers of Citus, or prints the SQL for it.
 * @throws UsageError, Error in a sentence for the operator
 */
export async function spreadTables(
  { shards, run = false }: SpreadOptions,
  env: Readonly<Record<string, string | undefined>>,
  output: Output,
): Promise<void> {
  const { openSpreading, SHARDS, SHARDS_MAX } = await import("../db/spread.ts");
  const wanted = shards === undefined ? SHARDS : readShards(shards, SHARDS_MAX);
  // The first start creates and shows the secrets. Opening the database needs none.
  const { config } = readConfig(env, () => ({ adminToken: "", secretKey: "", payloadKey: "" }));
  if (config.database.kind === "sqlite")
    throw new Error(
      "Only tables on PostgreSQL with Citus can be spread, and SERVICE_DATABASE_URL is not set: this service uses SQLite.",
    );
  const spreading = await openSpreading(config.database.url);
  try {
    const found = await spreading.find();
    if (found !== null) {
      // The result without --run is SQL.
      output[run ? "result" : "note"](`The tables of tasks are spread already: ${sizeOf(found)}.`);
    } else if (run) {
      const made = await spreading.run(wanted);
      output.result(`The tables of tasks are spread: ${sizeOf(made)}. Start the processes of the service again.`);
    } else {
      output.result(spreading.script(wanted));
      output.note(STEPS);
      for (const obstacle of await spreading.listObstacles()) output.note(`Not ready yet: ${obstacle}`);
    }
  } finally {
    await spreading.close();
  }
}

function readShards(text: string, max: number): number {
  const shards = Number(text);
  if (!/^\d+$/.test(text) || shards < 1 || shards > max)
    throw new UsageError(`--shards takes a whole number from 1 to ${max}.`);
  return shards;
}

function sizeOf({ shards, nodes, tasks }: Spread): string {
  return `${count(shards, "shard")} on ${count(nodes, "node")}, with ${count(tasks, "task")}`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
