import assert from "node:assert/strict";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { Client } from "pg";
import { onePostgres } from "../../test/support/postgres.ts";
import { ServiceError } from "../errors.ts";
import type { Db, Tx } from "./database.ts";
import { openPostgres } from "./postgres.ts";
import { openHeavyReader } from "./sqlite-heavy.ts";
import { openSqlite } from "./sqlite.ts";
import { toInserted } from "./rows.ts";

const fail = (error: unknown) => {
  throw error;
};

async function withSqlite(run: (db: Db, dataDir: string) => Promise<void>): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), "service-db-"));
  const db = await openSqlite({ dataDir, onError: fail });
  try {
    await run(db, dataDir);
  } finally {
    await db.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function withPostgres(run: (db: Db, url: string) => Promise<void>): Promise<void> {
  await withDatabase(async (url) => {
    // Some tests end every connection.
    const onWarning = (text: string) => assert.match(text, /connection for hints was lost/);
    const db = await openPostgres({ url, onError: fail, onWarning });
    try {
      await run(db, url);
    } finally {
      await db.close();
    }
  });
}

async function withDatabase(run: (url: string) => Promise<void>): Promise<void> {
  const { url, drop } = await (await onePostgres()).createDatabase();
  try {
    await run(url);
  } finally {
    await drop();
  }
}

function testBoth(name: string, run: (db: Db) => Promise<void>): void {
  void test(`${name} (SQLite)`, () => withSqlite(run));
  void test(`${name} (PostgreSQL)`, () => withPostgres(run));
}

const put = (tx: Tx, task_id: string, response = "{}") =>
  tx.query
    .insertInto("task_responses")
    .values(toInserted(tx.dialect, "task_responses", { task_id, home: 0, response }))
    .execute();
const ids = async (db: Db) =>
  (await db.query.selectFrom("task_responses").select("task_id").orderBy("task_id").execute()).map(
    ({ task_id }) => task_id,
  );

testBoth("what a write returned has been stored", async (db) => {
  assert.equal(
    await db.write(async (tx) => {
      await put(tx, "a");
      return 7;
    }),
    7,
  );
  assert.deepEqual(await ids(db), ["a"]);
});

testBoth("a write that throws leaves nothing, and its neighbours keep theirs", async (db) => {
  const write = (id: string, error?: Error) =>
    db.write(async (tx) => {
      await put(tx, id);
      if (error) throw error;
      return id;
    });
  const results = await Promise.allSettled([
    write("a"),
    write("b", new ServiceError("TASK_NOT_FOUND")),
    write("c"),
    write("d", new TypeError("a mistake")),
    write("e"),
  ]);
  assert.deepEqual(
    results.map((result) => (result.status === "fulfilled" ? result.value : (result.reason as Error).name)),
    ["a", "ServiceError", "c", "TypeError", "e"],
  );
  assert.deepEqual(await ids(db), ["a", "c", "e"]);
});

testBoth("a refused statement takes back what its own call wrote before", async (db) => {
  await db.write((tx) => put(tx, "taken"));
  await assert.rejects(
    db.write(async (tx) => {
      await put(tx, "first");
      await put(tx, "taken");
    }),
  );
  assert.deepEqual(await ids(db), ["taken"]);
});

testBoth("effects and hints come after the commit, and not at all without one", async (db) => {
  const seen: string[] = [];
  db.hints.listen((hint) => seen.push(hint));
  await db.write(async (tx) => {
    tx.afterCommit(() => seen.push("effect"));
    tx.hint("task:1");
    await put(tx, "a");
    assert.deepEqual(seen, []);
  });
  await assert.rejects(
    db.write(async (tx) => {
      tx.afterCommit(() => seen.push("never"));
      tx.hint("never");
      await put(tx, "a");
    }),
  );
  assert.deepEqual(seen, ["effect", "task:1"]);
});

// More than there are connections. With 500, a busy machine leaves some waiting for one longer than they may.
testBoth("100 writes at once are all stored, each by itself", async (db) => {
  const results = await Promise.allSettled(
    Array.from({ length: 100 }, (_, i) =>
      db.write(async (tx) => {
        await put(tx, `w${String(i).padStart(3, "0")}`);
        if (i % 5 === 0) throw new Error("taken back");
      }),
    ),
  );
  assert.equal(results.filter(({ status }) => status === "fulfilled").length, 80);
  const stored = await ids(db);
  assert.equal(stored.length, 80);
  assert.ok(stored.every((id) => Number(id.slice(1)) % 5 !== 0));
});

void test("a second process is kept off the data directory, and the first end frees it (SQLite)", async () => {
  await withSqlite(async (db, dataDir) => {
    await assert.rejects(openSqlite({ dataDir, onError: fail }), /in use by another process/);
    await db.write((tx) => put(tx, "a"));
  });
  const dataDir = mkdtempSync(join(tmpdir(), "service-db-"));
  await (await openSqlite({ dataDir, onError: fail })).close();
  const again = await openSqlite({ dataDir, onError: fail });
  assert.deepEqual(await ids(again), []);
  await again.close();
  rmSync(dataDir, { recursive: true, force: true });
});

void test("commits are on disk before they are acknowledged: WAL with synchronous FULL (SQLite)", async () => {
  await withSqlite(async (db) => {
    const [mode, level] = await db.write(async (tx) => {
      const { sql } = await import("kysely");
      const journal = await sql<{ journal_mode: string }>`pragma journal_mode`.execute(tx.query);
      const synchronous = await sql<{ synchronous: number }>`pragma synchronous`.execute(tx.query);
      return [journal.rows[0]?.journal_mode, synchronous.rows[0]?.synchronous];
    });
    assert.deepEqual([mode, level], ["wal", 2]);
  });
});

void test("when a group of writes is lost as a whole, each is run again alone (SQLite)", async (t) => {
  await withSqlite(async (db) => {
    let runs = 0;
    // A group ends after a few milliseconds. On a busy machine, these three would not be in one group.
    t.mock.method(performance, "now", () => 0);
    const results = await Promise.allSettled([
      db.write((tx) => put(tx, "a")),
      db.write(async (tx) => {
        // The whole transaction is rolled back, as on a full disk.
        if (++runs === 1)
          await tx.query.executeQuery({
            sql: "rollback",
            parameters: [],
            query: { kind: "RawNode", sqlFragments: [], parameters: [] },
            queryId: { queryId: "x" },
          });
        await put(tx, "b");
      }),
      db.write((tx) => put(tx, "c")),
    ]);
    assert.deepEqual(
      results.map(({ status }) => status),
      ["fulfilled", "fulfilled", "fulfilled"],
    );
    assert.equal(runs, 2);
    assert.deepEqual(await ids(db), ["a", "b", "c"]);
  });
});

void test("a file system that refuses is 503 and leaves nothing behind (SQLite)", async () => {
  await withSqlite(async (db, dataDir) => {
    const other = new DatabaseSync(join(dataDir, "service.db"), { timeout: 0 });
    // To SQLite, this is a full disk: it may not add a page.
    await db.write(async (tx) => {
      const { sql } = await import("kysely");
      await sql`pragma max_page_count = 1`.execute(tx.query);
    });
    const results = await Promise.allSettled(
      [1, 2, 3].map((i) => db.write((tx) => put(tx, `big${i}`, "x".repeat(200_000)))),
    );
    for (const result of results)
      assert.equal(((result as PromiseRejectedResult).reason as ServiceError).code, "DATABASE_UNAVAILABLE");
    assert.deepEqual(await ids(db), []);
    other.close();
  });
});

void test("a write that cannot begin is refused, and the next one is tried (SQLite)", async () => {
  await withSqlite(async (db, dataDir) => {
    const other = new DatabaseSync(join(dataDir, "service.db"));
    other.exec("begin immediate");
    await assert.rejects(
      db.write((tx) => put(tx, "a")),
      { code: "DATABASE_UNAVAILABLE" },
    );
    other.exec("rollback");
    other.close();
    await db.write((tx) => put(tx, "b"));
    assert.deepEqual(await ids(db), ["b"]);
  });
});

void test("what is stored is for its owner's eyes only (SQLite)", async () => {
  await withSqlite(async (db, dataDir) => {
    await db.write((tx) => put(tx, "a"));
    for (const file of ["service.db", "service.db-wal"])
      assert.equal(statSync(join(dataDir, file)).mode & 0o077, 0, file);
  });
});

void test("heavy reads see what was committed and run beside the event loop (SQLite)", async () => {
  await withSqlite(async (db) => {
    await db.write((tx) => put(tx, "a"));
    const rows = await db.heavy.query.selectFrom("task_responses").selectAll().execute();
    assert.deepEqual(rows, [{ task_id: "a", response: "{}", home: 10 }]);
    await assert.rejects(
      db.heavy.query
        .selectFrom("nowhere" as "tasks")
        .selectAll()
        .execute(),
      /no such table/,
    );
  });
});

void test("what the file system refuses a read is told to the caller as 503, with its cause (SQLite)", async () => {
  await withSqlite(async (db) => {
    const { sql } = await import("kysely");
    // READONLY, because a reading connection cannot write. A broken disk is reported the same way.
    for (const reader of [db, db.heavy]) {
      await assert.rejects(
        async () => sql`delete from tasks returning id`.execute(reader.query),
        (error: unknown) =>
          error instanceof ServiceError &&
          error.code === "DATABASE_UNAVAILABLE" &&
          /readonly/.test(String(error.cause)),
      );
    }
  });
});

void test("the end of a reading thread fails what it was asked, and not what its successor is (SQLite)", async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), "service-db-"));
  const path = join(dataDir, "service.db");
  new DatabaseSync(path).close();
  /** The thread of each request, in their order. */
  const threads: Worker[] = [];
  const post = Worker.prototype.postMessage;
  t.mock.method(Worker.prototype, "postMessage", function (this: Worker, message: unknown) {
    threads.push(this);
    post.call(this, message);
  });
  const heavy = openHeavyReader(path);
  const one = () => heavy.query.selectNoFrom(({ val }) => val(1).as("one")).execute();
  await one();
  const [first] = threads;
  const asked = one();
  while (threads.length < 2) await Promise.resolve();
  // A failing thread reports the error before it has ended.
  first!.emit("error", new Error("broken"));
  await assert.rejects(asked, { code: "DATABASE_UNAVAILABLE" });
  const next = one();
  while (threads.length < 3) await Promise.resolve();
  assert.notEqual(threads[2], first);
  await first!.terminate();
  assert.deepEqual(await next, [{ one: 1 }]);
  await heavy.close();
  rmSync(dataDir, { recursive: true, force: true });
});

