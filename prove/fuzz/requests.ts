import { isUtf8 } from "node:buffer";
import { ADMIN_TOKEN } from "../../test/support/service.ts";
import { createRandom, type Random } from "../random.ts";
import type { Description, Operation } from "./description.ts";
import { fitting, newTask, type Known, type Receivers } from "./fields.ts";
import { anyJson, fromValue, mutate, toText, type Json } from "./json-text.ts";

const GUARDS_ITSELF: ReadonlySet<string> = new Set([
  "/api/channels/slack/interactions",
  "/api/channels/slack/events",
  "/api/connections/{id}/github",
  "/api/embed/tokens",
  "/api/embed/task/complete",
  "/api/embed/task/comments",
]);

/** A signature is over their bytes, and is checked before these are read as JSON. */
const TAKES_BYTES: ReadonlySet<string> = new Set(["/api/channels/slack/events", "/api/connections/{id}/github"]);

/** Only the token of an agent reaches these. */
const FOR_AGENTS: ReadonlySet<string> = new Set(["/api/hooks/claude-code"]);

/** Which answers are allowed. */
export type Allowed =
  /** The declared answers of the operation. */
  | "declared"
  /** The declared answers, or those of any address, because the transport is unusual. */
  | "lenient"
  /** 404: the address does not exist. */
  | "unknown"
  /** 405: the path exists, but not with this method. */
  | "method"
  /** A page, one of its files, or 404. */
  | "page"
  /** It is unclear which address this is, or whether it is a request: the service may answer anything. */
  | "any";

/** One or more requests on a connection; more than one when they are pipelined. */
export interface Exchange {
  index: number;
  requests: Request[];
  pieces: Buffer[];
  /** Close our half of the connection after the last byte. */
  end: boolean;
  /** Use a separate connection. */
  isAlone: boolean;
  /** It may wait for the end of a task: close the connection when no answer arrives soon. */
  mayWait: boolean;
  /** It may not be valid HTTP: the connection may end without an answer. */
  mayEnd: boolean;
}

export interface Request {
  method: string;
  target: string;
  /** Headers and body as sent. */
  bytes: Buffer;
  body: Buffer | null;
  headers: [string, string][];
  operation: Operation | null;
  allowed: Allowed;
  /** The status must be one of these; null allows any status that `allowed` permits. */
  mustBe: readonly number[] | null;
  /** For a creation: a response that completes the task. */
  response: Json;
}

export interface Surroundings {
  seed: number;
  description: Description;
  known: Known;
  receivers: Receivers;
  /** Of an agent that may ask. */
  agentToken: string;
}

/** Requests that are more frequent: the others depend on what these create. */
const WEIGHTS: Readonly<Record<string, number>> = {
  "POST /api/tasks": 14,
  "POST /api/connections": 4,
  "POST /api/tasks/{id}/complete": 8,
  "POST /api/tasks/{id}/cancel": 3,
  "POST /api/tasks/{id}/assign": 4,
  "PATCH /api/tasks/{id}": 2,
  "GET /api/tasks": 4,
  "GET /api/admin/webhook-deliveries": 3,
};

/** Headers longer than this may be refused. */
const HEAD_MAX = 15_000;

const TOKEN = `Bearer ${ADMIN_TOKEN}`;

const MORE_METHODS = [
  "GET",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
  "HEAD",
  "TRACE",
  "PROPFIND",
  "SEARCH",
  "QUERY",
  "M-SEARCH",
  "PURGE",
];
const PAGES = [
  "/",
  "/api/openapi.json",
  "/api/docs",
  "/api/docs/",
  "/api/docs/static/index.html",
  "/api/docs/static/../../package.json",
  "/api/docs/static/%2e%2e%2f%2e%2e%2fpackage.json",
  "/api/docs/json",
  "/api/docs/yaml",
  "/api/redoc",
  "/docs/troubleshooting",
  "/docs/troubleshooting?x=%zz",
];
const UNKNOWN = [
  "/api",
  "/api/",
  "/api/task",
  "//api/tasks",
  "/API/TASKS",
  "/api/tasks/x/y/z",
  "/api/admin",
  "/.env",
  "/api/tasks/tsk_1/complete/",
  "/%00",
  "/api/health/",
  "/favicon.ico",
  "/api/tasks/counts/x",
  "/a".repeat(400),
];

