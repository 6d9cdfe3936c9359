import assert from "node:assert/strict";
import { Socket } from "node:net";
import { test } from "node:test";
import { exchange, type Request } from "./exchange.ts";
import { GuardedAgent } from "./guarded-agent.ts";
import { SendFailure } from "./send-failure.ts";

const POST: Request = {
  method: "POST",
  target: { url: new URL("http://receiver.test"), hostname: "receiver.test", address: null },
  headers: {},
  body: Buffer.from("{}"),
  keptBytes: 4096,
  mayRepeat: true,
  stream: null,
};
const LIMITS = { keepAliveMs: 1_000, connectionAgeMs: 1_000, idlePerOrigin: 1, idleInTotal: 1 };

/** Returns an agent whose connections are these sockets, and the hosts that it was asked to look up. */
function setup(sockets: Socket[], signal = new AbortController().signal) {
  const lookups: string[] = [];
  const agent = new GuardedAgent(
    {
      allowPrivate: true,
      lookup: async (hostname) => {
        lookups.push(hostname);
        return ["127.0.0.1"];
      },
      dial: () => assert.fail("no network in these tests"),
      secureContext: () => assert.fail("no TLS in these tests"),
    },
    LIMITS,
  );
  if (sockets.length > 0) {
    agent.createConnection = (_options, onCreated): undefined => {
      const socket = sockets.shift();
      assert.ok(socket, "only one connection is opened");
      setImmediate(() => onCreated(null, socket));
    };
  }
  return {
    lookups,
    agent,
    options: { agent, bodyTimeoutMs: 1_000, signal, onHead: () => assert.fail("no answer"), open: new Set<never>() },
  };
}

test("a socket that is gone before its first request ends it as reset, and no other is opened", async () => {
  const { options } = setup([new Socket().destroy()]);
  await assert.rejects(exchange(POST, options), { error: "reset" });
});

test("an exchange that is aborted before it starts says why and opens no socket", async () => {
  const signal = AbortSignal.abort(new SendFailure("aborted", "Enough."));
  const { options, lookups } = setup([], signal);
  await assert.rejects(exchange(POST, options), { error: "aborted", message: "Enough." });
  assert.deepEqual(lookups, []);
});

test("an exchange that is aborted while it connects gives up the socket that comes late", async () => {
  const abort = new AbortController();
  const socket = new Socket();
  const { options, agent } = setup([socket], abort.signal);
  const ended = assert.rejects(exchange(POST, options), { error: "aborted" });
  abort.abort(new SendFailure("aborted", "Enough."));
  await ended;
  await agent.close();
  assert.ok(socket.destroyed);
});

test("an origin to which no connection comes about leaves nothing behind", async () => {
  const { options, agent } = setup([]);
  await assert.rejects(exchange(POST, options), { error: "connect" });
  assert.deepEqual(Object.keys(agent.sockets), []);
});
