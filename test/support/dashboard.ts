import { rmSync } from "node:fs";
import type { Context } from "../../src/context.ts";
import { createPasswords } from "../../src/people/passwords.ts";
import { startService } from "../../src/start.ts";
import { makeRoom } from "./room.ts";
import { CHEAP_HASHES } from "./service.ts";

export const TOKEN = "tok_0123456789abcdef0123456789abcdef";
export const PASSWORD = "correct horse battery staple";

export interface Service {
  readonly url: string;
  /** Gives access to the database, for states that would take days to reach. */
  readonly ctx: Context;
  /** Calls the service as an agent does. */
  readonly call: <T>(method: string, path: string, body?: unknown) => Promise<T>;
}

/** Ports of services that have stopped: of an address that it has loaded before, a browser knows the scripts. */
const freed: number[] = [];

/**
 * Starts a service with the pages of the last build.
 * @param t - the test that it is for, or what else stops it after its tests
 */
export async function serve(
  t: { after(stop: () => Promise<void>): unknown },
  env: Record<string, string> = {},
): Promise<Service> {
  const folder = makeRoom("dashboard-");
  const start = (port: number) =>
    startService({
      SERVICE_PORT: String(port),
      // What it is where no port is given.
      SERVICE_PUBLIC_URL: "http://localhost:0",
      SERVICE_DATA_DIR: folder,
      SERVICE_ADMIN_API_TOKEN: TOKEN,
      SERVICE_LOG_LEVEL: "error",
      ...env,
    });
  // Another program may have the port by now.
  const service = await start(freed.pop() ?? 0).catch(() => start(0));
  service.ctx.passwords = createPasswords(CHEAP_HASHES);
  t.after(async () => {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
    if (env["SERVICE_PORT"] === undefined) freed.push(Number(new URL(service.address).port));
  });
  return {
    url: service.address,
    ctx: service.ctx,
    call: callsWith(service.address, TOKEN),
  };
}

function callsWith(url: string, token: string): Service["call"] {
  return async <T>(method: string, path: string, body?: unknown) => {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    // A response of 204 has no body.
    return (response.status === 204 ? undefined : await response.json()) as T;
  };
}

/** Adds an agent with a token. @returns its id, and the service as this agent calls it */
export async function addAgent(
  service: Service,
  name: string,
  fields: Record<string, unknown> = {},
): Promise<{ id: string; token: string; asAgent: Service }> {
  const { id } = await service.call<{ id: string }>("POST", "/api/agents", { name, ...fields });
  const { token } = await service.call<{ token: string }>("POST", `/api/agents/${id}/tokens`, {});
  return { id, token, asAgent: { ...service, call: callsWith(service.url, token) } };
}

let keys = 0;

export function createTask(
  service: Service,
  task: string,
  more: Record<string, unknown> = {},
): Promise<{ id: string }> {
  return service.call("POST", "/api/tasks", {
    task,
    payload: { text: "Faster search." },
    payload_schema: {},
    response_schema: {
      type: "object",
      properties: { approved: { type: "boolean", title: "Publish it?" }, note: { type: "string" } },
      required: ["approved"],
    },
    timeout_seconds: 3600,
    idempotency_key: `k${++keys}`,
    ...more,
  });
}

export async function addOperator(service: Service, email: string): Promise<void> {
  await service.call("POST", "/api/users", {
    email,
    is_operator: true,
    password: PASSWORD,
    display_name: email.split("@")[0],
  });
}

/** Adds a person who sees only tasks that are assigned or offered to them. */
export async function addAssignee(service: Service, email: string, fields: object = {}): Promise<void> {
  const display_name = email.split("@")[0];
  await service.call("POST", "/api/users", { email, password: PASSWORD, display_name, ...fields });
}
