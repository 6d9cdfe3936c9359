import { isObject, type JsonObject } from "../json.ts";
import type { CreateTask, ListQuery, Problem } from "../shapes.ts";
import { isForValue } from "../single-value.ts";
import { misfitsOf } from "./fit.ts";
import { Refusal } from "./refusal.ts";

const NULLABLE_OBJECT = { type: ["object", "null"] };

/** (spec: Create a task) */
const CREATE = {
  type: "object",
  required: ["task", "payload", "payload_schema", "response_schema", "timeout_seconds", "idempotency_key"],
  properties: {
    task: { type: "string", minLength: 1, maxLength: 10_000 },
    payload: { type: "object" },
    payload_schema: { type: "object" },
    response_schema: { type: "object" },
    form_definition: NULLABLE_OBJECT,
    timeout_seconds: { type: "integer", minimum: 60, maximum: 2_592_000 },
    idempotency_key: { type: "string", minLength: 1, maxLength: 255 },
    assign_to: NULLABLE_OBJECT,
    notify: { type: ["array", "null"], items: { type: "string" } },
    verifier_config: NULLABLE_OBJECT,
    redact_payload: { type: ["boolean", "null"] },
    callback_url: { type: ["string", "null"], maxLength: 2048 },
  },
};

/** (spec: Complete a task) */
const COMPLETE = {
  type: "object",
  required: ["response"],
  properties: {
    response: { type: "object" },
    completed_by_email: { type: ["string", "null"], minLength: 1, maxLength: 254 },
    completed_via_channel: { type: ["string", "null"], minLength: 1, maxLength: 100 },
  },
};

const CANCEL = { type: "object", properties: { reason: { type: ["string", "null"], maxLength: 2000 } } };

const STATUSES = ["created", "rejected", "completed", "timed_out", "cancelled", "verification_exhausted"];

const LIST = {
  type: "object",
  properties: {
    status: { type: "array", maxItems: 6, items: { type: "string", enum: STATUSES } },
    assigned_to: { type: "string", minLength: 1, maxLength: 254 },
    unassigned: { type: "boolean" },
    terminal: { type: "boolean" },
    q: { type: "string", maxLength: 200 },
    key_prefix: { type: "string", minLength: 1, maxLength: 200 },
    sort: { type: "string", enum: ["created", "deadline"] },
    limit: { type: "integer", minimum: 1, maximum: 200 },
    cursor: { type: "string", maxLength: 500 },
    offset: { type: "integer", minimum: 0, maximum: 1_000_000 },
    include: { type: "string", enum: ["schemas"] },
  },
};

const POLL = { type: "object", properties: { timeout: { type: "integer", minimum: 0, maximum: 60 } } };

export interface Completion {
  response: JsonObject;
  completed_by_email?: string | null;
  completed_via_channel?: string | null;
}

/** Reads the body of a creation, whose key is not bound yet. @throws Refusal */
export function readCreation(body: unknown): CreateTask {
  requireShape(CREATE, body, "");
  const request = body as CreateTask;
  if (takesNoObject(request.response_schema))
    throw new Refusal("RESPONSE_SCHEMA_NOT_OBJECT", [{ path: "/response_schema", message: "No object fits it." }]);
  if (request.assign_to != null) checkAssignTo(request.assign_to);
  for (const [i, entry] of (request.notify ?? []).entries()) checkNotify(entry, `/notify/${i}`);
  if (request.verifier_config != null) checkVerifier(request.verifier_config);
  if (request.callback_url != null) checkCallbackUrl(request.callback_url);
  requireFits(request.payload_schema, request.payload, "/payload");
  return request;
}

/** As far as the schemas that tests have tell: the service decides it for all of JSON Schema. */
function takesNoObject(schema: JsonObject): boolean {
  const { not } = schema;
  const isNever = not === true || (isObject(not) && Object.keys(not).length === 0);
  return isNever || isForValue(schema);
}

