import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { test, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { migrateDatabase } from "../src/cli/database.ts";
import { spreadTables, type SpreadOptions } from "../src/cli/spread.ts";
import { homeOf, homeOfKey, TASK_BOUND } from "../src/db/home.ts";
import { findDatabase } from "../src/db/find.ts";
import { durabilityWarnings } from "../src/db/postgres-durability.ts";
import { openSpreading } from "../src/db/spread.ts";
import { runDoctor, withoutService } from "./support/doctor.ts";
import { startTestService } from "./support/service.ts";

const CITUS_URL = process.env["CITUS_URL"];
const SHOWN = CITUS_URL === undefined ? { skip: "not shown here: CITUS_URL is not set" } : {};

const TABLES = Object.keys(TASK_BOUND) as (keyof typeof TASK_BOUND)[];
let last = 0;

/** A database on all nodes. The first node is the coordinator. */
interface ClusterDatabase {
  urls: string[];
  env: Record<string, string>;
  coordinator: Client;
  /** Creates the extension on all nodes. */
  addExtension(): Promise<void>;
  addWorkers(): Promise<void>;
}

async function createDatabase(t: TestContext): Promise<ClusterDatabase> {
  const name = `test_spread_${process.pid}_${++last}`;
  const nodes = await ask<{ nodename: string; nodeport: number }>(
    CITUS_URL!,
    "select nodename, nodeport from pg_dist_node where isactive order by groupid",
  );
  const at = (database: string) =>
    nodes.map(({ nodename, nodeport }) => {
      const url = new URL(CITUS_URL!);
      Object.assign(url, { hostname: nodename, port: String(nodeport), pathname: `/${database}` });
      return url.href;
    });
  const admins = at("postgres");
  for (const admin of admins) await ask(admin, `create database ${name}`);
  const urls = at(name);
  const coordinator = new Client({ connectionString: urls[0]! });
  await coordinator.connect();
  t.after(async () => {
    await coordinator.end();
    for (const admin of admins) await drop(admin, name);
  });
  const [own, ...workers] = nodes;
  return {
    urls,
    env: withoutService(t, { SERVICE_DATABASE_URL: urls[0]! }),
    coordinator,
    addExtension: async () => {
      for (const url of urls) await ask(url, "create extension citus");
    },
    addWorkers: async () => {
      await coordinator.query("select citus_set_coordinator_host($1, $2)", [own!.nodename, own!.nodeport]);
      for (const { nodename, nodeport } of workers)
        await coordinator.query("select citus_add_node($1, $2)", [nodename, nodeport]);
    },
  };
}

/** Drops a database. A process of Citus that waits for a node ends late. */
async function drop(admin: string, name: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await ask(admin, `drop database if exists ${name} with (force)`);
      return;
    } catch (error) {
      if (attempt === 5) throw error;
    }
  }
}

async function ask<Row extends object>(url: string, statement: string): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end();
  }
}

async function run(env: Record<string, string>, given: SpreadOptions): Promise<{ out: string; notes: string }> {
  const said = { out: "", notes: "" };
  await spreadTables(given, env, {
    result: (text) => void (said.out += `${text}\n`),
    note: (text) => void (said.notes += `${text}\n`),
  });
  return said;
}

/** Creates tasks with rows in most tables. @returns their ids */
async function createTasks(url: string, count: number): Promise<{ id: string; idempotency_key: string }[]> {
  const { service, stop } = await startTestService("postgres", { env: { SERVICE_DATABASE_URL: url } });
  const tasks = [];
  for (let i = 0; i < count; i++) {
    const task = await service.create({
      idempotency_key: `Grüße ${i} 漢字`,
      callback_url: "http://127.0.0.1:9/",
      notify: ["email:kim@example.com"],
    });
    await service.call("POST", `/api/tasks/${task.id}/complete`, { body: { response: { approved: true } } });
    tasks.push(task);
  }
  await stop();
  return tasks;
}

