import assert from "node:assert/strict";
import { createServer } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { test } from "node:test";
import { createSigner, deriveCallbackKey } from "../src/callbacks/signature.ts";
import { callbackHandler, nodeCallbackHandler, verifyCallback, type Callback } from "./callbacks.ts";
import type { HumanTaskError } from "./errors.ts";

/** The check value that receivers in every language can try. */
const KEY = "tlR5UCElY4QIjThpO4TlL1GzTzXrQQJYa3BtvZ0FOBQ";
const CHECK = "sha256=eec51be281af1c96d2fcecf31388838811c3b2c66fa34f8a5c2debaaafbc6d33";
const sign = createSigner(Buffer.from(KEY, "base64"));

const BODY = JSON.stringify({ task_id: "tsk_1", status: "completed", response: { note: "Größe" } });
const signed = (body: string) => ({ "x-service-signature": sign(Buffer.from(body)) });

void test("a callback is read once its signature was checked, by either key, in any spelling of base64", async () => {
  assert.deepEqual(await verifyCallback('{"task":"x"}', { "X-Service-Signature": CHECK }, KEY), { task: "x" });
  const raw = Buffer.from(BODY);
  const webhookKey = deriveCallbackKey(Buffer.from(KEY, "base64")).toString("base64");
  for (const key of [KEY, `${KEY}=`, Buffer.from(KEY, "base64").toString("base64url"), { webhookKey }]) {
    const { response } = await verifyCallback(raw, new Headers(signed(BODY)), key);
    assert.deepEqual(response, { note: "Größe" });
  }
  const copy = new Uint8Array(raw).buffer;
  assert.equal((await verifyCallback(copy, { "x-service-signature": [sign(raw)] }, KEY)).task_id, "tsk_1");
});

void test("what is not signed by this key over these bytes is refused, and why is said", async () => {
  const refused = async (code: string, body: unknown, headers: Record<string, string>, key = KEY) =>
    assert.rejects(verifyCallback(body as string, headers, key), (error: HumanTaskError) => {
      assert.equal(error.code, code);
      // Fastify, Express and Koa answer with it. What is wrong on the receiver's own side is their 500.
      assert.equal(error.statusCode, ["CALLBACK_UNSIGNED", "CALLBACK_FORGED"].includes(code) ? 401 : undefined);
      return true;
    });
  const good = sign(Buffer.from(BODY));
  await refused("CALLBACK_UNSIGNED", BODY, {});
  await refused("CALLBACK_UNSIGNED", BODY, { "x-service-signature": good.slice("sha256=".length) });
  await refused("CALLBACK_UNSIGNED", BODY, { "x-service-signature": good.toUpperCase() });
  await refused("CALLBACK_UNSIGNED", BODY, { "x-service-signature": `${good}00` });
  await refused("CALLBACK_FORGED", `${BODY} `, signed(BODY));
  await refused("CALLBACK_FORGED", BODY, { "x-service-signature": `sha256=${"0".repeat(64)}` });
  await refused("CALLBACK_FORGED", BODY, signed(BODY), Buffer.alloc(32, 1).toString("base64"));
  await refused("CALLBACK_NOT_RAW", JSON.parse(BODY), signed(BODY));
  await refused("CALLBACK_KEY", BODY, signed(BODY), "c2hvcnQ=");
  await refused("CALLBACK_KEY", BODY, signed(BODY), "no base64!");
  // A key that is not set is told when the program starts, and not by the first callback.
  for (const make of [callbackHandler, nodeCallbackHandler])
    for (const key of [undefined, "", { webhookKey: undefined }])
      assert.throws(() => make(key, () => {}), { code: "CALLBACK_KEY" });
});

void test("a Fetch handler acts on what is signed, and on nothing else", async () => {
  const got: Callback[] = [];
  const handle = callbackHandler(KEY, (callback) => got.push(callback), { maxBytes: 1000 });
  const post = (body: string, headers: Record<string, string>) =>
    handle(new Request("http://agent.example/hook", { method: "POST", body, headers }));
  assert.equal((await post(BODY, signed(BODY))).status, 204);
  assert.equal((await post(BODY, {})).status, 401);
  const large = " ".repeat(1001);
  assert.equal((await post(large, signed(large))).status, 413);
  assert.deepEqual(
    got.map(({ task_id }) => task_id),
    ["tsk_1"],
  );
  // The service sends again what was not dealt with: so the framework must hear of it.
  const failing = callbackHandler(KEY, () => Promise.reject(new Error("the database is away")));
  const request = new Request("http://agent.example/hook", { method: "POST", body: BODY, headers: signed(BODY) });
  await assert.rejects(failing(request), /the database is away/);
});

void test("a handler for Node reads the stream itself, or takes the raw body that a framework has kept", async (t) => {
  const got: Callback[] = [];
  // Whatever goes wrong goes to the console, and ends no process.
  const shown = t.mock.method(console, "error", () => {});
  const handle = nodeCallbackHandler(KEY, (callback) => {
    if (callback.status === "cancelled") throw new Error("not now");
    got.push(callback);
  });
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const post = async (body: string, headers: Record<string, string>) =>
    (await fetch(url, { method: "POST", body, headers })).status;
  assert.equal(await post(BODY, signed(BODY)), 204);
  assert.equal(await post(BODY, {}), 401);
  const cancelled = JSON.stringify({ task_id: "tsk_2", status: "cancelled" });
  assert.equal(await post(cancelled, signed(cancelled)), 500);
  assert.match(String(shown.mock.calls[0]?.arguments[0]), /not now/);
  // Somebody goes away in the middle of a body.
  const rest = connect((server.address() as AddressInfo).port, "127.0.0.1");
  rest.write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{");
  rest.end();
  while (shown.mock.callCount() < 2) await new Promise((resolve) => setImmediate(resolve));
  rest.destroy();

  const answers: (number | string | undefined)[] = [];
  const response = { statusCode: 0, end: (text?: string) => void answers.push(response.statusCode, text) };
  const kept = { headers: signed(BODY), async *[Symbol.asyncIterator]() {} };
  await handle({ ...kept, body: Buffer.from(BODY) }, response);
  await handle({ ...kept, body: JSON.parse(BODY) as unknown, rawBody: Buffer.from(BODY) }, response);
  assert.deepEqual(answers, [204, undefined, 204, undefined]);
  assert.equal(got.length, 3);
  // A body that was parsed is the program's mistake, and no stranger's: it is said where the program hears it.
  const told: unknown[] = [];
  await handle({ ...kept, body: JSON.parse(BODY) as unknown }, response, (error) => told.push(error));
  assert.equal((told[0] as { code: string }).code, "CALLBACK_NOT_RAW");
});
