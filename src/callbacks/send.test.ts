import assert from "node:assert/strict";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import { standardSecret } from "../lib/standard-webhooks.ts";
import { createSender } from "../outbound/http-sender.ts";
import { sendCallback } from "./send.ts";
import { createAttemptSigner, deriveCallbackKey } from "./signature.ts";

const PAYLOAD_KEY = Buffer.from("tlR5UCElY4QIjThpO4TlL1GzTzXrQQJYa3BtvZ0FOBQ", "base64");
const sign = createAttemptSigner({ payloadKey: PAYLOAD_KEY, previous: { payloadKey: null } });

test("a callback carries its bytes, their signature and the task's id, the same in every attempt", async (t) => {
  const seen: { headers: IncomingHttpHeaders; body: string }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.once("end", () => {
      seen.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
      response.writeHead(seen.length === 1 ? 500 : 204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const sender = createSender({ allowPrivate: true, version: "0.1.5" });
  t.after(async () => {
    await sender.close();
    server.close();
  });
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  const callback = {
    url: `http://127.0.0.1:${address.port}/`,
    id: "dlv_1",
    task_id: "tsk_1",
    body: Buffer.from('{"task":"x"}'),
  };

  assert.equal((await sendCallback(sender, sign, callback)).ok, false);
  assert.equal((await sendCallback(sender, sign, callback)).ok, true);
  assert.equal(seen.length, 2);
  // The verifier of Standard Webhooks, which knows nothing of this code, agrees, also on the time.
  const standard = new Webhook(standardSecret(deriveCallbackKey(PAYLOAD_KEY)));
  for (const { headers, body } of seen) {
    assert.deepEqual(standard.verify(body, headers as Record<string, string>), { task: "x" });
    assert.equal(headers["webhook-id"], "dlv_1");
    assert.equal(body, '{"task":"x"}');
    assert.equal(headers["content-type"], "application/json");
    assert.equal(headers["x-service-task-id"], "tsk_1");
    assert.equal(headers["user-agent"], "human-task-service/0.1.5");
    assert.equal(
      headers["x-service-signature"],
      "sha256=eec51be281af1c96d2fcecf31388838811c3b2c66fa34f8a5c2debaaafbc6d33",
    );
  }
});

test("a row that holds nonsense is a failed attempt", async (t) => {
  const sender = createSender({ allowPrivate: true, version: "0.1.5" });
  t.after(() => sender.close());
  const body = Buffer.from("{}");
  const rows = {
    '{"url":"http://["}': "bad_url",
    '{"url":null}': "bad_url",
    '{"body":null}': "internal",
    "{}": "connect",
  };
  for (const [changes, error] of Object.entries(rows)) {
    const row = { url: "http://127.0.0.1:9/", id: "dlv_1", task_id: "tsk_1", body, ...JSON.parse(changes) };
    const result = await sendCallback(sender, sign, row);
    assert.equal(result.ok ? "" : result.error, error, changes);
  }
});
