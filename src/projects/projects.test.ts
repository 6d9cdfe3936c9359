import assert from "node:assert/strict";
import { newAgent } from "../../test/support/agents.ts";
import { EMBED_ENV, mint, newServiceKey } from "../../test/support/embed.ts";
import { addUser, person } from "../../test/support/people.ts";
import { join, newProject } from "../../test/support/projects.ts";
import { newTaskBody, testOnBoth, type TestService } from "../../test/support/service.ts";
import type { UserRecord } from "../people/schema.ts";
import type { ListedTask, Stats, TaskCounts, TaskRecord } from "../tasks/schema.ts";
import { reofferTasksOfDeparted } from "../tasks/departures.ts";
import type { MembershipRecord, ProjectRecord } from "./schema.ts";

type Call = TestService["call"];

/** Two projects beside the default one, each with an operator and a member. */
async function stage(service: TestService) {
  const people = {} as Record<"refunds" | "hiring", { operator: Person; member: Person }>;
  for (const slug of ["refunds", "hiring"] as const) {
    await newProject(service, slug);
    const operator = await person(service, { projects: [slug] });
    await join(service, slug, operator.user.id, "operator");
    people[slug] = { operator, member: await person(service, { projects: [slug], pool: "all" }) };
  }
  return people;
}
type Person = Awaited<ReturnType<typeof person>>;

const create = async (call: Call, fields: object = {}): Promise<TaskRecord> => {
  const { status, body, text } = await call<TaskRecord>("POST", "/api/tasks", { body: newTaskBody(fields) });
  assert.equal(status, 201, text);
  return body;
};
const idsOf = async (call: Call, path = "/api/tasks"): Promise<string[]> =>
  (await call<ListedTask[]>("GET", path)).body.map(({ id }) => id);
const outcome = async (call: Call, method: "GET" | "POST" | "PATCH" | "DELETE", path: string, body?: object) => {
  const answer = await call<{ error_code?: string }>(method, path, body && { body });
  return [answer.status, answer.body?.error_code];
};

testOnBoth("a fresh service has the default project, and everything is in it", async (service) => {
  const { body: projects } = await service.call<ProjectRecord[]>("GET", "/api/projects");
  assert.deepEqual(
    projects.map(({ slug, name, archived_at }) => [slug, name, archived_at]),
    [["default", "Default", null]],
  );
  assert.equal((await service.create()).project, "default");
  assert.equal((await newAgent(service)).project, "default");
  assert.deepEqual((await addUser(service)).projects, [{ project: "default", role: "member" }]);
});

testOnBoth("a slug is checked, unique, and never changes", async ({ call }) => {
  const make = (slug: string) => outcome(call, "POST", "/api/projects", { slug, name: "Refunds" });
  assert.deepEqual(await make("refunds"), [201, undefined]);
  assert.deepEqual(await make("refunds"), [409, "PROJECT_ALREADY_EXISTS"]);
  for (const slug of ["Refunds", "re funds", "re_funds", "", "x".repeat(65)])
    assert.ok([400, 422].includes((await make(slug))[0] as number), slug);
  const { body } = await call<ProjectRecord>("PATCH", "/api/projects/refunds", {
    body: { name: "Refunds and returns", slug: "other" },
  });
  assert.deepEqual([body.slug, body.name], ["refunds", "Refunds and returns"]);
  assert.deepEqual(await outcome(call, "PATCH", "/api/projects/nothing", { name: "x" }), [404, "PROJECT_NOT_FOUND"]);
});

testOnBoth("tasks are in the project of their agent, or in the one that an operator names", async (service) => {
  const { refunds, hiring } = await stage(service);
  const agent = await newAgent(service, { project: "refunds" });
  assert.equal((await create(agent.call)).project, "refunds");
  assert.equal((await create(agent.call, { project: "refunds" })).project, "refunds");
  assert.deepEqual(await outcome(agent.call, "POST", "/api/tasks", newTaskBody({ project: "hiring" })), [
    422,
    "VALIDATION_FAILED",
  ]);
  assert.equal((await create(service.call, { project: "hiring" })).project, "hiring");
  // An operator of one project need not name it.
  assert.equal((await create(refunds.operator.call)).project, "refunds");
  for (const project of ["hiring", "default", "nothing"])
    assert.deepEqual(
      await outcome(refunds.operator.call, "POST", "/api/tasks", newTaskBody({ project })),
      [422, "VALIDATION_FAILED"],
      project,
    );
  assert.deepEqual(await outcome(refunds.member.call, "POST", "/api/tasks", newTaskBody()), [403, "FORBIDDEN"]);
  await join(service, "refunds", hiring.operator.user.id, "operator");
  assert.deepEqual(await outcome(hiring.operator.call, "POST", "/api/tasks", newTaskBody()), [
    422,
    "VALIDATION_FAILED",
  ]);
});

