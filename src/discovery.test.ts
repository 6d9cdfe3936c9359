import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { writeDiscovery, type Discovery } from "./discovery.ts";

function place(t: TestContext): { path: string; found: () => string } {
  const home = mkdtempSync(join(tmpdir(), "discovery-"));
  t.after(() => rmSync(home, { recursive: true }));
  const path = join(home, "of a person/service.json");
  return { path, found: () => (JSON.parse(readFileSync(path, "utf8")) as Discovery).url };
}

const at = (url: string, pid: number): Discovery => ({ url, public_url: url, token: "a token", pid });

void test("of several services the last one is found, and the one before it once that has stopped", (t) => {
  const { path, found } = place(t);
  const stopFirst = writeDiscovery(path, at("http://first", process.ppid));
  assert.equal(statSync(path).mode & 0o777, 0o600);
  const stopSecond = writeDiscovery(path, at("http://second", process.pid));
  assert.equal(found(), "http://second");
  stopSecond();
  assert.equal(found(), "http://first");
  assert.equal(statSync(path).mode & 0o777, 0o600);
  stopFirst();
  assert.ok(!existsSync(path));
});

void test("a service that stops takes back itself only", (t) => {
  const { path, found } = place(t);
  const stopFirst = writeDiscovery(path, at("http://first", process.ppid));
  const stopSecond = writeDiscovery(path, at("http://second", process.pid));
  stopFirst();
  assert.equal(found(), "http://second");
  stopSecond();
  assert.ok(!existsSync(path));
});

void test("what a crash or an older release left behind is not in the way", (t) => {
  const { path, found } = place(t);
  writeDiscovery(path, at("http://crashed", spawnSync(process.execPath, ["-e", ""]).pid));
  const stop = writeDiscovery(path, at("http://running", process.pid));
  stop();
  assert.ok(!existsSync(path), "the one that crashed is not found again");
  writeFileSync(path, "{");
  writeDiscovery(path, at("http://running", process.pid));
  assert.equal(found(), "http://running");
});
