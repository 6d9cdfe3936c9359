import assert from "node:assert/strict";
import { addUser, person } from "../../test/support/people.ts";
import { testOnBoth, type Answer, type TestService } from "../../test/support/service.ts";
import type { AuditEntryRecord, CreateTaskBody, TaskCounts, TaskRecord } from "./schema.ts";

const assigneeOf = ({ assigned_to_user_id, assigned_to_email }: TaskRecord) => [assigned_to_user_id, assigned_to_email];
const trailOf = async (service: TestService, id: string) =>
  (await service.call<AuditEntryRecord[]>("GET", `/api/tasks/${id}/audit`)).body;
const decisionOf = async (service: TestService, id: string) => {
  const [, decision] = await trailOf(service, id);
  return decision && { action: decision.action, actor: decision.actor_type, extra: decision.extra };
};
const idsOf = (tasks: readonly TaskRecord[]) => tasks.map(({ id }) => id);

testOnBoth(
  "a task for an address is that person's, whatever its case, and the decision stands in the trail",
  async (service) => {
    const dana = await person(service, { email: "Dana@example.com" });
    const task = await service.create({ assign_to: { email: "dana@EXAMPLE.com" } });
    assert.deepEqual(assigneeOf(task), [dana.user.id, "dana@EXAMPLE.com"]);
    assert.deepEqual(await decisionOf(service, task.id), {
      action: "assigned",
      actor: "system",
      extra: { by: "email", assigned_to_user_id: dana.user.id, assigned_to_email: "dana@EXAMPLE.com" },
    });
    assert.equal((await dana.call("GET", `/api/tasks/${task.id}`)).status, 200);
  },
);

testOnBoth("a task for an address that becomes a user later is theirs to see and to answer", async (service) => {
  const { id } = await service.create({ assign_to: { email: "later@example.com" } });
  const other = await person(service);
  assert.equal((await other.call("GET", `/api/tasks/${id}`)).status, 403);
  const later = await person(service, { email: "Later@Example.com" });
  assert.deepEqual(idsOf((await later.call<TaskRecord[]>("GET", "/api/tasks")).body), [id]);
  const answer = await later.call<TaskRecord>("POST", `/api/tasks/${id}/complete`, {
    body: { response: { approved: true } },
  });
  assert.deepEqual([answer.status, answer.body.completed_by_user_id], [200, later.user.id]);
});

testOnBoth("an address that was somebody's does not hand their tasks to its next owner", async (service) => {
  const first = await person(service, { email: "desk@example.com" });
  const { id } = await service.create({ assign_to: { email: "desk@example.com" } });
  await service.call("PATCH", `/api/users/${first.user.id}`, { body: { email: "first@example.com" } });
  const second = await person(service, { email: "desk@example.com" });
  assert.equal((await second.call("GET", `/api/tasks/${id}`)).status, 403);
  assert.equal((await second.call<TaskRecord[]>("GET", "/api/tasks")).body.length, 0);
  assert.equal((await first.call("GET", `/api/tasks/${id}`)).status, 200);
});

testOnBoth("a user is named by id; one who is unknown or gone leaves the task unassigned", async (service) => {
  const user = await addUser(service);
  const task = await service.create({ assign_to: { userId: user.id } });
  assert.deepEqual(assigneeOf(task), [user.id, user.email]);
  await service.call("DELETE", `/api/users/${user.id}`);
  for (const user_id of [user.id, "usr_none"]) {
    const left = await service.create({ assign_to: { user_id } });
    assert.deepEqual(assigneeOf(left), [null, null]);
    assert.deepEqual(await decisionOf(service, left.id), { action: "routing_unmatched", actor: "system", extra: null });
  }
});

