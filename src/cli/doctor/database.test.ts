import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { sql } from "kysely";
import {
  before,
  contentsOf,
  onBoth,
  runDoctor,
  startPatient,
  startStandIn,
  withoutService,
} from "../../../test/support/doctor.ts";
import { freePort } from "../../../test/support/free-port.ts";
import { onePostgres } from "../../../test/support/postgres.ts";
import type { TestService } from "../../../test/support/service.ts";

/** Statements that no release would run. */
const change = (service: TestService, ...statements: string[]) =>
  service.ctx.db.write(async (tx) => {
    for (const statement of statements) await sql.raw(statement).execute(tx.query);
  });

onBoth("a database that is behind is told so, and is not brought up to date", async (dialect, t) => {
  const { service, env } = await startPatient(t, dialect, {}, { changesTables: true });
  await change(
    service,
    "drop table slack_installations",
    "drop table email_identities",
    "delete from kysely_migration where name >= '0005'",
  );
  const contents = await contentsOf(service.ctx.config);
  const { code, status, says } = await runDoctor(env);
  assert.equal(code, 0);
  assert.equal(status["schema"], "warning");
  assert.match(
    says("schema"),
    /older than this release \(0005-email, .*0007-slack-installations, .*\).*service -- migrate/,
  );
  assert.deepEqual([status["writing"], status["mail"]], [undefined, "off"], "what is not there yet is not read");
  assert.deepEqual(await contentsOf(service.ctx.config), contents);
});

onBoth("a database of a newer release is told so", async (dialect, t) => {
  const { service, env } = await startPatient(t, dialect);
  await change(service, "insert into kysely_migration (name, timestamp) values ('9999-later', '2030-01-01')");
  const { code, status, says } = await runDoctor(env);
  assert.deepEqual([code, status["schema"]], [1, "problem"]);
  assert.match(says("schema"), /newer release.*9999-later/);
});

onBoth("a database that takes no writes is told so", async (dialect, t) => {
  const { service, env } = await startPatient(t, dialect);
  if (dialect === "sqlite") {
    const other = new DatabaseSync(join(service.ctx.config.dataDir, "service.db"));
    t.after(() => other.close());
    other.exec("begin immediate");
  } else {
    const name = new URL(env["SERVICE_DATABASE_URL"]!).pathname.slice(1);
    await change(service, `alter database ${name} set default_transaction_read_only = on`);
  }
  const { code, status, says } = await runDoctor(env);
  assert.deepEqual([code, status["writing"]], [1, "problem"]);
  assert.match(says("writing"), dialect === "sqlite" ? /database is locked/ : /read-only transaction/);
  assert.equal(status["schema"], "ok");
});

void test("an empty PostgreSQL database is told so, and stays empty", async (t) => {
  const { url, drop } = await (await onePostgres()).createDatabase();
  t.after(drop);
  const { Client } = await import("pg");
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query("drop schema public cascade; create schema public");
  const { code, status, says } = await runDoctor(withoutService(t, { SERVICE_DATABASE_URL: url, SERVICE_PORT: "9" }));
  assert.equal(code, 1, "there is no service");
  assert.equal(status["schema"], "warning");
  assert.match(says("schema"), /no tables yet\. `npm run service -- migrate`/);
  const { rows } = await client.query("select 1 from pg_tables where schemaname = 'public'");
  await client.end();
  assert.deepEqual(rows, []);
});

void test("PostgreSQL without the index of searches is told what to run", async (t) => {
  const { service, env } = await startPatient(t, "postgres", {}, { changesTables: true });
  assert.equal((await runDoctor(env)).status["search"], undefined);
  await change(service, "drop index task_texts_trigrams");
  const { code, status, says } = await runDoctor(env);
  assert.deepEqual([code, status["search"]], [0, "warning"]);
  const [statements] = /create extension .*\)(?=\. Then)/.exec(says("search"))!;
  await change(service, ...statements.replace("extension", "extension if not exists").split(";"));
  assert.equal((await runDoctor(env)).status["search"], undefined);
});

