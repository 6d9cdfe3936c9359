import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { EMBED_ENV, EMBED_SECRET, mint, newServiceKey, PARENT } from "../../test/support/embed.ts";
import { newTaskBody, testOnBoth, type TestService } from "../../test/support/service.ts";
import { ServiceError } from "../errors.ts";
import type { AuditEntryRecord, TaskRecord } from "../tasks/schema.ts";
import { timeOutDueTasks } from "../tasks/timeouts.ts";
import type { EmbedOutcome, EmbedTask } from "./schema.ts";

const env = EMBED_ENV;
const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const decode = (part: string | undefined) =>
  JSON.parse(Buffer.from(part ?? "", "base64url").toString()) as Record<string, unknown>;

/** A signed JWT, whatever it says. */
function forge(header: object, claims: unknown, secret: string | Buffer = Buffer.from(EMBED_SECRET, "hex")): string {
  const { alg = "HS256" } = header as { alg?: string };
  const signed = `${base64url(header)}.${base64url(claims)}`;
  const hash = alg === "HS512" ? "sha512" : alg === "HS384" ? "sha384" : "sha256";
  return `${signed}.${createHmac(hash, secret).update(signed).digest("base64url")}`;
}

const readTask = (service: TestService, token: string | null, query = "") =>
  service.call<EmbedTask & { error_code?: string }>("GET", `/api/embed/task${query}`, { token });
const answer = (service: TestService, token: string | null, body: unknown = { response: { approved: true } }) =>
  service.call<EmbedOutcome & { error_code?: string; message?: string; details?: unknown }>(
    "POST",
    "/api/embed/task/complete",
    { token, body },
  );
const task = async (service: TestService, id: string) =>
  (await service.call<TaskRecord>("GET", `/api/tasks/${id}`)).body;

testOnBoth(
  "a product's server makes a token, which opens the form of one task for five minutes",
  async (service) => {
    const key = await newServiceKey(service);
    const { id } = await service.create();
    const { status, body, headers } = await mint(service, key.key, { task_id: id });
    assert.equal(status, 200);
    assert.equal(headers["cache-control"], "no-store");
    const { embed_token } = body;
    const now = service.clock.now();
    assert.deepEqual(body, {
      embed_token,
      embed_url: `https://tasks.example.com/embed?id=${id}#token=${embed_token}`,
      expires_at: new Date(now + 300_000).toISOString(),
    });
    const [header, claims, ...rest] = embed_token.split(".");
    assert.equal(rest.length, 1);
    assert.deepEqual(decode(header), { alg: "HS256", typ: "JWT", kid: key.id });
    const { jti, ...said } = decode(claims);
    assert.match(String(jti), /^[0-9a-f-]{36}$/);
    assert.deepEqual(said, {
      iss: "service",
      aud: "embed",
      sub: "customer-17",
      task_id: id,
      parent_origin: PARENT,
      iat: now / 1000,
      exp: now / 1000 + 300,
    });

    assert.equal((await readTask(service, embed_token)).status, 200);
    service.clock.advance(304_000);
    assert.equal((await readTask(service, embed_token)).status, 200);
    service.clock.advance(1000);
    const late = await readTask(service, embed_token);
    assert.deepEqual([late.status, late.body.error_code], [401, "INVALID_EMBED_TOKEN"]);
  },
  { env: { ...env, SERVICE_PUBLIC_URL: "https://tasks.example.com/" } },
);

testOnBoth(
  "an edit in an embedded form keeps the arguments that the form does not show",
  async (service) => {
    const key = await newServiceKey(service);
    const { payload: _, payload_schema: _s, response_schema: _r, ...body } = newTaskBody();
    const action = {
      name: "refund",
      args: { amount: 90, order: "48220" },
      args_schema: { type: "object", properties: { amount: { type: "number" } } },
      allowed: ["approve", "edit"],
    };
    const asked = await service.call<TaskRecord>("POST", "/api/tasks", { body: { ...body, action } });
    const { body: token } = await mint(service, key.key, { task_id: asked.body.id });
    const done = await answer(service, token.embed_token, { response: { decision: "edit", args: { amount: 45 } } });
    assert.deepEqual(done.body.response, {
      decision: "edit",
      args: { amount: 45, order: "48220" },
      patch: [{ op: "replace", path: "/amount", value: 45 }],
    });
  },
  { env },
);

