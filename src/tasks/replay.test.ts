import assert from "node:assert/strict";
import { newTaskBody, testOnBoth, type TestService } from "../../test/support/service.ts";
import { timeOutDueTasks } from "./timeouts.ts";
import type { TaskStatus } from "./lifecycle.ts";
import type { TaskRecord } from "./schema.ts";

const complete = (service: TestService, id: string) =>
  service.call("POST", `/api/tasks/${id}/complete`, { body: { response: { approved: true } } });

/** How a task gets into each status. The verifier of these tests refuses every answer. */
const WAYS: Record<TaskStatus, (service: TestService, id: string) => Promise<unknown>> = {
  created: async () => {},
  rejected: complete,
  completed: complete,
  timed_out: async (service) => {
    service.clock.advance(3_600_000);
    await timeOutDueTasks(service.ctx);
  },
  cancelled: async (service, id) => service.call("POST", `/api/tasks/${id}/cancel`),
  verification_exhausted: complete,
};

/** The attempts that a verifier gives in a task which is to end in this status. */
const ATTEMPTS: Partial<Record<TaskStatus, number>> = { rejected: 2, verification_exhausted: 1 };

for (const [status, bring] of Object.entries(WAYS) as [TaskStatus, (typeof WAYS)["created"]][])
  testOnBoth(`the key of a ${status} task gives that task and changes nothing`, async (service) => {
    service.ctx.verify = async () => ({ passed: false, reason: "Say why." });
    const max_attempts = ATTEMPTS[status];
    const body = newTaskBody({
      callback_url: "https://agent.example.com/hook",
      ...(max_attempts !== undefined && {
        verifier_config: { provider: "openai", instructions: "Check it.", max_attempts },
      }),
    });
    const first = await service.call<TaskRecord>("POST", "/api/tasks", { body });
    assert.deepEqual([first.status, first.headers["idempotent-replayed"]], [201, "false"]);
    const { id } = first.body;
    await bring(service, id);
    const everything = async () => {
      const paths = [`/api/tasks/${id}`, "/api/tasks", `/api/tasks/${id}/audit`, "/api/admin/webhook-deliveries"];
      return Promise.all(paths.map(async (path) => (await service.call<unknown>("GET", path)).body));
    };
    const before = await everything();
    service.clock.advance(60_000);

    const replay = await service.call<TaskRecord>("POST", "/api/tasks", { body });
    assert.deepEqual([replay.status, replay.headers["idempotent-replayed"]], [201, "true"]);
    assert.deepEqual([replay.body.id, replay.body.status], [id, status]);
    assert.deepEqual(replay.body, before[0]);
    assert.deepEqual(await everything(), before);
  });