/** Returns the request with this number. A seed makes the same choices; ids are those known at the time. */
export function makeExchange(around: Surroundings, index: number): Exchange {
  const random = createRandom(around.seed, index);
  const roll = random.int(100);
  if (roll < 76) return transported(random, index, operationRequest(random, around, index, "any"));
  if (roll < 80) return pipelined(random, around, index);
  if (roll < 84) return single(index, otherMethod(random, around));
  if (roll < 87)
    return single(index, plain(random, random.pick(["GET", "POST", "HEAD"]), random.pick(UNKNOWN), null, "unknown"));
  if (roll < 89) return single(index, plain(random, random.pick(["GET", "HEAD"]), random.pick(PAGES), null, "page"));
  if (roll < 94) return single(index, strangePath(random, around));
  return bare(random, around, index);
}

function single(index: number, request: Request, more: Partial<Exchange> = {}): Exchange {
  return {
    index,
    requests: [request],
    pieces: [request.bytes],
    end: false,
    isAlone: false,
    mayWait: false,
    mayEnd: false,
    ...more,
  };
}

/** Returns a creation with values at the limits, where the only rule is that it must not fail with 5xx. */
export function creation(fields: Record<string, Json>, { description }: Surroundings): Exchange {
  const operation = description.operations.find(({ name }) => name === "POST /api/tasks")!;
  const headers: [string, string][] = [
    ["Host", "127.0.0.1"],
    ["Authorization", TOKEN],
    ["Content-Type", "application/json"],
  ];
  const body = Buffer.from(toText(membersOf(fields)));
  return single(
    0,
    assembled({
      method: "POST",
      target: operation.path,
      headers,
      body,
      operation,
      allowed: "declared",
      mustBe: [201],
      response: null,
    }),
  );
}

/** @param kind - "valid": it is accepted, unless its task has ended since */
export function operationRequest(random: Random, around: Surroundings, index: number, kind: "any" | "valid"): Request {
  const { description, known } = around;
  const isAny = kind === "any";
  const weighted = description.operations.flatMap((operation) =>
    Array.from({ length: WEIGHTS[operation.name] ?? 2 }, () => operation),
  );
  const operation = random.pick(weighted);
  const method = operation.method === "GET" && isAny && random.chance(0.05) ? "HEAD" : operation.method;
  let isStrange = method === "HEAD";

  const task = known.open.length > 0 && random.chance(0.75) ? random.pick(known.open) : null;
  let id = idFor(random, operation, known, task?.id);
  if (isAny && random.chance(0.12)) {
    id = random.pick([
      "tsk_01kajv3mzt8w5rq0e4v9c2n7xb",
      "x",
      "-",
      "%20",
      "%F0%9F%98%80",
      "a".repeat(500),
      "a".repeat(501),
      "%00",
      "%2e%2e",
      "%ZZ",
      "%C3",
      "..",
      "tsk_%2F",
      "'",
      "constructor",
      "__proto__",
      "null",
      "0",
    ]);
    isStrange = true;
  }
  const target = pathOf(operation, id) + queryFor(random, operation, around, isAny);

  const made = bodyFor(random, operation, around, index, isAny ? task : (task ?? known.open[0] ?? null), isAny);
  const { created } = made;
  let bytes: Buffer | null = made.body === null ? null : Buffer.from(toText(made.body));
  const isMiscoded = bytes !== null && isAny && random.chance(0.08);
  if (bytes !== null && isMiscoded) bytes = miscoded(random, bytes);

  const isForAgents = FOR_AGENTS.has(operation.path);
  const own = isForAgents ? `Bearer ${around.agentToken}` : TOKEN;
  const token = isAny && random.chance(0.1) ? random.pick(NO_TOKENS) : own;
  const headers: [string, string][] = [["Host", "127.0.0.1"]];
  if (token !== null) headers.push(["Authorization", token]);
  let type = "application/json";
  if (bytes !== null) {
    if (isAny && random.chance(0.08)) type = random.pick(TYPES);
    if (type !== "") headers.push(["Content-Type", type]);
  }
  if (isAny && random.chance(0.2)) {
    const odd = random.pick(ODD_HEADERS);
    headers.push(odd);
    isStrange ||= STRANGE_HEADERS.has(odd[0]);
  }

  const headLength = headers.reduce((sum, [name, value]) => sum + name.length + value.length + 4, target.length);
  isStrange ||= headLength > HEAD_MAX;
  const takesBody = operation.method !== "GET";
  let mustBe: readonly number[] | null = null;
  // A cross-site request of a browser is refused before the caller is identified.
  const isCrossSite =
    token === null &&
    operation.knowsToken &&
    method !== "GET" &&
    headers.some(([name]) => name === "Origin" || name === "Cookie");
  if (!isStrange) {
    const isJson = type === "application/json";
    // An operation with its own credentials in each request accepts pages of any origin.
    if (isCrossSite && !GUARDS_ITSELF.has(operation.path)) mustBe = [403];
    else if (operation.isSecured && (token !== own || !operation.knowsToken)) mustBe = [401];
    // A host that goes on after an error is told of errors in a denial.
    else if (isForAgents) mustBe = null;
    else if (TAKES_BYTES.has(operation.path)) mustBe = null;
    else if (takesBody && isJson && bytes !== null && !isAcceptable(bytes)) mustBe = [400];
    else if (isMiscoded || !isJson) mustBe = null;
    else if (made.isBlocked) mustBe = [422];
    else if (created !== null && !made.isMutated) mustBe = [201];
  }
  return assembled({
    method,
    target,
    headers,
    body: bytes,
    operation,
    allowed: isStrange ? "lenient" : "declared",
    mustBe,
    response: created ?? null,
  });
}

