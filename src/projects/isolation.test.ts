import assert from "node:assert/strict";
import { newAgent } from "../../test/support/agents.ts";
import { EMBED_ENV, mint, newServiceKey } from "../../test/support/embed.ts";
import { person } from "../../test/support/people.ts";
import { newTaskBody, testOnBoth, type TestService } from "../../test/support/service.ts";
import type { RecipientCaller, SessionCaller } from "../people/caller.ts";
import type { Memberships } from "../people/memberships.ts";
import { toPerson } from "../people/sign-in.ts";
import { findUser } from "../people/store.ts";
import { mayWith } from "../tasks/access.ts";
import { isShown } from "../tasks/event-audience.ts";
import type { TaskRecord } from "../tasks/schema.ts";
import { findTask } from "../tasks/store.ts";

type Call = TestService["call"];

/** Adds a project with these members. */
async function addProject({ ctx }: TestService, slug: string, members: readonly string[] = []): Promise<void> {
  const created_at = ctx.db.now();
  await ctx.db.write(async (tx) => {
    await tx.query
      .insertInto("projects")
      .values({ slug, id: `prj_${slug}`, name: slug, created_at, archived_at: null })
      .execute();
    for (const user_id of members)
      await tx.query
        .insertInto("project_members")
        .values({ project: slug, user_id, role: "member", created_at })
        .execute();
  });
}

const leave = async ({ ctx }: TestService, project: string, user_id: string) =>
  ctx.db.write((tx) =>
    tx.query
      .updateTable("project_members")
      .set({ role: "left" })
      .where("project", "=", project)
      .where("user_id", "=", user_id)
      .execute(),
  );

async function ask(service: TestService, fields: object): Promise<TaskRecord> {
  const { status, body, text } = await service.call<TaskRecord>("POST", "/api/tasks", { body: newTaskBody(fields) });
  assert.equal(status, 201, text);
  return body;
}

const idsOf = async (call: Call, query = "") =>
  (await call<TaskRecord[]>("GET", `/api/tasks${query}`)).body.map(({ id }) => id);
const openOf = async (call: Call) => (await call<{ open: number }>("GET", "/api/tasks/counts")).body.open;

/** How a caller is answered who asks for a task in every way. */
async function statusesOf(call: Call, id: string): Promise<number[]> {
  const asked = [
    call("GET", `/api/tasks/${id}`),
    call("GET", `/api/tasks/${id}/poll?timeout=0`),
    call("GET", `/api/tasks/${id}/attempts`),
    call("POST", `/api/tasks/${id}/claim`, { body: {} }),
    call("POST", `/api/tasks/${id}/complete`, { body: { response: { approved: true } } }),
  ];
  return (await Promise.all(asked)).map(({ status }) => status);
}

testOnBoth("a person sees nothing of a project that they have left", async (service) => {
  const { user, call } = await person(service);
  await addProject(service, "finance", [user.id]);
  const theirs = await ask(service, { assign_to: { user_id: user.id } });
  const assigned = await ask(service, { project: "finance", assign_to: { user_id: user.id } });
  const offered = await ask(service, { project: "finance", assign_to: { emails: [user.email, "x@example.com"] } });
  assert.deepEqual(await idsOf(call), [offered.id, assigned.id, theirs.id]);
  assert.equal(await openOf(call), 3);

  await leave(service, "finance", user.id);
  assert.deepEqual(await idsOf(call), [theirs.id]);
  assert.deepEqual(await idsOf(call, "?sort=deadline"), [theirs.id]);
  assert.deepEqual(await idsOf(call, `?q=${assigned.id}`), []);
  assert.equal(await openOf(call), 1);
  for (const { id } of [assigned, offered]) assert.deepEqual(await statusesOf(call, id), [404, 404, 404, 404, 404]);
  assert.equal((await call("GET", `/api/tasks/${theirs.id}`)).status, 200);

  await leave(service, "default", user.id);
  assert.deepEqual([await idsOf(call), await openOf(call)], [[], 0]);
});

testOnBoth("within their projects, people are told that a task is not theirs", async (service) => {
  const { call } = await person(service);
  const { id } = await ask(service, { assign_to: { email: "dana@example.com" } });
  assert.equal((await call("GET", `/api/tasks/${id}`)).status, 403);
});

testOnBoth("an operator sees every project", async (service) => {
  const { user, call } = await person(service, { is_operator: true });
  await addProject(service, "finance");
  await leave(service, "default", user.id);
  const [one, other] = [await ask(service, {}), await ask(service, { project: "finance" })];
  assert.deepEqual(await idsOf(call), [other.id, one.id]);
  assert.deepEqual([await openOf(call), await openOf(service.call)], [2, 2]);
  assert.equal((await call("GET", `/api/tasks/${other.id}`)).status, 200);
});

