import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { postgres } from "../../test/support/postgres.ts";
import { startReceiver } from "../../test/support/receiver.ts";
import { serve, TOKEN } from "../../test/support/dashboard.ts";
import { startVendors, type Turn } from "../../test/support/vendors.ts";
import { verifyCallback } from "../callbacks.ts";
import type { JsonObject } from "../json.ts";
import { createTestHuman } from "./human.ts";
import { answer, neverAnswer, verifierExhausts, verifierRejects, when } from "./rules.ts";

/** The answer to a request, without values that differ each time. */
interface Heard {
  status: number;
  headers: Record<string, string | null>;
  body: unknown;
}

interface Service {
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Heard & { raw: never }>;
  /** Creates a task and submits one answer for each verdict. */
  judged(fields: JsonObject, verdicts: readonly { passed: boolean; reason: string }[]): Promise<string>;
  /** The callback URL, and the first received callback. */
  callbackUrl: string;
  firstCallback(): Promise<{ headers: Record<string, string | undefined>; body: string }>;
}

const PAYLOAD_KEY = createTestHuman().payloadKey;
const RESPONSE = { approved: true };
const BY = "dana@example.com";
/** Nothing is sent there, because its task does not end. */
const RESUMED = "https://engine.example/waiting/secret";

function newTask(fields: JsonObject = {}): JsonObject {
  return {
    task: "Refund 42.50 EUR to Mia?",
    payload: { amount: 42.5 },
    payload_schema: { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] },
    response_schema: {
      type: "object",
      properties: { approved: { type: "boolean" }, lines: { type: "array", items: { enum: ["a", "b"] } } },
      required: ["approved"],
    },
    timeout_seconds: 3600,
    idempotency_key: "refund-1",
    ...fields,
  };
}

const ABOUT_ACTION = {
  task: "Refund?",
  action: {
    name: "refund",
    args: { amount: 2 },
    args_schema: { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] },
    allowed: ["approve", "edit", "reject"],
  },
  timeout_seconds: 3600,
  idempotency_key: "action",
};

/** Keywords that only a complete validator supports. */
const DETAILED = {
  type: "object",
  properties: {
    code: { type: "string", pattern: String.raw`^(?!X)[A-Z]-\d+$` },
    day: { type: "string", format: "date" },
    tags: { type: "array", uniqueItems: true, maxItems: 2, contains: { const: "x" } },
    price: { multipleOf: 0.25 },
    how: { oneOf: [{ const: "by post" }, { type: "string", pattern: "^by" }, { type: "boolean" }] },
    address: { type: "string" },
  },
  required: ["code", "day"],
  if: { properties: { how: { const: "by post" } }, required: ["how"] },
  // oxlint-disable-next-line unicorn/no-thenable -- this is the keyword's name
  then: { required: ["address"] },
  unevaluatedProperties: false,
  minProperties: 2,
};

const VERIFIED = { verifier_config: { provider: "openai", instructions: "Is it right?", max_attempts: 2 } };
const NOT_GOOD = { passed: false, reason: "Not good." };
const GOOD = { passed: true, reason: "The answer is fine." };