/** Returns whether bytes are acceptable JSON: UTF-8, no `__proto__`, no number beyond doubles. Ignores the depth. */
function isAcceptable(bytes: Buffer): boolean {
  if (bytes.length === 0) return true;
  if (!isUtf8(bytes)) return false;
  let isFit = true;
  try {
    JSON.parse(bytes.toString(), (_key, value: unknown) => {
      if (typeof value === "number" && !Number.isFinite(value)) isFit = false;
      if (typeof value === "object" && value !== null && Object.hasOwn(value, "__proto__")) isFit = false;
      return value;
    });
  } catch {
    return false;
  }
  return isFit;
}

/** @param id - as `idFor` returns it */
function pathOf({ path }: Operation, id: string): string {
  return path
    .replace("/tokens/{token_id}", "")
    .replace("/members/{user_id}", "")
    .replace("{sha256}", "0".repeat(64))
    .replace(/\{(?:id|slug|name)\}/, () => id);
}

function idFor(random: Random, operation: Operation, known: Known, open: string | undefined): string {
  if (operation.path.includes("/projects/")) {
    const slug = known.projects.length > 0 && random.chance(0.7) ? random.pick(known.projects) : "default";
    const user = known.users.length > 0 ? random.pick(known.users) : "usr_none";
    return operation.path.includes("{user_id}") ? `${slug}/members/${user}` : slug;
  }
  if (operation.path.includes("/escalations/")) return `template-${random.int(4)}`;
  if (operation.path.includes("/calendars/")) return `calendar-${random.int(4)}`;
  if (operation.path.includes("/connections/"))
    return known.connections.length > 0 ? random.pick(known.connections) : "con_none";
  if (operation.path.includes("/event-subscriptions/"))
    return known.subscriptions.length > 0 ? random.pick(known.subscriptions) : "sub_none";
  if (operation.path.includes("webhook"))
    return known.deliveries.length > 0 ? random.pick(known.deliveries) : "dlv_none";
  if (operation.path.includes("/users/")) return known.users.length > 0 ? random.pick(known.users) : "usr_none";
  if (operation.path.includes("/service-keys/"))
    return known.serviceKeys.length > 0 ? random.pick(known.serviceKeys) : "key_none";
  if (operation.path.includes("{token_id}"))
    return known.agentTokens.length > 0 ? random.pick(known.agentTokens) : "agt_none/tokens/atk_none";
  if (operation.path.includes("/agents/")) return known.agents.length > 0 ? random.pick(known.agents) : "agt_none";
  if (operation.path.includes("/identities/"))
    return known.identities.length > 0 ? random.pick(known.identities) : "none";
  return open ?? (known.ended.length > 0 ? random.pick(known.ended) : "tsk_none");
}

