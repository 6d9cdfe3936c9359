import { randomUUID } from "node:crypto";
import type { TestContext } from "node:test";
import type { Engine, Waiting } from "./engine.ts";
import { startStandIn, type Call, type Reply, type Resuming } from "./stand-in.ts";

/*
 * An agent of A2A. Each rule is from one of:
 *
 * [1.0] a2a-protocol.org/v1.0.0/specification: 3.1.1 and 3.1.3 (what the operations answer and refuse), 3.2.2 (an answer waits for the
 *   task, unless it must not), 3.4.2 and 3.4.3 (task and context ids), 3.6 (A2A-Version), 4.1 with a2a.proto (fields), 5.4 (codes), 9
 *   (JSON-RPC), 11 (HTTP+JSON).
 * [0.3] a2a-protocol.org/v0.3.0/specification: 6 (fields), 7.1 (message/send), 7.3 (tasks/get), 8 (codes).
 * [auth] 7.3 and 7.4 of 1.0: credentials are in headers, and are asked for with 401.
 * [sdk] `DefaultRequestHandler` of @a2a-js/sdk 0.3.14 and 1.0.1: a message to a task that has ended is -32600 in 0.3, and every
 *   message becomes part of the history at once. `messageId` is not used to find repetitions, which 3.3.1 of 1.0 leaves open.
 */

const SECRET = "s3cret~agent";

export interface A2aOptions {
  version?: "1.0" | "0.3";
  binding?: "JSONRPC" | "HTTP+JSON";
  /** A header; null: a bearer token. */
  api_key_header?: string | null;
  /** Agents may keep no history. */
  showsHistory?: boolean;
  /** The agent waits again after each message. */
  asksAgain?: boolean;
}

interface Task {
  id: string;
  contextId: string;
  state: string;
  history: Record<string, unknown>[];
  received: unknown[];
}

export interface A2a extends Engine {
  log: string[];
  /** As a task of 0.3 has it. */
  setState(waiting: Waiting, state: string): void;
}

/** An error by its name in [1.0] 5.4. */
type Failure = [code: number, status: number, reason: string];
const FAILURES = {
  parse: [-32700, 400, "PARSE_ERROR"],
  request: [-32600, 400, "INVALID_REQUEST"],
  method: [-32601, 404, "METHOD_NOT_FOUND"],
  params: [-32602, 400, "INVALID_PARAMS"],
  task: [-32001, 404, "TASK_NOT_FOUND"],
  operation: [-32004, 400, "UNSUPPORTED_OPERATION"],
  version: [-32009, 400, "VERSION_NOT_SUPPORTED"],
} as const satisfies Record<string, Failure>;

class Refused extends Error {
  readonly failure: Failure;

  constructor(name: keyof typeof FAILURES) {
    super(name);
    this.failure = FAILURES[name];
  }
}

const ENDED = new Set(["completed", "failed", "canceled", "rejected"]);

