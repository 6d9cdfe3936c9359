import { Text } from "../../http/schema.ts";
import { Type } from "../../lib/type.ts";
import { ApiKeyHeader, secretHeader } from "../header-secret.ts";
import { fieldOf, jsonOf, memberOf } from "../answer.ts";
import type { Answer, Attempt, Connection, Http, Meaning, Resumed, ResumeKind } from "../kind.ts";
import { headerProblem } from "../requests.ts";
import { orDoneAlready, readStatus } from "../statuses.ts";

/**
 * Agents of the Agent2Agent protocol (A2A). A message continues their task, which waits for input.
 *
 * Source: a2a-protocol.org/v1.0.0/specification, above all 3.1.1 (Send Message), 3.1.3 (Get Task), 3.3.1 (Idempotency), 3.3.2 (errors), 5.4
 * (their codes), 9 (JSON-RPC) and 11 (HTTP+JSON); and for 0.3 a2a-protocol.org/v0.3.0/specification, 6, 7.1, 7.3 and 8.
 */
export const a2a: ResumeKind = {
  name: "a2a",
  title: "A2A",
  connection: {
    address: Type.Object({
      url: Text({ minLength: 1, maxLength: 2048, description: "The address of an interface on the agent's card." }),
      version: Type.Optional(Type.Union([Type.Literal("1.0"), Type.Literal("0.3")], { description: "Default: 1.0." })),
      binding: Type.Optional(
        Type.Union([Type.Literal("JSONRPC"), Type.Literal("HTTP+JSON")], { description: "Default: JSONRPC." }),
      ),
      api_key_header: ApiKeyHeader,
    }),
    secret: "A bearer token, or the key for `api_key_header`. An agent that anyone may use has none.",
    isSecretRequired: false,
    checkSecret: headerProblem,
    checkAddress: ({ version, binding, api_key_header }, secret) => {
      if (version === "0.3" && binding === "HTTP+JSON")
        return { path: "/binding", message: "Version 0.3 is spoken as JSONRPC." };
      if (api_key_header !== undefined && secret === null)
        return { path: "/api_key_header", message: "An api_key_header needs a secret." };
      return null;
    },
    probe: async (connection, http) => {
      const answer = await getTask(connection, NO_TASK, http);
      const reason = reasonOf(answer);
      const { status } = answer;
      if (status === 401 || status === 403)
        return { ok: false, detail: `The agent answered ${status}: it does not accept the secret.` };
      if (reason === "VERSION_NOT_SUPPORTED" || reason === "METHOD_NOT_FOUND")
        return { ok: false, detail: `The agent does not speak version ${wireOf(connection).version} at this url.` };
      if (reason === null && taskOf(answer) === null)
        return { ok: false, detail: `The agent answered ${status} to a question about a task: check url and binding.` };
      const usual = reason === "TASK_NOT_FOUND" || reason === null;
      const more = usual ? "" : ` Asked about a task that it does not have, it says ${reason}.`;
      return { ok: true, detail: `The agent answered, and takes the secret.${more}` };
    },
  },
  address: Type.Object({
    task_id: Text({ minLength: 1, maxLength: 256, description: "The agent's task that waits for input." }),
    context_id: Type.Optional(Text({ minLength: 1, maxLength: 256, description: "The context of that task." })),
    part: Type.Optional(
      Type.Union([Type.Literal("data"), Type.Literal("text")], {
        description: "Whether the message has the outcome as data or as text, which is its JSON. Default: `data`.",
      }),
    ),
  }),
  resume: async (attempt, http) => {
    const { address, connection } = attempt;
    const looked = await getTask(connection!, address["task_id"] as string, http);
    const settled = await lookAt(looked, attempt);
    if (settled !== null) return settled;
    return read(await sendMessage(attempt, http), attempt);
  },
};

/** No agent has a task with this id. */
const NO_TASK = "human-task-service-probe";
/** How far back the message of an earlier attempt is looked for. */
const HISTORY_LENGTH = 50;
/** A task has its artifacts inside, which cannot be left out. */
const TASK_BYTES_MAX = 4 * 1024 * 1024;