const ODD_QUERY = [
  "",
  "%00",
  "%ED%A0%80",
  "%",
  "a",
  "-1",
  "0",
  "1e3",
  "1.5",
  "999999999999999999999",
  "true",
  "null",
  "[]",
  "%F0%9F%98%80",
  "x".repeat(201),
  "x".repeat(5000),
  "%25%5F",
  "created,completed",
  "../",
  "0x10",
  "%205",
  "9007199254740993",
  "2147483648",
  "9223372036854775808",
];

function queryFor(random: Random, operation: Operation, { description, known }: Surroundings, isAny: boolean): string {
  const parts: string[] = [];
  for (const { name, schema } of operation.query) {
    if (!random.chance(name === "timeout" ? 1 : 0.25)) continue;
    const value = fitting(random, description, schema, known, name);
    for (const each of Array.isArray(value) ? value : [value]) {
      const isOdd = isAny && random.chance(0.15);
      parts.push(
        `${name}=${isOdd ? random.pick(ODD_QUERY) : encodeURIComponent(typeof each === "string" ? each : toText(each))}`,
      );
    }
  }
  if (isAny && random.chance(0.05))
    parts.push(
      random.pick([
        "x=1",
        "__proto__=1",
        "__proto__[a]=1",
        "status[]=created",
        "constructor=1",
        "&&==&",
        "limit=1&limit=2",
        "q",
        "%zz=%zz",
        "x=".padEnd(9000, "y"),
        "a[b][c]=1",
        "limit[]=5",
        "timeout=0&timeout=1",
      ]),
    );
  return parts.length > 0 ? `?${parts.join("&")}` : "";
}

function bodyFor(
  random: Random,
  operation: Operation,
  { description, known, receivers, seed }: Surroundings,
  index: number,
  task: Known["open"][number] | null,
  isAny: boolean,
): { body: Json | null; created: Json | null; isMutated: boolean; isBlocked: boolean } {
  const none = { created: null, isMutated: false, isBlocked: false };
  if (operation.body === null)
    return { body: isAny && random.chance(0.1) ? random.pick([anyJson(random), { raw: "" }]) : null, ...none };
  if (operation.name === "POST /api/tasks") {
    const { fields, response } = newTask(random, newKey(seed, index), receivers);
    if (isAny && known.keys.length > 0 && random.chance(0.05)) {
      // A replay: the service ignores the other fields.
      fields["idempotency_key"] = random.pick(known.keys);
      return { body: mutate(random, membersOf(fields)), ...none, isMutated: true };
    }
    if (isAny && random.chance(0.12)) {
      fields["callback_url"] = random.pick(receivers.blocked);
      return { body: membersOf(fields), ...none, isBlocked: true };
    }
    const isMutated = isAny && random.chance(0.5);
    return { body: mutated(random, membersOf(fields), isMutated), created: response, isMutated, isBlocked: false };
  }
  if (operation.name === "POST /api/tasks/batch") {
    const tasks = Array.from({ length: random.between(1, 4) }, (_, i): Json => {
      const { fields } = newTask(random, `${i}-${newKey(seed, index)}`, receivers);
      return mutated(random, membersOf(fields), isAny && random.chance(0.3));
    });
    return { body: mutated(random, membersOf({ tasks }), isAny && random.chance(0.2)), ...none };
  }
  const created = operation.name.endsWith("/revise") && task !== null ? known.bodies.get(task.id) : undefined;
  const own = created === undefined ? fieldsOf(random, operation.name, receivers) : askedIn(created);
  if (own !== null) return { body: mutated(random, membersOf(own), isAny && random.chance(0.4)), ...none };
  const isCompletion = operation.name.endsWith("/complete");
  const shape = fitting(random, description, operation.body, known);
  if (
    isCompletion &&
    task !== null &&
    typeof shape === "object" &&
    shape !== null &&
    "members" in shape &&
    (!isAny || random.chance(0.8))
  )
    shape.members = shape.members.map(([key, member]) => [key, key === "response" ? task.response : member]);
  if (!isAny) return { body: shape, ...none };
  if (!isCompletion && random.chance(0.2)) return { body: random.chance(0.5) ? null : { raw: "" }, ...none };
  return { body: mutated(random, shape, random.chance(0.4)), ...none };
}

/** Returns a revision that asks what the creation of a task asked, which is a version of its own. */
function askedIn(created: Buffer): Record<string, Json> {
  const body = JSON.parse(created.toString()) as Record<string, unknown>;
  const asked = ["payload", "action", "actions"].filter((name) => body[name] != null);
  return { ...Object.fromEntries(asked.map((name) => [name, fromValue(body[name])])), note: "As before." };
}