/** Gives a task an id of an earlier release, whose last characters follow from no key. @returns the id */
async function makeOld(client: Client, task: { id: string; idempotency_key: string }): Promise<string> {
  const home = (homeOfKey("admin", task.idempotency_key) + 77) % 1024;
  const digits = "0123456789abcdefghjkmnpqrstvwxyz";
  const id = `${task.id.slice(0, -2)}${digits[home >> 5]}${digits[home & 31]}`;
  assert.equal(homeOf(id), home);
  for (const table of TABLES) {
    const column = TASK_BOUND[table];
    if (column === null)
      await client.query(
        `update ${table} set home = $2 where delivery_id in (select id from deliveries where task_id = $1)`,
        [id, home],
      );
    else await client.query(`update ${table} set ${column} = $2, home = $3 where ${column} = $1`, [task.id, id, home]);
  }
  return id;
}

async function contents(client: Client): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const table of TABLES) {
    const { rows } = await client.query<{ row: string }>(`select t::text as row from ${table} t`);
    found[table] = rows.map(({ row }) => row).toSorted();
  }
  return found;
}

async function assertNotSpread(client: Client): Promise<void> {
  const { rows } = await client.query<{ spread: number; made: string | null; index: string }>(
    `select (select count(*)::int from pg_dist_partition) as spread, to_regclass('older_keys') as made,
      pg_get_indexdef('tasks_by_key'::regclass) as index`,
  );
  const [{ index, ...rest }] = rows as [(typeof rows)[0]];
  assert.deepEqual(rest, { spread: 0, made: null });
  assert.doesNotMatch(index, /home/);
}

