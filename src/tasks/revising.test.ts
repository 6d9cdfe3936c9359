import assert from "node:assert/strict";
import PostalMime from "postal-mime";
import { actionTask } from "../../test/support/actions.ts";
import { newAgent, type TestAgent } from "../../test/support/agents.ts";
import { mailsTo, send, withSender } from "../../test/support/mail.ts";
import { person } from "../../test/support/people.ts";
import { newTaskBody, testOnBoth, type Answer, type TestService } from "../../test/support/service.ts";
import type { CommentRecord } from "../conversation/schema.ts";
import { ServiceError } from "../errors.ts";
import { createTaskFinder } from "./finder.ts";
import { reviseTask } from "./revising.ts";
import type { AuditEntryRecord, ListedTask, PollResult, TaskRecord, VersionRecord } from "./schema.ts";
import { cancelTask, completeTask, extendTask } from "./tasks.ts";

type Body = TaskRecord & { error_code: string; details: { path: string }[] };
type Call = TestService["call"];

const revise = (call: Call, id: string, body: object): Promise<Answer<Body>> =>
  call<Body>("POST", `/api/tasks/${id}/revise`, { body });
const answer = (call: Call, id: string, fields: object = {}, response: object = { approved: true }) =>
  call<Body>("POST", `/api/tasks/${id}/complete`, { body: { response, ...fields } });
const read = async (call: Call, id: string) => (await call<TaskRecord>("GET", `/api/tasks/${id}`)).body;
const versions = async (call: Call, id: string) =>
  (await call<VersionRecord[]>("GET", `/api/tasks/${id}/versions`)).body;
const said = async (call: Call, id: string) => (await call<CommentRecord[]>("GET", `/api/tasks/${id}/comments`)).body;
const createdBy = async ({ call }: TestAgent, fields: object) =>
  (await call<TaskRecord>("POST", "/api/tasks", { body: newTaskBody(fields) })).body;

testOnBoth("the asker revises what a task asks, and everyone who may read it sees both versions", async (service) => {
  const agent = await newAgent(service, { name: "payments" });
  const dana = await person(service);
  const { id, version } = await createdBy(agent, { assign_to: { email: dana.user.email! } });
  assert.equal(version, 1);
  service.clock.advance(1000);
  const payload = { amount: 10, customer: "Dana" };
  const { status, body, text, headers } = await revise(agent.call, id, { payload, note: "Without shipping." });
  assert.equal(status, 200, text);
  assert.equal(headers["idempotent-replayed"], "false");
  assert.deepEqual([body.version, body.payload, body.status], [2, payload, "created"]);
  const at = new Date(service.clock.now()).toISOString();
  assert.equal(body.updated_at, at);
  for (const call of [agent.call, dana.call, service.call]) {
    const record = await read(call, id);
    assert.deepEqual([record.version, record.payload], [2, payload]);
    assert.deepEqual(await versions(call, id), [
      {
        version: 1,
        payload: { amount: 12.5, customer: "Dana" },
        action: null,
        actions: null,
        note: null,
        created_at: record.created_at,
      },
      { version: 2, payload, action: null, actions: null, note: "Without shipping.", created_at: at },
    ]);
  }
  const { body: trail } = await service.call<AuditEntryRecord[]>("GET", `/api/tasks/${id}/audit`);
  const entry = trail.at(-1)!;
  assert.deepEqual([entry.action, entry.agent_name, entry.extra], ["revised", "payments", { version: 2 }]);
  assert.deepEqual(
    (await said(dana.call, id)).map(({ kind, text: note, version: made, is_asker }) => [kind, note, made, is_asker]),
    [["revision", "Without shipping.", 2, true]],
  );
  const listed = (await service.call<ListedTask[]>("GET", "/api/tasks")).body[0]!;
  assert.equal(listed.version, 2);
  assert.equal((await service.call<PollResult>("GET", `/api/tasks/${id}/poll?timeout=0`)).body.version, 2);
});