void test("the clock never goes backwards (SQLite)", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "service-db-"));
  const times = [100, 200, 150, 201];
  const db = await openSqlite({ dataDir, now: () => times.shift() ?? 201, onError: fail });
  assert.deepEqual([db.now(), db.now(), db.now(), db.now()], [100, 200, 200, 201]);
  await db.close();
  rmSync(dataDir, { recursive: true, force: true });
});

void test("when this machine's clock is set back, time goes on from where it was; set ahead, it is followed (SQLite)", async (t) => {
  const HOUR_MS = 3_600_000;
  const truth = Date.now.bind(Date);
  await withSqlite(async (db) => {
    const before = db.now();
    assert.ok(Math.abs(before - truth()) < 1_000);
    const wall = t.mock.method(Date, "now", () => truth() - HOUR_MS);
    const set = db.now();
    assert.ok(set >= before && set < before + 60_000);
    while (db.now() < set + 20) await new Promise((resolve) => setTimeout(resolve, 5));
    wall.mock.mockImplementation(() => truth() + HOUR_MS);
    assert.ok(db.now() >= before + HOUR_MS);
  });
});

void test("a transaction that the database took back is run again (PostgreSQL)", async () => {
  await withPostgres(async (db) => {
    for (const code of ["40001", "40P01"]) {
      let runs = 0;
      await db.write(async (tx) => {
        await put(tx, code);
        if (++runs < 3) throw Object.assign(new Error("try again"), { code });
      });
      assert.equal(runs, 3);
    }
    assert.deepEqual(await ids(db), ["40001", "40P01"]);
  });
});