/** Returns what the task itself shows; null if the message is to be sent. */
async function lookAt(answer: Answer, attempt: Attempt): Promise<Resumed | null> {
  const task = taskOf(answer);
  if (task === null) return read(answer, attempt);
  const { id, wasCutOff } = attempt;
  const resumed = (meaning: Meaning, message: string): Resumed => ({ meaning, message, answer });

  const history = task["history"];
  const messages = Array.isArray(history) ? [...(history as unknown[]), memberOf(task["status"], "message")] : [];
  if (messages.some((message) => memberOf(message, "messageId") === id))
    return resumed("done_already", "The task has the message already.");
  switch (stateOf(task)) {
    case "input-required":
    case "auth-required":
      return null;
    case "completed":
      return resumed("done_already", "The task is completed already.");
    case "failed":
    case "canceled":
    case "rejected":
      return orDoneAlready(resumed("gone", `The task has ended: ${stateOf(task)}.`), attempt);
    default:
      // An agent that shows its history would show the message. Of another one this is all that can be seen.
      if (messages.length === 0 && (await wasCutOff()))
        return resumed(
          "done_already",
          "The task goes on. An earlier attempt was cut off, and has probably resumed it.",
        );
      return resumed("later", `The task does not wait for input: it is ${stateOf(task)}.`);
  }
}

/** Reads an answer that has no task, or is the answer to a message. */
async function read(answer: Answer, attempt: Attempt): Promise<Resumed> {
  const { now } = attempt;
  const reason = reasonOf(answer);
  const as = (meaning: Meaning, message: string): Resumed =>
    readStatus("The agent", answer, now, { [answer.status]: { meaning, message } });
  switch (reason) {
    case "TASK_NOT_FOUND":
      return orDoneAlready(as("gone", "The agent has no such task."), attempt);
    case "INVALID_PARAMS":
    case "INVALID_ARGUMENT":
    case "CONTENT_TYPE_NOT_SUPPORTED":
    case "EXTENSION_SUPPORT_REQUIRED":
      return as("gone", `The agent does not take this message: ${reason}.`);
    case "VERSION_NOT_SUPPORTED":
    case "METHOD_NOT_FOUND":
      return as("later", `The agent does not speak version ${wireOf(attempt.connection!).version} at this url.`);
    case null:
      break;
    default:
      // Also a task that has ended since the look: the next attempt sees how.
      return as("later", `The agent answered with an error: ${reason}.`);
  }
  const { status } = answer;
  if (status === 404 || status === 405)
    return as("later", `The agent answered ${status}: check the url of the connection.`);
  if (Buffer.byteLength(answer.body) >= TASK_BYTES_MAX)
    return as("later", "The task is larger than 4 MiB, and cannot be read.");
  if (status < 300 && !isResult(answer))
    return as("later", "What answered does not speak A2A: check the url of the connection.");
  return readStatus("The agent", answer, now);
}

interface Wire {
  version: "1.0" | "0.3";
  binding: "JSONRPC" | "HTTP+JSON";
}

function wireOf({ address }: Connection): Wire {
  const { version = "1.0", binding = "JSONRPC" } = address as Partial<Wire>;
  return { version, binding };
}

function getTask(connection: Connection, id: string, http: Http): Promise<Answer> {
  const { version, binding } = wireOf(connection);
  if (binding === "HTTP+JSON")
    return call(connection, http, { path: `/tasks/${encodeURIComponent(id)}?historyLength=${HISTORY_LENGTH}` });
  const method = version === "0.3" ? "tasks/get" : "GetTask";
  return call(connection, http, { body: rpc("look", method, JSON.stringify({ id, historyLength: HISTORY_LENGTH })) });
}

function sendMessage({ id, address, connection, value }: Attempt, http: Http): Promise<Answer> {
  const { version, binding } = wireOf(connection!);
  const { task_id: taskId, context_id: contextId } = address;
  // 0.3 knows data as objects only.
  const isText = address["part"] === "text" || (version === "0.3" && !value.startsWith("{"));
  const own = version === "0.3" ? { kind: "message", role: "user" } : { role: "ROLE_USER" };
  const message = { ...own, messageId: id, taskId, contextId };
  const parts = `[${partOf(value, isText, version)}]`;
  // The answer does not wait for what the agent does next.
  const configuration = JSON.stringify(version === "0.3" ? { blocking: false } : { returnImmediately: true });
  const params = `{"message":${JSON.stringify(message).slice(0, -1)},"parts":${parts}},"configuration":${configuration}}`;
  if (binding === "HTTP+JSON") return call(connection!, http, { path: "/message:send", body: params });
  return call(connection!, http, { body: rpc(id, version === "0.3" ? "message/send" : "SendMessage", params) });
}