testOnBoth("lists, counts, statistics and search have what the caller's projects hold", async (service) => {
  const { refunds, hiring } = await stage(service);
  const inDefault = await service.create({ task: "Lunch?" });
  const inRefunds = await create(service.call, { project: "refunds", task: "Refund lunch?" });
  const theirs = await create(service.call, {
    project: "refunds",
    task: "Refund dinner?",
    assign_to: { email: refunds.member.user.email },
  });
  const inHiring = await create(service.call, { project: "hiring", task: "Hire for lunch?" });
  const all = [inHiring.id, theirs.id, inRefunds.id, inDefault.id];
  assert.deepEqual(await idsOf(service.call), all);
  assert.deepEqual(await idsOf(service.call, "/api/tasks?project=refunds"), [theirs.id, inRefunds.id]);
  assert.deepEqual(await idsOf(service.call, "/api/tasks?project=default"), [inDefault.id]);
  assert.deepEqual(await idsOf(refunds.operator.call), [theirs.id, inRefunds.id]);
  assert.deepEqual(await idsOf(refunds.operator.call, "/api/tasks?project=refunds&sort=deadline"), [
    inRefunds.id,
    theirs.id,
  ]);
  assert.deepEqual(await idsOf(refunds.operator.call, "/api/tasks?q=lunch"), [inRefunds.id]);
  assert.deepEqual(await idsOf(refunds.operator.call, "/api/tasks?status=created&limit=1"), [theirs.id]);
  assert.deepEqual(await idsOf(refunds.member.call), [theirs.id]);
  assert.deepEqual(await idsOf(refunds.member.call, "/api/tasks?project=refunds"), [theirs.id]);
  assert.deepEqual(await idsOf(hiring.member.call), []);
  // An operator of one project who has tasks in another.
  await join(service, "refunds", hiring.operator.user.id);
  const mine = await create(service.call, {
    project: "refunds",
    assign_to: { email: hiring.operator.user.email },
  });
  assert.deepEqual(await idsOf(hiring.operator.call), [mine.id, inHiring.id]);
  assert.deepEqual(await idsOf(hiring.operator.call, "/api/tasks?project=refunds"), [mine.id]);
  for (const project of ["default", "nothing"])
    for (const path of [
      "/api/tasks",
      "/api/tasks/counts",
      "/api/stats",
      "/api/admin/webhook-deliveries",
      "/api/events",
    ])
      assert.deepEqual(
        await outcome(refunds.operator.call, "GET", `${path}?project=${project}`),
        [404, "PROJECT_NOT_FOUND"],
        `${path} of ${project}`,
      );

  const open = async (call: Call, query = "") => (await call<TaskCounts>("GET", `/api/tasks/counts${query}`)).body.open;
  assert.deepEqual(
    [await open(service.call), await open(service.call, "?project=refunds"), await open(refunds.operator.call)],
    [5, 3, 3],
  );
  assert.deepEqual([await open(refunds.member.call), await open(hiring.operator.call)], [1, 2]);
  await service.call("POST", `/api/tasks/${inRefunds.id}/cancel`);
  const cancelled = async (call: Call, query = "") => (await call<Stats>("GET", `/api/stats${query}`)).body.totals;
  assert.deepEqual(
    [
      (await cancelled(service.call)).cancelled,
      (await cancelled(service.call, "?project=hiring")).cancelled,
      (await cancelled(refunds.operator.call)).cancelled,
      (await cancelled(hiring.operator.call)).cancelled,
    ],
    [1, 0, 1, 0],
  );
  assert.equal((await cancelled(refunds.operator.call)).created, 2);
});

testOnBoth("an agent that reads sees its project, and nothing else", async (service) => {
  await stage(service);
  const agent = await newAgent(service, { project: "refunds", scopes: ["ask", "read", "answer"] });
  const inRefunds = await create(service.call, { project: "refunds" });
  const elsewhere = await create(service.call, { project: "hiring" });
  assert.deepEqual(await idsOf(agent.call), [inRefunds.id]);
  assert.deepEqual(await outcome(agent.call, "GET", `/api/tasks/${elsewhere.id}`), [404, "TASK_NOT_FOUND"]);
  assert.deepEqual(await outcome(agent.call, "GET", "/api/tasks?project=hiring"), [404, "PROJECT_NOT_FOUND"]);
  assert.equal((await agent.call<TaskCounts>("GET", "/api/tasks/counts")).body.open, 1);
  assert.deepEqual(
    (await agent.call<ProjectRecord[]>("GET", "/api/projects")).body.map(({ slug }) => slug),
    ["refunds"],
  );
});