testOnBoth(
  "what is wrong with a wish for a token is told in the order in which it matters",
  async (service) => {
    const key = await newServiceKey(service);
    const { id } = await service.create();
    const ended = await service.create();
    await service.call("POST", `/api/tasks/${ended.id}/cancel`);
    const unknown = "tsk_01m81bvfgf92apdy632xfsjkcp";
    const other = "https://other.example.com";
    for (const [token, body, status, error_code] of [
      [null, { task_id: 7 }, 401, "SERVICE_KEY_NOT_FOUND"],
      ["hsk_wrong", { task_id: 7 }, 401, "SERVICE_KEY_NOT_FOUND"],
      [undefined, { task_id: id }, 401, "SERVICE_KEY_NOT_FOUND"],
      [key.key, { task_id: 7, ttl_seconds: 0, parent_origin: other }, 400, "MALFORMED_REQUEST"],
      [key.key, { task_id: id, sub: null }, 400, "MALFORMED_REQUEST"],
      [key.key, { task_id: id, ttl_seconds: 1.5 }, 400, "MALFORMED_REQUEST"],
      [key.key, { task_id: id, ttl_seconds: "300" }, 400, "MALFORMED_REQUEST"],
      [key.key, { task_id: unknown, ttl_seconds: 0, parent_origin: other }, 422, "VALIDATION_FAILED"],
      [key.key, { task_id: id, ttl_seconds: 3601 }, 422, "VALIDATION_FAILED"],
      [key.key, { task_id: id, sub: "" }, 422, "VALIDATION_FAILED"],
      [key.key, { task_id: id, sub: "s".repeat(257) }, 422, "VALIDATION_FAILED"],
      [key.key, { task_id: id, sub: "\u0000" }, 422, "VALIDATION_FAILED"],
      [key.key, { task_id: unknown, parent_origin: other }, 400, "EMBED_ORIGIN_NOT_ALLOWED"],
      [key.key, { task_id: id, parent_origin: `${PARENT}/` }, 400, "EMBED_ORIGIN_NOT_ALLOWED"],
      [key.key, { task_id: id, parent_origin: `${PARENT}:8443` }, 400, "EMBED_ORIGIN_NOT_ALLOWED"],
      [key.key, { task_id: id, parent_origin: "http://app.example.com" }, 400, "EMBED_ORIGIN_NOT_ALLOWED"],
      [key.key, { task_id: id, parent_origin: "https://a.b.example.org" }, 400, "EMBED_ORIGIN_NOT_ALLOWED"],
      [key.key, { task_id: id, parent_origin: "" }, 400, "EMBED_ORIGIN_NOT_ALLOWED"],
      [key.key, { task_id: unknown }, 404, "TASK_NOT_FOUND"],
      [key.key, { task_id: "task" }, 404, "TASK_NOT_FOUND"],
      [key.key, { task_id: ended.id }, 409, "TASK_ALREADY_TERMINAL"],
    ] as const) {
      const refused = await service.call<{ error_code: string }>("POST", "/api/embed/tokens", {
        ...(token !== undefined && { token }),
        body: { parent_origin: PARENT, sub: "customer-17", ...body },
      });
      assert.deepEqual([refused.status, refused.body.error_code], [status, error_code], JSON.stringify(body));
    }
    for (const allowed of [
      { parent_origin: "https://shop.example.org" },
      { parent_origin: "http://localhost:3001" },
      { ttl_seconds: 1 },
      { ttl_seconds: 3600 },
      { ttl_seconds: null },
      { sub: "s".repeat(256) },
    ])
      assert.equal((await mint(service, key.key, { task_id: id, ...allowed })).status, 200, JSON.stringify(allowed));
    service.clock.advance(3_600_000);
    assert.equal((await mint(service, key.key, { task_id: id })).body.error_code, "TASK_ALREADY_TERMINAL");
  },
  { env },
);

