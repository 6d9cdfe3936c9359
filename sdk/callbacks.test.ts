import assert from "node:assert/strict";
import { createServer } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { test } from "node:test";
import { createAttemptSigner, createSigner, deriveCallbackKey } from "../src/callbacks/signature.ts";
import {
  callbackHandler,
  nodeCallbackHandler,
  verifyCallback,
  type Callback,
  type QuestionCallback,
} from "./callbacks.ts";
import type { HumanTaskError } from "./errors.ts";

/** The key of the check value for receivers in every language. */
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
  // A missing key is reported when the program starts, not at the first callback.
  for (const make of [callbackHandler, nodeCallbackHandler])
    for (const key of [undefined, "", { webhookKey: undefined }, [], [undefined], [KEY, "short"]])
      assert.throws(() => make(key, () => {}), { code: "CALLBACK_KEY" });
});

void test("a question goes to its own function, and without one it is accepted and left", async () => {
  const question = { id: "cmt_1", text: "Which card?" };
  const body = JSON.stringify({ event: "task.question", task_id: "tsk_1", comment: question });
  const request = () => new Request("http://x.test", { method: "POST", body, headers: signed(body) });
  const heard: string[] = [];
  const act = () => void heard.push("an outcome");
  const onQuestion = (callback: QuestionCallback) => void heard.push(callback.comment.text);
  assert.equal((await callbackHandler(KEY, act, { onQuestion })(request())).status, 204);
  assert.equal((await callbackHandler(KEY, act)(request())).status, 204);
  assert.deepEqual(heard, ["Which card?"]);
});

const OTHER = Buffer.alloc(32, 1).toString("base64");
const webhookKeyOf = (key: string) => deriveCallbackKey(Buffer.from(key, "base64")).toString("base64");

/** As the service sends it. @param previous - the payload key that is accepted beside, during a rotation */
function sent({ at = Date.now(), key = KEY, previous = null as string | null } = {}): Record<string, string> {
  const bytes = (text: string) => Buffer.from(text, "base64");
  const keys = { payloadKey: bytes(key), previous: { payloadKey: previous === null ? null : bytes(previous) } };
  return createAttemptSigner(keys)({ id: "dlv_1", at, body: Buffer.from(BODY) });
}

void test("where the headers of Standard Webhooks are, they are checked, with the time", async (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: Date.UTC(2026, 0, 31, 12) });
  const isRead = async (headers: Record<string, string>) =>
    verifyCallback(BODY, headers, KEY).then(
      ({ task_id }) => task_id === "tsk_1",
      ({ code }: { code: string }) => {
        assert.equal(code, "CALLBACK_FORGED");
        return false;
      },
    );
  assert.ok(await isRead(sent()));
  for (const [seconds, expected] of [
    [-301, false],
    [-300, true],
    [300, true],
    [301, false],
  ] as const)
    assert.equal(await isRead(sent({ at: Date.now() + seconds * 1000 })), expected, String(seconds));
  // The older header is valid in all of these, and does not make up for them.
  const good = sent();
  const wrong: Record<string, string>[] = [
    { "webhook-id": "dlv_2" },
    { "webhook-timestamp": String(Number(good["webhook-timestamp"]) + 1) },
    { "webhook-timestamp": "" },
    { "webhook-timestamp": "now" },
    { "webhook-signature": "" },
    { "webhook-signature": "v1," },
    { "webhook-signature": "v1,no base64!" },
    { "webhook-signature": good["webhook-signature"]!.replace("v1,", "v1a,") },
    { "webhook-signature": good["webhook-signature"]!.slice(3) },
    { "webhook-signature": sent({ key: OTHER })["webhook-signature"]! },
  ];
  for (const change of wrong) assert.ok(!(await isRead({ ...good, ...change })), JSON.stringify(change));
  for (const name of ["webhook-id", "webhook-timestamp"])
    assert.ok(!(await isRead(Object.fromEntries(Object.entries(good).filter(([one]) => one !== name)))), name);
});

void test("during a rotation, receivers with the old key, the new one or both read every callback", async () => {
  const [key, previous] = [OTHER, KEY];
  const senders = { before: sent({ key: previous }), during: sent({ key, previous }), after: sent({ key }) };
  const receivers = {
    old: { webhookKey: webhookKeyOf(previous) },
    new: { webhookKey: webhookKeyOf(key) },
    // As `webhook-key` prints them, and as settings that may be empty.
    printed: { webhookKey: `${webhookKeyOf(key)}\n${webhookKeyOf(previous)}\n` },
    listed: [key, undefined, { webhookKey: webhookKeyOf(previous) }],
    standard: [`whsec_${webhookKeyOf(key)}`, { webhookKey: `whsec_${webhookKeyOf(previous)}` }],
  };
  const read: string[] = [];
  for (const [sender, headers] of Object.entries(senders))
    for (const [receiver, keys] of Object.entries(receivers)) {
      const ofSpecification = { "X-Service-Signature": headers["X-Service-Signature"]! };
      for (const [kind, given] of Object.entries({ standard: headers, older: ofSpecification }))
        if (
          await verifyCallback(BODY, given, keys).then(
            () => true,
            () => false,
          )
        )
          read.push(`${sender}, ${receiver}, ${kind}`);
    }
  const both = ["printed", "listed", "standard"].flatMap((one) => [`${one}, standard`, `${one}, older`]);
  const expected = {
    before: ["old, standard", "old, older", ...both],
    // The older header stays with the old key until that is removed.
    during: ["old, standard", "old, older", "new, standard", ...both],
    after: ["new, standard", "new, older", ...both],
  };
  assert.deepEqual(
    read.toSorted(),
    Object.entries(expected)
      .flatMap(([sender, all]) => all.map((one) => `${sender}, ${one}`))
      .toSorted(),
  );
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
  // The service sends unhandled callbacks again, so the framework must get the error.
  const failing = callbackHandler(KEY, () => Promise.reject(new Error("the database is away")));
  const request = new Request("http://agent.example/hook", { method: "POST", body: BODY, headers: signed(BODY) });
  await assert.rejects(failing(request), /the database is away/);
});

void test("a handler for Node reads the stream itself, or takes the raw body that a framework has kept", async (t) => {
  const got: Callback[] = [];
  // Errors go to the console, and never end the process.
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
  // A client disconnects in the middle of a body.
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
  // A parsed body is the program's mistake, not a forgery, so the program gets an error.
  const told: unknown[] = [];
  await handle({ ...kept, body: JSON.parse(BODY) as unknown }, response, (error) => told.push(error));
  assert.equal((told[0] as { code: string }).code, "CALLBACK_NOT_RAW");
});