/** Makes all requests that the client may make, and all errors, one after the other. */
async function script({ call, judged, callbackUrl, firstCallback }: Service): Promise<Record<string, unknown>> {
  const heard: Record<string, unknown> = {};
  const say = async (what: string, ...args: Parameters<Service["call"]>) => {
    const { raw, ...answer } = await call(...args);
    assert.ok(!(what in heard), `${what} is said twice`);
    heard[what] = answer;
    return raw as JsonObject & { id: string };
  };

  const { id } = await say("create", "POST", "/api/tasks", newTask());
  const path = `/api/tasks/${id}`;
  await say("replay", "POST", "/api/tasks", newTask());
  await say("replay that says what nulls say", "POST", "/api/tasks", newTask({ notify: null, redact_payload: false }));
  await say("mismatch", "POST", "/api/tasks", newTask({ timeout_seconds: 60 }));
  await say("replay of a body that is wrong", "POST", "/api/tasks", { idempotency_key: "refund-1", task: 1 });
  const many = [newTask(), newTask({ timeout_seconds: 1 }), newTask({ idempotency_key: "many-1" }), 7];
  await say("many", "POST", "/api/tasks/batch", {
    tasks: [...many, newTask({ idempotency_key: "many-1", task: "?" })],
  });
  for (const tasks of [undefined, 1, [], Array.from({ length: 101 }, () => many[2])])
    await say(`many that are ${JSON.stringify(tasks)?.length}`, "POST", "/api/tasks/batch", { tasks });
  await say("read", "GET", path);
  await say("poll, open", "GET", `${path}/poll?timeout=0`);
  await say("audit, open", "GET", `${path}/audit`);
  await say("answer that does not fit", "POST", `${path}/complete`, { response: { approved: "yes", lines: ["c"] } });
  await say("answer with something missing", "POST", `${path}/complete`, { response: {} });
  await say("answer that is none", "POST", `${path}/complete`, { response: [] });
  await say("completion without an answer", "POST", `${path}/complete`, {});
  await say("completion by nobody", "POST", `${path}/complete`, { response: RESPONSE, completed_by_email: "" });
  await say("complete", "POST", `${path}/complete`, {
    response: RESPONSE,
    completed_by_email: BY,
    completed_via_channel: "phone",
  });
  await say("complete twice", "POST", `${path}/complete`, { response: RESPONSE });
  await say("complete twice, and not fitting", "POST", `${path}/complete`, { response: {} });
  await say("cancel what has ended", "POST", `${path}/cancel`, {});
  await say("poll, completed", "GET", `${path}/poll`);
  await say("replay of a completed one", "POST", "/api/tasks", newTask());
  await say("audit, completed", "GET", `${path}/audit`);

  const labelled = newTask({ idempotency_key: "refund-3", labels: [" VIP"], priority: "urgent" });
  await say("create with a label twice", "POST", "/api/tasks", { ...labelled, labels: ["a", "A"] });
  const third = await say("create a third", "POST", "/api/tasks", labelled);
  await say("extend", "PATCH", `/api/tasks/${third.id}`, { timeout_seconds: 7200 });
  await say("extend again", "PATCH", `/api/tasks/${third.id}`, { timeout_seconds: 7200 });
  await say("extend by nothing", "PATCH", `/api/tasks/${third.id}`, {});
  await say("extend by text", "PATCH", `/api/tasks/${third.id}`, { timeout_seconds: "7200" });
  await say("extend by too little", "PATCH", `/api/tasks/${third.id}`, { timeout_seconds: 59 });
  await say("replay of an extended one", "POST", "/api/tasks", labelled);
  await say("audit, extended", "GET", `/api/tasks/${third.id}/audit`);
  await say("extend what has ended", "PATCH", path, { timeout_seconds: 7200 });
  await say("extend what is not there", "PATCH", "/api/tasks/tsk_00000000000000000000000000", { timeout_seconds: 60 });

  const talked = newTask({ idempotency_key: "talked" });
  const { id: talkedId } = await say("create one to talk about", "POST", "/api/tasks", talked);
  const about = `/api/tasks/${talkedId}`;
  for (const [what, body] of Object.entries({
    "a comment": { text: "It is 42.", idempotency_key: "a" },
    "the same comment": { text: "It is 42.", idempotency_key: "a" },
    "a blank comment": { text: " \n" },
    "no comment": {},
    "a long comment": { text: "x".repeat(30_000) },
    "a comment of a wrong kind": { text: "x", kind: "shout" },
    "a question of the asker": { text: "x", kind: "question" },
    "a reply to what is no question": { text: "x", reply_to: "cmt_x" },
  }))
    await say(what, "POST", `${about}/comments`, body);
  for (const [what, body] of Object.entries({
    "revise nothing": {},
    "revise what does not fit": { payload: { amount: "much" } },
    "revise an action that is none": { action: { name: "x", args: {}, args_schema: { type: "object" } } },
    "revise a version to come": { payload: { amount: 1 }, version: 2 },
    "revise with a long time": { payload: { amount: 1 }, extend_seconds: 2_592_000 },
    revise: { payload: { amount: 40 }, note: "Less.", extend_seconds: 60, idempotency_key: "b" },
    "revise with the same key": { payload: { amount: 41 }, idempotency_key: "b" },
    "revise with the same content": { payload: { amount: 40 }, note: "Less." },
    "revise an earlier version": { payload: { amount: 41 }, version: 1 },
    "revise again": { payload: { amount: 41 }, version: 2 },
  }))
    await say(what, "POST", `${about}/revise`, body);
  for (const part of ["", "/poll?timeout=0&until=attention", "/comments", "/versions", "/audit"])
    await say(`after that${part}`, "GET", `${about}${part}`);
  await say("replay of a revised one", "POST", "/api/tasks", talked);
  await say("complete an earlier version", "POST", `${about}/complete`, { response: RESPONSE, version: 1 });
  await say("complete a version to come", "POST", `${about}/complete`, { response: RESPONSE, version: 9 });
  for (let amount = 4; amount <= 22; amount++) await call("POST", `${about}/revise`, { payload: { amount } });
  await say("revise too often", "POST", `${about}/revise`, { payload: { amount: 23 } });
  await say("complete the current version", "POST", `${about}/complete`, { response: RESPONSE, version: 21 });
  await say("revise what has ended", "POST", `${about}/revise`, { payload: { amount: 24 } });
  for (const part of ["/comments", "/versions"])
    await say(`nothing there${part}`, "GET", `/api/tasks/tsk_nothing${part}`);
  const { id: actId } = await say("create one about an action", "POST", "/api/tasks", ABOUT_ACTION);
  const { action } = ABOUT_ACTION;
  for (const [what, body] of Object.entries({
    "revise the payload of an action": { payload: {} },
    "revise into another action": { action: { ...action, name: "other" } },
    "revise arguments that do not fit": { action: { ...action, args: { amount: "x" } } },
    "revise an action": { action: { ...action, args: { amount: 3 } } },
  }))
    await say(what, "POST", `/api/tasks/${actId}/revise`, body);

  const second = await say("create another", "POST", "/api/tasks", newTask({ idempotency_key: "refund-2" }));
  await say("cancel with a reason that is none", "POST", `/api/tasks/${second.id}/cancel`, { reason: 1 });
  await say("cancel", "POST", `/api/tasks/${second.id}/cancel`, { reason: "Not needed." });
  await say("cancel twice", "POST", `/api/tasks/${second.id}/cancel`);
  await say("poll, cancelled", "GET", `/api/tasks/${second.id}/poll`);
  await say("audit, cancelled", "GET", `/api/tasks/${second.id}/audit`);
  await say("delete", "DELETE", `/api/tasks/${second.id}`);
  await say("delete twice", "DELETE", `/api/tasks/${second.id}`);
  await say("read a deleted one", "GET", `/api/tasks/${second.id}`);
  await say("poll a deleted one", "GET", `/api/tasks/${second.id}/poll`);
  await say("audit of a deleted one", "GET", `/api/tasks/${second.id}/audit`);
  await say("the key of a deleted one", "POST", "/api/tasks", newTask({ idempotency_key: "refund-2" }));

  for (const [what, fields] of Object.entries({
    "empty task": { task: "" },
    "task of a wrong type": { task: 7 },
    "no payload": { payload: undefined },
    "payload that does not fit": { payload: { amount: "much" } },
    "payload with something missing": { payload: {} },
    "too short": { timeout_seconds: 59 },
    "too long": { timeout_seconds: 2_592_001 },
    "half seconds": { timeout_seconds: 60.5 },
    "long key": { idempotency_key: "x".repeat(256) },
    "list as a schema": { response_schema: [] },
    "schema of a single value": { response_schema: { type: "boolean" } },
    "schema of a choice": { response_schema: { anyOf: [{ const: "a" }, { type: "string" }] } },
    "schema that nothing fits": { response_schema: { not: {} } },
    "notify nobody": { notify: ["dana@example.com"] },
    "notify by pigeon": { notify: ["pigeon:dana@example.com"] },
    "notify no address": { notify: ["email:dana"] },
    "assign to two": { assign_to: { email: BY, pool: "x" } },
    "assign to what is not known": { assign_to: { mail: BY } },
    "assign to no address": { assign_to: { email: "dana" } },
    "assign to none of many": { assign_to: { emails: [] } },
    "verifier without instructions": { verifier_config: { provider: "openai" } },
    "verifier that nobody knows": { verifier_config: { provider: "oracle", instructions: "x" } },
    "verifier with too many attempts": { verifier_config: { provider: "openai", instructions: "x", max_attempts: 11 } },
    "questions to nowhere": { callback_events: ["task.question"] },
    "callback to nowhere": { callback_url: "ftp://example.com" },
    "callback with a password": { callback_url: "https://a:b@example.com" },
    "callback to port 0": { callback_url: "https://example.com:0" },
    "resume nothing": { resume: [{ select: "response" }] },
    "resume without an address": { resume: [{ url: "" }] },
    "resume by another protocol": { resume: [{ url: RESUMED }, { url: "ftp://engine.example" }] },
    "resume with what is not known": { resume: [{ url: RESUMED, select: "all" }] },
    "resume too many": { resume: Array.from({ length: 4 }, () => ({ url: RESUMED })) },
    "notify too many": { notify: Array.from({ length: 21 }, (_, i) => `email:kim${i}@example.com`) },
    "assign to nothing": { assign_to: {} },
    "assign to a number": { assign_to: { user_id: 7 } },
    "schema that is wrong in three places": {
      response_schema: { type: "objekt", properties: { a: { minLength: -1 } }, required: "a" },
    },
    "schema with a pattern that is none": { response_schema: { properties: { a: { pattern: "(" } } } },
    "schema that refers elsewhere": { response_schema: { $ref: "https://example.com/schema" } },
    "schema of another draft": { payload_schema: { $schema: "http://json-schema.org/draft-04/schema#" } },
    "schema that takes no object": { response_schema: { allOf: [{ type: "object" }, { type: "string" }] } },
    "payload against a pattern": { payload_schema: { properties: { amount: { multipleOf: 5 } } } },
    "verifier with a key that is not allowed": {
      verifier_config: { provider: "openai", instructions: "x", api_key_env: "HOME" },
    },
  }))
    await say(`create: ${what}`, "POST", "/api/tasks", newTask({ idempotency_key: "wrong", ...fields }));
  await say("create: not JSON", "POST", "/api/tasks", "{");
  await say("create: a list", "POST", "/api/tasks", []);

  for (const [what, fields] of Object.entries({
    "to somebody": { assign_to: { email: BY } },
    "to many": { assign_to: { emails: [BY, "Kim@Example.com"] } },
    "to a user who is not there": { assign_to: { user_id: "usr_x" } },
    "to a role that nobody has": { assign_to: { role: "lead" } },
    redacted: { redact_payload: true, assign_to: { email: BY } },
    verified: VERIFIED,
    "to the one who is notified": { notify: ["email:Kim@Example.com", "slack:#approvals", "slack:kim@example.com"] },
    "to none of two who are notified": { notify: [`email:${BY}`, "email:kim@example.com"] },
    "to somebody in Slack": { notify: ["slack:@dana"] },
    "to a pool": { assign_to: { pool: "finance" } },
  })) {
    const { id } = await say(`create ${what}`, "POST", "/api/tasks", newTask({ idempotency_key: what, ...fields }));
    await say(`audit of one ${what}`, "GET", `/api/tasks/${id}/audit`);
    if (what === "redacted")
      await say("complete a redacted one", "POST", `/api/tasks/${id}/complete`, { response: RESPONSE });
    if (what === "redacted") await say("audit of a completed redacted one", "GET", `/api/tasks/${id}/audit`);
  }

  const resuming = newTask({ idempotency_key: "resuming", resume: [{ url: RESUMED, select: "response" }] });
  const { id: resumingId } = await say("create one that resumes", "POST", "/api/tasks", resuming);
  await say("read one that resumes", "GET", `/api/tasks/${resumingId}`);
  for (const [what, resume] of Object.entries({
    "in another order": [{ select: "response", connection: null, url: RESUMED }],
    elsewhere: [{ url: `${RESUMED}2`, select: "response" }],
    nothing: null,
    "what is no entry": [7],
  }))
    await say(`replay that resumes ${what}`, "POST", "/api/tasks", { ...resuming, resume });

  const detailed = await say(
    "create with a schema of many keywords",
    "POST",
    "/api/tasks",
    newTask({ response_schema: DETAILED, idempotency_key: "detailed" }),
  );
  for (const [what, response] of Object.entries({
    nothing: {},
    "every keyword wrong": { code: "17", day: "2026-02-30", tags: ["x", "x"], price: 0.125, how: 7, more: 1 },
    "too much": { code: "A-1", day: "2026-02-28", tags: ["x", "y", "z"], price: 1, how: "by post" },
    "a condition wrong": { code: "A-1", day: "2026-02-28", how: "by post" },
    fitting: { code: "A-1", day: "2026-02-28", how: "by post", address: "Here 1", tags: ["x"], price: 0.25 },
  }))
    await say(`complete with ${what}`, "POST", `/api/tasks/${detailed.id}/complete`, { response });

  await say("list", "GET", "/api/tasks");
  const link = /<(.*)>/;
  let page: string | undefined = "/api/tasks?limit=3&include=schemas";
  for (let i = 0; page !== undefined && i < 10; i++) {
    const { raw: _, ...answer } = await call("GET", page);
    heard[`page ${i}`] = { ...answer, headers: { ...answer.headers, link: answer.headers["link"] != null } };
    page = link.exec(answer.headers["link"] ?? "")?.[1];
  }
  let pages = 0;
  for (page = "/api/tasks?limit=2&sort=deadline&status=created&offset=1"; page !== undefined; pages++) {
    const { raw: _, ...answer } = await call("GET", page);
    heard[`soonest ${pages}`] = answer.body;
    page = link.exec(answer.headers["link"] ?? "")?.[1];
  }
  for (const query of [
    "status=completed&status=cancelled",
    "terminal=false&limit=200",
    "terminal=true",
    "unassigned=false",
    "unassigned=true",
    `assigned_to=${BY.toUpperCase()}`,
    "q=REFUND",
    "q=nothing",
    "q=to%20refund",
    "q=is:closed",
    "q=is:mine",
    "q=label:vip",
    "q=from:admin",
    "label=VIP",
    "label=vip&label=other",
    "priority=urgent",
    "priority=low",
    "priority=late",
    "key_prefix=to",
    "key_prefix=To",
    "key_prefix=",
    "sort=deadline",
    "limit=0",
    "limit=201",
    "limit=many",
    "status=gone",
    "sort=best",
    "terminal=perhaps",
    "cursor=nonsense",
    "offset=-1",
  ])
    await say(`list: ${query}`, "GET", `/api/tasks?${query}`);

  await say("poll: too long", "GET", `${path}/poll?timeout=61`);
  await say("poll: no number", "GET", `${path}/poll?timeout=abc`);
  for (const part of ["", "/poll", "/audit"]) await say(`nothing there${part}`, "GET", `/api/tasks/tsk_nothing${part}`);
  await say("complete nothing", "POST", "/api/tasks/tsk_nothing/complete", { response: {} });
  await say("cancel nothing", "POST", "/api/tasks/tsk_nothing/cancel");
  await say("delete nothing", "DELETE", "/api/tasks/tsk_nothing");
  await say("no such path", "GET", "/api/nothing");
  await say("no such method", "PUT", "/api/tasks");
  await say("no token", "GET", path, undefined, { authorization: "" });
  await say("wrong token", "GET", path, undefined, { authorization: "Bearer wrong" });
  await say("embed token", "POST", "/api/embed/tokens", { task_id: id, parent_origin: "https://x.example", sub: "1" });

  for (const [what, verdicts] of Object.entries({
    "rejected, then accepted": [NOT_GOOD, GOOD],
    exhausted: [NOT_GOOD, NOT_GOOD],
  })) {
    const id = await judged(
      newTask({ ...VERIFIED, task: what, idempotency_key: what, assign_to: { email: BY } }),
      verdicts,
    );
    await say(what, "GET", `/api/tasks/${id}`);
    await say(`poll, ${what}`, "GET", `/api/tasks/${id}/poll`);
    await say(`audit, ${what}`, "GET", `/api/tasks/${id}/audit`);
  }

  const called = newTask({ idempotency_key: "callback", callback_url: callbackUrl });
  const { id: calledId } = await say("create with a callback", "POST", "/api/tasks", called);
  await say("complete with a callback", "POST", `/api/tasks/${calledId}/complete`, { response: RESPONSE });
  const callback = await firstCallback();
  await verifyCallback(callback.body, callback.headers, PAYLOAD_KEY);
  heard["callback"] = {
    type: callback.headers["content-type"],
    isOfTask: callback.headers["x-service-task-id"] === calledId,
    body: steady(JSON.parse(callback.body)),
  };
  return heard;
}

