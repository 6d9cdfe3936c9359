import assert from "node:assert/strict";
import { after } from "node:test";
import { setImmediate } from "node:timers/promises";
import { testOnBoth } from "../../test/support/service.ts";
import { startVendors } from "../../test/support/vendors.ts";
import type { TaskRecord } from "../tasks/schema.ts";

const vendors = await startVendors();
after(() => vendors.close());

testOnBoth(
  "a completion waits for the verifier, for at most 30 seconds; then it fails and consumes nothing",
  async (service, t) => {
    // The test decides when a time limit is over.
    const limits: { ms: number; end(): void }[] = [];
    t.mock.method(AbortSignal, "timeout", (ms: number) => {
      const controller = new AbortController();
      limits.push({ ms, end: () => controller.abort(new DOMException("The time is over.", "TimeoutError")) });
      return controller.signal;
    });
    const { id } = await service.create({
      verifier_config: { provider: "openai", instructions: "Say why.", max_attempts: 1 },
    });
    const read = async () => (await service.call<TaskRecord>("GET", `/api/tasks/${id}`)).body;
    const complete = async () => {
      const asked = vendors.asked.length;
      let isAnswered = false;
      const answer = service
        .call<TaskRecord & { error_code?: string }>("POST", `/api/tasks/${id}/complete`, {
          body: { response: { approved: true } },
        })
        .finally(() => (isAnswered = true));
      while (vendors.asked.length === asked) await setImmediate();
      return { answer, isAnswered: () => isAnswered };
    };

    vendors.script.push("hang");
    const slow = await complete();
    assert.deepEqual([limits.map(({ ms }) => ms), slow.isAnswered()], [[30_000], false]);
    limits[0]!.end();
    const failed = await slow.answer;
    assert.deepEqual([failed.status, failed.body.error_code], [502, "VERIFIER_PROVIDER_ERROR"]);
    assert.deepEqual([(await read()).status, (await read()).verification_attempt], ["created", 0]);

    const verdict = Promise.withResolvers<void>();
    vendors.script.push({ after: verdict.promise, turn: { passed: true, reason: "It says why." } });
    const inTime = await complete();
    assert.deepEqual([(await read()).status, inTime.isAnswered()], ["created", false]);
    verdict.resolve();
    const { status, body } = await inTime.answer;
    assert.deepEqual([status, body.status, body.verifier_result], [200, "completed", (await read()).verifier_result]);
    assert.equal(limits.length, 2);
  },
  { env: vendors.env },
);
