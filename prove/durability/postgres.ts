import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { startProcess } from "../../test/support/processes.ts";
import { createCluster } from "../../test/support/postgres.ts";
import { newTaskBody } from "../../test/support/service.ts";
import type { Run } from "../suite.ts";

/** Sequential creations cannot share a sync, so a fifth of the count is enough. */
const PART = 5;
const WEAK = ["fsync", "synchronous_commit"];

/**
 * Creates tasks one after another on a PostgreSQL that syncs. Each acknowledgement must have cost its session one sync
 * of the write-ahead log.
 */
export async function countSyncsOfPostgres({ count, say }: Run): Promise<string[]> {
  const wanted = Math.ceil(count / PART);
  const violations: string[] = [];
  const cluster = createCluster({});
  const url = cluster.address("postgres");
  await cluster.start();
  const admin = new Client({ connectionString: url });
  await admin.connect();
  try {
    // A separate start creates the tables.
    await (await startProcess({ SERVICE_DATABASE_URL: url })).stop();
    const before = await syncsOfSessions(admin);
    const service = await startProcess({ SERVICE_DATABASE_URL: url });
    for (let i = 0; i < wanted; i++) {
      const { status } = await service.call("POST", "/api/tasks", newTaskBody({ idempotency_key: `one-by-one-${i}` }));
      if (status !== 201) throw new Error(`a creation gave ${status}`);
    }
    await service.stop();
    const syncs = (await syncsOfSessions(admin)) - before;
    say(`PostgreSQL: ${wanted} sequential acknowledgements, ${syncs} syncs of the log by the service's sessions`);
    if (syncs < wanted)
      violations.push(`PostgreSQL synced its log ${syncs} times for ${wanted} sequential acknowledgements.`);
    violations.push(...(await silentlyWeak(admin, url)));
  } finally {
    await admin.end();
    await cluster.remove();
  }
  return violations;
}

/** Returns the syncs of all sessions. A session may add its count only when it ends, so no other may be connected. */
async function syncsOfSessions(admin: Client): Promise<number> {
  for (let open = 1; open > 0; await sleep(10)) {
    const { rows } = await admin.query<{ open: number }>(
      "select count(*)::int as open from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()",
    );
    ({ open } = rows[0]!);
  }
  const { rows } = await admin.query<{ syncs: number }>(
    "select sum(fsyncs)::int as syncs from pg_stat_io where object = 'wal' and backend_type = 'client backend'",
  );
  return rows[0]!.syncs;
}

/** Checks that the service warns at startup about settings that let PostgreSQL acknowledge before the data is on disk. */
async function silentlyWeak(admin: Client, url: string): Promise<string[]> {
  const violations: string[] = [];
  for (const name of WEAK) {
    await admin.query(`alter system set ${name} = off`);
    await admin.query("select pg_reload_conf()");
    const service = await startProcess({ SERVICE_DATABASE_URL: url });
    await service.stop();
    await admin.query(`alter system reset ${name}`);
    await admin.query("select pg_reload_conf()");
    if (!service.log.some((line) => line.includes(name)))
      violations.push(`The service does not warn about a PostgreSQL with ${name} = off.`);
  }
  return violations;
}
