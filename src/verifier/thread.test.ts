import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { Worker } from "node:worker_threads";
import { pino } from "pino";
import { startVendors, VENDOR_KEY, type Vendors } from "../../test/support/vendors.ts";
import type { ServiceError } from "../errors.ts";
import { readVerifierConfig } from "./config.ts";
import { createVendorThread, type Question, type VendorThread } from "./thread.ts";
import { createVerify } from "./verify.ts";

const CHARACTERS_MAX = 1024 * 1024;

async function start(
  t: TestContext,
): Promise<Vendors & { thread: VendorThread; question: Question; lines: { msg: string }[] }> {
  const vendors = await startVendors();
  t.after(() => vendors.close());
  const lines: { msg: string }[] = [];
  const log = pino({}, { write: (line) => void lines.push(JSON.parse(line) as { msg: string }) });
  const thread = createVendorThread({ log, charactersMax: CHARACTERS_MAX });
  t.after(() => thread.close());
  const question: Question = {
    provider: "openai",
    model: "m",
    access: { apiKey: VENDOR_KEY, baseURL: vendors.baseUrls.openai },
    instructions: "The note must say why.",
    prompt: "Does it?",
  };
  return { ...vendors, thread, question, lines };
}

/** A program in a process of its own. */
async function run(t: TestContext, program: string): Promise<{ status: number | null; out: string }> {
  const imports = `import { createVendorThread } from ${JSON.stringify(new URL("./thread.ts", import.meta.url).href)};`;
  const folder = await mkdtemp(join(tmpdir(), "thread-test-"));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, "program.mjs");
  await writeFile(file, imports + program);
  const child = spawn(process.execPath, [file], { stdio: ["ignore", "pipe", "inherit"], timeout: 60_000 });
  let out = "";
  child.stdout.on("data", (chunk) => (out += String(chunk)));
  const [status] = (await once(child, "close")) as [number | null];
  return { status, out };
}

const nobodyGivesUp = (): AbortSignal => new AbortController().signal;

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await setImmediate();
}

void test(
  "a thread that dies fails what is under way, and the next call starts another",
  { timeout: 60_000 },
  async (t) => {
    const { thread, lines, script, asked, baseUrls } = await start(t);
    const settings = { keyEnvs: [], keys: { OPENAI_API_KEY: VENDOR_KEY }, baseUrls };
    const verify = createVerify({ settings, vendors: thread, log: pino({ level: "silent" }) });
    const config = readVerifierConfig({ provider: "openai", instructions: "The note must say why." }, []);
    const ask = () => verify(config, { task: "Approve?", payload: {}, response: { note: "Why." } });

    script.push("hang", "hang", { passed: true, reason: "Fine." });
    const started = once(process, "worker") as Promise<[Worker]>;
    const underWay = [ask(), ask()];
    const [worker] = await started;
    await until(() => asked.length === 2);
    await worker.terminate();
    for (const one of underWay)
      await assert.rejects(one, ({ code, details }: ServiceError) => {
        assert.equal(code, "VERIFIER_PROVIDER_ERROR");
        assert.deepEqual(details, [{ path: "/verifier_config", message: "The provider could not be asked." }]);
        return true;
      });
    assert.deepEqual(await ask(), { passed: true, reason: "Fine." });
    assert.equal(asked.length, 3);
    assert.deepEqual(
      lines.map(({ msg }) => msg),
      ["The thread that asks verifiers' vendors is gone; the next call starts another"],
    );
  },
);

void test("of more than the thread has room for at once the rest is not asked, and consumes nothing", async (t) => {
  const { thread, question, script, asked } = await start(t);
  script.push("hang", { passed: true, reason: "Fine." });
  const started = once(process, "worker") as Promise<[Worker]>;
  const large = { ...question, prompt: "x".repeat(CHARACTERS_MAX / 2) };
  const first = new AbortController();
  const underWay = thread.ask(large, first.signal);
  await until(() => asked.length === 1);
  assert.deepEqual(await thread.ask(large, nobodyGivesUp()), { failed: "no room" });
  first.abort();
  assert.deepEqual(await underWay, { failed: "given up" });
  assert.deepEqual(await thread.ask(large, nobodyGivesUp()), { verdict: { passed: true, reason: "Fine." } });
  assert.equal(asked.length, 2);
  // And should it need more, its heap has an end.
  const [{ resourceLimits }] = await started;
  assert.equal(resourceLimits?.maxOldGenerationSizeMb, 256 + 8);
});

void test("a process lives for as long as a call takes, and no thread keeps it alive after that", async (t) => {
  const { question, script } = await start(t);
  script.push({ passed: true, reason: "One." }, { passed: false, reason: "Two." });
  const { status, out } = await run(
    t,
    `
    const thread = createVendorThread({ log: console, charactersMax: 1_000_000 });
    for (let i = 0; i < 2; i++) {
      const { verdict } = await thread.ask(${JSON.stringify(question)}, AbortSignal.timeout(10_000));
      console.log(verdict.reason);
    }
  `,
  );
  assert.deepEqual([out, status], ["One.\nTwo.\n", 0]);
});

void test("when it is closed nobody is told that a call failed, and none starts another thread", async (t) => {
  const { thread, question, script, asked } = await start(t);
  script.push("hang", { passed: true, reason: "Fine." });
  let outcomes = 0;
  const ask = () => void thread.ask(question, nobodyGivesUp()).then(() => outcomes++);
  ask();
  await until(() => asked.length === 1);
  await thread.close();
  let threads = 0;
  const count = () => threads++;
  process.on("worker", count);
  t.after(() => process.off("worker", count));
  ask();
  await setImmediate();
  assert.deepEqual([outcomes, threads, asked.length], [0, 0, 1]);
});

void test("a call that was given up before its turn is not made", async (t) => {
  const { thread, question, asked } = await start(t);
  assert.deepEqual(await thread.ask(question, AbortSignal.abort()), { failed: "given up" });
  assert.equal(asked.length, 0);
});
