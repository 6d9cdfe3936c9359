import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import { standardHeaders, standardSecret } from "../src/lib/standard-webhooks.ts";
import { HumanTaskError, verifyEvent, type EventSecret } from "./events.ts";

const KEY = randomBytes(32);
const OTHER = randomBytes(32);
const SECRET = standardSecret(KEY);
const EVENT = {
  type: "task.completed",
  timestamp: "2026-01-31T12:00:00.000Z",
  data: { task_id: "tsk_1", response: { note: "Größe" } },
};
const BODY = JSON.stringify(EVENT);
const sent = (keys: readonly Uint8Array[] = [KEY], at = Date.now()) =>
  standardHeaders(keys, { id: "evt_1", at, body: Buffer.from(BODY) });

async function codeOf(body: unknown, headers: Record<string, string>, secret: EventSecret): Promise<string | null> {
  return verifyEvent(body as string, headers, secret).then(
    () => null,
    (error: unknown) => {
      assert.ok(error instanceof HumanTaskError);
      // Fastify, Express and Koa answer with it. What is wrong on the receiver's own side is their 500.
      assert.equal(error.statusCode, ["EVENT_UNSIGNED", "EVENT_FORGED"].includes(error.code) ? 401 : undefined);
      return error.code;
    },
  );
}

void test("an event is read, once its signature was checked, from whatever bytes and headers a framework gives", async () => {
  const raw = Buffer.from(BODY);
  for (const body of [BODY, raw, new Uint8Array(raw).buffer])
    for (const headers of [sent(), new Headers(sent()), { "Webhook-Id": "evt_1", ...sent() }])
      assert.deepEqual(await verifyEvent(body, headers, SECRET), EVENT);
});

void test("the library of Standard Webhooks accepts what the service signs, and its signatures are accepted", async () => {
  assert.deepEqual(new Webhook(SECRET).verify(BODY, sent()), EVENT);
  const at = new Date();
  const headers = {
    "webhook-id": "evt_2",
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": new Webhook(SECRET).sign("evt_2", at, BODY),
  };
  assert.deepEqual(await verifyEvent(BODY, headers, SECRET), EVENT);
});

void test("what is not signed by this secret over these bytes is refused, and why is said", async () => {
  const good = sent();
  assert.equal(await codeOf(BODY, good, SECRET), null);
  assert.equal(await codeOf(BODY, {}, SECRET), "EVENT_UNSIGNED");
  assert.equal(await codeOf(JSON.parse(BODY), good, SECRET), "EVENT_NOT_RAW");
  assert.equal(await codeOf(`${BODY} `, good, SECRET), "EVENT_FORGED");
  assert.equal(await codeOf(BODY, good, standardSecret(OTHER)), "EVENT_FORGED");
  const changes: Record<string, string>[] = [
    { "webhook-id": "evt_2" },
    { "webhook-timestamp": String(Number(good["webhook-timestamp"]) + 1) },
    { "webhook-timestamp": "" },
    { "webhook-timestamp": "now" },
    { "webhook-signature": "" },
    { "webhook-signature": good["webhook-signature"]!.replace("v1,", "v1a,") },
    { "webhook-signature": sent([OTHER])["webhook-signature"]! },
  ];
  for (const change of changes)
    assert.equal(await codeOf(BODY, { ...good, ...change }, SECRET), "EVENT_FORGED", JSON.stringify(change));
  for (const secret of [
    undefined,
    "",
    [],
    [undefined],
    "whsec_",
    "whsec_c2hvcnQ=",
    KEY.toString("base64"),
    [SECRET, "short"],
  ])
    assert.equal(await codeOf(BODY, good, secret), "EVENT_KEY", String(secret));
  // The bounds of Standard Webhooks for a key.
  for (const [size, code] of [
    [23, "EVENT_KEY"],
    [24, null],
    [64, null],
    [65, "EVENT_KEY"],
  ] as const) {
    const key = randomBytes(size);
    assert.equal(await codeOf(BODY, sent([key]), standardSecret(key)), code, String(size));
  }
});

void test("an event that was signed more than five minutes ago, or ahead, is refused", async (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: Date.UTC(2026, 0, 31, 12) });
  for (const [seconds, code] of [
    [-301, "EVENT_FORGED"],
    [-300, null],
    [300, null],
    [301, "EVENT_FORGED"],
  ] as const)
    assert.equal(await codeOf(BODY, sent([KEY], Date.now() + seconds * 1000), SECRET), code, String(seconds));
});

void test("while a secret is rotated, receivers with the old one, the new one or both read every event", async () => {
  const [before, after] = [SECRET, standardSecret(OTHER)];
  const both = [`${after}\n${before}\n`, [after, undefined, before]];
  for (const secret of [before, after, ...both]) assert.equal(await codeOf(BODY, sent([OTHER, KEY]), secret), null);
  for (const secret of both)
    for (const keys of [[KEY], [OTHER]]) assert.equal(await codeOf(BODY, sent(keys), secret), null);
  assert.equal(await codeOf(BODY, sent([OTHER]), before), "EVENT_FORGED");
});
