import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import type { AuditEntryRecord, PollResult, TaskRecord } from "../../src/tasks/schema.ts";
import { assertUnavailable, everyCall, type Call } from "../support/every-call.ts";
import { postgres } from "../support/postgres.ts";
import { startProcess, untilWaiting, type ServiceProcess } from "../support/processes.ts";
import { newTaskBody } from "../support/service.ts";
import { openDatabaseProxy } from "../support/tcp-proxy.ts";

const create = (service: ServiceProcess, body = newTaskBody()) => service.call<TaskRecord>("POST", "/api/tasks", body);
const complete = (service: ServiceProcess, id: string) =>
  service.call<TaskRecord>("POST", `/api/tasks/${id}/complete`, { response: { approved: true } });

void describe("two processes on one PostgreSQL", () => {
  let a: ServiceProcess;
  let b: ServiceProcess;
  let url: string;
  let drop: () => Promise<void>;
  let database: Client;

  before(async () => {
    ({ url, drop } = await (await postgres()).createDatabase());
    [a, b] = await Promise.all([
      startProcess({ SERVICE_DATABASE_URL: url }),
      startProcess({ SERVICE_DATABASE_URL: url }),
    ]);
    database = new Client({ connectionString: url });
    await database.connect();
  });
  after(async () => {
    await database.end();
    await Promise.all([a.kill(), b.kill()]);
    await drop();
  });
  const rows = async (sql: string, ...values: unknown[]) =>
    (await database.query<Record<string, unknown>>(sql, values)).rows;

  test("40 parallel creations with one key give one row and 39 replays", async () => {
    const body = newTaskBody();
    const answers = await Promise.all(Array.from({ length: 40 }, (_, i) => create(i % 2 === 0 ? a : b, body)));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
    assert.equal(new Set(answers.map(({ body: task }) => task.id)).size, 1);
    assert.equal(answers.filter(({ headers }) => headers.get("idempotent-replayed") === "true").length, 39);
    assert.equal((await rows("select id from tasks where idempotency_key = $1", body.idempotency_key)).length, 1);
    assert.equal((await rows("select id from audit_entries where task_id = $1", answers[0]!.body.id)).length, 1);
  });

  test("200 creations over both, many keys several times, give one row a key", async () => {
    const bodies = Array.from({ length: 50 }, () => newTaskBody());
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, i) => create(i % 3 === 0 ? a : b, bodies[(i * 7) % 50])),
    );
    assert.equal(new Set(answers.map(({ body }) => body.id)).size, 50);
    assert.equal(answers.filter(({ headers }) => headers.get("idempotent-replayed") === "false").length, 50);
  });

  test("200 polls in both processes wake when the task is answered in one", async () => {
    const { id } = (await create(a)).body;
    const polls = Array.from({ length: 200 }, (_, i) =>
      (i % 2 === 0 ? a : b).call<PollResult>("GET", `/api/tasks/${id}/poll?timeout=60`),
    );
    await Promise.all([untilWaiting(a, 100), untilWaiting(b, 100)]);
    await complete(a, id);
    for (const { status, body } of await Promise.all(polls))
      assert.deepEqual([status, body.status, body.response], [200, "completed", { approved: true }]);
  });

  test("complete and cancel racing over both give one end, one audit entry, one delivery row", async () => {
    for (let round = 0; round < 20; round++) {
      const { id } = (await create(a, newTaskBody({ callback_url: "http://127.0.0.1:9/" }))).body;
      const answers = await Promise.all(
        [a, b, a, b].flatMap((service) => [complete(service, id), service.call("POST", `/api/tasks/${id}/cancel`)]),
      );
      assert.equal(answers.filter(({ status }) => status === 200).length, 1);
      assert.equal(answers.filter(({ status }) => status === 409).length, 7);
      const trail = (await b.call<AuditEntryRecord[]>("GET", `/api/tasks/${id}/audit`)).body;
      assert.deepEqual(
        trail.map(({ from_status }) => from_status),
        [null, "created"],
      );
      assert.equal((await rows("select id from deliveries where task_id = $1", id)).length, 1);
    }
  });

  test("both processes look after deadlines, and each task times out once", async () => {
    const ids = await Promise.all(
      Array.from(
        { length: 30 },
        async (_, i) =>
          (await create(i % 2 === 0 ? a : b, newTaskBody({ callback_url: "http://127.0.0.1:9/" }))).body.id,
      ),
    );
    const polls = ids.map((id) => b.call<PollResult>("GET", `/api/tasks/${id}/poll?timeout=60`));
    await untilWaiting(b, 30);
    // These tasks time out now. The sweeps run at least every ten seconds.
    await database.query("update tasks set timeout_at = $1 where id = any($2)", [Date.now() - 1, ids]);
    for (const { body } of await Promise.all(polls)) assert.equal(body.status, "timed_out");
    const counted = await rows(
      "select task_id, count(*)::int as entries from audit_entries where task_id = any($1) and action = 'timed_out' group by task_id",
      ids,
    );
    assert.equal(counted.length, 30);
    assert.ok(counted.every(({ entries }) => entries === 1));
    assert.equal((await rows("select id from deliveries where task_id = any($1)", ids)).length, 30);
  });

  test("a process that is killed takes nothing with it", async () => {
    const c = await startProcess({ SERVICE_DATABASE_URL: url });
    const { id } = (await create(c)).body;
    const waiting = a.call<PollResult>("GET", `/api/tasks/${id}/poll?timeout=60`);
    await untilWaiting(a, 1);
    await complete(c, id);
    await c.kill();
    // Its hint may never have been sent. Polling still finds the end.
    assert.equal((await waiting).body.status, "completed");
  });

  test("a database that goes away and comes back is 503 meanwhile, and nothing acknowledged is lost", async () => {
    const proxy = await openDatabaseProxy(url);
    const c = await startProcess({ SERVICE_DATABASE_URL: proxy.url });
    const send = async ({ method, path, body }: Call) => {
      const answer = await c.call(method, path, body);
      return { status: answer.status, retryAfter: answer.headers.get("retry-after"), body: answer.body };
    };
    const open = async () => (await create(c)).body.id;
    const calls = everyCall([await open(), await open(), await open()]);

    /** Keys and their acknowledged ids. */
    const acknowledged = new Map<string, string>();
    const refusals = new Set<string | undefined>();
    let running = true;
    const writers = Array.from({ length: 4 }, async () => {
      while (running) {
        const body = newTaskBody({ idempotency_key: `outage-${Math.random()}` });
        // An agent repeats a request until it is accepted.
        for (;;) {
          const { status, body: answer } = await c.call<TaskRecord & { error_code?: string }>(
            "POST",
            "/api/tasks",
            body,
          );
          if (status === 201) acknowledged.set(body.idempotency_key, answer.id);
          else refusals.add(status === 503 ? answer.error_code : `${status}`);
          if (status === 201) break;
          await sleep(20);
        }
      }
    });
    const until = async (count: number) => {
      while (acknowledged.size < count) await sleep(10);
    };
    const polled = (await create(a)).body.id;
    const poll = c.call<PollResult>("GET", `/api/tasks/${polled}/poll?timeout=60`);

    await until(20);
    for (let i = 0; i < 20; i++) {
      proxy.cut();
      await sleep(10);
    }
    await until(acknowledged.size + 20);
    await proxy.refuse();
    await assertUnavailable(calls, send, 10_000);
    await proxy.pass();
    await until(acknowledged.size + 20);
    proxy.freeze();
    await assertUnavailable(calls, send, 20_000);
    await proxy.pass();
    await until(acknowledged.size + 20);
    running = false;
    await Promise.all(writers);

    refusals.delete("DATABASE_UNAVAILABLE");
    refusals.delete("COMMIT_UNKNOWN");
    assert.deepEqual(refusals, new Set());
    const stored = await rows("select id, idempotency_key as key from tasks where idempotency_key like 'outage-%'");
    assert.deepEqual(new Map(stored.map(({ key, id }) => [key as string, id as string])), acknowledged);
    assert.equal(stored.length, acknowledged.size, "one row a key");
    for (const call of calls) assert.equal((await send(call)).status, call.status, `${call.method} ${call.path}`);
    // A poll that waited the whole time wakes when the task is answered elsewhere.
    await complete(a, polled);
    assert.equal((await poll).body.status, "completed");
    await c.stop();
    await proxy.close();
  });
});

