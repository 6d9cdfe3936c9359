import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, test, type TestContext } from "node:test";
import { Client, StreamableHTTPClientTransport, type CallToolResult } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { HumanRequest } from "../../mcp/requests.ts";
import { postgres } from "./postgres.ts";
import { startProcess, type ServiceProcess } from "./processes.ts";
import { ADMIN_TOKEN } from "./service.ts";

/** A test that takes longer hangs. */
export const TEST_MS = 60_000;

const { PATH = "", NODE_COMPILE_CACHE } = process.env;
/** The environment of every command. It is started about a hundred times, and compiled once for all files of a run. */
export const BARE_ENV = { PATH, ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }) };

export interface House {
  service: ServiceProcess;
  /** URL of `human-task-service-mcp --http`, which runs beside the service. */
  standalone: string;
  end(): Promise<void>;
}

/** The houses of this process. A test that stops or kills its service starts one of its own. */
const houses: { sqlite?: Promise<House>; postgres?: Promise<House> } = {};
export const started = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of started) child.kill("SIGKILL");
});
after(async () => {
  for (const house of await Promise.all(Object.values(houses))) await house.end();
});

/** Returns the service that the tests of this process share. */
export async function houseOf(dialect: "sqlite" | "postgres"): Promise<House> {
  return (houses[dialect] ??= build(dialect));
}

async function build(dialect: "sqlite" | "postgres"): Promise<House> {
  const folder = mkdtempSync(join(tmpdir(), "mcp-"));
  const database = dialect === "postgres" ? await (await postgres()).createDatabase() : null;
  const service = await startProcess({
    SERVICE_DATA_DIR: folder,
    ...(database && { SERVICE_DATABASE_URL: database.url }),
  });
  const { child, url } = await startStandalone(service.url);
  return {
    service,
    standalone: url,
    end: async () => {
      child.kill("SIGTERM");
      await service.kill();
      await database?.drop();
      rmSync(folder, { recursive: true });
    },
  };
}

export async function startStandalone(serviceUrl: string, args: readonly string[] = []) {
  const child = spawn(process.execPath, ["mcp/cli.ts", "--http", "0", ...args], {
    env: { ...BARE_ENV, SERVICE_URL: serviceUrl },
    stdio: ["ignore", "pipe", "inherit"],
  });
  started.add(child);
  child.once("exit", () => started.delete(child));
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  const url = /http:\/\/\S+\/mcp/.exec(line)?.[0];
  assert.ok(url, line);
  return { child, url };
}

/** The transports of the tools. Each is tested with the current protocol and with the previous one. */
export const WAYS = ["stdio", "the service", "standalone HTTP"] as const;
export type Way = (typeof WAYS)[number];
const ERAS = ["auto", "legacy"] as const;

export interface Desk {
  house: House;
  way: Way;
  /** The test, for what must end with it. */
  t: TestContext;
  /** Connects another client in the same way, as in a new conversation. */
  connect(agent?: string, token?: string, project?: string): Promise<Client>;
  tool<T = HumanRequest>(client: Client, name: string, args?: object): Promise<T>;
  answer(id: string, response: object): Promise<void>;
}

/** Registers the same test for each transport, each protocol era and both databases. */
export function testEachWay(
  name: string,
  run: (desk: Desk) => Promise<void>,
  { ways = WAYS, eras = ERAS }: { ways?: readonly Way[]; eras?: readonly (typeof ERAS)[number][] } = {},
): void {
  for (const dialect of ["sqlite", "postgres"] as const)
    for (const way of ways)
      for (const era of eras)
        void test(`${name} (${way}, ${era}, ${dialect})`, { timeout: TEST_MS }, async (t) => {
          const house = await houseOf(dialect);
          const agent = `bot-${crypto.randomUUID()}`;
          const connect = async (as = agent, token = ADMIN_TOKEN, project?: string) => {
            const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: era } });
            await client.connect(transportOf(way, house, as, token, project));
            t.after(async () => client.close());
            return client;
          };
          await run({ house, way, t, connect, tool, answer: async (id, response) => answer(house, id, response) });
        });
}

export function transportOf(
  way: Way,
  { service, standalone }: House,
  agent: string,
  token = ADMIN_TOKEN,
  project?: string,
) {
  if (way === "stdio")
    return new StdioClientTransport({
      command: process.execPath,
      args: ["mcp/cli.ts", "--agent", agent, ...(project === undefined ? [] : ["--project", project])],
      env: {
        ...BARE_ENV,
        SERVICE_URL: service.url,
        SERVICE_ADMIN_API_TOKEN: ADMIN_TOKEN,
        ...(token !== ADMIN_TOKEN && { SERVICE_TOKEN: token }),
      },
      stderr: "ignore",
    });
  const url = new URL(way === "the service" ? `${service.url}/mcp` : standalone);
  url.searchParams.set("agent", agent);
  if (project !== undefined) url.searchParams.set("project", project);
  return new StreamableHTTPClientTransport(url, { requestInit: { headers: { authorization: `Bearer ${token}` } } });
}

export async function tool<T = HumanRequest>(client: Client, name: string, args: object = {}): Promise<T> {
  const result = await client.callTool({ name, arguments: { ...args } });
  assert.notEqual(result.isError, true, textOf(result));
  return result.structuredContent as T;
}

export function textOf(result: CallToolResult): string {
  return result.content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}

export async function answer({ service }: House, id: string, response: object): Promise<void> {
  const body = { response, completed_by_email: "dana@example.com", completed_via_channel: "dashboard" };
  const { status } = await service.call("POST", `/api/tasks/${id}/complete`, body);
  assert.equal(status, 200);
}

/** Starts services for one test, which it may stop or kill. */
export async function own(
  t: TestContext,
  env: Record<string, string> = {},
): Promise<{ service: ServiceProcess; restart: () => Promise<ServiceProcess> }> {
  const folder = mkdtempSync(join(tmpdir(), "mcp-"));
  let service = await startProcess({ SERVICE_DATA_DIR: folder, ...env });
  t.after(async () => {
    await service.kill();
    rmSync(folder, { recursive: true });
  });
  const { port } = new URL(service.url);
  return {
    service,
    restart: async () => (service = await startProcess({ SERVICE_DATA_DIR: folder, SERVICE_PORT: port })),
  };
}
