import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test, type TestContext } from "node:test";
import { startStandIn } from "../../test/support/engines/stand-in.ts";
import { createSender } from "../outbound/http-sender.ts";
import { guardedHttp } from "./http.ts";

void test("a request that gets no answer is sent once, also on a connection that was used before", async (t) => {
  const standIn = await startStandIn(t, () => ({ act: () => ({ status: 200 }) }));
  const sender = createSender({ version: "1.2.3", allowPrivate: true });
  t.after(() => sender.close());
  const http = guardedHttp(sender);
  const post = () => http({ url: `${standIn.url}/resume`, headers: {}, body: Buffer.from("{}") });
  await http({ method: "GET", url: `${standIn.url}/look`, headers: {} });
  standIn.script.push("lost");
  await assert.rejects(post, { name: "NotAnswered", error: "reset" });
  assert.deepEqual(standIn.log, ["GET /look", "POST /resume"]);
});

void test("a look that gets no answer on a connection of before is sent again", async (t) => {
  const standIn = await startStandIn(t, () => ({ act: () => ({ status: 200 }) }));
  const sender = createSender({ version: "1.2.3", allowPrivate: true });
  t.after(() => sender.close());
  const look = () => guardedHttp(sender)({ method: "GET", url: `${standIn.url}/look`, headers: {} });
  await look();
  standIn.script.push("lost");
  assert.equal((await look()).status, 200);
  assert.equal(standIn.log.length, 3);
});

void test("every answer comes back with its head and the beginning of its body, and what gave none is an error", async (t) => {
  const standIn = await startStandIn(t, () => ({ status: 302, headers: { Location: "/x" }, body: { a: 1 } }));
  const sender = createSender({ version: "1.2.3", allowPrivate: true });
  t.after(() => sender.close());
  const { status, headers, body } = await guardedHttp(sender)({ url: standIn.url, headers: {} });
  assert.deepEqual([status, headers["location"], body], [302, "/x", '{"a":1}']);
  await standIn.close();
  await assert.rejects(guardedHttp(sender)({ url: standIn.url, headers: {} }), { name: "NotAnswered" });
});

/** What takes longer hangs. */
const TEST_MS = 60_000;

/** Serves a stream that goes on until its connection ends, or until `end` is called, and short answers elsewhere. */
async function startStream(t: TestContext) {
  const ended = Promise.withResolvers<"by the receiver" | "by the sender">();
  let end = () => {};
  let isOpen = true;
  const server = createServer((request, response) => {
    if (request.url !== "/stream") return response.end();
    response.once("close", () => {
      isOpen = false;
      ended.resolve(response.writableEnded ? "by the receiver" : "by the sender");
    });
    end = () => response.end("second\n");
    return response.writeHead(200).write("first\n");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const sender = createSender({ version: "1.2.3", allowPrivate: true });
  t.after(() => sender.close());
  return { url, sender, ended: ended.promise, end: () => end(), isOpen: () => isOpen };
}

void test(
  "a stream counts as read when it has said enough, and its connection is kept open for the receiver's work",
  { timeout: TEST_MS },
  async (t) => {
    const { url, sender, ended, end, isOpen } = await startStream(t);
    const http = guardedHttp(sender);
    const isEnough = (chunk: Buffer) => chunk.includes("first");
    const stream = { isEnough, timeoutMs: 2 * TEST_MS, openMs: 2 * TEST_MS };
    const { body } = await http({ url: `${url}/stream`, headers: {}, stream });
    assert.equal(body, "first\n");
    // A connection that was closed would have ended before the answer to this.
    await http({ url, headers: {} });
    assert.ok(isOpen());
    end();
    assert.equal(await ended, "by the receiver");
  },
);

void test(
  "a stream that says too little is read for a time only, and kept open for a time only",
  { timeout: TEST_MS },
  async (t) => {
    const { url, sender, ended } = await startStream(t);
    const stream = { isEnough: () => false, timeoutMs: 1, openMs: 1 };
    assert.equal((await guardedHttp(sender)({ url: `${url}/stream`, headers: {}, stream })).status, 200);
    assert.equal(await ended, "by the sender");
  },
);

void test("a service that stops closes the connections that it kept open", { timeout: TEST_MS }, async (t) => {
  const { url, sender, ended } = await startStream(t);
  const stream = { isEnough: () => true, timeoutMs: 2 * TEST_MS, openMs: 2 * TEST_MS };
  await guardedHttp(sender)({ url: `${url}/stream`, headers: {}, stream });
  await sender.close();
  assert.equal(await ended, "by the sender");
});
