import assert from "node:assert/strict";
// These are real where a test replaces the global ones.
import { clearTimeout, setTimeout } from "node:timers";
import { person } from "../../test/support/people.ts";
import { testOnBoth, type TestService } from "../../test/support/service.ts";
import { reofferTasksOfDeparted, startDepartures } from "./departures.ts";
import type { AuditEntryRecord, CreateTaskBody, TaskRecord } from "./schema.ts";

/** A change that takes longer does not come. */
const CHANGED_MS = 20_000;

const read = async ({ call }: TestService, id: string) => (await call<TaskRecord>("GET", `/api/tasks/${id}`)).body;
const lastEntry = async ({ call }: TestService, id: string) => {
  const { action, actor_type, extra } = (await call<AuditEntryRecord[]>("GET", `/api/tasks/${id}/audit`)).body.at(-1)!;
  return { action, actor_type, extra };
};
const listOf = async (of: { call: TestService["call"] }) =>
  (await of.call<TaskRecord[]>("GET", "/api/tasks")).body.map(({ id }) => id);
const leave = (service: TestService, { user }: { user: { id: string } }) =>
  service.call("DELETE", `/api/users/${user.id}`);

testOnBoth("the open tasks of somebody who leaves are routed again, as their creation asked", async (service) => {
  const dana = await person(service, { role: "approver", pool: "kyc" });
  const mia = await person(service, { pool: "kyc" });
  const email = dana.user.email!;
  const byRole = await service.create({ assign_to: { role: "approver" } });
  const lee = await person(service, { role: "approver" });
  const byEmail = await service.create({ assign_to: { email } });
  const byNotify = await service.create({ notify: [`email:${email}`] });
  const pool = await service.create({ assign_to: { pool: "kyc" } });
  const claimed = await service.create({ assign_to: { pool: "kyc" } });
  await dana.call("POST", `/api/tasks/${claimed.id}/claim`);
  const assigned = await service.create();
  await service.call("POST", `/api/tasks/${assigned.id}/assign`, { body: { email } });
  const done = await service.create({ assign_to: { email } });
  await dana.call("POST", `/api/tasks/${done.id}/complete`, { body: { response: { approved: true } } });
  const other = await service.create({ assign_to: { user_id: mia.user.id } });

  await leave(service, dana);
  assert.equal(await reofferTasksOfDeparted(service.ctx), 6);
  assert.equal(await reofferTasksOfDeparted(service.ctx), 0);

  const taken = { reason: "deactivated", taken_from: email };
  const to = { by: "role", assigned_to_user_id: lee.user.id, assigned_to_email: lee.user.email };
  assert.equal((await read(service, byRole.id)).assigned_to_user_id, lee.user.id);
  assert.deepEqual(await lastEntry(service, byRole.id), {
    action: "assigned",
    actor_type: "system",
    extra: { ...to, ...taken },
  });
  for (const { id } of [byEmail, byNotify]) {
    const { assigned_to_user_id, assigned_to_email } = await read(service, id);
    assert.deepEqual([assigned_to_user_id, assigned_to_email], [null, null]);
    assert.deepEqual(await lastEntry(service, id), { action: "routing_unmatched", actor_type: "system", extra: taken });
  }
  // The pool still has somebody, and the claim of the one who left is over.
  assert.deepEqual(await listOf(mia), [other.id, claimed.id, pool.id]);
  assert.equal((await read(service, claimed.id)).claimed_by_email, null);
  assert.deepEqual(await lastEntry(service, claimed.id), { action: "released", actor_type: "system", extra: taken });
  assert.equal((await read(service, assigned.id)).assigned_to_email, null);
  assert.deepEqual(await lastEntry(service, assigned.id), { action: "released", actor_type: "system", extra: taken });
  assert.equal((await read(service, done.id)).assigned_to_user_id, dana.user.id);
});

testOnBoth("an offer whose last candidate leaves is for operators, and says so", async (service) => {
  const dana = await person(service, { pool: "kyc" });
  const ways: Partial<CreateTaskBody>[] = [
    { assign_to: { pool: "kyc" } },
    { assign_to: { emails: [dana.user.email!] } },
    { assign_to: { pool: "kyc" }, redact_payload: true },
  ];
  const tasks = [];
  for (const way of ways) tasks.push(await service.create(way));
  await leave(service, dana);
  await reofferTasksOfDeparted(service.ctx);
  for (const { id } of tasks)
    assert.deepEqual(await lastEntry(service, id), {
      action: "routing_unmatched",
      actor_type: "system",
      extra: { reason: "deactivated", taken_from: dana.user.email },
    });
});

testOnBoth("a task for an address that became a user's leaves with that user", async (service) => {
  const { id } = await service.create({ assign_to: { email: "later@example.com" } });
  const later = await person(service, { email: "Later@example.com" });
  await leave(service, later);
  assert.equal(await reofferTasksOfDeparted(service.ctx), 1);
  assert.equal((await read(service, id)).assigned_to_email, null);
});

testOnBoth("a person who is back before anything happened keeps their tasks", async (service) => {
  const dana = await person(service);
  const { id } = await service.create({ assign_to: { user_id: dana.user.id } });
  await leave(service, dana);
  await service.call("PATCH", `/api/users/${dana.user.id}`, { body: { active: true } });
  assert.equal(await reofferTasksOfDeparted(service.ctx), 0);
  assert.equal((await read(service, id)).assigned_to_user_id, dana.user.id);
});

testOnBoth("the watch acts when somebody leaves, and on what an ended process left behind", async (service, t) => {
  // It is told, and does not wait for its next look, which never comes here. The driver of PostgreSQL needs its timers.
  if (service.dialect === "sqlite") t.mock.timers.enable({ apis: ["setTimeout"] });
  const [dana, mia] = [await person(service), await person(service)];
  const behind = await service.create({ assign_to: { user_id: dana.user.id } });
  await leave(service, dana);
  const first = changed(service, behind.id, "the watch does not find what an ended process left behind");
  const watch = startDepartures(service.ctx);
  t.after(() => watch.stop());
  await first;
  const { id } = await service.create({ assign_to: { user_id: mia.user.id } });
  const second = changed(service, id, "the watch is not told that somebody left");
  await leave(service, mia);
  await second;
  await watch.stop();
  assert.equal((await read(service, id)).assigned_to_user_id, null);
});

/** Resolves once the task changes. @throws Error with `complaint`, if that takes too long */
async function changed({ ctx }: TestService, id: string, complaint: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const unlisten = ctx.db.hints.listen((hint) => hint === `task:${id}` && resolve());
  const deadline = setTimeout(() => reject(new Error(complaint)), CHANGED_MS);
  await promise.finally(() => {
    clearTimeout(deadline);
    unlisten();
  });
}