testOnBoth("a role is served by whoever was chosen the longest ago", async (service) => {
  const users = [];
  for (let i = 0; i < 3; i++)
    users.push(await addUser(service, { role: "approver", access_level: i === 2 ? "gold" : "silver" }));
  await addUser(service, { role: "clerk" });
  const gone = await addUser(service, { role: "approver" });
  await service.call("DELETE", `/api/users/${gone.id}`);

  const chosen: (string | null)[] = [];
  for (let i = 0; i < 6; i++)
    chosen.push((await service.create({ assign_to: { role: "approver" } })).assigned_to_user_id);
  const ids = users.map(({ id }) => id);
  assert.deepEqual(chosen, [...ids, ...ids]);
  const gold = await service.create({ assign_to: { role: "approver", accessLevel: "gold" } });
  assert.equal(gold.assigned_to_user_id, ids[2]);
  const { body: user } = await service.call("GET", `/api/users/${ids[2]}`);
  assert.notEqual(user["last_assigned_at"], null);
  assert.deepEqual(assigneeOf(await service.create({ assign_to: { role: "nobody" } })), [null, null]);
});

testOnBoth("30 tasks at once for a role of three are shared out", async (service) => {
  for (let i = 0; i < 3; i++) await addUser(service, { role: "approver" });
  const tasks = await Promise.all(
    Array.from({ length: 30 }, () => service.create({ assign_to: { role: "approver" } })),
  );
  const counts = new Map<string | null, number>();
  for (const { assigned_to_user_id: id } of tasks) counts.set(id, (counts.get(id) ?? 0) + 1);
  assert.deepEqual([...counts.values()], [10, 10, 10]);
});

testOnBoth("a replay chooses nobody and offers nothing again", async (service) => {
  const [a, b] = [await addUser(service, { role: "r" }), await addUser(service, { role: "r" })];
  const body = { assign_to: { role: "r" }, idempotency_key: "same" };
  assert.equal((await service.create(body)).assigned_to_user_id, a.id);
  assert.equal((await service.create(body)).assigned_to_user_id, a.id);
  assert.equal((await service.create({ assign_to: { role: "r" } })).assigned_to_user_id, b.id);
  const all = await Promise.all(
    Array.from({ length: 10 }, () =>
      service.create({ assign_to: { emails: ["x@example.com", "X@example.com"] }, idempotency_key: "offer" }),
    ),
  );
  assert.equal(new Set(idsOf(all)).size, 1);
  const offers = await service.ctx.db.query
    .selectFrom("task_candidates")
    .select(["person", "is_open", "task_id"])
    .execute();
  assert.deepEqual(
    offers.map((offer) => ({ ...offer })),
    [{ person: "x@example.com", is_open: 1, task_id: all[0]!.id }],
  );
});

testOnBoth("a pool and a list of addresses are offered to everybody in them, and to nobody else", async (service) => {
  const inside = await person(service, { pool: "refunds", role: "approver" });
  const clerk = await person(service, { pool: "refunds", role: "clerk" });
  const outside = await person(service, { pool: "claims" });
  const pooled = await service.create({ assign_to: { pool: "refunds" } });
  const approvers = await service.create({ assign_to: { pool: "refunds", role: "approver" } });
  const listed = await service.create({ assign_to: { emails: [outside.user.email!, "later@example.com"] } });
  assert.deepEqual(await decisionOf(service, pooled.id), {
    action: "offered",
    actor: "system",
    extra: { candidates: [inside.user.id, clerk.user.id] },
  });
  const seen = async (call: TestService["call"]) => idsOf((await call<TaskRecord[]>("GET", "/api/tasks")).body);
  assert.deepEqual(await seen(inside.call), [approvers.id, pooled.id]);
  assert.deepEqual(await seen(clerk.call), [pooled.id]);
  assert.deepEqual(await seen(outside.call), [listed.id]);
  const later = await person(service, { email: "LATER@example.com" });
  assert.deepEqual(await seen(later.call), [listed.id]);
  assert.deepEqual(await decisionOf(service, (await service.create({ assign_to: { pool: "none" } })).id), {
    action: "routing_unmatched",
    actor: "system",
    extra: null,
  });
});