testOnBoth("an answer to an earlier version is refused with the current one, and changes nothing", async (service) => {
  const { id } = await service.create();
  await revise(service.call, id, { payload: { amount: 1 } });
  const old = await answer(service.call, id, { version: 1 });
  assert.deepEqual([old.status, old.body.error_code, old.body.version], [409, "TASK_REVISED", 2]);
  assert.deepEqual(old.body.details, [{ path: "/version", message: "The current version is 2." }]);
  assert.equal((await read(service.call, id)).status, "created");
  const ahead = await answer(service.call, id, { version: 3 });
  assert.deepEqual([ahead.status, ahead.body.details[0]!.path], [422, "/version"]);
  assert.equal((await answer(service.call, id, { version: 2 })).body.status, "completed");
});

testOnBoth("a revision answers the questions before it, and may move the deadline", async (service) => {
  const agent = await newAgent(service);
  const op = await person(service, { is_operator: true });
  const { id, timeout_at } = await createdBy(agent, {});
  await op.call("POST", `/api/tasks/${id}/comments`, { body: { text: "Why 12.50?", kind: "question" } });
  assert.equal((await read(agent.call, id)).waiting_on, "agent");
  const { body } = await revise(agent.call, id, { payload: { amount: 10 }, extend_seconds: 600 });
  assert.deepEqual([body.waiting_on, body.timeout_seconds], ["people", 4200]);
  assert.equal(Date.parse(body.timeout_at) - Date.parse(timeout_at), 600_000);
  assert.equal((await read(agent.call, id)).waiting_on, "people");
  assert.deepEqual((await agent.call<PollResult>("GET", `/api/tasks/${id}/poll?timeout=0`)).body.questions, []);
  const tooLate = await revise(agent.call, id, { payload: { amount: 11 }, extend_seconds: 2_592_000 });
  assert.deepEqual([tooLate.status, tooLate.body.details[0]!.path], [422, "/extend_seconds"]);
});

testOnBoth(
  "the request that created a revised task still finds it, and another one with its key does not",
  async (service) => {
    const body = newTaskBody();
    const { body: task } = await service.call<TaskRecord>("POST", "/api/tasks", { body });
    await revise(service.call, task.id, { payload: { amount: 1 }, extend_seconds: 60 });
    await revise(service.call, task.id, { payload: { amount: 2 } });
    const mismatch = async (fields: object) => {
      const again = await service.call<TaskRecord>("POST", "/api/tasks", { body: { ...body, ...fields } });
      assert.equal(again.body.id, task.id);
      return again.headers["idempotency-mismatch"] ?? again.headers["idempotent-mismatch"] ?? null;
    };
    const same = await mismatch({});
    assert.equal(await mismatch({ payload: { amount: 2 }, timeout_seconds: 3660 }), same);
    assert.notEqual(await mismatch({ payload: { amount: 3 } }), same);
  },
);

testOnBoth("a revision that is sent again changes nothing", async (service) => {
  const { id } = await service.create();
  const once = { payload: { amount: 1 }, note: "Less.", idempotency_key: "a" };
  assert.equal((await revise(service.call, id, once)).body.version, 2);
  const again = await revise(service.call, id, once);
  assert.deepEqual([again.body.version, again.headers["idempotent-replayed"]], [2, "true"]);
  // Without a key, the same revision again is the same.
  const plain = { payload: { amount: 2 } };
  assert.equal((await revise(service.call, id, plain)).body.version, 3);
  assert.equal((await revise(service.call, id, plain)).body.version, 3);
  assert.equal((await revise(service.call, id, { ...plain, note: "I mean it." })).body.version, 4);
  await service.call("POST", `/api/tasks/${id}/cancel`);
  assert.equal((await revise(service.call, id, once)).body.status, "cancelled");
});

testOnBoth("a revision that is sent twice at once is one, and two different ones are not mixed", async (service) => {
  const { id } = await service.create();
  const once = { payload: { amount: 1 }, idempotency_key: "a" };
  const twins = await Promise.all([revise(service.call, id, once), revise(service.call, id, once)]);
  assert.deepEqual(
    twins.map(({ status, body }) => [status, body.version]),
    [
      [200, 2],
      [200, 2],
    ],
  );
  const bodies = [{ payload: { amount: 2 } }, { payload: { amount: 3 } }];
  const others = await Promise.all(bodies.map(async (body) => revise(service.call, id, body)));
  const { payload, version } = await read(service.call, id);
  // Either the second saw the first, or it is refused.
  assert.equal(version, 2 + others.filter(({ status }) => status === 200).length);
  assert.ok(others.every(({ status, body }) => status === 200 || body.error_code === "TASK_REVISED"));
  assert.deepEqual((await versions(service.call, id)).at(-1)!.payload, payload);
});

