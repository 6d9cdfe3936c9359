import assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import { person } from "../../test/support/people.ts";
import { join, newProject } from "../../test/support/projects.ts";
import { newTaskBody, testOnBoth, type TestService } from "../../test/support/service.ts";
import type { Caller, SessionCaller } from "../people/caller.ts";
import { toPerson } from "../people/sign-in.ts";
import { findUser } from "../people/store.ts";
import { reofferTasksOfDeparted } from "../tasks/departures.ts";
import type { TaskChange } from "../tasks/events.ts";
import type { TaskRecord } from "../tasks/schema.ts";

async function createIn(service: TestService, project: string, fields: object = {}): Promise<TaskRecord> {
  const { status, body, text } = await service.call<TaskRecord>("POST", "/api/tasks", {
    body: newTaskBody({ project, ...fields }),
  });
  assert.equal(status, 201, text);
  return body;
}

async function operatorOf(service: TestService, slug: string) {
  const operator = await person(service, { projects: [slug] });
  await join(service, slug, operator.user.id, "operator");
  return operator;
}

/** Opens a stream. `until` waits for a change, and returns all up to it. */
function listen({ ctx }: TestService, caller: Caller, project: string | null = null) {
  const heard: TaskChange[] = [];
  ctx.events.open(caller, project, { change: (change) => heard.push(change), end: () => {} });
  return async (fits: (change: TaskChange) => boolean): Promise<TaskChange[]> => {
    for (;;) {
      const at = heard.findIndex(fits);
      if (at >= 0) return heard.splice(0, at + 1);
      await turn();
    }
  };
}
const isOf = (id: string) => (change: TaskChange) => change.type === "task" && change.id === id;

async function callerOf({ ctx }: TestService, id: string): Promise<SessionCaller> {
  const user = toPerson((await findUser(ctx.db, id))!);
  return { kind: "user", user, session: "", confirmedAt: 0, method: "password", isLimited: false };
}

testOnBoth("operators of a project hear that something was deleted there, and nothing of others", async (service) => {
  await newProject(service, "refunds");
  await newProject(service, "hiring");
  const [ours, theirs] = [await operatorOf(service, "refunds"), await operatorOf(service, "hiring")];
  const { id } = await createIn(service, "refunds");
  const untilOurs = listen(service, await callerOf(service, ours.user.id));
  const untilTheirs = listen(service, await callerOf(service, theirs.user.id));
  await untilOurs(({ type }) => type === "reset");
  await untilTheirs(({ type }) => type === "reset");
  await service.call("DELETE", `/api/tasks/${id}`);
  await untilOurs(({ type }) => type === "reset");
  const { id: last } = await createIn(service, "hiring");
  assert.deepEqual(await untilTheirs(isOf(last)), [{ type: "task", id: last, status: "created" }]);
});

testOnBoth("a stream of one project tells of its tasks alone", async (service) => {
  await newProject(service, "refunds");
  const until = listen(service, { kind: "admin" }, "refunds");
  await until(({ type }) => type === "reset");
  await createIn(service, "default");
  const { id } = await createIn(service, "refunds");
  await until(isOf(id));
  // What was told together with its creation is told before this.
  await service.call("POST", `/api/tasks/${id}/cancel`);
  assert.deepEqual(await until(isOf(id)), [{ type: "task", id, status: "cancelled" }]);
});

testOnBoth("a stream and a poll of a person end when they leave the project", async (service) => {
  await newProject(service, "refunds");
  const { user, headers, call } = await person(service, { projects: ["refunds"] });
  const { id } = await createIn(service, "refunds", { assign_to: { user_id: user.id } });
  const response = await service.app.inject({ url: "/api/events", headers: { ...headers }, payloadAsStream: true });
  const ended = new Promise<void>((resolve) => response.stream().once("close", resolve).resume());
  const polling = call("GET", `/api/tasks/${id}/poll?timeout=60`);
  while (service.ctx.waiters.count() < 1) await turn();
  await service.call("DELETE", `/api/projects/refunds/members/${user.id}`);
  assert.equal((await polling).status, 404);
  await ended;
});

testOnBoth("an operator of all projects who is removed from one does not keep others from leaving", async (service) => {
  await newProject(service, "refunds");
  const root = await person(service, { is_operator: true, projects: ["refunds"] });
  const member = await person(service, { projects: ["refunds"] });
  const kept = await createIn(service, "refunds", { assign_to: { user_id: root.user.id } });
  const left = await createIn(service, "refunds", { assign_to: { user_id: member.user.id } });
  for (const { user } of [root, member]) await service.call("DELETE", `/api/projects/refunds/members/${user.id}`);
  assert.equal(await reofferTasksOfDeparted(service.ctx, 1), 1);
  assert.equal(await reofferTasksOfDeparted(service.ctx, 1), 0);
  const assignee = async ({ id }: TaskRecord) =>
    (await service.call<TaskRecord>("GET", `/api/tasks/${id}`)).body.assigned_to_user_id;
  assert.deepEqual([await assignee(kept), await assignee(left)], [root.user.id, null]);
});

testOnBoth("a known key gives nothing of a project that its person has lost", async (service) => {
  await newProject(service, "refunds");
  await newProject(service, "hiring");
  const { user, call } = await operatorOf(service, "refunds");
  const body = newTaskBody({ idempotency_key: "once" });
  const first = await call("POST", "/api/tasks", { body });
  assert.equal(first.status, 201);
  const other = await service.call("POST", "/api/tasks", { body: { ...body, project: "refunds" } });
  assert.equal(other.headers["idempotent-replayed"], "false");
  const elsewhere = await service.call("POST", "/api/tasks", { body: { ...body, project: "hiring" } });
  assert.deepEqual(
    [elsewhere.headers["idempotent-replayed"], elsewhere.headers["idempotent-mismatch"]],
    ["true", "true"],
  );
  await join(service, "hiring", user.id, "operator");
  await service.call("DELETE", `/api/projects/refunds/members/${user.id}`);
  assert.equal((await call("POST", "/api/tasks", { body })).status, 403);
});
