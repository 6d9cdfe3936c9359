import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { rolldown } from "rolldown";
import { packed, ROOT } from "../test/support/packed.ts";

const TSC = join(ROOT, "node_modules/typescript/bin/tsc");
const MAX_BYTES = 6600;

let folder = "";
let tarball = "";
const client = () => join(folder, "node_modules/@human-task-service/client");

/** An empty folder with the packed client, and zod beside it. */
before(async () => {
  folder = mkdtempSync(join(tmpdir(), "packed-client-"));
  tarball = await packed("sdk");
  mkdirSync(client(), { recursive: true });
  execFileSync("tar", ["-xzf", tarball, "-C", client(), "--strip-components=1"]);
  symlinkSync(join(ROOT, "node_modules/zod"), join(folder, "node_modules/zod"));
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
});
after(() => rmSync(folder, { recursive: true }));

const AGENT = `
import { awaitHuman, createClient, type NoAnswerError } from "@human-task-service/client";
import { z } from "zod";
const client = createClient({ baseUrl: "http://127.0.0.1:1", token: "t" });
export async function run() {
  const fromZod = await awaitHuman({ task: "x", responseSchema: z.object({ n: z.number() }) });
  const doubled: number = fromZod.n * 2;
  const plain = await client.awaitHuman({
    task: "x",
    responseSchema: { type: "object", properties: { go: { type: "boolean" } }, required: ["go"] },
  });
  const go: boolean = plain.go;
  // @ts-expect-error -- the answer has no such member
  plain.stop;
  const isYes: boolean = await client.awaitHuman({ task: "x" });
  const isTrue: boolean = await awaitHuman({ task: "x", responseSchema: z.boolean() });
  const choice: "a" | "b" = await client.awaitHuman({ task: "x", responseSchema: { enum: ["a", "b"] } });
  const { answer } = await client.anyOf([{ task: "x", responseSchema: z.string() }]);
  const length: number = answer.length;
  const waited: number[] = await client.wait("x", { responseSchema: z.array(z.number()) });
  // @ts-expect-error -- it is a boolean
  isYes.approved;
  // @ts-expect-error -- a question needs a task
  await client.ask({ responseSchema: z.object({}) });
  const id: string | undefined = (undefined as unknown as NoAnswerError).taskId;
  return { doubled, go, id, isYes, isTrue, choice, length, waited };
}
`;

void test("from its tarball, programs compile against the types of the client", () => {
  writeFileSync(join(folder, "agent.ts"), AGENT);
  for (const options of [
    ["--module", "nodenext"],
    ["--module", "esnext", "--moduleResolution", "bundler"],
  ])
    execFileSync(
      process.execPath,
      [
        TSC,
        "--noEmit",
        "--strict",
        "--skipLibCheck",
        "false",
        "--target",
        "es2024",
        "--types",
        "",
        "--lib",
        "es2024,dom,dom.iterable",
        ...options,
        "agent.ts",
      ],
      { cwd: folder, encoding: "utf8" },
    );
});

void test("the tarball holds what runs, and no tests", () => {
  const { version, dependencies, peerDependencies } = JSON.parse(
    readFileSync(join(client(), "package.json"), "utf8"),
  ) as Record<string, unknown>;
  assert.equal(version, (JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string }).version);
  assert.deepEqual([dependencies, peerDependencies], [undefined, undefined]);
  const files = execFileSync("tar", ["-tzf", tarball], { encoding: "utf8" });
  assert.match(files, /README\.md[^]*|LICENSE/);
  assert.doesNotMatch(files, /test\.|fixtures|generate|build\./);
});

void test("bundled for a browser the client has at most 6.6 kB, compressed, and nothing of Node's", async (t) => {
  const bundle = await rolldown({ input: join(client(), "dist/index.js"), platform: "browser" });
  const { output } = await bundle.generate({ format: "esm", minify: true });
  assert.equal(output.length, 1);
  const { code, imports } = output[0];
  assert.deepEqual(imports, []);
  const { length } = gzipSync(code, { level: 9 });
  t.diagnostic(`${length} of ${MAX_BYTES} bytes`);
  assert.ok(length <= MAX_BYTES, `${length} bytes`);
});
