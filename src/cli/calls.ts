import { pino } from "pino";
import { createApp } from "../app.ts";
import { readConfig, type Config } from "../config.ts";
import { DirectoryInUse } from "../db/sqlite.ts";
import type { ErrorBody } from "../http/error-response.ts";
import { findSecrets } from "../secrets.ts";
import { createContext } from "../start.ts";
import { VERSION } from "../version.ts";

type Method = "GET" | "POST" | "PATCH" | "DELETE";

/** Calls the API with the admin token. The command line can do only what the API can do. */
export interface Calls {
  /** @throws Error in a sentence for the operator */
  call<T>(method: Method, path: string, body?: object): Promise<T>;
  close(): Promise<void>;
}

/** Sends a request and returns the raw response. */
type Send = (method: Method, path: string, body: string | null) => Promise<{ status: number; text: string }>;

/**
 * Opens the database in this process. If a running service holds it, calls that service over HTTP.
 * @throws Error in a sentence for the operator
 */
export async function openCalls(env: Readonly<Record<string, string | undefined>>): Promise<Calls> {
  const { config } = readConfig(env, findSecrets);
  try {
    const ctx = await createContext(config, pino({ level: "silent" }));
    const app = await createApp(ctx, { isCommandLine: true });
    const send: Send = async (method, url, body) => {
      const headers = headersOf(config, body);
      const response = await app.inject({ method, url, headers, ...(body !== null && { payload: body }) });
      return { status: response.statusCode, text: response.body };
    };
    const close = async () => {
      await app.close();
      await ctx.close();
    };
    return { call: asCall(send), close };
  } catch (error) {
    if (!(error instanceof DirectoryInUse)) throw error;
    return { call: asCall(overHttp(config)), close: async () => {} };
  }
}

function overHttp(config: Config): Send {
  const host = config.host === "0.0.0.0" || config.host === "::" ? "127.0.0.1" : config.host;
  const base = `http://${host.includes(":") ? `[${host}]` : host}:${config.port}`;
  const sendWith = async (adminToken: string, ...request: Parameters<Send>) =>
    sendTo(
      base,
      adminToken,
    )(...request).catch((cause: unknown) => {
      throw new Error(
        `The data directory is in use by a service that does not answer at ${base}. Use the same SERVICE_HOST and SERVICE_PORT as that service.`,
        { cause },
      );
    });
  return async (...request) => {
    const answer = await sendWith(config.adminToken, ...request);
    const { adminToken: previous } = config.previous;
    // Between `rotate-keys` and the restart, the service knows only the previous token.
    return answer.status === 401 && previous !== null ? sendWith(previous, ...request) : answer;
  };
}

function sendTo(base: string, adminToken: string): Send {
  return async (method, path, body) => {
    const headers = headersOf({ adminToken }, body);
    const response = await fetch(base + path, { method, headers, ...(body !== null && { body }) });
    return { status: response.status, text: await response.text() };
  };
}

/** Calls a service that runs. @param base - its URL, without a slash at the end */
export function callsTo(base: string, adminToken: string): Calls["call"] {
  return asCall(sendTo(base, adminToken));
}

function headersOf({ adminToken }: Pick<Config, "adminToken">, body: string | null): Record<string, string> {
  return {
    authorization: `Bearer ${adminToken}`,
    // The security log of a running service shows it.
    "user-agent": `human-task-service/${VERSION} (command line)`,
    ...(body !== null && { "content-type": "application/json" }),
  };
}

function asCall(send: Send): Calls["call"] {
  return async <T>(method: Method, path: string, body?: object) => {
    const { status, text } = await send(method, path, body === undefined ? null : JSON.stringify(body));
    const answer: unknown = text === "" ? null : JSON.parse(text);
    if (status >= 400) throw new Error(sentenceOf(answer as ErrorBody));
    return answer as T;
  };
}

/** Returns the message of an error and a line for each of its details. */
function sentenceOf({ message, details = [] }: ErrorBody): string {
  return [message, ...details.map((detail) => `  ${detail.path.slice(1)}: ${detail.message}`)].join("\n");
}

const PAGE = 200;

/** All pages of a list, oldest last. */
export async function everything<T extends { id: string; created_at: string }>(
  calls: Pick<Calls, "call">,
  path: string,
): Promise<T[]> {
  const rows: T[] = [];
  for (;;) {
    const last = rows.at(-1);
    const cursor = last ? `&cursor=${cursorAfter(last)}` : "";
    const page = await calls.call<T[]>("GET", `${path}limit=${PAGE}${cursor}`);
    rows.push(...page);
    if (page.length < PAGE) return rows;
  }
}

function cursorAfter({ id, created_at }: { id: string; created_at: string }): string {
  return Buffer.from(JSON.stringify([Date.parse(created_at), id])).toString("base64url");
}