testOnBoth("without assign_to, a single person whom notify names is the assignee", async (service) => {
  const dana = await addUser(service, { email: "dana@example.com", slack_team_id: "T1", slack_user_id: "U12345" });
  const cases: [string[], (string | null)[]][] = [
    [["email:dana@example.com"], [dana.id, "dana@example.com"]],
    [["email:new@example.com"], [null, "new@example.com"]],
    [
      ["email:new@example.com", "email:NEW@example.com"],
      [null, "new@example.com"],
    ],
    [
      ["slack:#approvals", "email:dana@example.com"],
      [dana.id, "dana@example.com"],
    ],
    [["slack:U12345"], [dana.id, "dana@example.com"]],
    [
      ["slack+T1:U12345", "email:dana@example.com"],
      [dana.id, "dana@example.com"],
    ],
    [["slack:dana@example.com"], [dana.id, "dana@example.com"]],
    [["slack+T2:U12345"], [null, null]],
    [["slack:U99999"], [null, null]],
    [["slack:@dana"], [null, null]],
    [["slack:#approvals"], [null, null]],
    [
      ["email:dana@example.com", "email:eve@example.com"],
      [null, null],
    ],
    [
      ["email:dana@example.com", "slack:U99999"],
      [null, null],
    ],
    [
      ["email:dana@example.com", "slack:@dana"],
      [null, null],
    ],
  ];
  for (const [notify, expected] of cases)
    assert.deepEqual(assigneeOf(await service.create({ notify })), expected, notify.join(" "));
  // What is asked for counts, and not who is told.
  const both = await service.create({ assign_to: { email: "eve@example.com" }, notify: ["email:dana@example.com"] });
  assert.deepEqual(assigneeOf(both), [null, "eve@example.com"]);
});

testOnBoth("nothing is routed to somebody who was deactivated, however they are named", async (service) => {
  const gone = await addUser(service, { pool: "left", slack_team_id: "T1", slack_user_id: "UGONE" });
  const dana = await addUser(service);
  await service.call("DELETE", `/api/users/${gone.id}`);
  const nobody: Partial<CreateTaskBody>[] = [
    { assign_to: { email: gone.email!.toUpperCase() } },
    { assign_to: { user_id: gone.id } },
    { assign_to: { emails: [gone.email!] } },
    { assign_to: { pool: "left" } },
    { notify: [`email:${gone.email}`] },
    { notify: [`slack:${gone.email}`] },
    { notify: ["slack:UGONE"] },
  ];
  for (const fields of nobody) {
    const task = await service.create(fields);
    assert.deepEqual(assigneeOf(task), [null, null], JSON.stringify(fields));
    const decision = { action: "routing_unmatched", actor: "system", extra: null };
    assert.deepEqual(await decisionOf(service, task.id), decision, JSON.stringify(fields));
  }
  const some = await service.create({ assign_to: { emails: [gone.email!, dana.email!] } });
  assert.deepEqual((await decisionOf(service, some.id))?.extra, { candidates: [dana.id] });
  // A channel may hold others who can answer.
  const channel = await service.create({ notify: [`email:${gone.email}`, "slack:#approvals"] });
  assert.deepEqual(assigneeOf(channel), [null, null]);
});

testOnBoth("of a redacted task the trail says that it was routed, and not to whom", async (service) => {
  const routed: Partial<CreateTaskBody>[] = [
    { assign_to: { email: "dana@example.com" } },
    { assign_to: { emails: ["dana@example.com"] } },
  ];
  for (const fields of routed) {
    const { id } = await service.create({ ...fields, redact_payload: true });
    assert.equal((await trailOf(service, id))[1]!.extra, null);
  }
});

