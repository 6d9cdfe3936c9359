import assert from "node:assert/strict";
import { test } from "node:test";
import { serveEngine } from "../../test/support/engines/server.ts";
import { createSender } from "../outbound/http-sender.ts";
import { guardedHttp } from "./http.ts";
import { NotAnswered } from "./kind.ts";

void test("what an engine does, and does not answer, is asked for once, also after it has answered something else", async (t) => {
  const done: string[] = [];
  const engine = await serveEngine(t, ({ method }) => {
    if (method === "GET") return { status: 200 };
    done.push(method);
    return "lost";
  });
  const sender = createSender({ version: "1.2.3", allowPrivate: true });
  t.after(() => sender.close());
  const http = guardedHttp(sender);
  for (const method of [undefined, "POST", "PUT", "PATCH"] as const) {
    // Its connection is kept. It must not be taken for one that the engine has closed before.
    assert.equal((await http({ method: "GET", url: engine.url, headers: {} })).status, 200);
    const request = { ...(method && { method }), url: engine.url, headers: {}, body: Buffer.from("{}") };
    await assert.rejects(http(request), (error) => error instanceof NotAnswered && error.error === "reset");
  }
  assert.deepEqual(done, ["POST", "POST", "PUT", "PATCH"]);
});