/** @throws Refusal */
export function readCompletion(body: unknown): Completion {
  requireShape(COMPLETE, body, "");
  return body as Completion;
}

/** @throws Refusal */
export function readCancellation(body: unknown): string | null {
  requireShape(CANCEL, body, "");
  return (body as { reason?: string | null }).reason ?? null;
}

/** @throws Refusal */
export function readList(query: URLSearchParams): ListQuery {
  return readQuery(LIST, query);
}

/** @returns seconds @throws Refusal */
export function readPoll(query: URLSearchParams): number {
  return (readQuery(POLL, query) as { timeout?: number }).timeout ?? 25;
}

/** @throws Refusal VALIDATION_FAILED */
export function requireFits(schema: JsonObject, value: JsonObject, path: "/payload" | "/response"): void {
  const problems = misfitsOf(schema, value, path);
  if (problems.length > 0)
    throw new Refusal("VALIDATION_FAILED", problems, `The ${path.slice(1)} does not fit its schema.`);
}

/** In an address everything is text, so there numbers and booleans are read from it. */
function readQuery(
  shape: { type: string; properties: Record<string, { type: string }> },
  query: URLSearchParams,
): JsonObject {
  const value: JsonObject = {};
  for (const [name, { type }] of Object.entries(shape.properties)) {
    const [text] = query.getAll(name);
    if (text === undefined) continue;
    if (type === "array") value[name] = query.getAll(name);
    else if (type === "integer") value[name] = /^-?\d{1,15}$/.test(text) ? Number(text) : text;
    else if (type === "boolean") value[name] = { true: true, false: false }[text] ?? text;
    else value[name] = text;
  }
  requireShape(shape, value, "/query");
  return value;
}

/** A missing field or a wrong type is not what the route takes: 400. Anything else is well-formed, but refused: 422. */
function requireShape(shape: { type: string; required?: readonly string[] }, value: unknown, prefix: string): void {
  const problems = misfitsOf(shape, value, prefix);
  const missing = isObject(value) ? (shape.required ?? []).filter((name) => !Object.hasOwn(value, name)) : [];
  const malformed = [
    ...missing.map((name) => ({ path: `${prefix}/${name}`, keyword: "required", message: "Is missing." })),
    ...problems.filter(({ keyword }) => keyword === "type"),
  ];
  if (malformed.length > 0) throw new Refusal("MALFORMED_REQUEST", malformed);
  if (problems.length > 0) throw new Refusal("VALIDATION_FAILED", problems);
}

const WAYS = ["email", "user_id", "emails"];
const GROUP = ["role", "access_level", "pool"];
const SPELLINGS: Readonly<Record<string, string>> = { accessLevel: "access_level", userId: "user_id" };

function checkAssignTo(given: JsonObject): void {
  const keys = Object.keys(given).filter((key) => given[key] !== null);
  const names = keys.map((key) => SPELLINGS[key] ?? key);
  const unknown = keys.find((_, i) => ![...WAYS, ...GROUP].includes(names[i]!));
  if (unknown !== undefined) throw invalid(`/assign_to/${unknown}`, "Is not known here.", "additionalProperties");
  const ways =
    names.filter((name) => WAYS.includes(name)).length + (names.some((name) => GROUP.includes(name)) ? 1 : 0);
  if (ways !== 1)
    throw invalid("/assign_to", "Must say one of: email, user_id, emails, or any of role, access_level and pool.");
  if (given["email"] != null) requireAddress(given["email"], "/assign_to/email");
  const { emails } = given;
  if (emails == null) return;
  if (!Array.isArray(emails) || emails.length === 0 || emails.length > 50)
    throw invalid("/assign_to/emails", "Must be a list of 1 to 50 e-mail addresses.");
  for (const [i, email] of emails.entries()) requireAddress(email, `/assign_to/emails/${i}`);
}

function requireAddress(value: unknown, path: string): void {
  if (typeof value !== "string" || !isAddress(value)) throw invalid(path, "Must be an e-mail address.");
}