testOnBoth(
  "without a signing secret nothing is minted, and nothing that was minted opens anything",
  async (service) => {
    const key = await newServiceKey(service);
    const { id } = await service.create();
    for (const token of [key.key, "hsk_wrong", null])
      assert.deepEqual(
        [(await mint(service, token, { task_id: id })).status, (await mint(service, token, {})).body.error_code],
        [404, "EMBED_NOT_CONFIGURED"],
      );
    const token = forge({ alg: "HS256", typ: "JWT", kid: key.id }, { task_id: id });
    assert.equal((await readTask(service, token)).body.error_code, "EMBED_NOT_CONFIGURED");
    assert.equal((await answer(service, token)).body.error_code, "EMBED_NOT_CONFIGURED");
  },
);

testOnBoth(
  "an answer from an embedded form is the product's person's, whose address nobody knows",
  async (service) => {
    const key = await newServiceKey(service);
    const { id } = await service.create({ assign_to: { email: "dana@example.com" } });
    const { embed_token } = (await mint(service, key.key, { task_id: id, sub: "customer-17" })).body;
    const others = (await mint(service, key.key, { task_id: id, sub: "customer-18" })).body.embed_token;
    const given = await answer(service, embed_token, {
      response: { approved: true, note: "Fine." },
      completed_by_email: "boss@example.com",
      completed_via_channel: "dashboard",
    });
    assert.equal(given.status, 200);
    const completed_at = new Date(service.clock.now()).toISOString();
    assert.deepEqual(given.body, {
      id,
      status: "completed",
      response: { approved: true, note: "Fine." },
      completed_at,
      completed_via_channel: "embed",
      verification_attempt: 0,
      verifier_result: null,
      next_attempt: null,
    });
    const record = await task(service, id);
    assert.equal(record.completed_by_email, null);
    assert.equal(record.completed_by_user_id, null);
    assert.equal(record.completed_via_channel, "embed");
    const trail = (await service.call<AuditEntryRecord[]>("GET", `/api/tasks/${id}/audit`)).body;
    const { action, channel, embed_sub, actor_type, actor_email } = trail.at(-1)!;
    assert.deepEqual(
      { action, channel, embed_sub, actor_type, actor_email },
      { action: "completed", channel: "embed", embed_sub: "customer-17", actor_type: "human", actor_email: null },
    );

    // Whoever has not heard of it is told that it was they; somebody else, that it was not.
    for (const again of [await answer(service, embed_token), await readTask(service, embed_token)]) {
      assert.deepEqual([again.status, again.body.error_code], [409, "TASK_ALREADY_TERMINAL"]);
      assert.match(again.text, /You already answered this/);
    }
    for (const again of [await answer(service, others), await readTask(service, others)])
      assert.match(again.text, /This task is already answered/);
  },
  { env },
);

testOnBoth(
  "an embedded form is told what its person needs to answer, and not whom the task is for or where its outcome goes",
  async (service) => {
    const key = await newServiceKey(service);
    const record = await service.create({
      assign_to: { email: "dana@example.com" },
      notify: ["email:lee@example.com"],
      callback_url: "https://agent.example.com/callback",
      form_definition: { submit: { label: "Send" } },
    });
    const { embed_token } = (await mint(service, key.key, { task_id: record.id, ttl_seconds: 60 })).body;
    service.clock.advance(10_000);
    const { status, body, text } = await readTask(service, embed_token, `?id=${record.id}&time_zone=Europe/Berlin`);
    assert.equal(status, 200);
    const { review_html: _, ...rest } = body;
    assert.deepEqual(rest, {
      id: record.id,
      version: 1,
      status: "created",
      task: record.task,
      payload: record.payload,
      response_schema: record.response_schema,
      form_definition: record.form_definition,
      redact_payload: false,
      direction: "ltr",
      timeout_at: record.timeout_at,
      verification_attempt: 0,
      verifier_result: null,
      next_attempt: null,
      is_verified: false,
      comments: 0,
      expires_in_seconds: 50,
    });
    for (const secret of ["dana@", "lee@", "agent.example.com", record.idempotency_key])
      assert.ok(!text.includes(secret), secret);
  },
  { env },
);