void test("a database that cannot be opened is told with what to check", async (t) => {
  const gone = withoutService(t, { SERVICE_DATABASE_URL: "postgres://ada@127.0.0.1:9/tasks" });
  const broken = withoutService(t);
  writeFileSync(join(broken["SERVICE_DATA_DIR"]!, "service.db"), "this is no database at all".repeat(100));
  const [away, nonsense] = await Promise.all([runDoctor(gone), runDoctor(broken)]);
  assert.equal(away.status["database"], "problem");
  assert.match(away.says("database"), /ECONNREFUSED 127\.0\.0\.1:9\. Check SERVICE_DATABASE_URL/);
  assert.equal(nonsense.status["database"], "problem");
  assert.match(nonsense.says("database"), /file is not a database.*SERVICE_DATA_DIR/);
});

void test("a PostgreSQL that is too old is told so", async (t) => {
  const { env } = await startPatient(t, "postgres");
  const pretend = before(`import { createRequire } from "node:module";
    const { Client } = createRequire(process.cwd() + "/")("pg");
    const query = Client.prototype.query;
    Client.prototype.query = function (text, ...rest) {
      if (text !== "show server_version") return query.call(this, text, ...rest);
      rest.at(-1)(null, { rows: [{ server_version: "14.9" }] });
    };`);
  const { code, status, says } = await runDoctor(env, [], pretend);
  assert.deepEqual([code, status["database"]], [1, "problem"]);
  assert.match(says("database"), /PostgreSQL 14\.9 is too old: 15 or newer/);
});

void test("little room for the database is a warning, none a problem", async (t) => {
  const { env } = await startPatient(t, "sqlite");
  const withFree = (mib: number) =>
    before(`import fs from "node:fs/promises"; import { syncBuiltinESMExports } from "node:module";
      fs.statfs = async () => ({ bavail: ${mib}, bsize: 2 ** 20 }); syncBuiltinESMExports();`);
  const [little, none] = await Promise.all([runDoctor(env, [], withFree(1000)), runDoctor(env, [], withFree(50))]);
  assert.deepEqual([little.code, little.status["disk"]], [0, "warning"]);
  assert.match(little.says("disk"), /^Only 1000 MiB are free in .*SERVICE_DATA_DIR/);
  assert.deepEqual([none.code, none.status["disk"]], [1, "problem"]);
});

onBoth("a clock that is wrong is told with whose it was compared to", async (dialect, t) => {
  const { env } = await startPatient(t, dialect);
  const setAhead = (seconds: number) => before(`const now = Date.now; Date.now = () => now() + ${seconds} * 1000`);
  const [much, little] = await Promise.all([runDoctor(env, [], setAhead(900)), runDoctor(env, [], setAhead(-60))]);
  assert.deepEqual([much.code, much.status["clock"]], [1, "problem"]);
  assert.match(much.says("clock"), /clock is (899|900|901) s ahead of (the database's|that of http:\/\/localhost)/);
  assert.deepEqual([little.code, little.status["clock"]], [0, "warning"]);
  assert.match(little.says("clock"), /clock is (59|60|61) s behind/);
  // Without a service only the database is left to ask; of two, the one that is further away counts.
  if (dialect === "sqlite") return;
  const headers = { date: new Date(Date.now() - 900_000).toUTCString() };
  const { port } = await startStandIn(t, { "/api/version": { headers } });
  const [alone, between] = await Promise.all([
    runDoctor({ ...env, SERVICE_PORT: String(await freePort()) }, [], setAhead(900)),
    runDoctor({ ...env, SERVICE_PUBLIC_URL: `http://127.0.0.1:${port}` }),
  ]);
  assert.match(alone.says("clock"), /900 s ahead of the database's/);
  assert.match(between.says("clock"), new RegExp(`s ahead of that of http://127\\.0\\.0\\.1:${port}\\.`));
});
