import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { test, type TestContext } from "node:test";
import { PASSWORD } from "../test/support/people.ts";
import { startProcess } from "../test/support/processes.ts";
import { ADMIN_TOKEN, PAYLOAD_KEY } from "../test/support/service.ts";
import { watch } from "./support/agents.ts";

/** Starts a service and an agent, with the commands of its page, and signs a person in. */
async function startExample(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), "example-"));
  const service = await startProcess({ SERVICE_DATA_DIR: folder });
  t.after(async () => {
    await service.kill();
    rmSync(folder, { recursive: true });
  });
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: Record<string, string> };
  const commands = scripts["example:langgraph"]!.split(" && ").map((command) => command.split(" "));
  for (const [command] of commands) assert.equal(command, "node");
  const [, agentFile] = commands.pop()!;
  for (const [, ...args] of commands) execFileSync(process.execPath, args);
  const secrets = {
    SERVICE_ADMIN_API_TOKEN: ADMIN_TOKEN,
    SERVICE_SECRET_KEY: "q83vASNFZ4mrze8BI0VniRb+ePsbdW9p1wqXyT0mL5A=",
    SERVICE_PAYLOAD_KEY: PAYLOAD_KEY,
  };
  const webhookKey = execFileSync(process.execPath, ["src/cli.ts", "webhook-key"], {
    env: { PATH: process.env["PATH"], SERVICE_DATA_DIR: folder, ...secrets },
    encoding: "utf8",
  });
  const agent = watch(t, [resolve(agentFile!)], service, { WEBHOOK_KEY: webhookKey.trim() });

  const post = async (path: string, body: object, cookie = "") =>
    fetch(service.url + path, {
      method: "POST",
      headers: { "content-type": "application/json", "sec-fetch-site": "same-origin", cookie },
      body: JSON.stringify(body),
    });
  const signedIn = await post("/api/setup/operator", { email: "dana@example.com", password: PASSWORD });
  const cookie = signedIn.headers.get("set-cookie")!.split(";", 1)[0]!;
  return {
    agent,
    service,
    answer: async (id: string, response: object) => {
      const { status } = await post(`/api/tasks/${id}/complete`, { response }, cookie);
      assert.equal(status, 200);
    },
  };
}

void test(
  "the LangGraph example is interrupted, and goes on once somebody has answered where it says",
  { timeout: 180_000 },
  async (t) => {
    const { agent, service, answer } = await startExample(t);
    await agent.says(/^Interrupted: Refund order \d{5}\?$/);
    const [, id] = await agent.says(/^Answer at http:\/\/127\.0\.0\.1:\d+\/tasks\/(tsk_\w+)$/);
    const { body } = await service.call<{ payload: { mail: string } }>("GET", `/api/tasks/${id}`);
    assert.match(body.payload.mail, /^Dear Mia, .* 42\.50 EUR/);
    await answer(id!, { approved: true, mail: "Sorry, Mia." });
    await agent.says(/^Resumed\. 42\.50 EUR were refunded to Mia, who was told: Sorry, Mia\.$/);
    assert.equal(await agent.ended, 0);
  },
);

void test("the LangGraph example refunds nothing that was not approved", { timeout: 180_000 }, async (t) => {
  const { agent, service } = await startExample(t);
  const [, id] = await agent.says(/^Answer at .*\/(tsk_\w+)$/);
  await service.call("POST", `/api/tasks/${id}/cancel`);
  await agent.says(/^Resumed\. Nothing was refunded\. The task was cancelled\./);
  assert.equal(await agent.ended, 0);
});