testOnBoth(
  "a token that was forged, tampered with or made for something else opens nothing",
  async (service) => {
    const key = await newServiceKey(service);
    const revoked = await newServiceKey(service);
    await service.call("DELETE", `/api/service-keys/${revoked.id}`);
    const { id } = await service.create();
    const other = await service.create();
    const { embed_token: good } = (await mint(service, key.key, { task_id: id })).body;
    const [head = "", body = "", signature = ""] = good.split(".");
    const header = decode(head);
    const claims = decode(body);
    const now = service.clock.now() / 1000;
    const without = (name: string) => forge(header, { ...claims, [name]: undefined });
    const flipped = `${signature.startsWith("A") ? "B" : "A"}${signature.slice(1)}`;

    const forged: Record<string, string | null> = {
      missing: null,
      empty: "",
      garbage: "a.b.c",
      "two parts": `${head}.${body}`,
      "no signature": `${head}.${body}.`,
      "alg none": `${base64url({ ...header, alg: "none" })}.${body}.`,
      "alg none, signed": forge({ ...header, alg: "none" }, claims),
      "alg None": forge({ ...header, alg: "None" }, claims),
      "another algorithm": forge({ ...header, alg: "HS512" }, claims),
      "a short algorithm": forge({ ...header, alg: "HS384" }, claims),
      "an asymmetric algorithm": forge({ ...header, alg: "RS256" }, claims),
      "no algorithm": forge({ typ: "JWT", kid: key.id }, claims),
      "a signature of one other bit": `${head}.${body}.${flipped}`,
      "a cut signature": good.slice(0, -2),
      "a tampered payload": `${head}.${base64url({ ...claims, task_id: other.id })}.${signature}`,
      "a tampered header": `${base64url({ ...header, kid: revoked.id })}.${body}.${signature}`,
      "another secret": forge(header, claims, "another secret"),
      "the secret as text": forge(header, claims, EMBED_SECRET),
      "an empty secret": forge(header, claims, ""),
      "its own key in the header": forge({ ...header, jwk: { kty: "oct", k: "AAAA" } }, claims, Buffer.alloc(3)),
      "an understood-or-refuse header": forge({ ...header, crit: ["exp"], exp: 1 }, claims),
      "an unencoded payload": forge({ ...header, crit: ["b64"], b64: false }, claims),
      "another audience": forge(header, { ...claims, aud: "dashboard" }),
      "no audience": without("aud"),
      "another issuer": forge(header, { ...claims, iss: "https://evil.example" }),
      "no issuer": without("iss"),
      expired: forge(header, { ...claims, exp: now - 6 }),
      "expiry as text": forge(header, { ...claims, exp: String(now + 300) }),
      "no expiry": without("exp"),
      "of tomorrow": forge(header, { ...claims, nbf: now + 60 }),
      "made later than now": forge(header, { ...claims, iat: now + 60, exp: now + 360 }),
      "made too long ago": forge(header, { ...claims, iat: now - 7200 }),
      "no time of making": without("iat"),
      "no id of its own": without("jti"),
      "no person": without("sub"),
      "a person of another type": forge(header, { ...claims, sub: { $ne: null } }),
      "no task": without("task_id"),
      "a task of another type": forge(header, { ...claims, task_id: [id] }),
      "an impossible task": forge(header, { ...claims, task_id: "tsk_' or 1=1" }),
      "no origin": without("parent_origin"),
      "no key": forge({ alg: "HS256" }, claims),
      "an unknown key": forge({ ...header, kid: "key_01m81bvfgf92apdy632xfsjkcp" }, claims),
      "an impossible key": forge({ ...header, kid: "'; drop table service_keys" }, claims),
      "a revoked key": forge({ ...header, kid: revoked.id }, claims),
      "claims that are a list": forge(header, [claims]),
      "claims that are text": forge(header, "claims"),
      "JSON serialisation": JSON.stringify({ protected: head, payload: body, signature }),
      "something huge": `${head}.${"A".repeat(12_000)}.${signature}`,
      "a good one, twice": `${good}.${good}`,
      "a service key": key.key,
      "the admin token": "test-admin-token-0123456789",
    };
    for (const [name, token] of Object.entries(forged))
      for (const refused of [await readTask(service, token), await answer(service, token)])
        assert.deepEqual([refused.status, refused.body.error_code], [401, "INVALID_EMBED_TOKEN"], name);
    const elsewhere = await readTask(service, good, `?id=${other.id}`);
    assert.deepEqual([elsewhere.status, elsewhere.body.error_code], [401, "INVALID_EMBED_TOKEN"]);
    const unlisted = await readTask(service, forge(header, { ...claims, parent_origin: "https://evil.example" }));
    assert.deepEqual([unlisted.status, unlisted.body.error_code], [400, "EMBED_ORIGIN_NOT_ALLOWED"]);
    assert.equal((await task(service, id)).status, "created");
    // What the forger starts from is good.
    assert.equal((await readTask(service, forge(header, claims))).status, 200);
    assert.equal((await answer(service, good)).status, 200);
  },
  { env },
);