void test("a cluster that is not ready is refused, and says what to do (Citus)", SHOWN, async (t) => {
  const { env, urls, coordinator, addExtension, addWorkers } = await createDatabase(t);
  await migrateDatabase(env);
  await assert.rejects(run(env, { run: true }), /does not have the extension citus/);
  await addExtension();
  await assert.rejects(
    run(env, { run: true }),
    /^Error: Citus has no worker that takes shards\. To add some, run on the coordinator: `select citus_set_coord/,
  );
  await addWorkers();
  const worker = { ...env, SERVICE_DATABASE_URL: urls[1]! };
  await assert.rejects(
    run(worker, { run: true }),
    /^Error: SERVICE_DATABASE_URL is the address of a worker of Citus\./,
  );
  const { service, stop } = await startTestService("postgres", { env: { SERVICE_DATABASE_URL: urls[0]! } });
  await service.create();
  await assert.rejects(run(env, { run: true }), /^Error: Processes of the service have \d+ connections .*Stop all/);
  await stop();
  await assertNotSpread(coordinator);
});

void test("tables are spread with all of their rows, once, and older keys are kept (Citus)", SHOWN, async (t) => {
  const { env, urls, coordinator, addExtension, addWorkers } = await createDatabase(t);
  await migrateDatabase(env);
  await addExtension();
  await addWorkers();
  const tasks = await createTasks(urls[0]!, 20);
  const old = tasks.slice(0, 5);
  const expected = [];
  for (const task of old)
    expected.push({
      idempotency_key: task.idempotency_key,
      asked_by_id: "admin",
      task_id: await makeOld(coordinator, task),
    });
  const before = await contents(coordinator);
  for (const table of ["tasks", "task_documents", "task_responses", "audit_entries", "deliveries", "delivery_bodies"])
    assert.ok(before[table]!.length > 0, table);

  const dry = await run(env, { shards: "4" });
  assert.match(dry.out, /shard_count => 4/);
  assert.doesNotMatch(dry.notes, /Not ready/);
  const { out, notes } = await run(env, { shards: "4", run: true });
  assert.equal(
    out,
    `The tables of tasks are spread: 4 shards on ${urls.length - 1} nodes, with 20 tasks. Start the processes of the service again.\n`,
  );
  assert.equal(notes, "");
  assert.deepEqual(await contents(coordinator), before);
  const { rows: keys } = await coordinator.query("select * from older_keys order by idempotency_key");
  assert.deepEqual(keys, expected);
  const { rows: spread } = await coordinator.query<{ name: string; count: number; groups: number }>(
    `select count(*)::int as count, count(distinct colocationid)::int as groups from pg_dist_partition
    where partmethod = 'h' and column_to_column_name(logicalrelid, partkey) = 'home'`,
  );
  assert.deepEqual(spread, [{ count: TABLES.length, groups: 1 }]);
  // The originals do not stay on the coordinator.
  for (const table of TABLES) {
    const { rows } = await coordinator.query("select pg_relation_size($1::regclass)::int as size", [table]);
    assert.deepEqual(rows, [{ size: 0 }], table);
  }

  const again = "The tables of tasks are spread already: 4 shards on";
  assert.ok((await run(env, { shards: "8", run: true })).out.startsWith(again));
  const second = await run(env, {});
  assert.equal(second.out, "");
  assert.ok(second.notes.startsWith(again));
});

void test("the printed SQL does the same as --run (Citus)", SHOWN, async (t) => {
  const { env, urls, coordinator, addExtension, addWorkers } = await createDatabase(t);
  await migrateDatabase(env);
  await addExtension();
  await addWorkers();
  const { out } = await run(env, { shards: "2" });
  await coordinator.query(out);
  const spreading = await openSpreading(urls[0]!);
  assert.deepEqual(await spreading.find(), { shards: 2, nodes: Math.min(2, urls.length - 1), tasks: 0 });
  await spreading.close();
});

void test("an error at the last table changes nothing (Citus)", SHOWN, async (t) => {
  const { env, urls, coordinator, addExtension, addWorkers } = await createDatabase(t);
  await migrateDatabase(env);
  await addExtension();
  await addWorkers();
  await createTasks(urls[0]!, 3);
  const before = await contents(coordinator);
  // Citus refuses a unique index without the home.
  await coordinator.query(`create unique index in_the_way on ${TABLES.at(-1)!} (delivery_id)`);
  await assert.rejects(
    run(env, { run: true }),
    /^Error: The tables were not spread, and nothing was changed: cannot create constraint on "delivery_places"\.$/,
  );
  assert.deepEqual(await contents(coordinator), before);
  await assertNotSpread(coordinator);
  for (const worker of urls.slice(1))
    assert.deepEqual(await ask(worker, "select relname from pg_class where relname like 'tasks%'"), []);
  await coordinator.query("drop index in_the_way");
  assert.match((await run(env, { run: true })).out, /^The tables of tasks are spread: 8 shards on/);
});

void test(
  "a copy may take longer than a statement, and a process that starts before its end is noticed (Citus)",
  SHOWN,
  async (t) => {
    const { env, urls, coordinator, addExtension, addWorkers } = await createDatabase(t);
    await migrateDatabase(env);
    await addExtension();
    await addWorkers();
    const name = new URL(urls[0]!).pathname.slice(1);
    await coordinator.query(`alter database ${name} set statement_timeout = '2s'`);
    await coordinator.query(`begin; lock table ${TABLES.at(-1)!} in exclusive mode`);
    const running = assert.rejects(
      run(env, { run: true }),
      /^Error: Processes of the service have 1 connection to this/,
    );
    for (;;) {
      const waiting = await ask(
        urls[0]!,
        `select from pg_stat_activity where datname = '${name}' and wait_event_type = 'Lock' and now() - query_start > '3s'`,
      );
      if (waiting.length > 0) break;
      await sleep(200);
    }
    const late = new Client({ connectionString: urls[0]!, application_name: "human-task-service hints" });
    await late.connect();
    await coordinator.query("commit");
    await running;
    await late.end();
    await assertNotSpread(coordinator);
  },
);

/** Has a node refuse connections to its database, as if it was down. */
async function refuseConnections(url: string): Promise<void> {
  const admin = new URL(url);
  const name = admin.pathname.slice(1);
  admin.pathname = "/postgres";
  await ask(admin.href, `alter database ${name} allow_connections false`);
  await ask(admin.href, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
}

void test("an operator is told which node acknowledges what is not on disk (Citus)", SHOWN, async (t) => {
  const { env, urls, addExtension, addWorkers } = await createDatabase(t);
  const warnings = async () => {
    const found = await findDatabase({ database: { kind: "postgres", url: urls[0]! }, dataDir: "" });
    assert.equal(found!.dialect, "citus");
    const said = await durabilityWarnings(found!);
    await found!.close();
    return said;
  };
  await migrateDatabase(env);
  await addExtension();
  await addWorkers();
  await run(env, { shards: "2", run: true });
  const before = await warnings();
  const worker = urls[1]!;
  const name = new URL(worker).pathname.slice(1);
  await ask(worker, `set citus.enable_ddl_propagation = off; alter database ${name} set synchronous_commit = off`);
  const added = (await warnings()).filter((warning) => !before.includes(warning));
  assert.deepEqual(added, [
    `PostgreSQL at ${new URL(worker).host} acknowledges commits before they are on disk (synchronous_commit is off): a crash of its machine can lose what this service has acknowledged.`,
  ]);
  assert.ok((await runDoctor(env)).says("database").includes(added[0]!));
  // A process starts without nodes that do not answer.
  await refuseConnections(worker);
  assert.deepEqual(
    await warnings(),
    before.filter((warning) => !warning.includes(new URL(worker).host)),
  );
});

void test("the doctor says where the tables are, and which node does not answer (Citus)", SHOWN, async (t) => {
  const { env, urls, coordinator, addExtension, addWorkers } = await createDatabase(t);
  const [worker, other] = urls.slice(1) as [string, string];
  const { host } = new URL(worker);
  const citus = async (given = env) => {
    const { status, says } = await runDoctor(given);
    return { status: status["citus"], said: says("citus"), schema: says("schema") };
  };

  await migrateDatabase(env);
  await addExtension();
  await addWorkers();
  assert.equal((await citus()).status, undefined, "the tables are not spread");
  const there = await citus({ ...env, SERVICE_DATABASE_URL: worker });
  assert.deepEqual([there.status, there.schema], ["problem", ""]);
  assert.match(there.said, /^SERVICE_DATABASE_URL is the address of a worker of Citus\./);

  await run(env, { shards: "4", run: true });
  const well = await citus();
  assert.deepEqual(
    [well.status, well.said],
    ["ok", `The tables of tasks are in 4 shards on ${urls.length - 1} nodes of Citus.`],
  );
  assert.match(well.schema, /^Up to date/);

  await coordinator.query("select undistribute_table('delivery_places')");
  const missing = await citus();
  assert.equal(missing.status, "problem");
  assert.match(
    missing.said,
    /^The other tables of tasks are spread, and these are not: delivery_places\. .* => 'tasks'\)\.$/,
  );
  await coordinator.query(
    "select create_distributed_table('delivery_places', 'home', shard_count => 4, colocate_with => 'none')",
  );
  const elsewhere = await citus();
  assert.match(elsewhere.said, /^The rows of these tables are not on the node of their task: delivery_places\./);
  await coordinator.query("select update_distributed_table_colocation('delivery_places', colocate_with => 'tasks')");
  assert.equal((await citus()).status, "ok");

  await refuseConnections(worker);
  const down = await citus();
  assert.equal(down.status, "problem");
  assert.ok(down.said.includes(`The node ${host} of Citus does not answer`), down.said);
  assert.doesNotMatch(down.said, new RegExp(`node ${new URL(other).host}`));

  // A node that accepts a connection and says nothing.
  const sockets: Socket[] = [];
  const silent = createServer((socket) => void sockets.push(socket)).listen(0, "127.0.0.1");
  await once(silent, "listening");
  const { port } = silent.address() as AddressInfo;
  const move = "update pg_dist_node set nodename = $1, nodeport = $2 where nodeport = $3";
  const { hostname, port: own } = new URL(worker);
  try {
    await coordinator.query(move, ["127.0.0.1", port, own]);
    assert.ok((await citus()).said.includes(`The node 127.0.0.1:${port} of Citus does not answer`));
  } finally {
    await coordinator.query(move, [hostname, own, port]);
    silent.close();
    for (const socket of sockets) socket.destroy();
  }
});