/**
 * Returns the part of `value` that is equal in all services. It has no ids, times and addresses, no substitute
 * answerers, no failed notifications, because the service in memory notifies no one, no facts, which it does not make, and no
 * short decision, because it plans no forms.
 */
function steady(value: unknown): unknown {
  if (Array.isArray(value))
    return value.filter((entry: { action?: unknown } | null) => entry?.action !== "notification_failed").map(steady);
  if (typeof value === "string") {
    return value
      .replaceAll(/\b(tsk|aud|dlv|cmt)_[0-9a-z]{26}/g, "$1_id")
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, "a time")
      .replaceAll(/http:\/\/[^/]+/g, "here");
  }
  if (typeof value !== "object" || value === null) return value;
  const isRecord = "redact_payload" in value;
  const isLeftOut = (name: string) => name === "request_id" || name === "facts" || (isRecord && name === "decision");
  const members = Object.entries(value).filter(([name]) => !isLeftOut(name));
  const { error_code, message } = value as { error_code?: string; message?: unknown };
  const steadied = Object.fromEntries(
    members.map(([name, member]) => [
      name,
      name === "actor_type" ? member === "system" : name === "decided_by" ? channelOf(member) : steady(member),
    ]),
  );
  return error_code === undefined ? steadied : { ...steadied, isExplained: typeof message === "string" };
}

