import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { globSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { promisify } from "node:util";
import { copyClone } from "../support/packed.ts";

/** The limit of packages that `npm ci` may install in a clone. */
const MAX_PACKAGES = 450;
const MAX_MB = 500;

void test("a clone is installed and started by npm alone, without a warning", { timeout: 600_000 }, async (t) => {
  const around = await mkdtemp(join(tmpdir(), "install-test-"));
  t.after(() => rm(around, { recursive: true }));
  const clone = await copyClone(around);
  // Like a machine with any version of Node, on which nothing was installed before.
  const path = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => !folder.includes("node_modules"));
  const env = { HOME: process.env["HOME"], PATH: path.join(delimiter), npm_config_cache: join(around, "cache") };
  const run = async (command: string, ...args: string[]) => {
    const { stdout, stderr } = await promisify(execFile)(command, args, { cwd: clone, env, maxBuffer: 2 ** 26 });
    return stdout + stderr;
  };

  const begun = performance.now();
  const said = await run("npm", "ci", "--no-audit", "--no-fund");
  const installed = performance.now();
  const folders = globSync("{.,*}/node_modules", { cwd: clone });
  const sizes = await run("du", "-sm", ...folders);
  const mb = [...sizes.matchAll(/^(\d+)/gm)].reduce((sum, [size]) => sum + Number(size), 0);
  const packages = Number(/^added (\d+) packages/m.exec(said)![1]);
  t.diagnostic(`npm ci with an empty cache: ${packages} packages, ${mb} MB, ${seconds(installed - begun)} s`);
  assert.ok(packages <= MAX_PACKAGES, `${packages} packages`);
  assert.ok(mb <= MAX_MB, `${mb} MB`);

  // Warnings about the npm settings of the user do not count.
  assert.doesNotMatch(said.replaceAll(/^npm warn Unknown \w+ config.*$/gm, ""), /warn|EBADENGINE/);
  const nodeOfNpm = await run("node", "--version");
  const [major, minor] = nodeOfNpm.slice(1).split(".").map(Number) as [number, number];
  const isOld = major < 24 || (major === 24 && minor < 19);
  assert.equal(
    said.match(/^npm runs on Node \S+; this clone has Node \S+ with it/gm)?.length ?? 0,
    isOld ? 1 : 0,
    said,
  );

  const service = spawn("npm", ["start"], {
    cwd: clone,
    env: { ...env, SERVICE_PORT: "0", SERVICE_DISCOVERY_FILE: "0" },
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  t.after(() => (service.exitCode === null ? process.kill(-service.pid!, "SIGKILL") : null));
  const begunToStart = performance.now();
  for await (const line of createInterface({ input: service.stdout })) if (/is running/.test(line)) break;
  t.diagnostic(
    `npm start: listening after ${seconds(performance.now() - begunToStart)} s, ${seconds(performance.now() - begun)} s after the clone`,
  );
  process.kill(-service.pid!, "SIGTERM");
  await once(service, "exit");
});

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1);
}
