import assert from "node:assert/strict";
import { expectedSignature, startReceiver } from "../../test/support/receiver.ts";
import { PAYLOAD_KEY, testOnBoth } from "../../test/support/service.ts";
import { timeOutDueTasks } from "../tasks/timeouts.ts";
import type { TaskRecord } from "../tasks/schema.ts";

testOnBoth(
  "the outcome of a task arrives with the body, the signature and the headers of the specification",
  async (service, t) => {
    const receiver = await startReceiver();
    t.after(() => receiver.close());
    service.ctx.deliveries.start();
    const { id } = await service.create({ callback_url: receiver.url });
    await service.call("POST", `/api/tasks/${id}/complete`, {
      body: { response: { approved: true }, completed_by_email: "dana@example.com", completed_via_channel: "sms" },
    });
    await receiver.until(1);
    const { headers, body } = receiver.received[0]!;
    assert.equal(headers["content-type"], "application/json");
    assert.equal(headers["x-service-task-id"], id);
    assert.equal(headers["x-service-signature"], expectedSignature(PAYLOAD_KEY, body));
    const { body: task } = await service.call<TaskRecord>("GET", `/api/tasks/${id}`);
    assert.deepEqual(JSON.parse(body), {
      task_id: id,
      idempotency_key: task.idempotency_key,
      status: "completed",
      response: { approved: true },
      completed_at: task.completed_at,
      timed_out_at: null,
      completed_by_email: "dana@example.com",
      completed_via_channel: "sms",
      verification_attempt: 0,
      cancelled_at: null,
      cancelled_by: null,
      cancel_reason: null,
      asked_by: { kind: "admin", id: null, name: "admin" },
      on_behalf_of: null,
      decided_by: { kind: "admin", user_id: null, email: null, name: "admin", channel: "sms" },
    });
    await service.ctx.deliveries.stop();
  },
);

testOnBoth(
  "cancelled, timed-out and exhausted tasks tell it, a rejection does not",
  async (service, t) => {
    const receiver = await startReceiver();
    t.after(() => receiver.close());
    service.ctx.deliveries.start();
    const verifier_config = { provider: "openai", instructions: "x", max_attempts: 2 };
    const rejected = await service.create({ callback_url: receiver.url, verifier_config });
    const answer = () =>
      service.call("POST", `/api/tasks/${rejected.id}/complete`, { body: { response: { approved: true } } });
    await answer();
    const cancelled = await service.create({ callback_url: receiver.url });
    await service.call("POST", `/api/tasks/${cancelled.id}/cancel`);
    await receiver.until(1);
    await answer();
    await receiver.until(2);
    await service.create({ callback_url: receiver.url, timeout_seconds: 60 });
    // A lease lapses by the same clock as a deadline.
    await service.ctx.deliveries.settle();
    service.clock.advance(60_000);
    await timeOutDueTasks(service.ctx);
    await receiver.until(3);
    const told = receiver.received.map(({ body }) => (JSON.parse(body) as TaskRecord).status);
    assert.deepEqual(told, ["cancelled", "verification_exhausted", "timed_out"]);
    await service.ctx.deliveries.stop();
  },
  { verify: async () => ({ passed: false, reason: "No." }) },
);