export async function startA2a(
  t: TestContext,
  {
    version = "1.0",
    binding = "JSONRPC",
    api_key_header = null,
    showsHistory = true,
    asksAgain = false,
  }: A2aOptions = {},
): Promise<A2a> {
  const tasks = new Map<string, Task>();
  const isRest = binding === "HTTP+JSON";

  const standIn = await startStandIn(t, (call) => {
    if (!call.path.startsWith("/agent")) return { status: 404 };
    const given = api_key_header === null ? call.headers.authorization : call.headers[api_key_header.toLowerCase()];
    if (given !== (api_key_header === null ? `Bearer ${SECRET}` : SECRET))
      return { status: 401, headers: { "WWW-Authenticate": "Bearer" } };
    return isRest ? rest(call) : jsonRpc(call);
  });

  /** [1.0] 9, [0.3] */
  function jsonRpc({ method, path, headers, body }: Call): Reply | Resuming {
    if (path !== "/agent") return { status: 404 };
    if (method !== "POST") return { status: 405 };
    if (headers["content-type"] !== "application/json") return { status: 415 };
    let id: unknown = null;
    const answer = (act: () => unknown): Reply => {
      try {
        return { status: 200, body: { jsonrpc: "2.0", id, result: act() } };
      } catch (error) {
        const [code, , message] = (error as Refused).failure;
        return { status: 200, body: { jsonrpc: "2.0", id, error: { code, message } } };
      }
    };
    const refuse = (name: keyof typeof FAILURES) =>
      answer(() => {
        throw new Refused(name);
      });
    const request = read(body);
    if (request === null) return refuse("parse");
    if (request["jsonrpc"] !== "2.0" || request["id"] === undefined) return refuse("request");
    id = request["id"];
    if ((headers["a2a-version"] || "0.3") !== version) return refuse("version");
    const params = (request["params"] ?? {}) as Record<string, unknown>;
    const [get, send] = version === "0.3" ? ["tasks/get", "message/send"] : ["GetTask", "SendMessage"];
    if (request["method"] === get) return answer(() => getTask(params["id"], Number(params["historyLength"])));
    if (request["method"] === send) return { act: () => answer(() => sendMessage(params)) };
    return refuse("method");
  }

  /** [1.0] 11 */
  function rest({ method, path, query, headers, body }: Call): Reply | Resuming {
    const answer = (act: () => unknown): Reply => {
      try {
        return { status: 200, headers: { "Content-Type": "application/a2a+json" }, body: act() };
      } catch (error) {
        const [, code, reason] = (error as Refused).failure;
        const details = [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason, domain: "a2a-protocol.org" }];
        return { status: code, body: { error: { code, status: "FAILED", message: reason, details } } };
      }
    };
    if ((headers["a2a-version"] || "0.3") !== version)
      return answer(() => {
        throw new Refused("version");
      });
    const id = /^\/agent\/tasks\/([^/:]+)$/.exec(path)?.[1];
    if (method === "GET" && id !== undefined)
      return answer(() => getTask(decodeURIComponent(id), Number(query.get("historyLength"))));
    if (method !== "POST" || path !== "/agent/message:send") return { status: 404 };
    if (!/^application\/(a2a\+)?json$/.test(headers["content-type"] ?? "")) return { status: 415 };
    return { act: () => answer(() => sendMessage(read(body) ?? {})) };
  }

  /** [1.0] 3.1.3, [0.3] 7.3 */
  function getTask(id: unknown, historyLength: number): unknown {
    if (typeof id !== "string") throw new Refused("params");
    const task = tasks.get(id);
    if (task === undefined) throw new Refused("task");
    const { contextId, history } = task;
    const state = version === "0.3" ? task.state : `TASK_STATE_${task.state.toUpperCase().replaceAll("-", "_")}`;
    const shown = showsHistory && historyLength > 0 ? { history: history.slice(-historyLength) } : {};
    return { ...(version === "0.3" && { kind: "task" }), id, contextId, status: { state }, ...shown };
  }

  /** [1.0] 3.1.1, [0.3] 7.1 */
  function sendMessage({ message, configuration }: Record<string, unknown>): unknown {
    const { messageId, taskId, contextId, role, parts, kind } = (message ?? {}) as Record<string, unknown>;
    if (typeof messageId !== "string" || role !== (version === "0.3" ? "user" : "ROLE_USER"))
      throw new Refused("params");
    if (version === "0.3" && kind !== "message") throw new Refused("params");
    if (!Array.isArray(parts) || parts.length === 0) throw new Refused("params");
    const value = partOf((parts as Record<string, unknown>[])[0]!);
    const task = tasks.get(taskId as string);
    if (task === undefined) throw new Refused("task");
    if (contextId !== undefined && contextId !== task.contextId) throw new Refused("params");
    if (ENDED.has(task.state)) throw new Refused(version === "0.3" ? "request" : "operation");
    const { blocking, returnImmediately } = (configuration ?? {}) as Record<string, unknown>;
    task.history.push(message as Record<string, unknown>);
    task.received.push(value);
    task.state = asksAgain ? "input-required" : "working";
    // The agent works for longer than anyone waits, so an answer that waits for it never comes.
    if (version === "0.3" ? blocking !== false : returnImmediately !== true) throw new Refused("operation");
    const sent = getTask(task.id, 0);
    return version === "0.3" ? sent : { task: sent };
  }

  /** [1.0] 4.1.6, [0.3] 6.5 */
  function partOf(part: Record<string, unknown>): unknown {
    if (version === "0.3") {
      if (part["kind"] === "text" && typeof part["text"] === "string") return part["text"];
      const { data } = part;
      if (part["kind"] === "data" && typeof data === "object" && data !== null && !Array.isArray(data)) return data;
      throw new Refused("params");
    }
    const contents = ["text", "raw", "url", "data"].filter((name) => part[name] !== undefined);
    if (contents.length !== 1 || part["kind"] !== undefined) throw new Refused("params");
    return part[contents[0]!];
  }

  const url = `${standIn.url}/agent`;
  const address = { url, version, binding, ...(api_key_header !== null && { api_key_header }) };
  return {
    ...standIn,
    connection: { address, secret: SECRET },
    wait: async () => {
      const task = { id: randomUUID(), contextId: randomUUID(), state: "input-required", history: [], received: [] };
      tasks.set(task.id, task);
      return { entry: { task_id: task.id, context_id: task.contextId }, received: task.received };
    },
    setState: ({ entry }, state) => {
      tasks.get(entry["task_id"] as string)!.state = state;
    },
  };
}

function read(body: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