testOnBoth("the form of a revised action is that of the new action", async (service) => {
  const { body: task } = await service.call<TaskRecord>("POST", "/api/tasks", { body: actionTask() });
  const action = { ...actionTask().action, args: { amount: 20 }, risk: "high", allowed: ["approve", "reject"] };
  const { body } = await revise(service.call, task.id, { action });
  const fresh = await service.call<TaskRecord>("POST", "/api/tasks", { body: actionTask({ action }) });
  for (const name of ["payload", "payload_schema", "response_schema", "form_definition", "action"] as const)
    assert.deepEqual(body[name], fresh.body[name], name);
  assert.deepEqual(await read(service.call, task.id), body);
});

testOnBoth("what the revision of an action leaves out stays as it was, and null takes it away", async (service) => {
  const given = {
    ...actionTask().action,
    description: "Pays back.",
    risk: "high",
    allowed: ["approve", "reject", "edit"],
    editable: ["/amount"],
    message_required: ["reject"],
  };
  const { body: task } = await service.call<TaskRecord>("POST", "/api/tasks", { body: actionTask({ action: given }) });
  const { name } = task.action!;
  const { body: revised } = await revise(service.call, task.id, { action: { name, args: { amount: 20 } } });
  assert.deepEqual(revised.action, { ...task.action, args: { amount: 20 } });
  const { body: again } = await revise(service.call, task.id, {
    action: { name, args: { amount: 21 }, description: null, risk: "normal" },
  });
  assert.deepEqual(again.action, { ...task.action, args: { amount: 21 }, description: null, risk: "normal" });
});

testOnBoth("a schema of arguments that was inferred is inferred from the new ones", async (service) => {
  const [a, b] = [
    { name: "refund", args: { amount: 1 } },
    { name: "notify", args: { to: "Mia" } },
  ];
  const { action: _, ...rest } = actionTask();
  const { body: task } = await service.call<TaskRecord>("POST", "/api/tasks", { body: { ...rest, actions: [a, b] } });
  const actions = [a, { name: "notify", args: { to: "Mia", copies: 2 } }];
  const { body: revised } = await revise(service.call, task.id, { actions });
  const fresh = await service.call<TaskRecord>("POST", "/api/tasks", {
    body: { ...rest, idempotency_key: "b", actions },
  });
  assert.deepEqual(revised.actions, fresh.body.actions);
});

testOnBoth("a wrong revision gets a clear error, and nothing is written", async (service) => {
  const { id } = await service.create();
  const action = await service.call<TaskRecord>("POST", "/api/tasks", { body: actionTask() });
  const refused = async (of: string, body: object) => {
    const { status, body: error } = await revise(service.call, of, body);
    return [status, error.details?.[0]?.path ?? error.error_code];
  };
  assert.deepEqual(await refused(id, {}), [422, "/payload"]);
  assert.deepEqual(await refused(id, { payload: { amount: "a lot" } }), [422, "/payload/amount"]);
  assert.deepEqual(await refused(id, { payload: { amount: 1 }, version: 2 }), [422, "/version"]);
  assert.deepEqual(await refused(id, { action: actionTask().action }), [422, "/action"]);
  assert.deepEqual(await refused(id, { payload: { amount: 1 }, note: "x".repeat(4001) }), [422, "/note"]);
  assert.deepEqual(await refused(action.body.id, { payload: { amount: 1 } }), [422, "/payload"]);
  const other = { ...actionTask().action, name: "transfer" };
  assert.deepEqual(await refused(action.body.id, { action: other }), [422, "/action"]);
  const tooMuch = { ...actionTask().action, args: { amount: 1000 } };
  assert.deepEqual(await refused(action.body.id, { action: tooMuch }), [422, "/action/args/amount"]);
  assert.deepEqual(await refused("tsk_unknown", { payload: {} }), [404, "TASK_NOT_FOUND"]);
  for (const task of [id, action.body.id]) assert.equal((await versions(service.call, task)).length, 1);
  await service.call("POST", `/api/tasks/${id}/cancel`);
  assert.deepEqual(await refused(id, { payload: { amount: 1 } }), [409, "TASK_ALREADY_TERMINAL"]);
  service.clock.advance(3_600_000);
  assert.deepEqual(await refused(action.body.id, { action: actionTask().action }), [409, "TASK_ALREADY_TERMINAL"]);
});

