import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { test } from "node:test";

void test("a name that no test file has is an error, not a success", () => {
  const { status, stderr } = spawnSync(process.execPath, ["test/run.ts", "imports", "no-such-file"], {
    encoding: "utf8",
  });
  assert.equal(status, 1);
  assert.equal(stderr, "No test file has this in its name: no-such-file.\n");
});

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  void test(`a test process that is ended by ${signal} takes its PostgreSQL with it`, async () => {
    const script = `
      const { onePostgres } = await import("./test/support/postgres.ts");
      const { url } = await (await onePostgres()).createDatabase();
      console.log(new URL(url).searchParams.get("host"));
      setInterval(() => {}, 1000);
    `;
    const { TEST_POSTGRES_SOCKET: _, ...alone } = process.env;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
      env: alone,
    });
    const [line] = (await once(child.stdout, "data")) as [Buffer];
    const folder = line.toString().trim();
    const server = Number(readFileSync(`${folder}/.s.PGSQL.5432.lock`, "utf8").split("\n")[0]);
    child.kill(signal);
    const [code, by] = (await once(child, "exit")) as [number | null, string | null];
    assert.deepEqual([code, by], [null, signal]);
    for (let i = 0; isRunning(server); i++) {
      assert.ok(i < 1_000, "the server still runs");
      await sleep(20);
    }
    assert.ok(!existsSync(folder));
  });
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
