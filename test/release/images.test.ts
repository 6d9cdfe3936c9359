import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { parse } from "yaml";
import { stagesOf } from "../support/dockerfile.ts";
import { ROOT } from "../support/packed.ts";

const DIGEST = `sha256:${"ab".repeat(32)}`;

/** A folder with the files that name images, the program, and a Docker that knows one digest. */
function folder(t: TestContext, says: string) {
  const root = mkdtempSync(join(tmpdir(), "images-test-"));
  t.after(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, "pack"));
  for (const file of ["Dockerfile", "compose.yaml", "pack/images.ts"]) cpSync(join(ROOT, file), join(root, file));
  writeFileSync(join(root, "package.json"), '{"type":"module"}');
  // As Docker answers: nothing here reaches a registry.
  writeFileSync(join(root, "docker"), `#!/bin/sh\necho "$4" >> "${join(root, "asked")}"\necho "${says}"\n`);
  chmodSync(join(root, "docker"), 0o755);
  const run = (command: string) =>
    spawnSync(process.execPath, ["pack/images.ts", command], {
      cwd: root,
      env: { PATH: `${root}:/usr/bin:/bin` },
      encoding: "utf8",
    });
  return { root, run, read: (file: string) => readFileSync(join(root, file), "utf8") };
}

void test("a release is refused until every image that it is built on has a digest", (t) => {
  const { root, run, read } = folder(t, DIGEST);
  // Whatever the clone has: without digests.
  for (const file of ["Dockerfile", "compose.yaml"])
    writeFileSync(join(root, file), read(file).replaceAll(/@sha256:[0-9a-f]{64}/g, ""));
  const refused = run("check");
  assert.equal(refused.status, 1);
  assert.match(refused.stderr, /Dockerfile: node:24-slim\n.*compose\.yaml: postgres:18\n.*npm run images:pin/s);
  assert.equal(run("pin").status, 0);
  assert.deepEqual(run("check").status, 0);
  assert.deepEqual(read("asked").trim().split("\n"), ["node:24-slim", "postgres:18"]);
  for (const { from } of stagesOf(read("Dockerfile"))) assert.equal(from, `node:24-slim@${DIGEST}`);
  const { services } = parse(read("compose.yaml")) as { services: Record<string, { image: string }> };
  assert.equal(services["database"]!.image, `postgres:18@${DIGEST}`);
  assert.equal(services["service"]!.image, "human-task-service");
  // Nothing else changed, and a second time replaces the digests.
  const bare = (text: string) => text.replaceAll(`@${DIGEST}`, "");
  for (const file of ["Dockerfile", "compose.yaml"])
    assert.equal(
      bare(read(file)),
      readFileSync(join(ROOT, file), "utf8").replaceAll(/@sha256:[0-9a-f]{64}/g, ""),
      file,
    );
  const pinned = read("Dockerfile");
  assert.equal(run("pin").status, 0);
  assert.equal(read("Dockerfile"), pinned);
});

void test("what is no digest is not written", (t) => {
  const { run, read } = folder(t, "no such image");
  const before = read("Dockerfile");
  const { status, stderr } = run("pin");
  assert.equal(status, 1);
  assert.match(stderr, /no digest/);
  assert.equal(read("Dockerfile"), before);
});

void test("npm asks for the digests before it publishes the service", () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  assert.equal(scripts["prepublishOnly"], "node pack/images.ts check");
});