testOnBoth(
  "an assignee lists, counts and filters their own tasks and those on offer, and nobody else's",
  async (service) => {
    const dana = await person(service, { pool: "refunds" });
    const own = [];
    for (let i = 0; i < 5; i++) {
      own.unshift(
        await service.create({
          task: i === 2 ? "Refund Mia?" : "Refund somebody?",
          timeout_seconds: 3600 + (5 - i) * 60,
          assign_to: i % 2 === 0 ? { email: dana.user.email! } : { user_id: dana.user.id },
        }),
      );
      service.clock.advance(1);
      await service.create({ assign_to: { email: "eve@example.com" } });
      await service.create();
    }
    const offered = await service.create({ assign_to: { pool: "refunds" }, timeout_seconds: 600 });
    await service.call("POST", `/api/tasks/${own[0]!.id}/cancel`);
    const list = async (query = "") => idsOf((await dana.call<TaskRecord[]>("GET", `/api/tasks${query}`)).body);
    const all = [offered.id, ...idsOf(own)];
    assert.deepEqual(await list(), all);
    assert.deepEqual(await list("?terminal=true"), [own[0]!.id]);
    assert.deepEqual(await list("?terminal=false"), [offered.id, ...idsOf(own.slice(1))]);
    assert.deepEqual(await list("?unassigned=true"), [offered.id]);
    assert.deepEqual(await list("?assigned_to=eve@example.com"), []);
    assert.deepEqual(await list("?q=mia"), [own[2]!.id]);
    assert.deepEqual(await list("?sort=deadline&terminal=false"), [offered.id, ...idsOf(own.slice(1))]);
    assert.deepEqual(await list("?offset=2&limit=2"), all.slice(2, 4));
    for (const sort of ["", "&sort=deadline"]) {
      const paged: string[] = [];
      let next: string | undefined = `/api/tasks?limit=2${sort}`;
      while (next !== undefined) {
        const page: Answer<TaskRecord[]> = await dana.call("GET", next);
        paged.push(...idsOf(page.body));
        next = /<([^>]+)>/.exec(page.headers["link"] ?? "")?.[1];
      }
      assert.deepEqual(paged.toSorted(), all.toSorted());
      assert.equal(new Set(paged).size, all.length);
    }
    const counts = async (call: TestService["call"]) => (await call<TaskCounts>("GET", "/api/tasks/counts")).body;
    assert.deepEqual(await counts(dana.call), { open: 5, mine: 4, unclaimed: 1, due_within_hour: 1, closed_today: 1 });
    const op = await person(service, { is_operator: true });
    assert.deepEqual(await counts(op.call), { open: 15, mine: 0, unclaimed: 6, due_within_hour: 11, closed_today: 1 });
    // What routing is asked for is shown to operators only.
    const row = (await dana.call<TaskRecord[]>("GET", "/api/tasks?limit=1")).body[0]!;
    assert.ok(!("callback_url" in row) && !("notify" in row) && !("verifier_config" in row));
  },
);

testOnBoth("an offer of a task that has ended is out of the way", async (service) => {
  const dana = await person(service, { pool: "p" });
  for (const end of ["cancel", "complete"]) {
    const { id } = await service.create({ assign_to: { pool: "p" } });
    await service.call("POST", `/api/tasks/${id}/${end}`, { body: { response: { approved: true } } });
    assert.deepEqual((await dana.call<TaskRecord[]>("GET", "/api/tasks")).body, []);
    const offers = await service.ctx.db.query.selectFrom("task_candidates").select("is_open").execute();
    assert.deepEqual(
      offers.map(({ is_open }) => is_open),
      [0],
    );
    // Whoever had it open may still see how it ended.
    assert.equal((await dana.call("GET", `/api/tasks/${id}`)).status, 200);
    await service.call("DELETE", `/api/tasks/${id}`);
  }
  assert.deepEqual(await service.ctx.db.query.selectFrom("task_candidates").selectAll().execute(), []);
});