/** Returns a part as JSON. Numbers of data stay as the person gave them. */
function partOf(value: string, isText: boolean, version: Wire["version"]): string {
  if (isText) return JSON.stringify({ ...(version === "0.3" && { kind: "text" }), text: value });
  return version === "0.3" ? `{"kind":"data","data":${value}}` : `{"data":${value},"mediaType":"application/json"}`;
}

function rpc(id: string, method: string, params: string): string {
  return `${JSON.stringify({ jsonrpc: "2.0", id, method }).slice(0, -1)},"params":${params}}`;
}

function call(
  connection: Connection,
  http: Http,
  { path = "", body }: { path?: string; body?: string },
): Promise<Answer> {
  const { address } = connection;
  const { version, binding } = wireOf(connection);
  const url = address["url"] as string;
  const type = binding === "HTTP+JSON" ? "application/a2a+json" : "application/json";
  return http({
    method: body === undefined ? "GET" : "POST",
    url: path === "" ? url : `${url.replace(/\/+$/, "")}${path}`,
    headers: {
      ...secretHeader(connection),
      Accept: binding === "HTTP+JSON" ? `${type}, application/json` : type,
      "A2A-Version": version,
      ...(body !== undefined && { "Content-Type": type }),
    },
    ...(body !== undefined && { body: Buffer.from(body) }),
    keptBytes: TASK_BYTES_MAX,
  });
}

/** Errors of JSON-RPC, and of A2A by section 5.4. */
const REASONS: Readonly<Record<number, string>> = {
  [-32700]: "PARSE_ERROR",
  [-32600]: "INVALID_REQUEST",
  [-32601]: "METHOD_NOT_FOUND",
  [-32602]: "INVALID_PARAMS",
  [-32603]: "INTERNAL_ERROR",
  [-32001]: "TASK_NOT_FOUND",
  [-32004]: "UNSUPPORTED_OPERATION",
  [-32005]: "CONTENT_TYPE_NOT_SUPPORTED",
  [-32006]: "INVALID_AGENT_RESPONSE",
  [-32008]: "EXTENSION_SUPPORT_REQUIRED",
  [-32009]: "VERSION_NOT_SUPPORTED",
};

/** Returns the name of the error that an answer has, of either binding; null if it has none, and its status counts. */
function reasonOf(answer: Answer): string | null {
  if (answer.status === 401 || answer.status === 403) return null;
  const error = fieldOf(answer, "error");
  const details = memberOf(error, "details");
  const named = (Array.isArray(details) ? (details as unknown[]) : []).find(
    (detail) => memberOf(detail, "domain") === "a2a-protocol.org",
  );
  const reason = memberOf(named, "reason");
  if (typeof reason === "string") return reason.slice(0, 100);
  const code = memberOf(error, "code");
  if (typeof code === "number" && code < 0) return REASONS[code] ?? `code ${code}`;
  // Of HTTP+JSON, without details.
  const status = memberOf(error, "status");
  return typeof status === "string" ? status.slice(0, 100) : null;
}

/** Returns whether an answer is a result of either binding. */
function isResult(answer: Answer): boolean {
  const json = jsonOf(answer);
  return ["result", "task", "message"].some((name) => memberOf(json, name) !== undefined);
}

/** Returns the task that an answer to the look is, or has as its result; null if there is none. */
function taskOf(answer: Answer): Record<string, unknown> | null {
  const json = jsonOf(answer);
  const task = memberOf(json, "result") ?? json;
  return answer.status === 200 && typeof memberOf(task, "id") === "string" && memberOf(task, "status") !== undefined
    ? (task as Record<string, unknown>)
    : null;
}

/** Returns the state in the spelling of 0.3. */
function stateOf(task: Record<string, unknown>): string {
  const state = memberOf(task["status"], "state");
  return String(state)
    .replace(/^TASK_STATE_/, "")
    .toLowerCase()
    .replaceAll("_", "-")
    .slice(0, 100);
}