testOnBoth("a task is revised at most twenty times, and people answer the last version", async (service) => {
  const { id } = await service.create();
  for (let amount = 2; amount <= 21; amount++)
    assert.equal((await revise(service.call, id, { payload: { amount } })).body.version, amount);
  const { status, body } = await revise(service.call, id, { payload: { amount: 22 } });
  assert.deepEqual([status, body.error_code], [409, "TOO_MANY_REVISIONS"]);
  assert.equal((await versions(service.call, id)).length, 21);
  assert.equal((await answer(service.call, id, { version: 21 })).status, 200);
});

testOnBoth("only the asker and operators revise, and readers only read", async (service) => {
  const [asking, reading, foreign] = [
    await newAgent(service),
    await newAgent(service, { scopes: ["read", "answer"] }),
    await newAgent(service),
  ];
  const [dana, op] = [await person(service), await person(service, { is_operator: true })];
  const { id } = await createdBy(asking, { assign_to: { email: dana.user.email! } });
  const codes: unknown[] = [];
  for (const { call } of [reading, foreign, dana, op, asking])
    codes.push((await revise(call, id, { payload: { amount: codes.length } })).body.error_code);
  assert.deepEqual(codes, ["AGENT_SCOPE_MISSING", "TASK_NOT_FOUND", "FORBIDDEN", undefined, undefined]);
  assert.equal((await foreign.call<Body>("GET", `/api/tasks/${id}/versions`)).body.error_code, "TASK_NOT_FOUND");
  assert.equal((await versions(reading.call, id)).length, 3);
});

testOnBoth(
  "approvals begin again with a revision, and those who had approved decide about the new version",
  async (service) => {
    const [ada, ben, cy] = await Promise.all(Array.from({ length: 3 }, async () => person(service, { pool: "desk" })));
    const { body: task } = await service.call<TaskRecord>("POST", "/api/tasks", {
      body: { ...actionTask(), approvals: { need: 2, from: { pool: "desk" } } },
    });
    const approve = { decision: "approve" };
    const inbox = async ({ call }: { call: Call }) => (await call<ListedTask[]>("GET", "/api/tasks")).body.length;
    assert.equal((await answer(ada!.call, task.id, {}, approve)).body.approvals!.have, 1);
    const { name, args_schema, allowed } = task.action!;
    const revised = await revise(service.call, task.id, {
      action: { name, args_schema, allowed, args: { amount: 20 } },
    });
    assert.equal(revised.status, 200, revised.text);
    const { have, round, decisions } = revised.body.approvals!;
    assert.deepEqual([have, round, decisions], [0, 2, []]);
    assert.deepEqual(revised.body.payload, { amount: 20 });
    assert.equal(await inbox(ada!), 1);
    const late = await answer(ben!.call, task.id, { version: 1, round: 1 }, approve);
    assert.equal(late.body.error_code, "TASK_REVISED");
    // The first decision of the new round is an approval, and does not change what the round is about.
    assert.equal((await answer(cy!.call, task.id, { version: 2 }, approve)).body.approvals!.have, 1);
    const last = await answer(ada!.call, task.id, { version: 2 }, approve);
    assert.deepEqual(
      [last.body.status, last.body.response],
      ["completed", { decision: "approve", args: { amount: 20 } }],
    );
  },
);

testOnBoth("an edit of a revised action begins the next round, and one before it is gone", async (service) => {
  const [ada, ben] = await Promise.all(Array.from({ length: 2 }, async () => person(service, { pool: "desk" })));
  const { body: task } = await service.call<TaskRecord>("POST", "/api/tasks", {
    body: { ...actionTask(), approvals: { need: 2, from: { pool: "desk" } } },
  });
  const edit = (amount: number) => ({ decision: "edit", args: { amount } });
  assert.equal((await answer(ada!.call, task.id, {}, edit(80))).body.approvals!.round, 2);
  const { name, args_schema, allowed } = task.action!;
  const asked = { name, args_schema, allowed, args: { amount: 20 } };
  const revised = await revise(service.call, task.id, { action: asked });
  assert.deepEqual([revised.body.payload, revised.body.approvals!.round], [{ amount: 20 }, 3]);
  const edited = await answer(ben!.call, task.id, { version: 2, round: 3 }, edit(15));
  assert.deepEqual([edited.body.payload, edited.body.approvals!.round], [{ amount: 15 }, 4]);
  const last = await answer(ada!.call, task.id, { version: 2, round: 4 }, { decision: "approve" });
  assert.deepEqual(last.body.response, { decision: "edit", args: { amount: 15 }, patch: last.body.response!["patch"] });
});