testOnBoth("people see the projects that they are in, and others do not exist for them", async (service) => {
  const { refunds, hiring } = await stage(service);
  const slugsOf = async (call: Call) =>
    (await call<ProjectRecord[]>("GET", "/api/projects")).body.map(({ slug }) => slug);
  for (const { call } of [refunds.member, refunds.operator]) {
    assert.deepEqual(await slugsOf(call), ["refunds"]);
    assert.deepEqual(await outcome(call, "GET", "/api/projects/hiring"), [404, "PROJECT_NOT_FOUND"]);
  }
  await join(service, "refunds", hiring.member.user.id);
  assert.deepEqual(await slugsOf(hiring.member.call), ["hiring", "refunds"]);
  assert.deepEqual(await slugsOf(service.call), ["default", "hiring", "refunds"]);
});

testOnBoth("agents of two projects may have one name and one key", async (service) => {
  await stage(service);
  const [one, other] = [
    await newAgent(service, { name: "desk", project: "refunds" }),
    await newAgent(service, { name: "desk", project: "hiring" }),
  ];
  const [first, second] = [
    await create(one.call, { idempotency_key: "k" }),
    await create(other.call, { idempotency_key: "k" }),
  ];
  assert.notEqual(first.id, second.id);
});

testOnBoth("a pool, a role and a list reach members alone", async (service) => {
  const { refunds, hiring } = await stage(service);
  const inProject = { project: "refunds" };
  const pool = await create(service.call, { ...inProject, assign_to: { pool: "all" } });
  assert.deepEqual(await idsOf(refunds.member.call), [pool.id]);
  assert.deepEqual(await idsOf(hiring.member.call), []);
  for (const assign_to of [
    { email: hiring.member.user.email },
    { user_id: hiring.member.user.id },
    { emails: [hiring.member.user.email] },
  ]) {
    const task = await create(service.call, { ...inProject, assign_to });
    assert.deepEqual([task.assigned_to_user_id, task.assigned_to_email], [null, null], JSON.stringify(assign_to));
    assert.deepEqual(await outcome(hiring.member.call, "GET", `/api/tasks/${task.id}`), [404, "TASK_NOT_FOUND"]);
  }
  const { id } = await create(service.call, inProject);
  assert.deepEqual(await outcome(service.call, "POST", `/api/tasks/${id}/assign`, { user_id: hiring.member.user.id }), [
    422,
    "VALIDATION_FAILED",
  ]);
});

testOnBoth("who leaves a project loses its tasks at once, and they go to others", async (service) => {
  const { refunds } = await stage(service);
  const { member, operator } = refunds;
  const heir = await person(service, { projects: ["refunds"], role: "clerk" });
  await service.call("PATCH", `/api/users/${member.user.id}`, { body: { role: "clerk" } });
  const first = await create(service.call, { project: "refunds", assign_to: { role: "clerk" } });
  const second = await create(service.call, { project: "refunds", assign_to: { role: "clerk" } });
  const own = [first, second].find(({ assigned_to_user_id }) => assigned_to_user_id === member.user.id)!;
  const removed = await outcome(operator.call, "DELETE", `/api/projects/refunds/members/${member.user.id}`);
  assert.deepEqual(removed, [204, undefined]);
  assert.deepEqual(await outcome(member.call, "GET", `/api/tasks/${own.id}`), [404, "TASK_NOT_FOUND"]);
  assert.deepEqual(await idsOf(member.call), []);
  await reofferTasksOfDeparted(service.ctx);
  const { body } = await service.call<TaskRecord>("GET", `/api/tasks/${own.id}`);
  assert.equal(body.assigned_to_user_id, heir.user.id);
  assert.deepEqual(await outcome(operator.call, "DELETE", `/api/projects/refunds/members/${member.user.id}`), [
    404,
    "USER_NOT_FOUND",
  ]);
  const { body: members } = await operator.call<MembershipRecord[]>("GET", "/api/projects/refunds/members");
  assert.deepEqual(
    new Set(members.map(({ user_id, role }) => `${user_id} ${role}`)),
    new Set([`${operator.user.id} operator`, `${heir.user.id} member`]),
  );
});

testOnBoth(
  "a person whom a process of the release before has added is in the default project, and stays there",
  async (service) => {
    await stage(service);
    const { user, call } = await person(service);
    await service.ctx.db.write((tx) => tx.query.deleteFrom("project_members").where("user_id", "=", user.id).execute());
    const own = await create(service.call, { assign_to: { email: user.email } });
    assert.deepEqual(await idsOf(call), [own.id]);
    await join(service, "refunds", user.id);
    assert.deepEqual(await idsOf(call), [own.id]);
    const { body } = await service.call<UserRecord>("GET", `/api/users/${user.id}`);
    assert.deepEqual(
      body.projects.map(({ project }) => project),
      ["default", "refunds"],
    );
  },
);

