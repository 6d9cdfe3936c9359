import assert from "node:assert/strict";
import { test } from "node:test";
import { Inngest } from "inngest";
import { SIGNING_KEY, startInngest } from "../test/support/engines/inngest.ts";

// No server of Inngest can be installed from npm. Its SDK shows at least that the stand-in of the tests speaks as one.
void test("Inngest's own SDK sends signals to the stand-in, and understands its answers", async (t) => {
  const engine = await startInngest(t);
  const { url: baseUrl } = engine.connection.address as { url: string };
  const clientWith = (signingKey: string) =>
    new Inngest({ id: "agents", baseUrl, signingKey, isDev: false, env: "feat/one" });
  const waiting = await engine.wait();
  const signal = { signal: waiting.entry.signal, data: { approved: true } };

  await assert.rejects(clientWith("signkey-test-ffff").sendSignal(signal), /401/);
  const { runId } = await clientWith(SIGNING_KEY).sendSignal(signal);
  assert.match(runId ?? "", /^[0-9a-f-]{36}$/);
  assert.deepEqual(await clientWith(SIGNING_KEY).sendSignal(signal), { runId: undefined });
  assert.deepEqual(waiting.received, [{ approved: true }]);
  assert.deepEqual(engine.environments, ["feat/one", "feat/one"]);
});
