import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { BEYOND_HOME, type HomeRule } from "../src/db/beyond-home.ts";
import { BUNDLE_FOLDER } from "./support/bundled-service.ts";
import { findBroken, findStale, judge } from "./support/home-rules.ts";
import { isOfService, readStatements, STATEMENTS_FOLDER } from "./support/statements.ts";

/** For each rule, statements that break it alone, each with one that does the same and breaks none. */
const CASES: Record<HomeRule, readonly (readonly [wrong: string, right: string])[]> = {
  home: [
    ["select * from tasks where id = $1", "select * from tasks where id = $1 and home = $2"],
    [`select * from "tasks" where "id" = $1 or "home" = $2`, `select * from "tasks" where "home" = $2 and "id" = $1`],
    ["delete from task_documents where task_id = $1", "delete from task_documents where task_id = $1 and home = $2"],
    [
      "update deliveries d set status = 'x' from c where d.id = c.id",
      "update deliveries d set status = 'x' from c where d.id = c.id and d.home = c.home",
    ],
    [
      "select * from tasks where id = any($1)",
      "select * from tasks where (id, home) in (select * from unnest($1::text[], $2::integer[]))",
    ],
    [
      "select 1 from users where exists (select 1 from tasks where tasks.asked_by_id = users.id)",
      "select 1 from deliveries where home = $1 and exists (select 1 from tasks where tasks.id = task_id and tasks.home = deliveries.home)",
    ],
    ["insert into tasks (id) values ($1)", "insert into tasks (id, home) values ($1, $2)"],
    [
      "select * from tasks t join task_responses r on r.task_id = t.id and r.home = t.home where t.id = $1",
      "select * from tasks t join task_responses r on r.task_id = t.id and r.home = t.home where t.id = $1 and r.home = $2",
    ],
  ],
  join: [
    [
      "select * from tasks t left join task_responses r on r.task_id = t.id and r.home = $2 where t.id = $1 and t.home = $2",
      "select * from tasks t left join task_responses r on r.task_id = t.id and r.home = t.home where t.id = $1 and t.home = $2",
    ],
  ],
  lock: [
    [
      "select * from tasks where (id, home) in (select * from unnest($1::text[], $2::int[])) for update skip locked",
      "select * from tasks where id = $1 and home = $2 for update skip locked",
    ],
    [
      "select d.id from deliveries d join ended on ended.id = d.id and ended.home = d.home for update of d",
      "select d.id from deliveries d join ended on ended.id = d.id and ended.home = d.home",
    ],
  ],
  conflict: [
    [
      "insert into tasks (id, home) values ($1, $2) on conflict (id) do nothing",
      "insert into tasks (id, home) values ($1, $2) on conflict (id, home) do nothing",
    ],
    [
      "insert into delivery_places (delivery_id, home) values ($1, $2) on conflict (delivery_id) do update set shown = $3",
      "insert into delivery_places (delivery_id, home) values ($1, $2) on conflict do nothing",
    ],
  ],
  insert: [
    [
      "with a as (insert into tasks (id, home) values ($1, $2) returning id) select id from a",
      "with a as (insert into users (id) values ($1) returning id) select id from a",
    ],
  ],
  "lock and insert": [],
  recursion: [
    [
      "with recursive h(o) as (select origin from deliveries where home = $1 union all select o from h) select o from h",
      "with recursive h(o) as (select email from users union all select o from h) select o from h",
    ],
  ],
  lateral: [
    [
      "select d.id from w, lateral (select id from deliveries where home = w.home limit 2) d",
      "select d.id from w, lateral (select id from deliveries where home = w.home) d",
    ],
  ],
};

for (const [rule, cases] of Object.entries(CASES))
  void test(`a statement that breaks the rule "${rule}" is found, and one that keeps it is not`, () => {
    for (const [wrong, right] of cases) {
      assert.deepEqual(findBroken(wrong), [rule], wrong);
      assert.deepEqual(judge(wrong), [`It breaks the rule "${rule}".`]);
      assert.deepEqual(findBroken(right), [], right);
    }
  });

void test("a lock and an insert in one statement are found", () => {
  const both = `with locked as (select id from deliveries where home = $1 for update),
    kept as (insert into delivery_attempts (delivery_id, home) select id, $1 from locked) select id from locked`;
  assert.deepEqual(findBroken(both), ["insert", "lock and insert"]);
});