void test("a connection that breaks inside a transaction costs nobody anything (PostgreSQL)", async () => {
  await withPostgres(async (db, url) => {
    let runs = 0;
    await db.write(async (tx) => {
      const { sql } = await import("kysely");
      await put(tx, "a");
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx.query);
      if (++runs === 1) {
        const killer = new Client({ connectionString: url });
        await killer.connect();
        await killer.query("select pg_terminate_backend($1)", [rows[0]!.pid]);
        await killer.end();
        await put(tx, "b");
      }
    });
    assert.equal(runs, 2);
    assert.deepEqual(await ids(db), ["a"]);
  });
});

void test("a database that cannot be reached is 503 (PostgreSQL)", async () => {
  await withPostgres(async (db, url) => {
    const admin = new Client({ connectionString: url.replace(/\/test_\w+\?/, "/postgres?") });
    await admin.connect();
    const name = /test_\w+/.exec(url)![0];
    await admin.query(`alter database ${name} allow_connections false`);
    await admin.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", [name]);
    await assert.rejects(
      db.write((tx) => put(tx, "a")),
      (error: unknown) => error instanceof ServiceError && error.code === "DATABASE_UNAVAILABLE",
    );
    await admin.query(`alter database ${name} allow_connections true`);
    await admin.end();
    await db.write((tx) => put(tx, "b"));
    assert.deepEqual(await ids(db), ["b"]);
  });
});