const HEADERS = ["content-type", "idempotent-replayed", "idempotent-mismatch", "link", "www-authenticate"];

function caller(baseUrl: string, token: string, fetchFrom: typeof fetch): Service["call"] {
  return async (method, path, body, headers = {}) => {
    const response = await fetchFrom(baseUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    assert.ok(response.headers.get("x-request-id"));
    const raw = (text === "" ? null : JSON.parse(text)) as never;
    return {
      status: response.status,
      headers: Object.fromEntries(HEADERS.map((name) => [name, response.headers.get(name)])),
      body: steady(raw),
      raw,
    };
  };
}

function inMemory(): Service {
  const received: Awaited<ReturnType<Service["firstCallback"]>>[] = [];
  const by = { by: BY, via: "phone" };
  const human = createTestHuman(
    [
      when(/^rejected, then accepted$/, verifierRejects(1, answer(RESPONSE, by), NOT_GOOD)),
      when(/^exhausted$/, verifierExhausts(answer(RESPONSE, by), NOT_GOOD)),
      neverAnswer(),
    ],
    {
      deliver: async (request) => {
        received.push({ headers: Object.fromEntries(request.headers), body: await request.text() });
        return new Response(null, { status: 204 });
      },
    },
  );
  const { baseUrl, token, fetch } = human.clientOptions;
  const call = caller(baseUrl, token, fetch);
  return {
    call,
    judged: async (fields) => {
      const { raw } = await call("POST", "/api/tasks", fields);
      await human.clock.advance(0);
      return (raw as { id: string }).id;
    },
    callbackUrl: "http://127.0.0.1:9/hook",
    firstCallback: async () => {
      await human.clock.advance(0);
      return received[0]!;
    },
  };
}

async function onTheWire(t: TestContext, env: Record<string, string>): Promise<Service> {
  const vendors = await startVendors();
  t.after(vendors.close);
  const receiver = await startReceiver();
  t.after(receiver.close);
  const keys = { SERVICE_PAYLOAD_KEY: PAYLOAD_KEY, SERVICE_SECRET_KEY: PAYLOAD_KEY };
  const { url } = await serve(t, { ...vendors.env, ...env, ...keys });
  const call = caller(url, TOKEN, fetch);
  return {
    call,
    judged: async (fields, verdicts) => {
      const { raw } = await call("POST", "/api/tasks", fields);
      const { id } = raw as { id: string };
      vendors.script.push(...(verdicts as Turn[]));
      const body = { response: RESPONSE, completed_by_email: BY, completed_via_channel: "phone" };
      for (const _ of verdicts) await call("POST", `/api/tasks/${id}/complete`, body);
      return id;
    },
    callbackUrl: receiver.url,
    firstCallback: async () => {
      await receiver.until(1);
      const { headers, body } = receiver.received[0]!;
      return { headers: headers as Record<string, string>, body };
    },
  };
}

for (const dialect of ["SQLite", "PostgreSQL"]) {
  void test(`the service in memory says what the service says (${dialect})`, async (t) => {
    const database = dialect === "PostgreSQL" ? await (await postgres()).createDatabase() : null;
    if (database !== null) t.after(database.drop);
    const env: Record<string, string> = database === null ? {} : { SERVICE_DATABASE_URL: database.url };
    const expected = await script(await onTheWire(t, env));
    const heard = await script(inMemory());
    assert.ok(Object.keys(expected).length > 100);
    const differing = Object.keys(expected).filter((what) => !isDeepStrictEqual(heard[what], expected[what]));
    const of = (all: Record<string, unknown>) => Object.fromEntries(differing.map((what) => [what, all[what]]));
    assert.deepEqual(of(heard), of(expected));
  });
}

/** The test human decides as a person, whom the service knows only by the token. */
function channelOf(decidedBy: unknown): unknown {
  return (decidedBy as { channel: unknown } | null)?.channel ?? null;
}
