import assert from "node:assert/strict";
import { Socket } from "node:net";
import { test } from "node:test";
import { adopt, drop, exchange } from "./connection.ts";
import { SendFailure } from "./send-failure.ts";

const REQUEST = { path: "/", headers: {}, body: Buffer.from("{}") };

function options(signal = new AbortController().signal) {
  return { bodyTimeoutMs: 1_000, signal, onHeaders: () => undefined, onReusable: () => assert.fail("not reusable") };
}

test("a socket that is gone before its first request ends it as reset, and no other is opened", async () => {
  const connection = adopt(new Socket().destroy(), "http://receiver.test", 1_000);
  await assert.rejects(exchange(connection, REQUEST, options()), { error: "reset" });
  assert.ok(!connection.isOpen());
});

test("an exchange that is aborted before it starts says why and gives its socket up", async () => {
  const connection = adopt(new Socket(), "http://receiver.test", 1_000);
  const signal = AbortSignal.abort(new SendFailure("aborted", "Enough."));
  await assert.rejects(exchange(connection, REQUEST, options(signal)), { error: "aborted", message: "Enough." });
  await drop(connection, new SendFailure("reset", "Twice is no harm."));
  assert.ok(!connection.isOpen());
});
