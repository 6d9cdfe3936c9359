import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test, type TestContext } from "node:test";
import { freePort } from "../support/free-port.ts";
import { pause } from "../support/pause.ts";
import { startProcess, type ServiceProcess } from "../support/processes.ts";
import { WEBHOOK_KEY } from "../support/service.ts";

/** What does not end by then hangs. */
const TEST_MS = 180_000;

const ROOT = join(import.meta.dirname, "../..");
const running = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

interface Example {
  child: ChildProcess;
  /** Lines that it has printed. */
  said: string[];
  /** The next line that has this in it, or one that was printed before. */
  line(text: RegExp): Promise<string>;
  ended: Promise<number | null>;
}

/** Runs an example as README says, as a process of its own. */
function run(t: TestContext, script: string, env: Record<string, string>): Example {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  const [command, ...args] = scripts[script]!.split(" ");
  assert.equal(command, "node");
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { PATH: process.env["PATH"], ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.add(child);
  // And all of its output has been read.
  const ended = once(child, "close").then(([code]) => {
    running.delete(child);
    return code as number | null;
  });
  t.after(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
    await ended;
  });
  const said: string[] = [];
  const listeners = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on("line", (line) => {
      said.push(line);
      for (const listener of listeners) listener();
    });
  return {
    child,
    said,
    ended,
    line: async (text) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = said.find((line) => text.test(line));
          if (found === undefined) return;
          listeners.delete(look);
          resolve(found);
        };
        listeners.add(look);
        look();
        void ended.then(() => reject(new Error(`It ended without ${String(text)}:\n${said.join("\n")}`)));
      }),
  };
}

async function house(t: TestContext, env: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "example-"));
  const service = await startProcess({ SERVICE_DATA_DIR: folder, ...env });
  t.after(async () => {
    await service.kill();
    rmSync(folder, { recursive: true });
  });
  const { body: agent } = await service.call<{ id: string }>("POST", "/api/agents", { name: "example" });
  const { body } = await service.call<{ token: string }>("POST", `/api/agents/${agent.id}/tokens`, {});
  return { service, folder, env: { SERVICE_URL: service.url, SERVICE_TOKEN: body.token } };
}

async function answer({ call }: ServiceProcess, line: string, response: object): Promise<void> {
  const id = /tsk_\w+/.exec(line)![0];
  const { status, body } = await call("POST", `/api/tasks/${id}/complete`, { response });
  assert.equal(status, 200, JSON.stringify(body));
}

void test("quickstart: the agent asks, and goes on with the typed answer", { timeout: TEST_MS }, async (t) => {
  const { service, env } = await house(t);
  const agent = run(t, "example:quickstart", env);
  await answer(service, await agent.line(/Answer it here/), { approved: true, note: "Sorry about that." });
  assert.equal(await agent.ended, 0);
  assert.equal(agent.said.at(-1), "Paid. Sorry about that.");
});

void test(
  "refund desk: small refunds are paid, a person decides the rest, and a restart asks nobody twice",
  { timeout: TEST_MS },
  async (t) => {
    const { service, env } = await house(t);
    const crashed = run(t, "example:refund-desk", env);
    await crashed.line(/Order 48217: paid 9.9, too little to ask/);
    const [mia, ada] = await Promise.all(["Mia", "Ada"].map(async (name) => taskOf(service, crashed, name)));
    crashed.child.kill("SIGKILL");
    await crashed.ended;
    await answer(service, mia!, { decision: "pay a part", amount: 60, note: "The rest is fine." });

    const desk = run(t, "example:refund-desk", env);
    await desk.line(/Order 48218: paid 60 \(The rest is fine\.\)/);
    await desk.line(new RegExp(`Still asking: .*${/tsk_\w+/.exec(ada!)![0]}`));
    await answer(service, ada!, { decision: "refuse" });
    assert.equal(await desk.ended, 0);
    assert.ok(desk.said.includes("Order 48219: refused"));
  },
);

/** The id of the task about somebody, once the example has told of it. */
async function taskOf({ call }: ServiceProcess, example: Example, name: string): Promise<string> {
  for (;;) {
    const { body } = await call<{ id: string }[]>("GET", `/api/tasks?q=${name}`);
    if (body[0] !== undefined) return body[0].id;
    assert.equal(example.child.exitCode, null, example.said.join("\n"));
    await pause();
  }
}

void test(
  "callback receiver: the outcome arrives, is kept once, and what nobody signed is refused",
  { timeout: TEST_MS },
  async (t) => {
    const { service, folder, env } = await house(t);
    const port = String(await freePort());
    const DONE_FILE = join(folder, "done.jsonl");
    // What a crash left in the middle of a line.
    writeFileSync(DONE_FILE, '{"task_id":"tsk_');
    const receiver = run(t, "example:callback-receiver", {
      ...env,
      WEBHOOK_KEY,
      PORT: port,
      DONE_FILE,
    });
    const asked = await receiver.line(/Answer it here/);
    const forged = await fetch(`http://127.0.0.1:${port}/callback`, { method: "POST", body: '{"task_id":"x"}' });
    assert.equal(forged.status, 401);
    await answer(service, asked, { publish: true });
    await receiver.line(/completed \{"publish":true\}/);

    const id = /tsk_\w+/.exec(asked)![0];
    const { body: deliveries } = await service.call<{ id: string }[]>(
      "GET",
      `/api/admin/webhook-deliveries?task_id=${id}`,
    );
    const path = `/api/admin/webhook-deliveries/${deliveries[0]!.id}`;
    const untilAttempted = async (times: number) => {
      for (let attempts = 0; attempts < times;) {
        const { body } = await service.call<{ attempts: unknown[]; status: string }>("GET", path);
        attempts = body.status === "SUCCEEDED" ? body.attempts.length : 0;
      }
    };
    // The receiver tells of the callback before the service knows. A redelivery would ignore the attempt under way.
    await untilAttempted(1);
    await service.call("POST", `${path}/redeliver`);
    await untilAttempted(2);
    assert.equal(readFileSync(DONE_FILE, "utf8").trim().split("\n").length, 1, "done once");
  },
);

void test(
  "MCP: the agent goes on while its request is pending, and gets the answer",
  { timeout: TEST_MS },
  async (t) => {
    const { service, env } = await house(t);
    const agent = run(t, "example:mcp", env);
    await answer(service, await agent.line(/Answer it here/), { choice: "deploy" });
    assert.equal(await agent.ended, 0);
    assert.equal(agent.said.at(-1), 'completed: {"choice":"deploy"}');
  },
);
