import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { createSpreadDatabase } from "../../test/support/citus.ts";
import { freePort } from "../../test/support/free-port.ts";
import { createCluster } from "../../test/support/postgres.ts";
import type { DatabaseServer } from "../crash/crashes.ts";
import { NotRun } from "../suite.ts";

const WORKERS = 2;
const SHARDS = 8;
/** Every commit is on disk before it is acknowledged, which is the default. */
const SETTINGS = {
  shared_preload_libraries: "citus",
  shared_buffers: "128MB",
  // Each connection to the coordinator may have one to each node.
  max_prepared_transactions: "400",
  // In milliseconds. A transaction whose commit was cut off is decided soon.
  "citus.recover_2pc_interval": "500",
  "citus.enable_statistics_collection": "off",
};

/** How long Citus may need to decide a transaction. */
const DECIDED_MS = 60_000;

/** A coordinator and its workers, with one database whose tables of tasks are spread. They end with this process. */
export interface CitusCluster {
  url: string;
  nodes: readonly DatabaseServer[];
  /** Starts the nodes that are down. */
  startAll(): Promise<void>;
  /** Waits until Citus has decided every transaction that was cut off. @throws Error when it does not */
  settle(): Promise<void>;
  remove(): Promise<void>;
}

/** @param installed - the folder of a PostgreSQL with Citus: that with `bin/` */
export async function startCitus(installed: string): Promise<CitusCluster> {
  if (!existsSync(join(installed, "bin/postgres"))) throw new NotRun(`There is no bin/postgres in ${installed}.`);
  const ports = await Promise.all(Array.from({ length: 1 + WORKERS }, freePort));
  const servers = ports.map((port) => createCluster(SETTINGS, { installed, port }));
  await Promise.all(servers.map(async ({ start }) => start()));
  const addresses = servers.map(({ address }) => address("postgres"));
  const [coordinator] = addresses as [string];
  // Citus asks this database of the coordinator which nodes there are.
  await Promise.all(addresses.map(async (address) => ask(address, "create extension citus")));
  await ask(coordinator, `select citus_set_coordinator_host('127.0.0.1', ${ports[0]})`);
  for (const port of ports.slice(1)) await ask(coordinator, `select citus_add_node('127.0.0.1', ${port})`);
  const url = await createSpreadDatabase(coordinator, "service", SHARDS);

  const down = new Set<DatabaseServer>();
  const nodes = servers.map((server, i): DatabaseServer => {
    const node = {
      name: i === 0 ? "the coordinator" : `worker ${i}`,
      kill: async () => {
        down.add(node);
        await server.kill();
      },
      start: async () => {
        await server.start();
        down.delete(node);
      },
    };
    return node;
  });
  return {
    url,
    nodes,
    startAll: async () => {
      for (const node of down) await node.start();
    },
    settle: async () => decideAll(url, addresses),
    remove: async () => void (await Promise.all(servers.map(async ({ remove }) => remove()))),
  };
}

async function decideAll(url: string, addresses: readonly string[]): Promise<void> {
  const until = performance.now() + DECIDED_MS;
  for (;;) {
    await ask(url, "select recover_prepared_transactions()");
    const undecided = await Promise.all(addresses.map(async (at) => ask(at, "select gid from pg_prepared_xacts")));
    if (undecided.flat().length === 0) return;
    if (performance.now() > until)
      throw new Error(`Citus left transactions undecided: ${JSON.stringify(undecided.flat())}`);
    await sleep(100);
  }
}

async function ask(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}
