import assert from "node:assert/strict";
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import type { Client } from "../../sdk/index.ts";
import { ROOT } from "../support/packed.ts";
import { startProcess } from "../support/processes.ts";
import { ADMIN_TOKEN } from "../support/service.ts";
import { blocksOf } from "../support/shell.ts";

interface Partitions {
  placeOf(tenant: string): string;
  serviceOf(tenant: string): Client;
}

void test("with the partitions of docs/scaling.md, a tenant's tasks are in one service, and stay there", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "partitions-test-"));
  const services = {
    east: await startProcess({ SERVICE_DATA_DIR: join(folder, "east") }),
    west: await startProcess({ SERVICE_DATA_DIR: join(folder, "west") }),
  };
  t.after(async () => {
    await Promise.all(Object.values(services).map(async (service) => service.kill()));
    delete process.env["PARTITIONS"];
    delete process.env["PLACED"];
    rmSync(folder, { recursive: true });
  });
  const client = JSON.stringify(pathToFileURL(join(ROOT, "sdk/index.ts")));
  const [block, ...others] = blocksOf(join(ROOT, "docs/scaling.md")).filter(({ info }) => info === "ts");
  assert.deepEqual(others, []);
  const load = async (names: string[], placed: Record<string, string> = {}) => {
    process.env["PARTITIONS"] = JSON.stringify(
      names.map((name) => ({
        name,
        baseUrl: services[name as keyof typeof services]?.url ?? "http://127.0.0.1:1",
        token: ADMIN_TOKEN,
      })),
    );
    process.env["PLACED"] = JSON.stringify(placed);
    const file = join(folder, `partitions-${names.length}-${Object.keys(placed).length}.mts`);
    writeFileSync(file, block!.text.replace('"@human-task-service/client"', client));
    return (await import(pathToFileURL(file).href)) as Partitions;
  };

  const partitions = await load(["east", "west"]);
  const tenants = Array.from({ length: 30 }, (_, i) => `tenant-${i}`);
  const responseSchema = { type: "object", properties: { go: { type: "boolean" } } } as const;
  const ids: Record<string, string[]> = { east: [], west: [] };
  for (const tenant of tenants) {
    const question = { task: `Go on for ${tenant}?`, responseSchema };
    const { id } = await partitions.serviceOf(tenant).ask(question);
    assert.equal((await partitions.serviceOf(tenant).ask(question)).id, id);
    ids[partitions.placeOf(tenant)]!.push(id);
  }
  for (const [name, service] of Object.entries(services)) {
    const { body } = await service.call<{ id: string }[]>("GET", "/api/tasks?limit=200");
    assert.deepEqual(body.map(({ id }) => id).toSorted(), ids[name]!.toSorted());
    assert.ok(body.length > 5, name);
  }

  // A third takes its share from both; whoever was written down before stays.
  const three = await load(["east", "west", "north"]);
  const moved = tenants.filter((tenant) => three.placeOf(tenant) !== partitions.placeOf(tenant));
  assert.ok(moved.length > 0 && moved.every((tenant) => three.placeOf(tenant) === "north"));
  const placed = Object.fromEntries(tenants.map((tenant) => [tenant, partitions.placeOf(tenant)]));
  const kept = await load(["east", "west", "north"], placed);
  assert.deepEqual(Object.fromEntries(tenants.map((tenant) => [tenant, kept.placeOf(tenant)])), placed);
});

void test("what docs/scaling.md says of the code is where it says", () => {
  const page = readFileSync(join(ROOT, "docs/scaling.md"), "utf8");
  const source = (path: string) => readFileSync(join(ROOT, "src", path.replace(/^src\//, "")), "utf8");
  const paths = new Set(Array.from(page.matchAll(/`((?:[\w-]+\/)+[\w-]+\.ts)`/g), ([, path]) => path!));
  assert.ok(paths.size >= 12);
  for (const path of paths) source(path);
  for (const [path, used] of [
    ["db/locks.ts", /forUpdate\(\)\.skipLocked\(\)/],
    ["tasks/store.ts", /forUpdate\(\s*dialect/],
    ["tasks/due-tasks.ts", /forUpdateOfFree\(dialect/],
    ["deliveries/claim.ts", /forUpdateOfFree\(dialect/],
    ["deliveries/outcomes.ts", /forUpdateOfFree\(dialect/],
    ["people/store.ts", /forUpdate\(tx\.dialect/],
    ["deliveries/live-messages.ts", /forUpdate\(tx\.dialect/],
    ["tasks/new-task-store.ts", /on conflict do nothing returning/],
    ["db/rows.ts", /string_to_array/],
    ["tasks/poll-rounds.ts", /string_to_array/],
    ["tasks/new-task-store.ts", /from unnest\(/],
    ["deliveries/outcomes.ts", /json_to_recordset/],
    ["tasks/move-store.ts", /json_to_recordset/],
    ["db/locks.ts", /pg_advisory_xact_lock\(hashtextextended/],
    ["tasks/routing.ts", /lockName\(tx/],
    ["db/postgres-clock.ts", /clock_timestamp\(\)/],
    ["db/postgres-hint-line.ts", /pg_notify/],
    ["db/postgres-durability.ts", /current_setting/],
  ] as const)
    assert.ok(used.test(source(path)), `${path} does not have ${used}`);
  const everything = globSync("src/**/*.ts", { cwd: ROOT }).filter((path) => !path.endsWith(".test.ts"));
  const locking = everything.filter((path) => /advisory_(xact_)?lock\(/.test(readFileSync(join(ROOT, path), "utf8")));
  assert.deepEqual(locking.toSorted(), [
    "src/db/locks.ts",
    "src/db/migrate.ts",
    "src/db/postgres-transactions.ts",
    "src/db/spread.ts",
  ]);
  const migrations = everything.filter((path) => path.startsWith("src/db/migrations/"));
  for (const path of migrations) {
    const found = readFileSync(join(ROOT, path), "utf8").matchAll(
      /references|serial|as identity|create (?:trigger|function|extension|sequence)/gi,
    );
    assert.deepEqual(
      [...found].map(([what]) => what),
      // The triggers are those of SQLite.
      path.endsWith("/0045-search.ts") ? [...Array(3).fill("create trigger"), "create extension"] : [],
      path,
    );
  }
});
