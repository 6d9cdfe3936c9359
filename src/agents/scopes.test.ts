import assert from "node:assert/strict";
import { newAgent, type TestAgent } from "../../test/support/agents.ts";
import { newTaskBody, testOnBoth, type TestService } from "../../test/support/service.ts";
import type { AuditEntryRecord, TaskRecord } from "../tasks/schema.ts";

const create = async ({ call }: TestAgent): Promise<TaskRecord> =>
  (await call<TaskRecord>("POST", "/api/tasks", { body: newTaskBody() })).body;

/** Sends a request. @returns its status and error code */
async function ask(call: TestService["call"], method: "GET" | "POST" | "PATCH", path: string, body?: object) {
  const answer = await call(method, path, body && { body });
  return [answer.status, answer.body["error_code"]];
}

testOnBoth("an agent that reads every task cancels and extends only those that it asked for", async (service) => {
  const [asker, reader] = [await newAgent(service), await newAgent(service, { scopes: ["ask", "read"] })];
  for (const { id, timeout_at } of [await create(asker), await service.create()]) {
    const path = `/api/tasks/${id}`;
    assert.deepEqual(await ask(reader.call, "POST", `${path}/cancel`, {}), [403, "FORBIDDEN"]);
    assert.deepEqual(await ask(reader.call, "PATCH", path, { timeout_seconds: 7200 }), [403, "FORBIDDEN"]);
    const { body } = await reader.call<TaskRecord>("GET", path);
    assert.deepEqual([body.status, body.timeout_at], ["created", timeout_at]);
  }
  const own = `/api/tasks/${(await create(reader)).id}`;
  assert.equal((await ask(reader.call, "PATCH", own, { timeout_seconds: 7200 }))[0], 200);
  assert.equal((await ask(reader.call, "POST", `${own}/cancel`, {}))[0], 200);
});

testOnBoth("an agent that takes over a claim learns nothing of a task that it does not see", async (service) => {
  const [asker, other] = [await newAgent(service), await newAgent(service)];
  const path = `/api/tasks/${(await create(asker)).id}/claim`;
  for (const body of [{}, { force: true }]) {
    assert.deepEqual(await ask(other.call, "POST", path, body), [404, "TASK_NOT_FOUND"]);
    assert.deepEqual(await ask(asker.call, "POST", path, body), [403, "FORBIDDEN"]);
  }
});

testOnBoth("the trail of a deleted task is for operators alone", async (service) => {
  const [asker, reader] = [await newAgent(service), await newAgent(service, { scopes: ["read"] })];
  const path = `/api/tasks/${(await create(asker)).id}`;
  const trail = `${path}/audit`;
  for (const { call } of [asker, reader]) assert.deepEqual(await ask(call, "GET", trail), [200, undefined]);
  await service.call("DELETE", path);
  for (const { call } of [asker, reader]) assert.deepEqual(await ask(call, "GET", trail), [404, "TASK_NOT_FOUND"]);
  const { body } = await service.call<AuditEntryRecord[]>("GET", trail);
  assert.deepEqual(
    body.map(({ action }) => action),
    ["deleted"],
  );
});
