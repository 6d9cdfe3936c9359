import assert from "node:assert/strict";
import { test } from "node:test";
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
