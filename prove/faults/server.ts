import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { createCluster, type Cluster } from "../../test/support/postgres.ts";
import { startProcess } from "../../test/support/processes.ts";
import { startReceiver } from "../../test/support/receiver.ts";
import { shuffled, type Scene, type Stage } from "./fault.ts";
import { startLoad, type Load } from "./load.ts";
import { mountSmallDisk, type SmallDisk } from "./small-disk.ts";

const DISK_MEGABYTES = 160;

interface Act extends Stage {
  cluster: Cluster;
  disk: SmallDisk | null;
  load: Load;
}

/** Faults of the PostgreSQL server itself. */
export const server: Scene = {
  name: "PostgreSQL is killed, stopped, full, read only, or ends sessions",
  play: async (stage) => {
    const disk = mountSmallDisk(DISK_MEGABYTES);
    // fsync may be off: only the process is killed, and the system keeps what it had already written.
    const cluster = createCluster({ fsync: "off", full_page_writes: "off" }, disk ? { data: disk.folder } : {});
    await cluster.start();
    const receiver = await startReceiver();
    const service = await startProcess({ SERVICE_DATABASE_URL: cluster.address("postgres") });
    const load = startLoad(service, stage.random, receiver);
    const violations: string[] = [];
    try {
      await load.progress();
      for (const strike of shuffled(stage.random, [kill, stop, endSessions, endSessions, onlyRead, fillDisk])) {
        await sleep(stage.random.between(0, 300));
        await strike({ ...stage, cluster, disk, load });
        await load.progress();
      }
    } catch (error) {
      violations.push(String(error));
    }
    violations.push(...(await load.check((sql) => ask(cluster, sql))));
    stage.say(load.summary());
    await service.kill();
    await receiver.close();
    await cluster.remove();
    disk?.remove();
    return violations;
  },
};

async function ask(cluster: Cluster, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: cluster.address("postgres") });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

async function kill({ cluster, load }: Act): Promise<void> {
  await cluster.kill();
  await load.refusal();
  await cluster.start();
}

async function stop({ cluster, load }: Act): Promise<void> {
  await cluster.stop();
  await load.refusal();
  await cluster.start();
}

/** Ends idle sessions, and sessions that wait in the middle of a statement. */
async function endSessions({ cluster, random }: Act): Promise<void> {
  const holder = new Client({ connectionString: cluster.address("postgres") });
  await holder.connect();
  for (let i = random.between(5, 15); i > 0; i--) {
    await holder.query("begin; lock table tasks in access exclusive mode");
    await sleep(random.between(5, 80));
    await holder.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'human-task-service%'",
    );
    await holder.query("rollback");
    await sleep(random.between(0, 40));
  }
  await holder.end();
}

/** Makes the server read only, as after a failover. */
async function onlyRead({ cluster, load }: Act): Promise<void> {
  for (const value of ["on", "off"]) {
    await ask(cluster, `alter system set default_transaction_read_only = ${value}`);
    await ask(cluster, "select pg_reload_conf()");
    if (value === "on") await load.refusal();
  }
}

async function fillDisk({ disk, load, say }: Act): Promise<void> {
  if (disk === null) return say("not shown here: a full disk under PostgreSQL. It needs the permission to mount one.");
  disk.fill();
  try {
    await load.refusal();
  } finally {
    disk.clear();
  }
}
