import assert from "node:assert/strict";
import { describe, test, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { sql, type Kysely } from "kysely";
import { onePostgres } from "../../test/support/postgres.ts";
import { openDatabaseProxy, type TcpProxy } from "../../test/support/tcp-proxy.ts";
import { ServiceError } from "../errors.ts";
import { readStatement, writeStatement, type Db, type Tx } from "./database.ts";
import { openPostgres } from "./postgres.ts";
import type { Schema } from "./schema.ts";

const TEST = { timeout: 180_000 };
/** The database allows a statement 5 s, and the service adds one second. The rest is a margin for a busy machine. */
const ANSWERED_MS = 20_000;
/** A check of the health gives up after 2 s, before any other statement. */
const PING_MS = 5_000;

interface Faulty {
  db: Db;
  proxy: TcpProxy;
  url: string;
  /** Errors that no caller awaited. */
  errors: unknown[];
}

/** Opens a database behind a proxy that can break the connection. */
async function openFaulty(t: TestContext): Promise<Faulty> {
  const { url, drop } = await (await onePostgres()).createDatabase();
  const proxy = await openDatabaseProxy(url);
  const errors: unknown[] = [];
  const onError = (error: unknown) => void errors.push(error);
  const db = await openPostgres({ url: proxy.url, onError, onWarning: onError });
  t.after(async () => {
    await proxy.pass();
    await db.close();
    await proxy.close();
    await drop();
  });
  return { db, proxy, url, errors };
}

const put = (tx: Tx, task_id: string) =>
  tx.query.insertInto("task_responses").values({ task_id, home: 0, response: "{}" }).execute();
const selectIds = readStatement<object, { task_id: string }>((query) =>
  query.selectFrom("task_responses").select("task_id").orderBy("task_id"),
);
const ids = async (db: Db) => (await db.run(selectIds, {})).map(({ task_id }) => task_id);
const raise = (query: unknown, code: string) =>
  sql`do $$ begin raise exception 'no' using errcode = '${sql.raw(code)}'; end $$`.execute(query as Kysely<Schema>);

const isCode = (code: string) => (error: unknown) => error instanceof ServiceError && error.code === code;
const isUnavailable = isCode("DATABASE_UNAVAILABLE");

/** Every kind of access to the database. */
const WAYS: Record<string, (db: Db) => Promise<unknown>> = {
  query: (db) => db.query.selectFrom("tasks").select("id").execute(),
  heavy: (db) => db.heavy.query.selectFrom("tasks").select("id").execute(),
  "heavy, compiled": (db) => db.heavy.run(selectIds, {}),
  run: (db) => db.run(selectIds, {}),
  write: (db) => db.write((tx) => put(tx, "lost")),
};

/** Runs `act`, which must end by itself within the time. */
async function within<T>(ms: number, act: Promise<T>): Promise<T> {
  const started = performance.now();
  try {
    return await act;
  } finally {
    const took = performance.now() - started;
    assert.ok(took < ms, `took ${Math.round(took)} ms instead of less than ${ms}`);
  }
}

void test("what may pass is DATABASE_UNAVAILABLE in every kind of statement, and the rest is itself (PostgreSQL)", async (t) => {
  const { db } = await openFaulty(t);
  const ways: Record<string, (code: string) => Promise<unknown>> = {
    query: (code) => raise(db.query, code),
    heavy: (code) => raise(db.heavy.query, code),
    write: (code) => db.write((tx) => raise(tx.query, code)),
  };
  for (const [name, way] of Object.entries(ways)) {
    // Statement timeout, lock timeout, disk full, out of memory, read only.
    for (const code of ["57014", "55P03", "53100", "53200", "25006"]) {
      await assert.rejects(way(code), (error: unknown) => {
        assert.ok(isUnavailable(error), `${name}: ${code}`);
        assert.equal(((error as ServiceError).cause as { code: string }).code, code, "the log tells the cause");
        return true;
      });
    }
    await assert.rejects(way("22012"), { code: "22012" }, name);
  }
});

void test("a transaction is run again when one of its statements meets a deadlock (PostgreSQL)", async (t) => {
  const { db } = await openFaulty(t);
  for (const code of ["40001", "40P01"]) {
    let runs = 0;
    await db.write(async (tx) => {
      await put(tx, code);
      if (++runs < 3) await raise(tx.query, code);
    });
    assert.equal(runs, 3);
  }
  assert.deepEqual(await ids(db), ["40001", "40P01"]);
});

void test(
  "a database that refuses connections is 503 at once, and works when it is back (PostgreSQL)",
  TEST,
  async (t) => {
    const { db, proxy } = await openFaulty(t);
    await db.write((tx) => put(tx, "before"));
    await proxy.refuse();
    for (const [name, way] of Object.entries(WAYS))
      await assert.rejects(within(ANSWERED_MS, way(db)), isUnavailable, name);
    await assert.rejects(within(PING_MS, db.ping()));
    await proxy.pass();
    await db.ping();
    await db.write((tx) => put(tx, "after"));
    assert.deepEqual(await ids(db), ["after", "before"]);
  },
);

// Each waits for a time limit. Run concurrently, they take no longer than one.
void describe("a connection that falls silent", { concurrency: true }, () => {
  void test(
    "a connection that gives no answer is 503 in time, and is never used again (PostgreSQL)",
    TEST,
    async (t) => {
      const { db, proxy } = await openFaulty(t);
      await db.write((tx) => put(tx, "before"));
      // Each test gets an existing connection, so that connecting is not what fails.
      await Promise.all(Array.from({ length: 8 }, () => sql`select pg_sleep(0.1)`.execute(db.query)));
      proxy.freeze();
      await Promise.all([
        ...Object.entries(WAYS).map(async ([name, way]) =>
          assert.rejects(within(ANSWERED_MS, way(db)), isUnavailable, name),
        ),
        assert.rejects(within(PING_MS, db.ping())),
      ]);
      await proxy.pass();
      // One after the other, because the next query would use a broken connection of the pool.
      for (const way of Object.values(WAYS).slice(0, 4)) await way(db);
      await db.ping();
      await db.write((tx) => put(tx, "after"));
      assert.deepEqual(await ids(db), ["after", "before"]);
    },
  );

  void test(
    "a connection that falls silent inside a transaction writes nothing, and taking it back does not wait (PostgreSQL)",
    TEST,
    async (t) => {
      const { db, proxy } = await openFaulty(t);
      let runs = 0;
      await assert.rejects(
        within(
          ANSWERED_MS,
          db.write(async (tx) => {
            runs++;
            await put(tx, "a");
            proxy.freeze();
            await put(tx, "b");
          }),
        ),
        (error: unknown) => isUnavailable(error) && /read timeout/.test(String((error as ServiceError).cause)),
      );
      assert.equal(runs, 1);
      await proxy.pass();
      await db.write((tx) => put(tx, "a"));
      assert.deepEqual(await ids(db), ["a"]);
    },
  );

  void test(
    "a commit whose answer never comes may have happened, and is not run again (PostgreSQL)",
    TEST,
    async (t) => {
      const { db, proxy, url } = await openFaulty(t);
      const fail = (problem: unknown) => assert.fail(String(problem));
      const direct = await openPostgres({ url, onError: fail, onWarning: () => {} });
      t.after(() => direct.close());
      let runs = 0;
      const write = (id: string, breakIt: () => void) =>
        db.write(async (tx) => {
          runs++;
          await put(tx, id);
          breakIt();
        });
      await assert.rejects(
        within(
          ANSWERED_MS,
          write("swallowed", () => proxy.freezeAt("commit")),
        ),
        isCode("COMMIT_UNKNOWN"),
      );
      assert.equal(runs, 1);
      await proxy.pass();

      // It was stored, and only the answer is lost.
      await assert.rejects(
        within(
          ANSWERED_MS,
          write("stored", () => {
            proxy.hold();
            void sleep(300).then(() => proxy.cut());
          }),
        ),
        isCode("COMMIT_UNKNOWN"),
      );
      assert.equal(runs, 2);
      await proxy.pass();
      assert.deepEqual(await ids(db), ["stored"]);
      assert.deepEqual(await ids(direct), ["stored"]);
    },
  );

  void test("a statement whose answer never comes may have been carried out (PostgreSQL)", TEST, async (t) => {
    const { db, proxy } = await openFaulty(t);
    const put = writeStatement<{ task_id: string }>((query, param) =>
      query.insertInto("task_responses").values({ task_id: param("task_id"), home: 0, response: "1" }),
    );
    await db.writeOne(put, { task_id: "answered" });
    proxy.hold();
    void sleep(300).then(() => proxy.cut());
    await assert.rejects(within(ANSWERED_MS, db.writeOne(put, { task_id: "stored" })), isCode("COMMIT_UNKNOWN"));
    await proxy.pass();
    assert.deepEqual(await ids(db), ["answered", "stored"]);
  });

  void test("a pool whose every connection fell silent is whole again afterwards (PostgreSQL)", TEST, async (t) => {
    const { db, proxy } = await openFaulty(t);
    proxy.freeze();
    const results = await Promise.allSettled(Array.from({ length: 60 }, () => within(ANSWERED_MS, WAYS["query"]!(db))));
    for (const result of results) assert.ok(result.status === "rejected" && isUnavailable(result.reason));
    await proxy.pass();
    await within(30_000, Promise.all(Array.from({ length: 60 }, (_, i) => db.write((tx) => put(tx, `w${i}`)))));
    assert.equal((await ids(db)).length, 60);
  });
});

void test(
  "a pooler that hands prepared statements to other connections costs a retry, and none later (PostgreSQL)",
  TEST,
  async (t) => {
    const { db, errors } = await openFaulty(t);
    const forget = () => sql`deallocate all`.execute(db.query);
    const putCompiled = writeStatement<{ task_id: string }>((query, param) =>
      query.insertInto("task_responses").values({ task_id: param("task_id"), home: 0, response: "{}" }),
    );
    await db.writeOne(putCompiled, { task_id: "a" });
    await forget();
    await db.writeOne(putCompiled, { task_id: "b" });
    await db.write((tx) => tx.run(putCompiled, { task_id: "c" }));
    await forget();
    assert.deepEqual(await ids(db), ["a", "b", "c"]);
    assert.deepEqual(errors, []);
  },
);

for (const [name, write] of [
  ["a read", (db: Db) => ids(db)],
  ["a transaction", (db: Db) => db.write((tx) => tx.run(selectIds, {}))],
] as const)
  void test(`${name} outlives it that its prepared statement is gone (PostgreSQL)`, TEST, async (t) => {
    const { db } = await openFaulty(t);
    assert.deepEqual(await write(db), []);
    await sql`deallocate all`.execute(db.query);
    assert.deepEqual(await write(db), []);
  });
