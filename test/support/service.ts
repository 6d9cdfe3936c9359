import { hkdfSync } from "node:crypto";
import { rmSync } from "node:fs";
import { test, type TestContext } from "node:test";
import type { FastifyInstance, InjectOptions } from "fastify";
import { pino } from "pino";
import { createApp } from "../../src/app.ts";
import { readConfig } from "../../src/config.ts";
import type { Context } from "../../src/context.ts";
import type { Dialect } from "../../src/db/database.ts";
import { createPasswords } from "../../src/people/passwords.ts";
import type { CreateTaskBody, TaskRecord } from "../../src/tasks/schema.ts";
import { createContext, type Replacements } from "../../src/start.ts";
import { onePostgres, postgres } from "./postgres.ts";
import { makeRoom } from "./room.ts";

export const ADMIN_TOKEN = "test-admin-token-0123456789";
const SECRET = "q83vASNFZ4mrze8BI0VniRb+ePsbdW9p1wqXyT0mL5A=";
/** The key of the check value for callback signatures. */
export const PAYLOAD_KEY = "tlR5UCElY4QIjThpO4TlL1GzTzXrQQJYa3BtvZ0FOBQ";
/** The output of `service webhook-key` for it. */
export const WEBHOOK_KEY = Buffer.from(
  hkdfSync("sha256", Buffer.from(PAYLOAD_KEY, "base64"), "service-webhook-v1", "v1", 32),
).toString("base64");

/** A clock that tests control: it does not move until it is advanced. */
export interface Clock {
  /** Returns epoch milliseconds. */
  now: () => number;
  advance(ms: number): void;
}

export function createClock(start = Date.UTC(2026, 0, 31, 12)): Clock {
  let time = start;
  return { now: () => time, advance: (ms) => void (time += ms) };
}

export interface Answer<T = never> {
  status: number;
  /** Of several cookies, `set-cookie` is the first. */
  headers: Record<string, string | undefined>;
  /** The values of all `Set-Cookie` headers. */
  cookies: readonly string[];
  body: T;
  text: string;
}

export interface TestService {
  dialect: Dialect;
  ctx: Context;
  app: FastifyInstance;
  clock: Clock;
  /** Calls the service as the admin token unless the headers say otherwise; `body` is sent as JSON. */
  call<T = Record<string, unknown>>(
    method: "GET" | "POST" | "DELETE" | "PUT" | "PATCH" | "HEAD",
    path: string,
    options?: { body?: unknown; raw?: string | Buffer; headers?: Record<string, string>; token?: string | null },
  ): Promise<Answer<T>>;
  /** Creates a task and returns its record. */
  create(fields?: Partial<CreateTaskBody>): Promise<TaskRecord>;
}

export interface ServiceOptions extends Replacements {
  env?: Record<string, string>;
  /** Whether the test changes tables, as no release does. Tables that Citus has spread cannot be changed so. */
  changesTables?: boolean;
  /** The time limit in milliseconds. A busy machine makes a test with hundreds of requests slow: `MANY_REQUESTS_MS`. */
  limitMs?: number;
}

/**
 * A test that takes longer hangs. The limit is shorter than the longest poll, so that a poll that is not woken is
 * noticed.
 */
const TEST_MS = 55_000;
/** The limit of a test with hundreds of requests. */
export const MANY_REQUESTS_MS = 600_000;

/** Tests sign in often, so hashing is cheap there. Real services pay its full cost. */
export const CHEAP_HASHES = { memory: 64, passes: 1, parallelism: 1 };

let lastKey = 0;

/** Returns the body of a valid creation with a new key. */
export function newTaskBody(fields: Partial<CreateTaskBody> = {}): CreateTaskBody {
  return {
    task: "Approve the refund?",
    payload: { amount: 12.5, customer: "Dana" },
    payload_schema: {
      type: "object",
      properties: { amount: { type: "number" }, customer: { type: "string" } },
      required: ["amount"],
    },
    response_schema: {
      type: "object",
      properties: { approved: { type: "boolean" }, note: { type: "string" } },
      required: ["approved"],
    },
    timeout_seconds: 3600,
    idempotency_key: `key-${++lastKey}`,
    ...fields,
  };
}

/** Registers the same test for both databases, each with a new service, database and clock. */
export function testOnBoth(
  name: string,
  run: (service: TestService, t: TestContext) => Promise<void>,
  { limitMs = TEST_MS, ...options }: ServiceOptions = {},
): void {
  for (const dialect of ["sqlite", "postgres"] as const) {
    void test(`${name} (${dialect === "sqlite" ? "SQLite" : "PostgreSQL"})`, { timeout: limitMs }, async (t) => {
      const { service, stop } = await startTestService(dialect, options);
      try {
        await run(service, t);
      } finally {
        await stop();
      }
    });
  }
}

/** Starts a service without a port, on a new database unless `env` names one. */
export async function startTestService(
  dialect: Dialect,
  { env = {}, changesTables = false, ...replace }: ServiceOptions = {},
): Promise<{ service: TestService; stop: () => Promise<void> }> {
  const clock = createClock();
  const dataDir = makeRoom("service-test-");
  const isOnNew = dialect === "postgres" && env["SERVICE_DATABASE_URL"] === undefined;
  const server = changesTables ? onePostgres : postgres;
  const database = isOnNew ? await (await server()).createDatabase() : null;
  const { config } = readConfig(
    {
      SERVICE_PORT: "0",
      SERVICE_DATA_DIR: dataDir,
      SERVICE_ADMIN_API_TOKEN: ADMIN_TOKEN,
      SERVICE_SECRET_KEY: SECRET,
      SERVICE_PAYLOAD_KEY: PAYLOAD_KEY,
      ...(database && { SERVICE_DATABASE_URL: database.url }),
      ...env,
    },
    () => {
      throw new Error("all secrets are given");
    },
  );
  const ctx = await createContext(config, pino({ level: "silent" }), { now: clock.now, ...replace });
  ctx.passwords = createPasswords(CHEAP_HASHES);
  const app = await createApp(ctx);

  const call: TestService["call"] = async (method, path, { body, raw, headers = {}, token = ADMIN_TOKEN } = {}) => {
    const request: InjectOptions = {
      method,
      url: path,
      headers: { ...(token !== null && { authorization: `Bearer ${token}` }), ...headers },
    };
    if (raw !== undefined)
      Object.assign(request, { payload: raw, headers: { "content-type": "application/json", ...request.headers } });
    else if (body !== undefined)
      Object.assign(request, {
        payload: JSON.stringify(body),
        headers: { "content-type": "application/json", ...request.headers },
      });
    const response = await app.inject(request);
    const isJson = (response.headers["content-type"] ?? "").startsWith("application/json");
    return {
      status: response.statusCode,
      headers: { ...response.headers, "set-cookie": [response.headers["set-cookie"]].flat()[0] } as Answer["headers"],
      cookies: [response.headers["set-cookie"] ?? []].flat(),
      body: (isJson && response.body !== "" ? response.json() : null) as never,
      text: response.body,
    };
  };
  const create: TestService["create"] = async (fields) => {
    const answer = await call<TaskRecord>("POST", "/api/tasks", { body: newTaskBody(fields) });
    if (answer.status !== 201) throw new Error(`creating a task gave ${answer.status}: ${answer.text}`);
    return answer.body;
  };

  return {
    service: { dialect, ctx, app, clock, call, create },
    stop: async () => {
      await app.close();
      await ctx.close();
      await database?.drop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
