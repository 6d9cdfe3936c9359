import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { packed, ROOT } from "../test/support/packed.ts";

const TSC = join(ROOT, "node_modules/typescript/bin/tsc");

let folder = "";
let tarball = "";
const modules = (...names: string[]) => join(folder, "node_modules", ...names);
const adapters = () => modules("@human-task-service/adapters");

interface Manifest {
  version: string;
  dependencies?: Record<string, string>;
  peerDependencies: Record<string, string>;
  peerDependenciesMeta: Record<string, { optional: boolean }>;
  exports: Record<string, string | { default: string }>;
}
const manifestIn = (path: string) => JSON.parse(readFileSync(join(path, "package.json"), "utf8")) as Manifest;

/** Creates an empty folder with the packed adapters, the packed client, and zod. */
before(async () => {
  folder = mkdtempSync(join(tmpdir(), "packed-adapters-"));
  tarball = await packed("adapters");
  for (const [path, name] of [
    [tarball, "adapters"],
    [await packed("sdk"), "client"],
  ] as const) {
    mkdirSync(modules("@human-task-service", name), { recursive: true });
    execFileSync("tar", ["-xzf", path, "-C", modules("@human-task-service", name), "--strip-components=1"]);
  }
  symlinkSync(join(ROOT, "node_modules/zod"), modules("zod"));
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
});
after(() => rmSync(folder, { recursive: true }));

const PROGRAM = `
import { createRuns } from "@human-task-service/adapters/ai-sdk";
import { interruptForHuman } from "@human-task-service/adapters/langgraph";
import { pausingHumanTool } from "@human-task-service/adapters/openai-agents";
import { z } from "zod";
export async function node(): Promise<boolean> {
  const outcome = await interruptForHuman({ task: "x", responseSchema: z.object({ go: z.boolean() }) });
  // @ts-expect-error -- nobody may have answered
  outcome.answer;
  return outcome.status === "completed" && outcome.answer.go;
}
console.log([createRuns, node, pausingHumanTool].map((one) => typeof one).join());
`;

void test("from its tarball, each adapter finds the framework beside it, and those of others are not needed", () => {
  writeFileSync(join(folder, "program.ts"), PROGRAM);
  const run = () =>
    execFileSync(process.execPath, [join(folder, "program.ts")], { cwd: folder, encoding: "utf8", stdio: "pipe" });
  assert.throws(run, /Cannot find package '(ai|@openai\/agents|@langchain\/langgraph)'/);
  for (const [name, from] of [
    ["ai", ROOT],
    ["@openai/agents", join(ROOT, "adapters")],
    ["@langchain/langgraph", join(ROOT, "adapters")],
  ] as const) {
    mkdirSync(modules(name, ".."), { recursive: true });
    symlinkSync(join(from, "node_modules", name), modules(name));
  }
  assert.equal(run(), "function,function,function\n");
  const options = [
    "--noEmit",
    "--strict",
    "--skipLibCheck",
    "--target",
    "es2024",
    "--types",
    "",
    "--module",
    "nodenext",
  ];
  execFileSync(process.execPath, [TSC, ...options, "--lib", "es2024,dom,dom.iterable", "program.ts"], {
    cwd: folder,
    encoding: "utf8",
  });
});

void test("the tarball holds what runs, and no tests", () => {
  const { version, dependencies, exports } = manifestIn(adapters());
  assert.equal(version, manifestIn(ROOT).version);
  assert.equal(dependencies, undefined);
  const files = execFileSync("tar", ["-tzf", tarball], { encoding: "utf8" }).split("\n");
  for (const file of ["LICENSE", "README.md", "sbom.cdx.json"]) assert.ok(files.includes(`package/${file}`), file);
  for (const entry of Object.values(exports))
    if (typeof entry !== "string") assert.ok(files.includes(join("package", entry.default)), entry.default);
  assert.doesNotMatch(files.join("\n"), /test\.|fixtures|examples|support|build\./);
});

void test("it imports the client of its own version and optional frameworks, and nothing of a runtime's", () => {
  const { version, peerDependencies, peerDependenciesMeta } = manifestIn(adapters());
  const { "@human-task-service/client": client, ...frameworks } = peerDependencies;
  assert.equal(client, `~${version}`);
  for (const name of Object.keys(frameworks)) assert.equal(peerDependenciesMeta[name]?.optional, true, name);
  const files = execFileSync("tar", ["-tzf", tarball], { encoding: "utf8" }).match(/dist\/\S+\.js/g)!;
  const imported = files.flatMap((file) =>
    Array.from(
      readFileSync(join(adapters(), file), "utf8").matchAll(/\bfrom "((?:@[^/"]+\/)?[^/".]+)[^"]*"/g),
      ([, name]) => name!,
    ),
  );
  assert.deepEqual([...new Set(imported)].toSorted(), Object.keys(peerDependencies).toSorted());
  assert.deepEqual(
    imported.filter((name) => name.startsWith("node:") || builtinModules.includes(name)),
    [],
  );
});
