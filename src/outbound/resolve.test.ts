import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { test, type TestContext } from "node:test";
import { lookupAddresses } from "./resolve.ts";

const A = 1;
const AAAA = 28;
const UNKNOWN_NAME = 3;
const SERVER_FAILURE = 2;
/** Less than a question to a silent name server waits: 2.5 s. */
const ONE_TRY_MS = 2_000;

/** The name server's answer to a query: addresses as bytes, a failure, or nothing at all. */
type Says = Buffer[] | { failure: number } | "silence";

/** Runs a name server on loopback until the test ends. */
async function nameServer(t: TestContext, says: (name: string, type: number) => Says) {
  const socket = createSocket("udp4");
  const asked: string[] = [];
  socket.on("message", (query, from) => {
    const end = query.indexOf(0, 12);
    const labels: string[] = [];
    for (let at = 12; at < end; at += 1 + query.readUInt8(at)) {
      labels.push(query.toString("latin1", at + 1, at + 1 + query.readUInt8(at)));
    }
    const type = query.readUInt16BE(end + 1);
    asked.push(labels.join("."));

    const answer = says(labels.join("."), type);
    if (answer === "silence") return;
    const records = Array.isArray(answer) ? answer : [];
    const header = Buffer.alloc(12);
    header.writeUInt16BE(query.readUInt16BE(0), 0);
    header.writeUInt16BE(0x8180 | (Array.isArray(answer) ? 0 : answer.failure), 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(records.length, 6);
    const body = records.map((bytes) => {
      const record = Buffer.from([0xc0, 0x0c, 0, type, 0, 1, 0, 0, 0, 60, 0, bytes.length]);
      return Buffer.concat([record, bytes]);
    });
    socket.send(Buffer.concat([header, query.subarray(12, end + 5), ...body]), from.port, from.address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  t.after(() => socket.close());
  return { servers: [`127.0.0.1:${socket.address().port}`], asked };
}

const v4 = (last: number) => Buffer.from([192, 0, 2, last]);
const v6 = (last: number) => Buffer.from([0x20, 0x01, 0x0d, 0xb8, ...Array.from({ length: 11 }, () => 0), last]);

function resolve(name: string, servers: string[], signal = new AbortController().signal): Promise<string[]> {
  return lookupAddresses(name, signal, servers);
}

test("all addresses of both families come, by turns, IPv6 first", async (t) => {
  const { servers } = await nameServer(t, (_name, type) => (type === A ? [v4(1), v4(2), v4(3)] : [v6(1)]));
  assert.deepEqual(await resolve("many.example", servers), ["2001:db8::1", "192.0.2.1", "192.0.2.2", "192.0.2.3"]);
});

test("a name with one family is resolved", async (t) => {
  const { servers } = await nameServer(t, (_name, type) => (type === AAAA ? [] : [v4(1)]));
  assert.deepEqual(await resolve("four.example", servers), ["192.0.2.1"]);
});

test("a family whose question stays unanswered is not waited for", async (t) => {
  const { servers } = await nameServer(t, (_name, type) => (type === AAAA ? "silence" : [v4(1)]));
  const startedAt = performance.now();
  assert.deepEqual(await resolve("slow.example", servers), ["192.0.2.1"]);
  assert.ok(performance.now() - startedAt < ONE_TRY_MS);
});

test("a name that the name servers do not know may be known to the system, or to nobody", async (t) => {
  const { servers } = await nameServer(t, () => ({ failure: UNKNOWN_NAME }));
  await assert.rejects(resolve("unknown.invalid", servers), (error: NodeJS.ErrnoException) =>
    ["ENOTFOUND", "EAI_AGAIN"].includes(error.code ?? ""),
  );
});

test("a failing name server is told as such, and not taken for an unknown name", async (t) => {
  const { servers } = await nameServer(t, () => ({ failure: SERVER_FAILURE }));
  await assert.rejects(resolve("failing.example", servers), { code: "ESERVFAIL" });
});

test("a name without a dot is the system's business", async (t) => {
  const { servers, asked } = await nameServer(t, () => [v4(1)]);
  const addresses = await resolve("localhost", servers);
  assert.ok(addresses.includes("127.0.0.1") || addresses.includes("::1"));
  assert.deepEqual(asked, []);
});

test("giving up ends the questions at once", async (t) => {
  const abort = new AbortController();
  const { servers } = await nameServer(t, () => {
    abort.abort(new Error("enough"));
    return "silence";
  });
  const startedAt = performance.now();
  await assert.rejects(resolve("silent.example", servers, abort.signal), /enough/);
  assert.ok(performance.now() - startedAt < ONE_TRY_MS);
});

test("silent names hold up no other", async (t) => {
  const { servers } = await nameServer(t, (name, type) =>
    name.startsWith("dead") ? "silence" : type === A ? [v4(1)] : [],
  );
  const abort = new AbortController();
  const dead = Array.from({ length: 64 }, (_, index) => resolve(`dead${index}.example`, servers, abort.signal));
  const settled = Promise.allSettled(dead);
  assert.deepEqual(await resolve("alive.example", servers), ["192.0.2.1"]);
  abort.abort();
  assert.ok((await settled).every(({ status }) => status === "rejected"));
});
