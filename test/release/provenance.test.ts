import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { refusalOf, sourceOf } from "../../pack/provenance.ts";
import { packed, ROOT, SHIPPED } from "../support/packed.ts";

interface Statement {
  _type: string;
  predicateType: string;
  subject: { name: string; digest: { sha256: string } }[];
  predicate: {
    buildDefinition: {
      externalParameters: { package: string; version: string };
      resolvedDependencies: { name: string; digest: Record<string, string> }[];
    };
  };
}

const sha256 = (path: string) => createHash("sha256").update(readFileSync(path)).digest("hex");

function temporary(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "provenance-test-"));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

for (const name of SHIPPED)
  void test(
    `the statement in the package ${name} names its lock file, and each file by its hash`,
    { timeout: 600_000 },
    async (t) => {
      const folder = temporary(t);
      execFileSync("tar", ["-xzf", await packed(name), "-C", folder, "--strip-components=1"]);
      const own = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Record<string, string>;
      const { _type, predicateType, subject, predicate } = JSON.parse(
        readFileSync(join(folder, "provenance.intoto.json"), "utf8"),
      ) as Statement;
      assert.deepEqual([_type, predicateType], ["https://in-toto.io/Statement/v1", "https://slsa.dev/provenance/v1"]);
      const { externalParameters, resolvedDependencies } = predicate.buildDefinition;
      assert.deepEqual([externalParameters.package, externalParameters.version], [own["name"], own["version"]]);
      const lock = resolvedDependencies.find((one) => one.name === "package-lock.json");
      const place = existsSync(join(ROOT, name, "package-lock.json")) ? join(ROOT, name) : ROOT;
      assert.equal(lock!.digest["sha256"], sha256(join(place, "package-lock.json")));
      const files = globSync("**/*", { cwd: folder }).filter((path) => statSync(join(folder, path)).isFile());
      assert.deepEqual(
        subject.map((one) => one.name).toSorted(),
        files.filter((path) => path !== "provenance.intoto.json").toSorted(),
      );
      for (const one of subject) assert.equal(one.digest.sha256, sha256(join(folder, one.name)), one.name);
    },
  );

void test("a release is made from a commit, and from nothing else", (t) => {
  const clone = temporary(t);
  const git = (...args: string[]) => execFileSync("git", ["-C", clone, ...args], { encoding: "utf8" }).trim();
  // A folder that is no clone, even inside of one.
  git("init", "--quiet");
  mkdirSync(join(clone, "inside"));
  assert.deepEqual(sourceOf(join(clone, "inside")), { commit: null, isChanged: null });
  assert.match(refusalOf(sourceOf(join(clone, "inside")))!, /in a git clone/);
  writeFileSync(join(clone, "a"), "1");
  git("add", "a");
  git("-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "--quiet", "-m", "a");
  const commit = git("rev-parse", "HEAD");
  assert.deepEqual(sourceOf(clone), { commit, isChanged: false });
  assert.equal(refusalOf(sourceOf(clone)), null);
  writeFileSync(join(clone, "a"), "2");
  assert.deepEqual(sourceOf(clone), { commit, isChanged: true });
  assert.match(refusalOf(sourceOf(clone))!, /git status/);
});

void test("npm publish makes no package without a commit", (t) => {
  const folder = temporary(t);
  mkdirSync(join(folder, "pack"));
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  writeFileSync(join(folder, "pack/provenance.ts"), readFileSync(join(ROOT, "pack/provenance.ts")));
  const { status, stderr } = spawnSync(process.execPath, ["pack/provenance.ts", "."], {
    cwd: folder,
    env: { PATH: process.env["PATH"], npm_command: "publish" },
    encoding: "utf8",
  });
  assert.equal(status, 1);
  assert.match(stderr, /A release is made in a git clone/);
  assert.ok(!existsSync(join(folder, "provenance.intoto.json")));
});