/** Returns a body that fits rules which its shape does not say; null: its shape says all. */
function fieldsOf(random: Random, name: string, { allowed, blocked }: Receivers): Record<string, Json> | null {
  const url = random.pick(random.chance(0.8) ? allowed : blocked);
  const address = fromValue({ url: random.chance(0.5) ? "https://engine.invalid" : url, namespace: "default" });
  switch (name) {
    case "POST /api/connections":
      return { name: `connection-${random.int(100_000)}`, kind: "temporal", address, secret: "a-key" };
    case "PATCH /api/connections/{id}":
      return random.chance(0.5) ? { address, secret: "another-key" } : { name: `connection-${random.int(100_000)}` };
    case "POST /api/event-subscriptions":
      return {
        url,
        events: fromValue(random.pick([["task.created"], ["task.completed", "task.commented", "task.revised"]])),
      };
    case "PATCH /api/event-subscriptions/{id}":
      return random.chance(0.5) ? { url } : { disabled: random.chance(0.5) };
    default:
      return null;
  }
}

/** Returns a new key. Its last eight characters can be replaced, to create another task from the same body. */
function newKey(seed: number, index: number): string {
  return `fuzz-${seed}-${index}-00000000`;
}

function membersOf(fields: Record<string, Json>): Json {
  return { members: Object.entries(fields) };
}

function mutated(random: Random, value: Json, isMutated: boolean): Json {
  if (!isMutated) return value;
  const once = mutate(random, value);
  return random.chance(0.2) ? mutate(random, once) : once;
}

/** Returns text in the wrong encoding, or cut off. */
function miscoded(random: Random, bytes: Buffer): Buffer {
  switch (random.int(8)) {
    case 0:
      return Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]);
    case 1:
      return bytes.subarray(0, random.int(bytes.length + 1));
    case 2:
      return Buffer.from(bytes.toString(), "utf16le");
    case 3:
      return Buffer.concat([bytes, Buffer.from(random.pick([" ", "x", "{}", "\0", "\n\n", ","]))]);
    case 4:
      return Buffer.concat([
        bytes.subarray(0, 2),
        Buffer.from([random.pick([0xff, 0xc0, 0xed, 0x80])]),
        bytes.subarray(2),
      ]);
    case 5:
      return Buffer.alloc(0);
    case 6:
      return Buffer.from("\u001f\u008b\b\0garbage", "latin1");
    default:
      return Buffer.from(random.pick(["null", "[]", '"text"', "1", "true", "{", "[[[[", '"\\u']));
  }
}

const NO_TOKENS = [
  null,
  "",
  "Bearer",
  "Bearer ",
  "Bearer x",
  `bearer${ADMIN_TOKEN}`,
  `Basic ${ADMIN_TOKEN}`,
  ADMIN_TOKEN,
  `Bearer ${ADMIN_TOKEN}x`,
  `Bearer ${ADMIN_TOKEN.slice(1)}`,
  `Bearer ${"a".repeat(8000)}`,
  "Bearer \u00ff",
  `Bearer "${ADMIN_TOKEN}"`,
  `Bearer ${ADMIN_TOKEN},x`,
  `Token ${ADMIN_TOKEN.toUpperCase()}`,
];

const TYPES = [
  "",
  "text/plain",
  "application/json; charset=utf-8",
  "application/json;charset=UTF-16",
  "APPLICATION/JSON",
  'application/json; charset="x',
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "application/jsonx",
  "application/vnd.api+json",
  "json",
  "*/*",
  ";",
  "application/json, text/plain",
  "application/json\u00a0",
  "a".repeat(500),
];

