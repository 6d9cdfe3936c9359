import assert from "node:assert/strict";
import { test } from "node:test";
import { startStandIn } from "../../test/support/engines/stand-in.ts";
import { createSender } from "../outbound/http-sender.ts";
import { guardedHttp } from "./http.ts";
import { NotAnswered } from "./kind.ts";

void test("what an engine does, and does not answer, is asked for once, also after it has answered something else", async (t) => {
  const done: string[] = [];
  const engine = await startStandIn(t, ({ method }) => ({
    act: () => {
      if (method !== "GET") done.push(method);
      return { status: 200 };
    },
    script: method === "GET" ? [] : ["lost"],
  }));
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
