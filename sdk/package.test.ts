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
const MAX_BYTES = 7900;
/** It has the connection of the client, because programs may load it alone. */
const MAX_BATCH_BYTES = 4000;
const MAX_EVENTS_BYTES = 1400;
// It decides as the service does, also where several people must approve.
const MAX_TESTING_BYTES = 62_500;

let folder = "";
let tarball = "";
const client = () => join(folder, "node_modules/@human-task-service/client");

/** Creates an empty folder with the packed client and zod. */
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
import { approval, approve, awaitHuman, createClient, type NoAnswerError } from "@human-task-service/client";
import { createMany } from "@human-task-service/client/batch";
import { verifyEvent, type TaskEvent } from "@human-task-service/client/events";
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
  const mixed = await client.anyOf([{ task: "x", responseSchema: z.string() }, { task: "y" }, { task: "z", responseSchema: { enum: ["a", 1] } }]);
  const one: string | boolean | 1 = mixed.answer;
  // @ts-expect-error -- the answer may be a text
  const not: boolean = mixed.answer;
  const waited: number[] = await client.wait("x", { responseSchema: z.array(z.number()) });
  // @ts-expect-error -- it is a boolean
  isYes.approved;
  // @ts-expect-error -- a question needs a task
  await client.ask({ responseSchema: z.object({}) });
  const refund = await client.approve({ name: "refund", args: { amount: 42 }, allowed: ["approve", "edit", "respond"] });
  const amount: number | undefined = refund.args?.amount;
  const said: string = refund.decision === "respond" ? refund.message : refund.patch?.[0]?.path ?? "";
  // @ts-expect-error -- that is not allowed
  void (refund.decision === "reject");
  const checked = await approve({ name: "x", args: { n: "1" }, argsSchema: z.object({ n: z.string().transform(Number) }) });
  const n: number | undefined = checked.args?.n;
  // @ts-expect-error -- that is no argument of the schema
  await approve({ name: "x", args: { m: "1" }, argsSchema: z.object({ n: z.string() }) });
  const { decisions } = await approve({ actions: [{ name: "x", args: { n: 1 } }, { name: "y", args: {}, argsSchema: { type: "object", properties: { to: { type: "string" } } } }] });
  const to: string | undefined = decisions[1].args?.to;
  const later: number | undefined = (await (await client.ask(approval({ name: "x", args: { n: 1 } }))).answer()).args?.n;
  const id: string | undefined = (undefined as unknown as NoAnswerError).taskId;
  const event: TaskEvent = await verifyEvent("{}", new Headers(), ["whsec_a", undefined]);
  const taskId: string = event.data.task_id;
  const rejected: string | null | undefined = event.data.rejected_reason;
  const [first] = await createMany([{ task: "x", responseSchema: z.boolean() }, { task: "y" }]);
  const status: string | undefined = first instanceof Error ? first.code : first?.record.status;
  const asked = await client.ask({ task: taskId, resume: [{ connection: "temporal", workflow_id: "x", signal: "y", select: "response" }, { url: "https://x.example" }] });
  const resumed: "waiting" | "pending" | "done" | "done_already" | "gone" | "failed" | undefined = asked.record.resume?.[0]?.status;
  // @ts-expect-error -- there is no such selection
  await client.ask({ task: "x", resume: [{ url: "https://x.example", select: "all" }] });
  // @ts-expect-error -- there is no such event
  void (event.type === "task.deleted");
  return { amount, status, rejected, resumed, said, n, to, later, doubled, go, id, isYes, isTrue, choice, length, one, not, waited };
}
`;

const AGENT_TEST = `
import { answerOf } from "@human-task-service/client/adapter";
import { answer, approve, createTestHuman, when, type SentCallback, type TestHuman } from "@human-task-service/client/testing";
const human: TestHuman = createTestHuman([when(/x/, approve({ after: "5 minutes" })), answer((task) => task.payload)], {
  deliver: async (request) => new Response(await request.text()),
});
const isYes: boolean = await human.client.awaitHuman({ task: "x" });
const email: string | null = human.lastAsked.completed_by_email;
const [callback]: readonly SentCallback[] = human.callbacks;
await human.clock.advance("3 days");
// @ts-expect-error -- that is no duration
approve({ after: "5 fortnights" });
export { answerOf, callback, email, isYes };
`;

void test("from its tarball, programs compile against the types of the client", () => {
  writeFileSync(join(folder, "agent.ts"), AGENT);
  writeFileSync(join(folder, "agent-test.ts"), AGENT_TEST);
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
        "agent-test.ts",
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
  // The testing entry is one module, with the code of the service inside.
  assert.deepEqual(files.match(/testing\/.*\.js$/gm), ["testing/index.js"]);
});

/** Bundles an entry of the package for a browser. @returns its bytes, compressed */
async function bundled(entry: string): Promise<number> {
  const bundle = await rolldown({ input: join(client(), entry), platform: "browser" });
  const { output } = await bundle.generate({ format: "esm", minify: true });
  assert.equal(output.length, 1);
  const { code, imports } = output[0];
  assert.deepEqual(imports, []);
  return gzipSync(code, { level: 9 }).length;
}

void test("bundled for a browser the client has at most 7.9 kB, compressed, and nothing of Node's", async (t) => {
  const length = await bundled("dist/index.js");
  t.diagnostic(`${length} of ${MAX_BYTES} bytes`);
  assert.ok(length <= MAX_BYTES, `${length} bytes`);
});

void test("bundled for a browser the entry for events has at most 1.4 kB, compressed, and nothing of Node's", async (t) => {
  const length = await bundled("dist/events.js");
  t.diagnostic(`${length} of ${MAX_EVENTS_BYTES} bytes`);
  assert.ok(length <= MAX_EVENTS_BYTES, `${length} bytes`);
});

void test("bundled for a browser the entry for many tasks has at most 4 kB, compressed, and nothing of Node's", async (t) => {
  const length = await bundled("dist/batch.js");
  t.diagnostic(`${length} of ${MAX_BATCH_BYTES} bytes`);
  assert.ok(length <= MAX_BATCH_BYTES, `${length} bytes`);
});

void test("bundled for a browser the testing entry has at most 62.5 kB, compressed, and nothing of Node's", async (t) => {
  const length = await bundled("dist/testing/index.js");
  t.diagnostic(`${length} of ${MAX_TESTING_BYTES} bytes`);
  assert.ok(length <= MAX_TESTING_BYTES, `${length} bytes`);
});

const ELSEWHERE = `
const { log } = console;
for (const name of ["process", "setImmediate", "global"]) delete globalThis[name];
const { answer, createTestHuman, neverAnswer, TestMistake } = await import(
  "./node_modules/@human-task-service/client/dist/testing/elsewhere.js"
);
const { NoAnswerError } = await import("@human-task-service/client");
const code = { type: "string", pattern: "^A-\\\\d+$" };
const deliver = async (request) => new Response(null, { status: 204 });
const human = createTestHuman(answer("A-17", { after: "3 days" }), { deliver });
const question = { task: "Which?", responseSchema: code, timeoutSeconds: 604_800, callbackUrl: "https://agent.example" };
log(await human.client.awaitHuman(question), human.callbacks.length);
for await (const { status } of human.client.list({ limit: 1 })) log(status);
const wrong = createTestHuman(answer("B-17")).client.awaitHuman(question);
log(await wrong.catch((error) => error instanceof TestMistake));
const silent = createTestHuman(neverAnswer()).client.awaitHuman(question);
log(await silent.catch((error) => error instanceof NoAnswerError));
`;

void test("the testing entry runs where nothing of Node's is, and shares the errors of the client", () => {
  // The implementation of `fetch` needs Node's global `Buffer`, but the entry itself does not.
  const entry = readFileSync(join(client(), "dist/testing/index.js"), "utf8");
  writeFileSync(join(client(), "dist/testing/elsewhere.js"), `const Buffer = undefined;\n${entry}`);
  writeFileSync(join(folder, "elsewhere.mjs"), ELSEWHERE);
  const said = execFileSync(process.execPath, ["elsewhere.mjs"], { cwd: folder, encoding: "utf8" });
  assert.equal(said, "A-17 1\ncompleted\ntrue\ntrue\n");
});
