import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer as createHttp, type IncomingHttpHeaders, type RequestListener } from "node:http";
import { createServer as createHttps } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { sql } from "kysely";
import type { Finding } from "../../src/lib/findings.ts";
import type { Config } from "../../src/config.ts";
import type { Dialect } from "../../src/db/database.ts";
import { findDatabase } from "../../src/db/find.ts";
import { VERSION } from "../../src/version.ts";
import { freePort } from "./free-port.ts";
import { ADMIN_TOKEN, PAYLOAD_KEY, startTestService, type ServiceOptions, type TestService } from "./service.ts";

type Env = Record<string, string>;

/** The output of the command, and its exit. */
export interface Diagnosis {
  code: number | null;
  out: string;
  err: string;
  /** How long the process ran after its last output, in milliseconds. */
  stayedMs: number;
  findings: Finding[];
  /** By name. If several have one name, the first that is not `ok`. */
  status: Record<string, Finding["status"]>;
  /** Returns the messages of a name, one sentence per line. */
  says(name: string): string;
}

/** Runs `doctor` as an operator does. @param node - options of Node */
export async function runDoctor(env: Env, args: string[] = [], node: string[] = []): Promise<Diagnosis> {
  const run = await runText(env, ["--json", ...args], node);
  const findings = run.out === "" ? [] : (JSON.parse(run.out) as Finding[]);
  const status: Diagnosis["status"] = {};
  for (const finding of findings) if ((status[finding.name] ?? "ok") === "ok") status[finding.name] = finding.status;
  const says = (name: string) =>
    findings.flatMap((finding) => (finding.name === name ? finding.message : [])).join("\n");
  return { ...run, findings, status, says };
}

/** Does the same with output for people. */
export async function runText(env: Env, args: string[] = [], node: string[] = []) {
  const child = spawn(process.execPath, [...node, "src/cli.ts", "doctor", ...args], {
    env,
    cwd: fileURLToPath(new URL("../..", import.meta.url)),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const text = { out: "", err: "" };
  let saidAt = performance.now();
  child.stdout.on("data", (chunk) => {
    text.out += String(chunk);
    saidAt = performance.now();
  });
  child.stderr.on("data", (chunk) => (text.err += String(chunk)));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, ...text, stayedMs: performance.now() - saidAt };
}

/** Returns an option of Node that runs `code` before the command. */
export function before(code: string): string[] {
  return ["--import", `data:text/javascript,${encodeURIComponent(code)}`];
}

/** A test that takes longer hangs. */
const TEST_MS = 180_000;

/** Registers the same test on both databases. */
export function onBoth(name: string, run: (dialect: Dialect, t: TestContext) => Promise<void>): void {
  for (const dialect of ["sqlite", "postgres"] as const)
    void test(`${name} (${dialect === "sqlite" ? "SQLite" : "PostgreSQL"})`, { timeout: TEST_MS }, (t) =>
      run(dialect, t),
    );
}

/** Returns a service that listens, and its environment. */
export async function startPatient(
  t: TestContext,
  dialect: Dialect,
  given: Env = {},
  options: Pick<ServiceOptions, "changesTables"> = {},
): Promise<{ service: TestService; env: Env }> {
  const port = await freePort();
  const own = { SERVICE_PORT: String(port), ...given };
  const { service, stop } = await startTestService(dialect, { env: own, ...options });
  t.after(stop);
  await service.app.listen({ port, host: "127.0.0.1" });
  const { dataDir, database, secretKey } = service.ctx.config;
  const env = {
    SERVICE_DATA_DIR: dataDir,
    SERVICE_ADMIN_API_TOKEN: ADMIN_TOKEN,
    SERVICE_SECRET_KEY: Buffer.from(secretKey).toString("base64"),
    SERVICE_PAYLOAD_KEY: PAYLOAD_KEY,
    ...(database.kind === "postgres" && { SERVICE_DATABASE_URL: database.url }),
    ...own,
  };
  return { service, env };
}

/** Returns the settings of a service that was never started: it has secrets, but no database. */
export function withoutService(t: TestContext, given: Env = {}): Env {
  const dataDir = mkdtempSync(join(tmpdir(), "doctor-test-"));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  return {
    // Nothing listens there. At the default port, a service of this machine's user may run.
    SERVICE_PORT: "9",
    SERVICE_DATA_DIR: dataDir,
    SERVICE_ADMIN_API_TOKEN: ADMIN_TOKEN,
    SERVICE_SECRET_KEY: "q83vASNFZ4mrze8BI0VniRb+ePsbdW9p1wqXyT0mL5A=",
    SERVICE_PAYLOAD_KEY: PAYLOAD_KEY,
    ...given,
  };
}

/** Returns the contents of a database and the files beside it, which must not change. */
export async function contentsOf(config: Pick<Config, "database" | "dataDir">): Promise<unknown> {
  const found = await findDatabase(config);
  if (found === null) return readdirSync(config.dataDir);
  const tables = await found.query.introspection.getTables({ withInternalKyselyTables: true });
  const rows: Record<string, unknown> = {};
  for (const { name } of tables)
    rows[name] = (await sql`select * from ${sql.table(name)} order by 1`.execute(found.query)).rows;
  await found.close();
  return { rows, files: readdirSync(config.dataDir).toSorted() };
}

type Answers = Record<string, { status?: number; headers?: Env; body?: unknown }>;

/** The answers of a healthy service. */
export const WELL = {
  "/api/version": { body: { name: "human-task-service", version: VERSION } },
  "/api/health": { body: { status: "ok" } },
} satisfies Answers;

/** Starts a server that replaces the service or a third party. Paths without an answer are 404. */
export async function startStandIn(
  t: TestContext,
  answers: Answers | ((port: number) => Answers),
  tls?: { cert: string; key: string },
): Promise<{ port: number; asked: { path: string; headers: IncomingHttpHeaders }[] }> {
  const asked: { path: string; headers: IncomingHttpHeaders }[] = [];
  let all: Answers = {};
  const answer: RequestListener = ({ url: path = "", headers }, response) => {
    asked.push({ path, headers });
    const { status = 200, headers: own = {}, body = {} } = all[path] ?? { status: 404 };
    response.writeHead(status, { "content-type": "application/json", ...own }).end(JSON.stringify(body));
  };
  const server = tls === undefined ? createHttp(answer) : createHttps(tls, answer);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  all = typeof answers === "function" ? answers(port) : answers;
  return { port, asked };
}