export function isAddress(text: string): boolean {
  return text.length <= 254 && /^[^\s@<>",;:]+@[^\s@<>",;:]+$/.test(text);
}

/** `<channel>[+<identity or team>]:<target>` */
const ENTRY = /^(\w+)(?:\+[\w.-]{1,100})?:(.*)$/s;

function checkNotify(entry: string, path: string): void {
  const [, channel, target = ""] = ENTRY.exec(entry) ?? [];
  if (channel === undefined) throw invalid(path, 'Must read "<channel>:<target>", such as "email:dana@example.com".');
  const isRight =
    isAddress(target.trim()) ||
    (channel === "slack" && /^(#[^\s#@<>]{1,80}|[CGUW][A-Z0-9]{2,30}|@[\w.-]{1,80})$/u.test(target.trim()));
  if (!["email", "slack"].includes(channel) || !isRight)
    throw invalid(path, `"${entry}" is nothing that a message could go to.`);
}

/** The one person whom `notify` names, who is then the assignee. */
export function onlyAddress(notify: readonly string[]): string | null {
  const targets = notify
    .map((entry) => (ENTRY.exec(entry)?.[2] ?? "").trim())
    .filter((target) => !/^[#CG][^@]*$/.test(target));
  const people = new Map(targets.map((target) => [target.toLowerCase(), target]));
  const [only] = people.values();
  return only !== undefined && people.size === 1 && isAddress(only) ? only : null;
}

const PROVIDERS = ["anthropic", "openai", "google", "azure", "claude", "gemini", "azure_openai"];

function checkVerifier({ provider, instructions, max_attempts }: JsonObject): void {
  const problems: Problem[] = [];
  const add = (name: string, message: string) => problems.push({ path: `/verifier_config/${name}`, message });
  if (provider == null) add("provider", "Is missing.");
  else if (!isText(provider, 100)) add("provider", "Must be text of 1 to 100 characters.");
  else if (!PROVIDERS.includes(provider as string))
    throw new Refusal("VERIFIER_PROVIDER_UNKNOWN", [
      { path: "/verifier_config/provider", message: `"${provider as string}" is none of ${PROVIDERS.join(", ")}.` },
    ]);
  if (instructions == null) add("instructions", "Is missing.");
  else if (!isText(instructions, 20_000)) add("instructions", "Must be text of 1 to 20000 characters.");
  if (
    max_attempts != null &&
    !(Number.isInteger(max_attempts) && Number(max_attempts) >= 1 && Number(max_attempts) <= 10)
  )
    add("max_attempts", "Must be a whole number from 1 to 10.");
  if (problems.length > 0) throw new Refusal("VERIFIER_CONFIG_INVALID", problems);
}

function isText(value: unknown, max: number): boolean {
  return typeof value === "string" && value !== "" && value.length <= max;
}

function checkCallbackUrl(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "")
    throw invalid("/callback_url", "Must be an http or https URL without credentials.");
}

function invalid(path: string, message: string, keyword?: string): Refusal {
  return new Refusal("VALIDATION_FAILED", [{ path, message, ...(keyword !== undefined && { keyword }) }]);
}

/** @throws Refusal MALFORMED_REQUEST */
export function parseBody(text: string, type: string | null): unknown {
  if (text === "") return {};
  if (!/^application\/json\b/i.test(type ?? ""))
    throw new Refusal(
      "MALFORMED_REQUEST",
      [],
      "The body must be JSON: send the header `Content-Type: application/json`.",
    );
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new Refusal("MALFORMED_REQUEST", [], `The body is not JSON: ${(error as Error).message}.`);
  }
}

/** The key of a creation, of which nothing else need be right: a replay is answered whatever is wrong with it. */
export function keyIn(body: unknown): string | null {
  const key = isObject(body) ? body["idempotency_key"] : null;
  return typeof key === "string" ? key : null;
}