const ODD_HEADERS: readonly [string, string][] = [
  ["X-Request-Id", "mine-1"],
  ["X-Request-Id", ""],
  ["X-Request-Id", "x".repeat(129)],
  ["X-Request-Id", "\u00e4\u00ff"],
  ["X-Request-Id", "a\tb"],
  ["Accept", "text/html"],
  ["Accept", "*/*;q=0, nonsense"],
  ["Accept-Encoding", "gzip, br;q=0, *"],
  ["X-Forwarded-For", "1.2.3.4, evil"],
  ["X-Forwarded-Host", "evil.invalid"],
  ["Forwarded", 'for="[::1]";proto=https'],
  ["Origin", "https://evil.invalid"],
  ["Cookie", "service_session=x; a=b=c;;"],
  ["If-None-Match", "*"],
  ["If-Modified-Since", "yesterday"],
  ["Range", "bytes=0-1"],
  ["X-HTTP-Method-Override", "DELETE"],
  ["Content-Encoding", "gzip"],
  ["Accept-Version", "2.0.0"],
  ["__proto__", "x"],
  ["constructor", "x"],
  ["X-Empty", ""],
  ["X-Long", "y".repeat(4000)],
  ["X-Large", "y".repeat(17_000)],
  ["Connection", "keep-alive, Upgrade"],
  ["Upgrade", "websocket"],
  ["Connection", "close"],
  ["Expect", "100-continue"],
  ["Expect", "something"],
  ["TE", "trailers"],
  ["Content-Language", "\u00ff\u00fe"],
  ["Authorization", "Bearer second"],
  ["Host", "second.invalid"],
];
/** With these headers, an answer may be one that the operation does not declare. */
const STRANGE_HEADERS = new Set([
  "X-Large",
  "Expect",
  "Authorization",
  "Host",
  "Content-Encoding",
  "Upgrade",
  "Connection",
  "Accept-Version",
]);

/** Less than the limit of the length of the headers. */
const HEAD_BYTES = 12_000;

function assembled(request: Omit<Request, "bytes">): Request {
  const { method, target, headers, body } = request;
  const all: [string, string][] = body === null ? headers : [...headers, ["Content-Length", String(body.length)]];
  const head = `${method} ${target} HTTP/1.1\r\n${all.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`;
  // All headers together may exceed the limit.
  const isLong = head.length > HEAD_BYTES && request.allowed === "declared";
  return {
    ...request,
    ...(isLong && { allowed: "lenient", mustBe: null }),
    headers: all,
    bytes: Buffer.concat([Buffer.from(head, "latin1"), body ?? Buffer.alloc(0)]),
  };
}

function plain(random: Random, method: string, target: string, operation: Operation | null, allowed: Allowed): Request {
  const headers: [string, string][] = [["Host", "127.0.0.1"]];
  if (random.chance(0.7)) headers.push(["Authorization", TOKEN]);
  return assembled({ method, target, headers, body: null, operation, allowed, mustBe: null, response: null });
}

function otherMethod(random: Random, { description, known }: Surroundings): Request {
  const operation = random.pick(description.operations);
  // An id may be any word, so `counts` can be an id.
  const takes = new Set(
    description.operations
      .filter(({ path }) => new RegExp(`^${path.replace("{id}", "[^/]+")}$`).test(operation.path))
      .map(({ method }) => method),
  );
  const method = random.pick(MORE_METHODS.filter((name) => !takes.has(name) && name !== "HEAD"));
  return plain(
    random,
    method,
    pathOf(operation, idFor(random, operation, known, known.open[0]?.id)),
    operation,
    "method",
  );
}

/** Returns a request with another spelling of an operation's address, which may or may not exist. */
function strangePath(random: Random, around: Surroundings): Request {
  const request = operationRequest(random, around, 0, "valid");
  const target = request.target;
  const at = 1 + random.int(target.length - 1);
  const char = target[at] ?? "";
  const spelled = random.pick([
    target.slice(0, at) + `%${char.charCodeAt(0).toString(16).padStart(2, "0")}` + target.slice(at + 1),
    target.slice(0, at) +
      random.pick([
        "%2F",
        "%2f%2e%2e",
        "%00",
        "%",
        "%zz",
        "%c0%af",
        "%E0%A4%A",
        ";",
        "\\",
        "//",
        "/./",
        "/../",
        "%25",
        "\u00ff",
        "|",
        "#",
        "?",
        "%EF%BB%BF",
      ]) +
      target.slice(at),
    target.toUpperCase(),
    `http://127.0.0.1${target}`,
    `http://elsewhere.invalid${target}`,
    `/x/..${target}`,
    `${target}?${"a=1&".repeat(3000)}`,
    `${target}${"/".repeat(20)}`,
    target.replace("/api", ""),
  ]);
  const headers = request.headers.filter(([name]) => name !== "Content-Length");
  return assembled({ ...request, headers, body: null, target: spelled, allowed: "any", mustBe: null, response: null });
}

