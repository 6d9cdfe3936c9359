import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test, type TestContext } from "node:test";
import { parseEnv } from "node:util";
import { readConfig } from "../../src/config.ts";
import type { PollResult, TaskRecord } from "../../src/tasks/schema.ts";
import { freePort } from "../support/free-port.ts";
import { ROOT } from "../support/packed.ts";
import { pause } from "../support/pause.ts";
import { createCluster, postgres } from "../support/postgres.ts";
import { startProcess } from "../support/processes.ts";
import { newTaskBody } from "../support/service.ts";
import { blocksOf, openShell, type Shell } from "../support/shell.ts";

/* Every command of docs/operating.md, carried out in the order of the page. */

const BLOCKS = blocksOf(join(ROOT, "docs/operating.md"));
/** Those that need a container engine, by their first words. No test has one; the page says what that leaves open. */
const FOR_CONTAINERS = ["docker build --tag", "docker compose up"];

const blocks = (info: string) => BLOCKS.filter((block) => block.info === info).map(({ text }) => text);
const block = (info: string, part: string) => {
  const found = blocks(info).filter((text) => text.includes(part));
  assert.equal(found.length, 1, part);
  return found[0]!;
};

void test("every block of the page is run here, or needs a container engine", () => {
  const infos = new Set(BLOCKS.map(({ info }) => info));
  assert.deepEqual(infos, new Set(["sh", "nginx", "sh postgres", "yaml", "sh container"]));
  assert.deepEqual(
    blocks("sh container").map((text) => FOR_CONTAINERS.find((words) => text.startsWith(words))),
    FOR_CONTAINERS,
  );
});

/** A shell in a clone that is ours to write to. */
function openClone(t: TestContext, env: Record<string, string>): { shell: Shell; folder: string } {
  const folder = mkdtempSync(join(tmpdir(), "operating-test-"));
  for (const name of readdirSync(ROOT))
    if (!/^\.git$|\.log$|^(data|backup)$/.test(name)) symlinkSync(join(ROOT, name), join(folder, name));
  const shell = openShell(folder, {
    PATH: [dirname(process.execPath), process.env["PATH"]].join(":"),
    HOME: folder,
    SERVICE_DISCOVERY_FILE: "0",
    ...env,
  });
  t.after(async () => {
    await shell.end();
    rmSync(folder, { recursive: true });
  });
  return { shell, folder };
}

const callsOn = (url: string, token: string) => ({
  call: async <T>(method: string, path: string, body?: object): Promise<{ status: number; body: T }> => {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: (text === "" ? null : JSON.parse(text)) as T };
  },
});
const ANSWER = { response: { approved: true } };