void describe("one process", () => {
  for (const dialect of ["sqlite", "postgres"] as const) {
    test(`a stop answers waiting polls with the current state and loses nothing, told once or twice (${dialect})`, async () => {
      const dataDir = mkdtempSync(join(tmpdir(), "service-stop-"));
      const database = dialect === "postgres" ? await (await postgres()).createDatabase() : null;
      const env: Record<string, string> = {
        SERVICE_DATA_DIR: dataDir,
        ...(database && { SERVICE_DATABASE_URL: database.url }),
      };
      const first = await startProcess(env);
      const { id, idempotency_key } = (await create(first)).body;
      const polls = Array.from({ length: 20 }, () => first.call<PollResult>("GET", `/api/tasks/${id}/poll?timeout=60`));
      await untilWaiting(first, 20);
      first.child.kill("SIGTERM");
      assert.equal(await first.stop(), 0);
      for (const { status, body } of await Promise.all(polls))
        assert.deepEqual([status, body.status], [200, "created"]);

      const second = await startProcess(env);
      assert.equal((await create(second, newTaskBody({ idempotency_key }))).body.id, id);
      await second.kill();
      const third = await startProcess(env);
      assert.equal((await complete(third, id)).body.status, "completed");
      await third.stop();
      await database?.drop();
      rmSync(dataDir, { recursive: true, force: true });
    });
  }

  test("acknowledged creations survive kill -9, and the lock does not", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "service-kill-"));
    const acknowledged = new Map<string, string>();
    for (let cycle = 0; cycle < 3; cycle++) {
      const service = await startProcess({ SERVICE_DATA_DIR: dataDir });
      for (const [key, id] of acknowledged)
        assert.equal((await create(service, newTaskBody({ idempotency_key: key }))).body.id, id);
      let running = true;
      const writers = Array.from({ length: 8 }, async () => {
        while (running) {
          const body = newTaskBody({ idempotency_key: `${cycle}-${Math.random()}` });
          try {
            const { status, body: task } = await create(service, body);
            if (status === 201) acknowledged.set(body.idempotency_key, task.id);
          } catch {
            return; // the connection broke with the process
          }
        }
      });
      const target = acknowledged.size + 100;
      while (acknowledged.size < target) await new Promise((resolve) => setImmediate(resolve));
      await service.kill();
      running = false;
      await Promise.all(writers);
    }
    const service = await startProcess({ SERVICE_DATA_DIR: dataDir });
    for (const [key, id] of acknowledged)
      assert.equal((await create(service, newTaskBody({ idempotency_key: key }))).body.id, id);
    await service.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  test("a second process on the same data directory is refused with a sentence", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "service-second-"));
    const service = await startProcess({ SERVICE_DATA_DIR: dataDir });
    await assert.rejects(startProcess({ SERVICE_DATA_DIR: dataDir }), /in use by another process/);
    await service.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  test("a bad environment ends with one message that lists every problem", async () => {
    const child = spawn(process.execPath, ["src/main.ts"], {
      stdio: ["ignore", "ignore", "pipe"],
      env: { PATH: process.env["PATH"], SERVICE_PORT: "x", SERVICE_LOG_LEVEL: "loud" },
    });
    let text = "";
    child.stderr.on("data", (chunk: Buffer) => (text += chunk.toString()));
    const [code] = (await once(child, "close")) as [number];
    assert.equal(code, 1);
    assert.match(text, /SERVICE_PORT/);
    assert.match(text, /SERVICE_LOG_LEVEL/);
    assert.doesNotMatch(text, /    at /);
  });
});