testOnBoth("an archived project takes nothing new, and its tasks can be answered", async (service) => {
  const { refunds } = await stage(service);
  const agent = await newAgent(service, { project: "refunds" });
  const task = await create(agent.call, { idempotency_key: "before" });
  assert.deepEqual(await outcome(refunds.operator.call, "PATCH", "/api/projects/refunds", { archived: true }), [
    403,
    "FORBIDDEN",
  ]);
  assert.deepEqual(await outcome(service.call, "PATCH", "/api/projects/default", { archived: true }), [
    422,
    "VALIDATION_FAILED",
  ]);
  await service.call("PATCH", "/api/projects/refunds", { body: { archived: true } });
  for (const [path, body] of [
    ["/api/tasks", newTaskBody({ project: "refunds" })],
    ["/api/agents", { name: "late", project: "refunds" }],
    ["/api/service-keys", { name: "late", project: "refunds" }],
  ] as const)
    assert.deepEqual(await outcome(service.call, "POST", path, body), [409, "PROJECT_ARCHIVED"], path);
  assert.deepEqual(await outcome(agent.call, "POST", "/api/tasks", newTaskBody()), [409, "PROJECT_ARCHIVED"]);
  // A key that is known is found.
  assert.equal((await create(agent.call, { idempotency_key: "before" })).id, task.id);
  const answer = { response: { approved: true } };
  assert.deepEqual(await outcome(refunds.operator.call, "POST", `/api/tasks/${task.id}/complete`, answer), [
    200,
    undefined,
  ]);
  await service.call("PATCH", "/api/projects/refunds", { body: { archived: false } });
  assert.equal((await create(agent.call)).project, "refunds");
});

testOnBoth(
  "an embed key shows tasks of its project, or of some of its agents",
  async (service) => {
    await stage(service);
    const [one, other] = [
      await newAgent(service, { project: "refunds" }),
      await newAgent(service, { project: "refunds" }),
    ];
    const ofProject = await newServiceKey(service, { project: "refunds" });
    const ofOne = await newServiceKey(service, { project: "refunds", agents: [one.id] });
    const tasks = [await create(one.call), await create(other.call), await service.create()];
    const minted = async (key: string) =>
      Promise.all(tasks.map(async ({ id }) => (await mint(service, key, { task_id: id })).status));
    assert.deepEqual(await minted(ofProject.key), [200, 200, 404]);
    assert.deepEqual(await minted(ofOne.key), [200, 404, 404]);
    const strange = { name: "x", project: "hiring", agents: [one.id] };
    assert.deepEqual(await outcome(service.call, "POST", "/api/service-keys", strange), [422, "VALIDATION_FAILED"]);
  },
  { env: EMBED_ENV },
);

testOnBoth("a task is sent by the senders of its project", async (service) => {
  await stage(service);
  for (const project of ["refunds", "hiring"])
    await service.call("POST", "/api/channels/email/identities", {
      body: { id: project, project, display_name: project, from_email: `${project}@example.com`, transport: "log" },
    });
  const sendersOf = async (project: string, notify: string): Promise<string[]> => {
    const { id } = await create(service.call, { project, notify: [notify] });
    const rows = await service.ctx.db.query
      .selectFrom("deliveries")
      .select("origin")
      .where("task_id", "=", id)
      .execute();
    return rows.map(({ origin }) => origin);
  };
  assert.deepEqual(await sendersOf("refunds", "email:mia@example.com"), ["email:refunds"]);
  assert.deepEqual(await sendersOf("hiring", "email+hiring:mia@example.com"), ["email:hiring"]);
  assert.deepEqual(await sendersOf("refunds", "email+hiring:mia@example.com"), []);
  assert.deepEqual(await sendersOf("default", "email:mia@example.com"), []);
});

testOnBoth("callbacks are sent again by operators of their project alone", async (service) => {
  const { refunds, hiring } = await stage(service);
  const { id } = await create(service.call, { project: "refunds", callback_url: "http://127.0.0.1:1/callback" });
  await service.call("POST", `/api/tasks/${id}/cancel`);
  const listed = async (call: Call) =>
    (await call<{ id: string }[]>("GET", "/api/admin/webhook-deliveries")).body.map((one) => one.id);
  const [callback] = await listed(refunds.operator.call);
  assert.deepEqual(await listed(hiring.operator.call), []);
  const again = async (call: Call, body: object) =>
    (await call<{ count: number }>("POST", "/api/admin/webhook-deliveries/redeliver", { body })).body.count;
  assert.deepEqual(
    [
      await again(hiring.operator.call, { ids: [callback] }),
      await again(hiring.operator.call, { status: "PENDING" }),
      await again(refunds.operator.call, { ids: [callback] }),
      await again(refunds.operator.call, { status: "PENDING" }),
    ],
    [0, 0, 1, 1],
  );
});
