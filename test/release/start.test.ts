import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

/** When all files were written, in seconds. */
const WRITTEN = 1_790_000_000;

/** A clone with two sources and a bundle of them. Both say in one word what was started. */
function smallClone() {
  const root = mkdtempSync(join(tmpdir(), "start-test-"));
  const write = (path: string, text: string) => {
    mkdirSync(join(root, path, ".."), { recursive: true });
    writeFileSync(join(root, path), text);
    // Only what a change says it does is different.
    utimesSync(join(root, path), WRITTEN, WRITTEN);
  };
  mkdirSync(join(root, "pack"));
  cpSync("pack/start.mjs", join(root, "pack/start.mjs"));
  write("package.json", '{"type":"module"}');
  write("src/main.ts", 'const what: string = "sources"; process.stdout.write(what);');
  write("src/other.ts", "export {};");
  write("node_modules/.cache/service/main.js", 'process.stdout.write("bundle");');
  const sources = ["src/main.ts", "src/other.ts"].map((path) => {
    const { size, mtimeMs } = statSync(join(root, path));
    return [path, size, mtimeMs];
  });
  write("node_modules/.cache/service/sources.json", JSON.stringify(sources));
  return {
    write,
    path: (name: string) => join(root, name),
    started: () => execFileSync(process.execPath, [join(root, "pack/start.mjs")], { encoding: "utf8" }),
  };
}

test("npm start runs the bundle of the sources, and the sources as soon as one has changed", (t) => {
  const changes: [string, (clone: ReturnType<typeof smallClone>) => void][] = [
    ["another size", ({ write }) => write("src/other.ts", "export const more = 1;")],
    ["written later", ({ path }) => utimesSync(path("src/other.ts"), WRITTEN + 1, WRITTEN + 1)],
    ["removed", ({ path }) => rmSync(path("src/other.ts"))],
    ["no bundle", ({ path }) => rmSync(path("node_modules"), { recursive: true })],
    ["a list that is cut off", ({ write }) => write("node_modules/.cache/service/sources.json", "[[")],
  ];
  for (const [name, change] of changes) {
    const clone = smallClone();
    t.after(() => rmSync(clone.path("."), { recursive: true }));
    assert.equal(clone.started(), "bundle");
    change(clone);
    assert.equal(clone.started(), "sources", name);
  }
});
