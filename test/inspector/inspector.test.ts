import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { promisify } from "node:util";
import type { HumanRequest } from "../../mcp/requests.ts";
import { newAgent } from "../support/agents.ts";
import { actionTask } from "../support/actions.ts";
import { answer, BARE_ENV, houseOf, TEST_MS, type House } from "../support/mcp.ts";
import { person } from "../support/people.ts";
import { newPersonalToken } from "../support/personal-tokens.ts";
import { ADMIN_TOKEN, startTestService, type TestService } from "../support/service.ts";

const INSPECTOR = join(
  import.meta.dirname,
  "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js",
);
const run = promisify(execFile);
/** Each call of the inspector is a process of its own. */
const LIMIT_MS = 5 * TEST_MS;

interface Listed {
  tools: { name: string }[];
}

interface Called {
  isError?: boolean;
  structuredContent: HumanRequest & { requests: HumanRequest[] };
}

/** Runs the inspector's command line, with a home of its own. @returns what it printed. @throws Error on a status of failure */
type Inspect = <T>(args: readonly string[]) => Promise<T>;

/** Where the inspector finds the tools: options of its command line. */
const SERVERS: Readonly<Record<string, (house: House) => readonly string[]>> = {
  "the service": ({ service }) => overHttp(`${service.url}/mcp`, ADMIN_TOKEN),
  stdio: ({ service }) => [
    process.execPath,
    "mcp/cli.ts",
    "-e",
    `SERVICE_URL=${service.url}`,
    "-e",
    `SERVICE_ADMIN_API_TOKEN=${ADMIN_TOKEN}`,
  ],
};

function overHttp(url: string, token: string): string[] {
  return [url, "--transport", "http", "--header", `Authorization: Bearer ${token}`];
}

function inspector(t: TestContext, server: readonly string[]): Inspect {
  const home = mkdtempSync(join(tmpdir(), "inspector-"));
  t.after(() => rmSync(home, { recursive: true }));
  return async <T>(args: readonly string[]) => {
    const { stdout } = await run(process.execPath, [INSPECTOR, "--cli", ...server, ...args], {
      env: { ...BARE_ENV, HOME: home },
    });
    return JSON.parse(stdout) as T;
  };
}

/** Calls a tool. Arguments are JSON, or else text. */
async function call(inspect: Inspect, name: string, args: Readonly<Record<string, unknown>> = {}): Promise<Called> {
  const pairs = Object.entries(args).map(
    ([key, value]) => `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  const given = pairs.length === 0 ? [] : ["--tool-arg", ...pairs];
  const result = await inspect<Called>(["--method", "tools/call", "--tool-name", name, ...given]);
  assert.notEqual(result.isError, true, JSON.stringify(result));
  return result;
}

for (const [name, serverOf] of Object.entries(SERVERS))
  void test(`the official inspector lists and calls every tool (${name})`, { timeout: LIMIT_MS }, async (t) => {
    const house = await houseOf("sqlite");
    const inspect = inspector(t, serverOf(house));
    // A schema that clients cannot use ends it with a status of failure.
    const { tools } = await inspect<Listed>(["--method", "tools/list", "--strict"]);
    const called = new Set<string>();
    const use = async (tool: string, args?: Readonly<Record<string, unknown>>) => {
      called.add(tool);
      return (await call(inspect, tool, args)).structuredContent;
    };

    const question = `Which colour? ${crypto.randomUUID()}`;
    const asked = await use("ask_human", { question, choices: ["red", "green"], wait_seconds: 0 });
    assert.equal(asked.status, "pending");
    const action = { name: "pay", args: { amount: 5, note: crypto.randomUUID() }, wait_seconds: 0 };
    const wanted = await use("approve_action", action);
    assert.equal(wanted.action, "pay");
    const { requests } = await use("list_my_requests", { status: "pending" });
    for (const { request_id } of [asked, wanted]) assert.ok(requests.some((one) => one.request_id === request_id));
    const replied = await use("reply", { request_id: asked.request_id, text: "It is for the logo." });
    assert.equal(replied.status, "pending");
    const revised = await use("revise_request", { request_id: asked.request_id, context: { logo: "new" } });
    assert.equal(revised.version, 2);
    await answer(house, asked.request_id, { choice: "green" });
    const checked = await use("check_on_human", { request_id: asked.request_id, wait_seconds: 10 });
    assert.deepEqual(checked.answer, { choice: "green" });
    const withdrawn = await use("withdraw_request", { request_id: wanted.request_id, reason: "Not needed" });
    assert.equal(withdrawn.status, "cancelled");

    assert.deepEqual([...called].toSorted(), tools.map((tool) => tool.name).toSorted());
  });

/** Registers a test with a service of its own. The inspector sees nothing of the database. */
function testWithService(name: string, run: (service: TestService, t: TestContext) => Promise<void>): void {
  void test(name, { timeout: LIMIT_MS }, async (t) => {
    const { service, stop } = await startTestService("sqlite");
    t.after(stop);
    await run(service, t);
  });
}

testWithService(
  "the official inspector calls the tools of the form, as a client that shows apps",
  async (service, t) => {
    const url = await service.app.listen({ port: 0, host: "127.0.0.1" });
    const { token } = await newAgent(service, { host_answers: true });
    const inspect = inspector(t, [...overHttp(`${url}/mcp`, token), "--advertise-apps"]);
    const { tools } = await inspect<Listed>(["--method", "tools/list", "--strict"]);
    const names = tools.map(({ name }) => name);
    const { structuredContent: asked } = await call(inspect, "ask_human", { question: "Ship it?" });
    const { request_id } = asked;
    const { structuredContent: read } = await call(inspect, "read_request", { request_id });
    assert.equal(read.status, "pending");
    const response = { answer: "yes" };
    const { structuredContent: done } = await call(inspect, "answer_request", { request_id, response });
    assert.deepEqual([done.status, done.answer], ["completed", response]);
    for (const name of ["read_request", "answer_request"]) assert.ok(names.includes(name));
    assert.equal(names.length, 9);
  },
);

testWithService("the official inspector lists and calls the tools of a person's assistant", async (service, t) => {
  const url = await service.app.listen({ port: 0, host: "127.0.0.1" });
  const dana = await person(service, { email: "dana@example.com" });
  const { token } = await newPersonalToken(dana);
  const inspect = inspector(t, overHttp(`${url}/mcp/review`, token));
  const { tools } = await inspect<Listed>(["--method", "tools/list", "--strict"]);
  assert.deepEqual(tools.map(({ name }) => name).toSorted(), ["answer", "comment", "list_waiting", "read_waiting"]);
  const body = actionTask({ assign_to: { email: "dana@example.com" } });
  const { body: task } = await service.call<{ id: string }>("POST", "/api/tasks", { body });
  const { structuredContent: waiting } = await call(inspect, "list_waiting");
  assert.deepEqual(
    waiting.requests.map((one) => one.request_id),
    [task.id],
  );
  const { structuredContent: read } = await call(inspect, "read_waiting", { request_id: task.id });
  assert.equal(read.request_id, task.id);
  await call(inspect, "comment", { request_id: task.id, text: "Looks fine." });
  await call(inspect, "answer", { request_id: task.id, answer: { decision: "approve" } });
  const { body: after } = await service.call<{ status: string; completed_via_channel: string }>(
    "GET",
    `/api/tasks/${task.id}`,
  );
  assert.deepEqual([after.status, after.completed_via_channel], ["completed", "mcp"]);
});