testOnBoth(
  "revoking a service key ends the tokens that it made, and no others",
  async (service) => {
    const [first, second] = [await newServiceKey(service), await newServiceKey(service)];
    const { id } = await service.create();
    const tokens = await Promise.all(
      [first, second].map(async ({ key }) => (await mint(service, key, { task_id: id })).body.embed_token),
    );
    await service.call("DELETE", `/api/service-keys/${first.id}`);
    for (const refused of [await readTask(service, tokens[0]!), await answer(service, tokens[0]!)])
      assert.deepEqual([refused.status, refused.body.error_code], [401, "INVALID_EMBED_TOKEN"]);
    assert.equal((await mint(service, first.key, { task_id: id })).body.error_code, "SERVICE_KEY_NOT_FOUND");
    assert.equal((await answer(service, tokens[1]!)).status, 200);
  },
  { env },
);

/** What a verifier does while it is asked. */
const meanwhile: { act: () => Promise<unknown>; verdicts: boolean[] } = { act: async () => {}, verdicts: [] };
const verified = { verifier_config: { provider: "openai", instructions: "Check it.", max_attempts: 2 } };
const verify = async () => {
  await meanwhile.act();
  const passed = meanwhile.verdicts.shift() ?? true;
  return { passed, reason: passed ? "Fine." : "The note is missing." };
};

testOnBoth(
  "an answer that the checks send back is told as such, and so is the last one",
  async (service) => {
    Object.assign(meanwhile, { act: async () => {}, verdicts: [false, false] });
    const key = await newServiceKey(service);
    const { id } = await service.create(verified);
    const { embed_token } = (await mint(service, key.key, { task_id: id })).body;
    assert.equal((await readTask(service, embed_token)).body.is_verified, true);
    const first = (await answer(service, embed_token)).body;
    const sentBack = { passed: false, reason: "The note is missing.", attempt: 1 };
    assert.deepEqual([first.status, first.response, first.verifier_result], ["rejected", null, sentBack]);
    assert.equal(first.next_attempt, "2 of 2, the last one");
    const again = (await readTask(service, embed_token)).body;
    assert.deepEqual([again.status, again.verifier_result], ["rejected", sentBack]);
    const last = (await answer(service, embed_token)).body;
    assert.deepEqual([last.status, last.response], ["verification_exhausted", null]);
  },
  { env, verify },
);