void test("a table that is only called like one of the tables of tasks is none", () => {
  assert.deepEqual(findBroken("with tasks as (select id from users) select id from tasks"), []);
  assert.deepEqual(findBroken("select tasks from users tasks"), []);
});

void test("an exception may break the rules that it names, and no others", () => {
  const due = "select * from tasks where timeout_at < $1 for update skip locked /* beyond home: due tasks */";
  assert.deepEqual(judge(due), []);
  assert.deepEqual(judge("select * from tasks for update /* beyond home: next deadline */"), [
    'It breaks the rule "lock".',
  ]);
  assert.deepEqual(judge("select 1 /* beyond home: nowhere */"), ['"nowhere" is not in src/db/beyond-home.ts.']);
  const stale = findStale([due]);
  assert.ok(!stale.some((sentence) => sentence.includes('"due tasks"')));
  assert.ok(stale.includes('No statement that is marked "due origins" breaks the rule "home".'));
  for (const { why } of Object.values(BEYOND_HOME)) assert.match(why, /^[A-Z].*\.$/);
});

void test("a statement of the bundled service is known by the module that sends it", () => {
  const folder = mkdtempSync(join(tmpdir(), "bundle-"));
  const before = process.env[BUNDLE_FOLDER];
  process.env[BUNDLE_FOLDER] = folder;
  try {
    const places = [
      [1, "node_modules/kysely/dist/x.js"],
      [40, "src/db/postgres.ts"],
      [60, "src/db/migrate.ts"],
      [70, "src/db/migrations/0021-homes.ts"],
      [80, "src/tasks/store.ts"],
    ];
    writeFileSync(join(folder, "places.json"), JSON.stringify({ "src/start.js": places }));
    const stack = (...lines: number[]) =>
      lines.map((line) => `    at async f (${pathToFileURL(join(folder, "src/start.js")).href}:${line}:2)`).join("\n");
    assert.equal(isOfService(stack(39, 41, 85)), true);
    assert.equal(isOfService(stack(39, 41, 59)), false);
    assert.equal(isOfService(stack(39, 41, 79, 61, 85)), false);
  } finally {
    if (before === undefined) delete process.env[BUNDLE_FOLDER];
    else process.env[BUNDLE_FOLDER] = before;
    rmSync(folder, { recursive: true });
  }
});

void test("statements of the service are recorded once, those of tests are not", () => {
  const stack = (...files: string[]) =>
    files.map((file) => `    at async f (${pathToFileURL(file).href}:1:2)`).join("\n");
  const db = ["node_modules/kysely/dist/x.js", "src/db/postgres-pool.ts", "src/db/postgres.ts"];
  assert.equal(isOfService(stack(...db, "src/tasks/store.ts", "src/tasks/a.test.ts")), true);
  assert.equal(isOfService(stack(...db, "src/tasks/a.test.ts", "src/tasks/store.ts")), false);
  assert.equal(isOfService(stack(...db, "src/db/db.test.ts")), false);
  assert.equal(
    isOfService(stack(...db, "src/db/migrations/0021-homes.ts", "src/db/migrate.ts", "src/start.ts")),
    false,
  );
  assert.equal(isOfService(stack(...db, "test/support/deliveries.ts")), false);

  const folder = mkdtempSync(join(tmpdir(), "statements-"));
  try {
    const script = `
      import { testOnBoth } from "./test/support/service.ts";
      testOnBoth("a task", async ({ create, ctx }) => {
        for (let i = 0; i < 2; i++) await create();
        await ctx.db.query.selectFrom("tasks").select("listed_length").execute();
      });`;
    const { status, stdout } = spawnSync(
      process.execPath,
      ["--import", "./test/support/statements.ts", "--input-type=module", "-e", script],
      { env: { ...process.env, NODE_TEST_CONTEXT: "", [STATEMENTS_FOLDER]: folder }, encoding: "utf8" },
    );
    assert.equal(status, 0, stdout);
    const texts = readStatements(folder);
    assert.equal(texts.filter((text) => text.includes("insert into tasks")).length, 1);
    assert.ok(!texts.some((text) => text.includes('select "listed_length" from')));
  } finally {
    rmSync(folder, { recursive: true });
  }
});
