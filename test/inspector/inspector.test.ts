import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { promisify } from "node:util";
import type { HumanRequest } from "../../mcp/requests.ts";
import { answer, BARE_ENV, houseOf, TEST_MS, type House } from "../support/mcp.ts";
import { ADMIN_TOKEN } from "../support/service.ts";

const INSPECTOR = join(
  import.meta.dirname,
  "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js",
);
const run = promisify(execFile);

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
  "the service": ({ service }) => [
    `${service.url}/mcp`,
    "--transport",
    "http",
    "--header",
    `Authorization: Bearer ${ADMIN_TOKEN}`,
  ],
  stdio: ({ service }) => [
    process.execPath,
    "mcp/cli.ts",
    "-e",
    `SERVICE_URL=${service.url}`,
    "-e",
    `SERVICE_ADMIN_API_TOKEN=${ADMIN_TOKEN}`,
  ],
};

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
  void test(`the official inspector lists and calls every tool (${name})`, { timeout: 5 * TEST_MS }, async (t) => {
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
    await answer(house, asked.request_id, { choice: "green" });
    const checked = await use("check_on_human", { request_id: asked.request_id, wait_seconds: 10 });
    assert.deepEqual(checked.answer, { choice: "green" });
    const withdrawn = await use("withdraw_request", { request_id: wanted.request_id, reason: "Not needed" });
    assert.equal(withdrawn.status, "cancelled");

    assert.deepEqual([...called].toSorted(), tools.map((tool) => tool.name).toSorted());
  });
