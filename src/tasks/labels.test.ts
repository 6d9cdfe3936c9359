import assert from "node:assert/strict";
import { person } from "../../test/support/people.ts";
import { newTaskBody, testOnBoth } from "../../test/support/service.ts";
import type { ListedTask, TaskRecord } from "./schema.ts";

testOnBoth("labels and a priority are kept as asked, and are part of the request", async ({ call, ctx }) => {
  const body = newTaskBody({ labels: [" VIP ", "fraud check"], priority: "urgent" });
  const { body: task } = await call<TaskRecord>("POST", "/api/tasks", { body });
  assert.deepEqual([task.labels, task.priority, task.urgent], [["VIP", "fraud check"], "urgent", true]);
  const { body: rows } = await call<ListedTask[]>("GET", "/api/tasks?view=summary");
  assert.deepEqual([rows[0]!.labels, rows[0]!.priority, rows[0]!.facts], [task.labels, "urgent", "12.5 · Dana"]);

  const again = async (changes: object) =>
    (await call("POST", "/api/tasks", { body: { ...body, ...changes } })).headers["idempotent-mismatch"];
  assert.equal(await again({}), undefined);
  assert.equal(await again({ labels: ["VIP", "fraud check"] }), undefined);
  assert.equal(await again({ labels: ["VIP"] }), "true");
  assert.equal(await again({ priority: "high" }), "true");

  const plain = newTaskBody();
  await call("POST", "/api/tasks", { body: plain });
  const { headers } = await call("POST", "/api/tasks", { body: { ...plain, labels: [], priority: "normal" } });
  assert.equal(headers["idempotent-mismatch"], undefined, "the defaults say the same");

  await call("DELETE", `/api/tasks/${task.id}`);
  assert.deepEqual(await ctx.db.query.selectFrom("task_labels").selectAll().execute(), [], "they go with their task");
});

testOnBoth("labels that no one could search for are refused, with the reason", async ({ call }) => {
  const refused = async (labels: unknown) => {
    const { status, body } = await call<{ error_code: string; details: { path: string; message: string }[] }>(
      "POST",
      "/api/tasks",
      { body: { ...newTaskBody(), labels } },
    );
    assert.deepEqual([status, body.error_code], [422, "VALIDATION_FAILED"], JSON.stringify(labels));
    return body.details[0]!.path;
  };
  assert.equal(await refused(["a", "A"]), "/labels/1");
  assert.equal(await refused(["a", " a"]), "/labels/1");
  assert.equal(await refused([" "]), "/labels/0");
  assert.equal(await refused(["a,b"]), "/labels/0");
  assert.equal(await refused(["a\nb"]), "/labels/0");
  assert.equal(await refused(["x".repeat(51)]), "/labels/0");
  assert.equal(await refused(Array.from({ length: 21 }, (_, i) => `l${i}`)), "/labels");
  const { status } = await call("POST", "/api/tasks", {
    body: newTaskBody({ labels: Array.from({ length: 20 }, (_, i) => `${i}${"é".repeat(48)}`) }),
  });
  assert.equal(status, 201);
});

testOnBoth("lists are filtered by labels and by what people see of the priority", async (service) => {
  const { call, create } = service;
  const both = await create({ labels: ["VIP", "fraud"], priority: "high" });
  const vip = await create({ labels: ["vip"], priority: "urgent", assign_to: { email: "dana@example.com" } });
  const plain = await create();
  const found = async (query: string) =>
    (await call<ListedTask[]>("GET", `/api/tasks?${query}`)).body.map(({ id }) => id).toSorted();
  const ids = (...tasks: { id: string }[]) => tasks.map(({ id }) => id).toSorted();
  assert.deepEqual(await found("label=Vip"), ids(both, vip));
  assert.deepEqual(await found("label=vip&label=FRAUD"), ids(both), "all of them must be there");
  assert.deepEqual(await found("label=fra"), [], "a label counts as a whole");
  assert.deepEqual(await found("label=vip&sort=deadline&terminal=false&limit=1"), ids(both));
  assert.deepEqual(await found("label=vip&status=created&limit=5"), ids(both, vip));
  assert.deepEqual(await found("priority=urgent"), ids(vip));
  assert.deepEqual(await found("priority=high"), ids(both));
  assert.deepEqual(await found("priority=normal"), ids(plain));

  const dana = await person(service, { email: "dana@example.com" });
  const own = await dana.call<ListedTask[]>("GET", "/api/tasks?label=vip&priority=urgent");
  assert.deepEqual(
    own.body.map(({ id }) => id),
    ids(vip),
  );
});

testOnBoth("a revision has facts of its own, and a redacted payload has none", async ({ call, create }) => {
  const task = await create();
  const { body: revised } = await call<TaskRecord>("POST", `/api/tasks/${task.id}/revise`, {
    body: { payload: { amount: 40, customer: "Mia" } },
  });
  assert.deepEqual([task.facts, revised.facts], ["12.5 · Dana", "40 · Mia"]);
  assert.equal((await call<TaskRecord>("GET", `/api/tasks/${task.id}`)).body.facts, "40 · Mia");
  const secret = await create({ redact_payload: true });
  assert.equal(secret.facts, null);
  const { body } = await call<TaskRecord>("POST", `/api/tasks/${secret.id}/revise`, {
    body: { payload: { amount: 40 } },
  });
  assert.equal(body.facts, null);
  const action = { name: "refund", args: { amount: 5, currency: "EUR" } };
  const asked = { task: "Refund?", action, timeout_seconds: 60, idempotency_key: "action" };
  assert.equal((await call<TaskRecord>("POST", "/api/tasks", { body: asked })).body.facts, "€5.00");
});