testOnBoth(
  "a key that is revoked while an answer is checked takes the answer with it",
  async (service) => {
    const key = await newServiceKey(service);
    const { id } = await service.create(verified);
    const { embed_token } = (await mint(service, key.key, { task_id: id })).body;
    Object.assign(meanwhile, { act: () => service.call("DELETE", `/api/service-keys/${key.id}`), verdicts: [true] });
    const refused = await answer(service, embed_token);
    assert.deepEqual([refused.status, refused.body.error_code], [401, "INVALID_EMBED_TOKEN"]);
    assert.equal((await task(service, id)).status, "created");
  },
  { env, verify },
);

const CAUSE = [{ path: "/verifier_config", message: "The provider answered HTTP 500." }];

testOnBoth(
  "a verifier that fails loses nothing, and a form may try again",
  async (service) => {
    const key = await newServiceKey(service);
    const { id } = await service.create(verified);
    const { embed_token } = (await mint(service, key.key, { task_id: id })).body;
    Object.assign(meanwhile, {
      act: () => Promise.reject(new ServiceError("VERIFIER_PROVIDER_ERROR", { details: CAUSE })),
      verdicts: [true],
    });
    const failed = await answer(service, embed_token);
    assert.equal(failed.status, 502);
    assert.equal(
      failed.body.message,
      "Automatic check is unavailable. Your answer is saved here; try again in a minute.",
    );
    assert.equal(failed.body.details, undefined, "the cause is for operators");
    Object.assign(meanwhile, { act: async () => {} });
    assert.equal((await answer(service, embed_token)).body.status, "completed");
  },
  { env, verify },
);

testOnBoth(
  "an answer that does not fit is refused at its places, and a task that is gone is told",
  async (service) => {
    const key = await newServiceKey(service);
    const { id } = await service.create();
    const { embed_token } = (await mint(service, key.key, { task_id: id })).body;
    const refused = await service.call<{ error_code: string; details: { path: string }[] }>(
      "POST",
      "/api/embed/task/complete",
      { token: embed_token, body: { response: { approved: "yes" } } },
    );
    assert.deepEqual([refused.status, refused.body.details[0]?.path], [422, "/response/approved"]);
    assert.equal((await answer(service, embed_token, {})).status, 400);
    await service.call("DELETE", `/api/tasks/${id}`);
    for (const gone of [await readTask(service, embed_token), await answer(service, embed_token)])
      assert.deepEqual([gone.status, gone.body.error_code], [404, "TASK_NOT_FOUND"]);
  },
  { env },
);

testOnBoth(
  "a form whose task has ended is told how",
  async (service) => {
    const key = await newServiceKey(service);
    const opened = async () => {
      const { id } = await service.create();
      return { id, token: (await mint(service, key.key, { task_id: id, ttl_seconds: 3600 })).body.embed_token };
    };
    const [answered, cancelled, late] = [await opened(), await opened(), await opened()];
    await service.call("POST", `/api/tasks/${answered.id}/complete`, { body: { response: { approved: true } } });
    await service.call("POST", `/api/tasks/${cancelled.id}/cancel`);
    const said = async ({ token }: { token: string }) => {
      const { status, text } = await readTask(service, token);
      const { error_code, message } = JSON.parse(text) as { error_code: string; message: string };
      assert.deepEqual([status, error_code], [409, "TASK_ALREADY_TERMINAL"]);
      return message;
    };
    assert.match(await said(answered), /already answered/);
    assert.match(await said(cancelled), /This task was cancelled/);
    service.clock.advance(3_600_000);
    assert.match(await said(late), /This task timed out/);
  },
  { env },
);

testOnBoth(
  "a form whose deadline passed says that the answer counts which was given beforehand",
  async (service) => {
    const key = await newServiceKey(service);
    const { id } = await service.create({ timeout_seconds: 60, on_timeout: { response: { approved: false } } });
    const { embed_token } = (await mint(service, key.key, { task_id: id })).body;
    service.clock.advance(60_000);
    assert.equal(await timeOutDueTasks(service.ctx), 1);
    for (const { status, text } of [await readTask(service, embed_token), await answer(service, embed_token)]) {
      assert.equal(status, 409);
      assert.match(text, /No one answered in time, so the answer given beforehand counts\./);
    }
  },
  { env },
);