/** Chooses how the bytes are sent. */
function transported(random: Random, index: number, request: Request): Exchange {
  const mayWait = request.operation?.path.endsWith("/poll") === true;
  const exchange = single(index, request, { mayWait });
  const alone = request.headers.some(([name]) => STRANGE_HEADERS.has(name));
  if (random.chance(0.8)) return { ...exchange, isAlone: alone };
  const { bytes } = request;
  switch (random.int(4)) {
    case 0: {
      // Split at random places.
      const cuts = [...new Set(Array.from({ length: 1 + random.int(5) }, () => random.int(bytes.length)))].toSorted(
        (a, b) => a - b,
      );
      return {
        ...exchange,
        pieces: [0, ...cuts].map((from, i) => bytes.subarray(from, cuts[i] ?? bytes.length)),
        isAlone: alone,
      };
    }
    case 1:
      // Closes our half: the service treats such a client as gone.
      return { ...exchange, end: true, isAlone: true, mayEnd: true };
    case 2:
      return { ...exchange, pieces: chunked(random, request), isAlone: true };
    default: {
      // The declared length is wrong, or the body is cut off.
      const isLonger = random.chance(0.5);
      const cut = bytes.subarray(0, random.int(bytes.length));
      const pieces = isLonger
        ? [Buffer.from(bytes.toString("latin1").replace(/Content-Length: \d+/, "Content-Length: 5000000"), "latin1")]
        : [cut];
      return {
        ...exchange,
        requests: [{ ...request, allowed: "any", mustBe: null, response: null }],
        pieces,
        end: true,
        isAlone: true,
        mayEnd: true,
      };
    }
  }
}

function chunked(random: Random, request: Request): Buffer[] {
  if (request.body === null) return [request.bytes];
  const headers = request.headers.filter(([name]) => name !== "Content-Length");
  const head = `${request.method} ${request.target} HTTP/1.1\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join("")}Transfer-Encoding: chunked\r\n\r\n`;
  const pieces: Buffer[] = [Buffer.from(head, "latin1")];
  for (let at = 0; at < request.body.length;) {
    const part = request.body.subarray(at, at + 1 + random.int(5000));
    pieces.push(
      Buffer.concat([
        Buffer.from(`${part.length.toString(16)}${random.chance(0.1) ? ";x=y" : ""}\r\n`),
        part,
        Buffer.from("\r\n"),
      ]),
    );
    at += part.length;
  }
  pieces.push(Buffer.from(random.chance(0.1) ? "0\r\nX-Trailer: 1\r\n\r\n" : "0\r\n\r\n"));
  return pieces.length > 8 ? [Buffer.concat(pieces)] : pieces;
}

/** Returns pipelined requests: they do not wait for each other's answers. */
function pipelined(random: Random, around: Surroundings, index: number): Exchange {
  const requests = Array.from({ length: 2 + random.int(4) }, (_, i) =>
    operationRequest(random, around, index * 1000 + i, "any"),
  ).filter(
    ({ headers, operation, allowed }) =>
      allowed === "declared" &&
      !operation!.path.endsWith("/poll") &&
      !headers.some(([name]) => STRANGE_HEADERS.has(name)),
  );
  if (requests.length === 0) return transported(random, index, operationRequest(random, around, index, "any"));
  return {
    index,
    requests,
    pieces: [Buffer.concat(requests.map(({ bytes }) => bytes))],
    end: false,
    isAlone: true,
    mayWait: false,
    mayEnd: false,
  };
}

