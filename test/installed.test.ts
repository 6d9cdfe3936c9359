import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";

interface Installation {
  code: number;
  said: string;
}

/** A folder with a lock file, which needs nothing of a registry but what it is told to. */
function folderOf(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), "installed-test-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const write = (path: string, content: object) => writeFileSync(join(folder, path), JSON.stringify(content));
  return {
    /** @param strangers - packages of a registry, by their versions */
    lock: (version: string, strangers: Record<string, string> = {}) => {
      const root = { name: "folder", version, dependencies: strangers };
      const packages: Record<string, object> = { "": root };
      for (const [name, version] of Object.entries(strangers)) packages[`node_modules/${name}`] = { version };
      write("package.json", root);
      write("package-lock.json", { name: "folder", version, lockfileVersion: 3, requires: true, packages });
    },
    install: async () =>
      new Promise<Installation>((resolve) =>
        execFile(
          process.execPath,
          ["pack/installed.ts", folder],
          { env: { ...process.env, npm_config_registry: "http://127.0.0.1:1", npm_config_fetch_retries: "0" } },
          (error, stdout, stderr) => resolve({ code: Number(error?.code ?? 0), said: stdout + stderr }),
        ),
      ),
    stamp: () => readFileSync(join(folder, "node_modules/.lock-sha256"), "utf8"),
  };
}

void test("a folder is installed once for each lock file that it has, and says why", async (t) => {
  const { lock, install, stamp } = folderOf(t);
  lock("1.0.0");
  const first = await install();
  assert.match(first.said, /^npm ci --prefix \S+: the packages of \S+ are not there yet\.\n$/);
  const before = stamp();
  assert.deepEqual(await install(), { code: 0, said: "" });
  lock("1.0.1");
  const again = await install();
  assert.match(again.said, /^npm ci --prefix \S+: the packages of \S+ are not those of its package-lock\.json\.\n$/);
  assert.notEqual(stamp(), before);
});

void test("of several processes that want it at once, one installs it", async (t) => {
  const { lock, install } = folderOf(t);
  lock("1.0.0");
  const all = await Promise.all([install(), install(), install()]);
  assert.deepEqual(
    all.map(({ code }) => code),
    [0, 0, 0],
  );
  assert.equal(all.filter(({ said }) => said !== "").length, 1);
});

void test("what npm cannot fetch is told in a sentence, and tried again the next time", async (t) => {
  const { lock, install, stamp } = folderOf(t);
  lock("1.0.0", { "nobody-has-this": "1.0.0" });
  const { code, said } = await install();
  assert.equal(code, 1);
  assert.match(said, /\nThe packages of \S+ could not be installed: [^\n]* needs a network[^\n]*\n[^]*ECONNREFUSED/);
  assert.throws(stamp);
  lock("1.0.0");
  assert.equal((await install()).code, 0);
});