void test(
  "on SQLite: started, backed up while it runs, lost, restored, upgraded, tidied",
  { timeout: 300_000 },
  async (t) => {
    const port = await freePort();
    const { shell, folder } = openClone(t, { SERVICE_PORT: `${port}` });
    const remaining = blocks("sh");
    const next = async (part: string) => {
      const text = remaining.shift()!;
      assert.ok(text.includes(part), `${part} is not next:\n${text}`);
      return shell.run(text);
    };

    assert.match(await next("doctor"), /No problems found\.\n$/);
    await next("TOKEN=$(node");
    const token = (await shell.run('echo "$TOKEN"')).trim();
    const { call } = callsOn(`http://localhost:${port}`, token);
    const create = async () => (await call<TaskRecord>("POST", "/api/tasks", newTaskBody())).body.id;
    const [answered, open] = [await create(), await create()];
    assert.equal((await call("POST", `/api/tasks/${answered}/complete`, ANSWER)).status, 200);

    assert.match(await next("live=1"), /"name":"human-task-service"/);
    await next("vacuum into");
    assert.deepEqual(readdirSync(join(folder, "backup")), ["secrets.json", "service.db"]);
    for (const name of ["secrets.json", "service.db"])
      assert.equal(statSync(join(folder, "backup", name)).mode & 0o777, 0o600, name);
    const late = await create();

    await next('service.db" "$BACKUP/secrets.json');
    const found = await call<TaskRecord>("GET", `/api/tasks/${answered}`);
    assert.deepEqual([found.body.status, found.body.response], ["completed", { approved: true }]);
    assert.equal((await call("GET", `/api/tasks/${late}`)).status, 404);
    assert.equal((await call("POST", `/api/tasks/${open}/complete`, ANSWER)).status, 200);

    assert.match(await next("migrate"), /The database is up to date\./);
    const still = await create();
    assert.match(await next("/metrics"), /^service_tasks_created_total 1$/m);

    await call("POST", "/api/service-keys", { name: "Shop" });
    assert.match(await next("security-events"), /^\[\{"id":"sec_\w+",.*"type":"embed_key_created"/);
    assert.match(readFileSync(join(folder, "service.log"), "utf8"), /"event":"embed_key_created".*"event_id":"sec_/);

    assert.equal(await shell.run(`KEEP_DAYS=1\n${remaining[0]}`), "0 deleted\n");
    await shell.run("KEEP_DAYS=0");
    assert.equal(await next("KEEP_DAYS"), "2 deleted\n");
    assert.equal((await call("GET", `/api/tasks/${answered}`)).status, 404);
    assert.equal((await call("GET", `/api/tasks/${still}`)).status, 200);

    assert.match(await next("webhook-key"), /^[\w+/]{43}=\n$/);
    const keys = () => shell.run("npm run --silent service -- webhook-key 2>/dev/null");
    const former = await keys();
    const rotated = await next("rotate-keys\n");
    for (const name of ["ADMIN_API_TOKEN", "SECRET_KEY", "PAYLOAD_KEY"])
      assert.match(rotated, new RegExp(`^SERVICE_${name} has a new value`, "m"));
    assert.match(rotated, /Encrypted again: 0\./);
    const newToken = (await shell.run('echo "$TOKEN"')).trim();
    assert.notEqual(newToken, token);
    const [current, previous] = (await keys()).trim().split("\n");
    assert.equal(`${previous}\n`, former);
    assert.match(await next("--finish"), /The previous values are removed\./);
    assert.equal(await keys(), `${current}\n`);
    const withNew = callsOn(`http://localhost:${port}`, newToken);
    assert.equal((await withNew.call("GET", `/api/tasks/${still}`)).status, 200);
    assert.equal((await call("GET", `/api/tasks/${still}`)).status, 401, "the old token has ended");
    const events = await withNew.call<{ details: { changed: string[] | null; previous: string[] } }[]>(
      "GET",
      "/api/security-events?type=keys_changed",
    );
    const all = ["secret_key", "admin_token", "payload_key"];
    assert.deepEqual(
      events.body.map(({ details: { changed, previous } }) => [changed, previous]),
      [
        [[], []],
        [all, all],
        [null, []],
      ],
    );
    await shell.run("kill $SERVICE && wait $SERVICE");

    await next("database.env");
    const [service, database] = ["service.env", "database.env"].map((name) => {
      assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600);
      return parseEnv(readFileSync(join(folder, name), "utf8"));
    });
    const inImage = { SERVICE_HOST: "0.0.0.0", ...service };
    const { config, warnings } = readConfig(inImage, () => assert.fail("no secret is made"));
    assert.deepEqual(warnings, []);
    assert.equal(
      config.database.kind === "postgres" && new URL(config.database.url).password,
      database!["POSTGRES_PASSWORD"],
    );
    assert.deepEqual(remaining, []);
  },
);

/** Where there is a server that this machine's pg_dump can read; null: the one that comes with `npm ci`. */
function serverFor(t: TestContext): { installed: string | null } | null {
  const skip = (why: string) => {
    t.skip(why);
    return null;
  };
  try {
    const version = Number(/ (\d+)/.exec(execFileSync("pg_dump", ["--version"], { encoding: "utf8" }))?.[1]);
    if (version >= 18) return { installed: null };
    const installed = `/usr/lib/postgresql/${version}`;
    if (existsSync(join(installed, "bin/initdb"))) return { installed };
    return skip(`pg_dump ${version} reads no PostgreSQL 18, and there is no server of its own version`);
  } catch {
    return skip("there is no pg_dump on this machine");
  }
}

void test("on PostgreSQL: dumped while it runs, and restored elsewhere", { timeout: 300_000 }, async (t) => {
  const server = serverFor(t);
  if (server === null) return;
  const cluster = createCluster({}, server.installed === null ? {} : { installed: server.installed });
  t.after(async () => cluster.remove());
  await cluster.start();
  const { shell } = openClone(t, {
    SERVICE_DATABASE_URL: cluster.address("postgres"),
    RESTORED_DATABASE_URL: cluster.address("restored"),
    BACKUP: mkdtempSync(join(tmpdir(), "backup-")),
  });
  const before = await startProcess({ SERVICE_DATABASE_URL: cluster.address("postgres") });
  t.after(async () => before.kill());
  const { id } = (await before.call<TaskRecord>("POST", "/api/tasks", newTaskBody())).body;
  assert.equal((await before.call("POST", `/api/tasks/${id}/complete`, ANSWER)).status, 200);

  await shell.run(block("sh postgres", "pg_dump"));
  await shell.run(`psql -q "$SERVICE_DATABASE_URL" -c "create database restored"`);
  await shell.run(block("sh postgres", "pg_restore"));
  await shell.run('rm -r "$BACKUP"');
  const after = await startProcess({ SERVICE_DATABASE_URL: cluster.address("restored") });
  t.after(async () => after.kill());
  const found = await after.call<TaskRecord>("GET", `/api/tasks/${id}`);
  assert.deepEqual([found.body.status, found.body.response], ["completed", { approved: true }]);
  assert.equal((await after.call("POST", "/api/tasks", newTaskBody())).status, 201);
});

void test(
  "on PostgreSQL: one of two processes is replaced, and nobody who waits notices",
  { timeout: 300_000 },
  async (t) => {
    const database = await (await postgres()).createDatabase();
    t.after(async () => database.drop());
    const ports = { first: await freePort(), second: await freePort(), third: await freePort() };
    const { shell } = openClone(t, {
      SERVICE_DATABASE_URL: database.url,
      FIRST_PORT: `${ports.first}`,
      SECOND_PORT: `${ports.second}`,
      THIRD_PORT: `${ports.third}`,
    });
    await shell.run(block("sh postgres", "SECOND=$!"));
    const token = (await shell.run('echo "$SERVICE_ADMIN_API_TOKEN"')).trim();
    const on = (port: number) => callsOn(`http://localhost:${port}`, token).call;
    const waiting = async (port: number, count: number) => {
      for (;;) {
        const headers = { authorization: `Bearer ${token}` };
        const metrics = await (await fetch(`http://localhost:${port}/metrics`, { headers })).text();
        if (metrics.includes(`\nservice_polls_waiting ${count}\n`)) return;
        await pause();
      }
    };

    const { id } = (await on(ports.first)<TaskRecord>("POST", "/api/tasks", newTaskBody())).body;
    const poll = `/api/tasks/${id}/poll?timeout=60`;
    const [atFirst, atSecond] = [on(ports.first)<PollResult>("GET", poll), on(ports.second)<PollResult>("GET", poll)];
    await Promise.all([waiting(ports.first, 1), waiting(ports.second, 1)]);

    // It waits for the old one, which ends with 0 or the block fails.
    await shell.run(block("sh postgres", "THIRD=$!"));
    const told = await atFirst;
    assert.deepEqual([told.status, told.body.status], [200, "created"]);
    await assert.rejects(fetch(`http://localhost:${ports.first}/api/health`));
    const again = on(ports.third)<PollResult>("GET", poll);
    assert.equal((await on(ports.third)("POST", `/api/tasks/${id}/complete`, ANSWER)).status, 200);
    for (const { body } of await Promise.all([atSecond, again])) assert.equal(body.status, "completed");
    await shell.run("kill $SECOND $THIRD && wait $SECOND && wait $THIRD");
  },
);