/** Returns bytes that are barely HTTP. */
function bare(random: Random, around: Surroundings, index: number): Exchange {
  const auth = `Authorization: Bearer ${ADMIN_TOKEN}\r\n`;
  const host = "Host: 127.0.0.1\r\n";
  const get = "GET /api/tasks HTTP/1.1\r\n";
  const post = `POST /api/tasks HTTP/1.1\r\n${host}${auth}Content-Type: application/json\r\n`;
  const texts = [
    "garbage\r\n\r\n",
    "\r\n\r\n\r\n",
    "\0\0\0\0\r\n\r\n",
    "\u0016\u0003\u0001\u0002\0\u0001\0\u0001\u00fc\u0003\u0003",
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "GET\r\n\r\n",
    "GET /api/tasks\r\n\r\n",
    "GET /api/tasks HTTP/9.9\r\n\r\n",
    `GET /api/health HTTP/1.0\r\n\r\n`,
    `GET /api/health HTTP/1.0\r\nConnection: keep-alive\r\n\r\n`,
    "get /api/tasks HTTP/1.1\r\nHost: x\r\n\r\n",
    "FOO /api/tasks HTTP/1.1\r\nHost: x\r\n\r\n",
    "CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: 127.0.0.1:22\r\n\r\n",
    `OPTIONS * HTTP/1.1\r\n${host}\r\n`,
    `GET * HTTP/1.1\r\n${host}\r\n`,
    `GET api/tasks HTTP/1.1\r\n${host}\r\n`,
    `GET ? HTTP/1.1\r\n${host}\r\n`,
    `GET  /api/tasks HTTP/1.1\r\n${host}\r\n`,
    `GET /api/tasks HTTP/1.1 \r\n${host}\r\n`,
    `${get}${auth}\r\n`,
    `${get}${host}Host: b\r\n${auth}\r\n`,
    `${get}Host:\r\n${auth}\r\n`,
    `${get}Host: a b/c?d#e@\r\n${auth}\r\n`,
    `${get}${host}Bad Header: 1\r\n\r\n`,
    `${get}${host}: empty\r\n\r\n`,
    `${get}${host}X: a\0b\r\n\r\n`,
    `${get}${host}X: a\r\n folded\r\n\r\n`,
    `${get}${host}X: a\nY: b\n\n`,
    `${get}${host}${auth}${"X-Many: 1\r\n".repeat(1000)}\r\n`,
    `${get}${host}${auth}X-Large: ${"a".repeat(20_000)}\r\n\r\n`,
    `GET /${"a".repeat(20_000)} HTTP/1.1\r\n${host}\r\n`,
    `${get}${host}${auth}Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n`,
    `${get}${host}${auth}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\nSec-WebSocket-Version: 13\r\n\r\n`,
    `${post}Expect: 200-ok\r\nContent-Length: 2\r\n\r\n{}`,
    `${post}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    `${post}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
    `${post}Content-Length: -1\r\n\r\n`,
    `${post}Content-Length: 1e3\r\n\r\n`,
    `${post}Content-Length: 99999999999999999999\r\n\r\n{}`,
    `${post}Content-Length: 2000000\r\n\r\n{}`,
    `${post}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
    `${post}Transfer-Encoding: xchunked\r\n\r\n{}`,
    `${post}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`,
    `${post}Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n{}\r\n0\r\n\r\n`,
    `${post}Transfer-Encoding: chunked\r\n\r\n2;${"e".repeat(20_000)}\r\n{}\r\n0\r\n\r\n`,
    `${post}Transfer-Encoding: chunked\r\n\r\n2\r\n{}`,
    `${post}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nX: ${"y".repeat(20_000)}\r\n\r\n`,
    `${post}\r\n{}`,
    `HEAD /api/tasks HTTP/1.1\r\n${host}${auth}Content-Length: 2\r\n\r\n{}`,
    `GET /api/tasks HTTP/1.1\r\n${host}${auth}Content-Length: 2\r\n\r\n{}`,
    Array.from({ length: 200 }, () => String.fromCharCode(random.int(256))).join(""),
  ];
  const chosen = random.int(texts.length + 1);
  const text = texts[chosen];
  const bytes =
    text === undefined
      ? flipped(random, operationRequest(random, around, index, "any").bytes)
      : Buffer.from(text, "latin1");
  const method = /^[A-Z]+/.exec(bytes.subarray(0, 20).toString("latin1"))?.[0] ?? "";
  const request: Request = {
    method,
    target: "",
    headers: [],
    body: null,
    bytes,
    operation: null,
    allowed: "any",
    mustBe: null,
    response: null,
  };
  return {
    index,
    requests: [request],
    pieces: random.chance(0.2) ? byteByByte(bytes) : [bytes],
    end: true,
    isAlone: true,
    mayWait: false,
    mayEnd: true,
  };
}

function byteByByte(bytes: Buffer): Buffer[] {
  const alone = Math.min(bytes.length, 30);
  return [...Array.from({ length: alone }, (_, i) => bytes.subarray(i, i + 1)), bytes.subarray(alone)];
}

function flipped(random: Random, bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  for (let i = 0; i < 1 + random.int(4); i++) copy[random.int(copy.length)]! ^= 1 << random.int(8);
  return copy;
}