void test("hints reach other processes, and a connection that was lost comes back (PostgreSQL)", async () => {
  await withDatabase(async (url) => {
    const told: string[] = [];
    const tell = (text: string) => void told.push(text);
    const open = () => openPostgres({ url, onError: fail, onWarning: tell, onInfo: tell });
    const [db, other] = [await open(), await open()];
    let resets = 0;
    other.hints.onReset(() => resets++);
    try {
      const next = () => new Promise<string>((resolve) => other.hints.listen(resolve));
      assert.ok(db.hints.isHealthy() && other.hints.isHealthy());
      const first = next();
      await db.write(async (tx) => tx.hint("task:1"));
      assert.equal(await first, "task:1");

      const killer = new Client({ connectionString: url });
      await killer.connect();
      await killer.query(
        // Concurrent tests have databases in the same cluster.
        `select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and application_name = 'human-task-service hints'`,
      );
      await killer.end();
      while (other.hints.isHealthy()) await new Promise((resolve) => setTimeout(resolve, 5));
      while (!(db.hints.isHealthy() && other.hints.isHealthy()))
        await new Promise((resolve) => setTimeout(resolve, 20));
      const second = next();
      await db.write(async (tx) => tx.hint("task:2"));
      assert.equal(await second, "task:2");
      assert.ok(resets >= 1, "hints may have been lost");
      const [lost, back] = [/connection for hints was lost/, /^Hints from other processes arrive/];
      assert.deepEqual(
        [told.filter((text) => lost.test(text)).length, told.filter((text) => back.test(text)).length],
        [2, 2],
      );
      assert.equal(told.length, 4, "one line each");
    } finally {
      await db.close();
      await other.close();
    }
  });
});

void test("several processes may start on an empty database at once (PostgreSQL)", async () => {
  const { url, drop } = await (await onePostgres()).createDatabase();
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query("drop schema public cascade; create schema public");
  await client.end();
  const all = await Promise.all([1, 2, 3].map(() => openPostgres({ url, onError: fail, onWarning: fail })));
  for (const db of all) assert.deepEqual(await ids(db), []);
  for (const db of all) await db.close();
  await drop();
});
