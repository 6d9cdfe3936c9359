import assert from "node:assert/strict";
import { person } from "../../test/support/people.ts";
import { testOnBoth } from "../../test/support/service.ts";
import type { RefusedAnswerRecord, TaskRecord } from "./schema.ts";

let refusals = 0;
const REFUSES = {
  verify: async () => ({ passed: false, reason: `Reason ${++refusals}.` }),
  env: { OPENAI_API_KEY: "k" },
};
const verifier_config = { provider: "openai", instructions: "Check it.", max_attempts: 2 };

testOnBoth(
  "every rejected answer can be read with its reason by people who may read the task, also after its end",
  async (service) => {
    const dana = await person(service, { email: "dana@example.com" });
    const mia = await person(service, { email: "mia@example.com" });
    const { id } = await service.create({ verifier_config, assign_to: { user_id: dana.user.id } });
    const path = `/api/tasks/${id}/attempts`;
    assert.deepEqual((await dana.call("GET", path)).body, []);
    // Who may not see the settings of the verifier must still know which answer is the last one.
    const left = async () => (await dana.call<TaskRecord>("GET", `/api/tasks/${id}`)).body.verification_attempts_left;
    assert.equal(await left(), 2);
    refusals = 0;
    await dana.call("POST", `/api/tasks/${id}/complete`, { body: { response: { approved: true, note: "first" } } });
    assert.equal(await left(), 1);
    service.clock.advance(1000);
    await service.call("POST", `/api/tasks/${id}/complete`, {
      body: { response: { approved: false }, completed_by_email: "lee@example.com", completed_via_channel: "phone" },
    });
    for (const call of [dana.call, service.call]) {
      const { body } = await call<RefusedAnswerRecord[]>("GET", path);
      assert.deepEqual(
        body.map(({ created_at: _when, ...answer }) => answer),
        [
          {
            attempt: 1,
            response: { approved: true, note: "first" },
            reason: "Reason 1.",
            answered_by_email: "dana@example.com",
            answered_via_channel: "dashboard",
          },
          {
            attempt: 2,
            response: { approved: false },
            reason: "Reason 2.",
            answered_by_email: "lee@example.com",
            answered_via_channel: "phone",
          },
        ],
      );
      assert.ok(body[0]!.created_at < body[1]!.created_at);
    }
    assert.equal((await mia.call("GET", path)).status, 403);
    await service.call("DELETE", `/api/tasks/${id}`);
    assert.equal((await service.call("GET", path)).status, 404);
  },
  REFUSES,
);