testOnBoth("an agent that may read sees the tasks of its project only", async (service) => {
  await addProject(service, "finance");
  const { call } = await newAgent(service, { scopes: ["ask", "read", "answer"] });
  const here = await ask(service, {});
  const there = await ask(service, { project: "finance" });
  for (const query of ["", "?sort=deadline", "?terminal=false", "?q=Refund"])
    assert.ok(!(await idsOf(call, query)).includes(there.id), query);
  assert.deepEqual(await idsOf(call), [here.id]);
  assert.equal(await openOf(call), 1);
  assert.equal((await call("GET", `/api/tasks/${here.id}`)).status, 200);
  assert.deepEqual(await statusesOf(call, there.id), [404, 404, 404, 404, 404]);
  assert.equal((await call("GET", `/api/tasks/${there.id}/audit`)).status, 404);
});

testOnBoth("a task is routed to members of its project only", async (service) => {
  const inside = await person(service, { role: "approver", pool: "desk" });
  const outside = await person(service, { role: "approver", pool: "desk" });
  await addProject(service, "finance", [inside.user.id]);
  for (let i = 0; i < 3; i++) {
    const byRole = await ask(service, { project: "finance", assign_to: { role: "approver" } });
    assert.equal(byRole.assigned_to_user_id, inside.user.id);
  }
  const byPool = await ask(service, { project: "finance", assign_to: { pool: "desk" } });
  assert.deepEqual([(await idsOf(inside.call)).length, await idsOf(outside.call)], [4, []]);
  const offers = await service.ctx.db.query
    .selectFrom("task_candidates")
    .select("person")
    .where("task_id", "=", byPool.id)
    .execute();
  assert.deepEqual(
    offers.map((offer) => offer.person),
    [inside.user.id],
  );
  // Nobody is assigned whose task it cannot be. The address of nobody in the directory is.
  const assign = async (assign_to: object) => {
    const { assigned_to_user_id, assigned_to_email } = await ask(service, { project: "finance", assign_to });
    return assigned_to_user_id ?? assigned_to_email;
  };
  assert.equal(await assign({ user_id: outside.user.id }), null);
  assert.equal(await assign({ email: outside.user.email }), null);
  assert.equal(await assign({ email: "nobody@example.com" }), "nobody@example.com");
});

testOnBoth("a link does not open a task of a project that its person has left", async (service) => {
  const { user } = await person(service);
  await addProject(service, "finance", [user.id]);
  const { id } = await ask(service, { project: "finance", assign_to: { user_id: user.id } });
  const task = (await findTask(service.ctx.db, id))!;
  const mayComplete = async () => {
    const caller: RecipientCaller = {
      kind: "recipient",
      channel: "email",
      person: toPerson((await findUser(service.ctx.db, user.id))!),
      email: user.email,
      account: null,
      grant: { kind: "link", task_id: id, is_named: true },
    };
    return mayWith(service.ctx.db, caller, "complete", task);
  };
  assert.equal(await mayComplete(), true);
  await leave(service, "finance", user.id);
  assert.equal(await mayComplete(), false);
});

testOnBoth(
  "an embed key opens the tasks of its project only",
  async (service) => {
    await addProject(service, "finance");
    const { id, key } = await newServiceKey(service);
    const here = await ask(service, {});
    const there = await ask(service, { project: "finance" });
    const opened = async () => [
      (await mint(service, key, { task_id: here.id })).status,
      (await mint(service, key, { task_id: there.id })).status,
    ];
    assert.deepEqual(await opened(), [200, 404]);
    await service.ctx.db.write((tx) =>
      tx.query.updateTable("service_keys").set({ project: "finance" }).where("id", "=", id).execute(),
    );
    assert.deepEqual(await opened(), [404, 200]);
  },
  { env: EMBED_ENV },
);

testOnBoth("changes of a task are told within its project only", async (service) => {
  const { user } = await person(service);
  await addProject(service, "finance", [user.id]);
  const { id } = await ask(service, { project: "finance", assign_to: { user_id: user.id } });
  const task = (await findTask(service.ctx.db, id))!;
  const asMembers = (slugs: string[]): Memberships => Object.fromEntries(slugs.map((slug) => [slug, "member"]));
  const asMember = (...projects: string[]): SessionCaller => ({
    kind: "user",
    user: {
      id: user.id,
      email: user.email,
      display_name: null,
      is_operator: false,
      projects: asMembers(projects),
      time_zone: null,
      language: null,
      absence: null,
    },
    session: "",
    confirmedAt: 0,
    method: "password",
    isLimited: false,
  });
  assert.equal(isShown(asMember("default", "finance"), task, undefined), true);
  assert.equal(isShown(asMember("default"), task, undefined), false);
});