/** Returns the service as a request sees it during which `happen` comes between its first read and its write. */
function interrupted({ ctx }: TestService, happen: () => Promise<unknown>): TestService["ctx"] {
  const { db } = ctx;
  let isRead = false;
  const run: typeof db.run = async (...statement) => {
    const rows = await db.run(...statement);
    if (isRead) return rows;
    isRead = true;
    await happen();
    return rows;
  };
  const seen = new Proxy(db, { get: (real, name) => (name === "run" ? run : Reflect.get(real, name)) });
  return { ...ctx, db: seen, finder: createTaskFinder(seen) };
}

testOnBoth("an answer that was read before a revision, and names no version, counts for none", async (service) => {
  const { id } = await service.create();
  const ctx = interrupted(service, async () => revise(service.call, id, { payload: { amount: 1 } }));
  await assert.rejects(
    completeTask(ctx, { kind: "admin" }, id, { response: { approved: true } }),
    (error: unknown) => error instanceof ServiceError && error.code === "TASK_REVISED" && error.version === 2,
  );
  const { status, version, payload } = await read(service.call, id);
  assert.deepEqual([status, version, payload], ["created", 2, { amount: 1 }]);
  const { body: trail } = await service.call<AuditEntryRecord[]>("GET", `/api/tasks/${id}/audit`);
  assert.deepEqual(
    trail.map(({ action }) => action),
    ["created", "revised"],
  );
});

testOnBoth("a revision that is sent again while the first is stored returns the new version", async (service) => {
  const { id } = await service.create();
  const body = { payload: { amount: 1 }, idempotency_key: "a" };
  const ctx = interrupted(service, async () => revise(service.call, id, body));
  const { task, isReplay } = await reviseTask(ctx, { kind: "admin" }, id, body);
  assert.deepEqual([isReplay, task.version, task.payload], [true, 2, '{"amount":1}']);
});

testOnBoth("what is done to a task while it is revised returns the version and what that asks", async (service) => {
  type Act = (ctx: TestService["ctx"], id: string) => ReturnType<typeof cancelTask>;
  const duringRevision = async (act: Act) => {
    const { id } = await service.create();
    const ctx = interrupted(service, async () => revise(service.call, id, { payload: { amount: 1 } }));
    const { status, version, payload } = await act(ctx, id);
    return [status, version, payload];
  };
  const admin = { kind: "admin" } as const;
  const now = [2, '{"amount":1}'];
  assert.deepEqual(await duringRevision(async (ctx, id) => cancelTask(ctx, admin, id, null)), ["cancelled", ...now]);
  assert.deepEqual(await duringRevision(async (ctx, id) => extendTask(ctx, admin, id, 7200)), ["created", ...now]);
});

testOnBoth("people who were told of a task are told what was changed, once", async (service, t) => {
  const smtp = await withSender(service, t);
  const dana = await person(service, { display_name: "Dana Ek" });
  const email = dana.user.email!;
  const { id } = await service.create({ notify: [`email:${email}`], assign_to: { email } });
  await send(service);
  await revise(service.call, id, { payload: { amount: 10, customer: "Dana" }, note: "Shipping stays." });
  await send(service);
  const mails = mailsTo(smtp, email);
  assert.equal(mails.length, 2);
  const { subject, text = "" } = await PostalMime.parse(mails[1]!.source);
  assert.equal(subject, "Changed: Approve the refund?");
  assert.match(text, /Shipping stays\./);
  assert.match(text, /12\.50? → 10/);
});

testOnBoth("versions go with their task", async (service) => {
  const { id } = await service.create();
  await revise(service.call, id, { payload: { amount: 1 } });
  await service.call("DELETE", `/api/tasks/${id}`);
  assert.deepEqual(await service.ctx.db.query.selectFrom("task_versions").selectAll().execute(), []);
});
