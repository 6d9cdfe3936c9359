import assert from "node:assert/strict";
import { actionTask } from "../../test/support/actions.ts";
import { newAgent } from "../../test/support/agents.ts";
import { deliver, receiver } from "../../test/support/deliveries.ts";
import { EMBED_ENV, mint, newServiceKey } from "../../test/support/embed.ts";
import { person } from "../../test/support/people.ts";
import { testOnBoth, type Answer, type TestService } from "../../test/support/service.ts";
import { HOUR } from "../lib/time.ts";
import { timeOutDueTasks } from "../tasks/timeouts.ts";
import { reofferTasksOfDeparted } from "../tasks/departures.ts";
import type { TaskRecord } from "../tasks/schema.ts";

type Body = TaskRecord & { error_code: string; message: string; details: { path: string }[] };
type Call = TestService["call"];

const approve = { decision: "approve" };

let asked = 0;

async function tryAsk(call: Call, approvals: unknown, fields: object = {}): Promise<Answer<Body>> {
  const body = { ...actionTask(), idempotency_key: `asked-${++asked}`, approvals, ...fields };
  return call<Body>("POST", "/api/tasks", { body });
}

async function ask(call: Call, approvals: object, fields: object = {}): Promise<string> {
  const { status, body, text } = await tryAsk(call, approvals, fields);
  assert.equal(status, 201, text);
  return body.id;
}

const decide = async (call: Call, id: string, response: object = approve) =>
  call<Body>("POST", `/api/tasks/${id}/complete`, { body: { response } });

async function isRefused(call: Call, id: string, code: string, words?: RegExp): Promise<void> {
  for (const response of [approve, { decision: "reject" }]) {
    const { status, body } = await decide(call, id, response);
    assert.deepEqual([status, body.error_code], [403, code]);
    if (words !== undefined) assert.match(body.message, words);
  }
}

testOnBoth(
  "one of a role who gets a task is one whose decision counts, and no one is if none counts",
  async (service) => {
    const op = await person(service, { is_operator: true, role: "finance" });
    const ben = await person(service, { role: "finance" });
    const exclude = ["asker"];
    for (let i = 0; i < 2; i++) {
      const id = await ask(op.call, { need: 1, exclude }, { assign_to: { role: "finance" } });
      assert.equal((await op.call<Body>("GET", `/api/tasks/${id}`)).body.assigned_to_user_id, ben.user.id);
    }
    await service.call("PATCH", `/api/users/${ben.user.id}`, { body: { role: "sales" } });
    const id = await ask(op.call, { need: 1, exclude }, { assign_to: { role: "finance" } });
    assert.equal((await op.call<Body>("GET", `/api/tasks/${id}`)).body.assigned_to_user_id, null);
  },
);

testOnBoth(
  "only people of the directory count: no token approves for them",
  async (service) => {
    const agent = await newAgent(service, { scopes: ["ask", "read", "answer"] });
    const id = await ask(agent.call, { need: 1 });
    await isRefused(service.call, id, "NEEDS_A_PERSON");
    await isRefused(agent.call, id, "NEEDS_A_PERSON");
    const { key } = await newServiceKey(service);
    const { embed_token: token } = (await mint(service, key, { task_id: id })).body;
    const framed = await service.call<Body>("POST", "/api/embed/task/complete", { token, body: { response: approve } });
    assert.deepEqual([framed.status, framed.body.error_code], [403, "NEEDS_A_PERSON"]);
    const shown = await service.call<Body>("GET", "/api/embed/task", { token });
    assert.deepEqual([shown.status, shown.body.error_code], [403, "NEEDS_A_PERSON"]);
    const op = await person(service, { is_operator: true });
    assert.equal((await decide(op.call, id)).body.status, "completed");
  },
  { env: EMBED_ENV },
);

testOnBoth("nobody approves what they asked for, operators included", async (service) => {
  const op = await person(service, { is_operator: true });
  const other = await person(service, { is_operator: true });
  const exclude = ["asker", "on_behalf_of"];
  const own = await ask(op.call, { need: 1, exclude });
  await isRefused(op.call, own, "EXCLUDED", /You asked for this/);
  assert.equal((await decide(other.call, own)).status, 200);

  const agent = await newAgent(service, { owner_user_id: op.user.id });
  const ofAgent = await ask(agent.call, { need: 1, exclude });
  await isRefused(op.call, ofAgent, "EXCLUDED", /agent that asks for this is yours/);
  assert.equal((await decide(other.call, ofAgent)).status, 200);

  for (const named of [{ email: op.user.email!.toUpperCase() }, { id: op.user.id }]) {
    const forOp = await ask(service.call, { need: 1, exclude }, { on_behalf_of: named });
    await isRefused(op.call, forOp, "EXCLUDED", /on your behalf/);
    assert.equal((await decide(other.call, forOp)).status, 200);
  }
  const allowed = await ask(op.call, { need: 1 });
  assert.equal((await decide(op.call, allowed)).status, 200);
});

testOnBoth(
  "the owner of an agent does not approve what it asked for by giving it away or deleting it",
  async (service) => {
    const op = await person(service, { is_operator: true });
    const agent = await newAgent(service, { owner_user_id: op.user.id });
    const approvals = { need: 1, exclude: ["asker"] };
    const id = await ask(agent.call, approvals, { idempotency_key: "owned" });
    const other = await person(service, { is_operator: true });
    await service.call("PATCH", `/api/agents/${agent.id}`, { body: { owner_user_id: other.user.id } });
    await isRefused(op.call, id, "EXCLUDED", /is yours/);
    await isRefused(other.call, id, "EXCLUDED", /is yours/);
    const replay = await tryAsk(agent.call, approvals, { idempotency_key: "owned" });
    assert.deepEqual([replay.body.id, replay.headers["idempotent-mismatch"]], [id, undefined]);
    await service.ctx.db.write((tx) => tx.query.deleteFrom("agents").where("id", "=", agent.id).execute());
    await isRefused(op.call, id, "EXCLUDED", /is yours/);
  },
);

testOnBoth("who decided one task does not decide the other", async (service) => {
  const [ada, ben, cy] = [await person(service), await person(service), await person(service)];
  const emails = [ada, ben, cy].map(({ user }) => user.email!);
  const first = await ask(service.call, { need: 2, from: { emails } });
  await decide(ada.call, first);
  const second = await ask(service.call, { need: 1, from: { emails }, exclude: [`answered:${first}`] });
  await isRefused(ada.call, second, "EXCLUDED", new RegExp(first));
  await decide(ben.call, first);
  await isRefused(ben.call, second, "EXCLUDED");
  assert.equal((await decide(cy.call, second)).body.status, "completed");

  const plain = await service.create({ assign_to: { email: ada.user.email! } });
  await service.call("POST", `/api/tasks/${plain.id}/complete`, {
    body: { response: { approved: true }, completed_by_email: ada.user.email },
  });
  const third = await ask(service.call, { need: 1, from: { emails }, exclude: [`answered:${plain.id}`] });
  await isRefused(ada.call, third, "EXCLUDED");
  assert.equal((await service.call("DELETE", `/api/tasks/${plain.id}`)).status, 204);
  await isRefused(ben.call, third, "EXCLUDED", /was deleted/);
});

testOnBoth("only those decide that an approval must come from, operators are no exception", async (service) => {
  const [ada, ben] = [await person(service, { role: "finance" }), await person(service, { role: "finance" })];
  const op = await person(service, { is_operator: true });
  const stranger = await person(service);
  const id = await ask(
    service.call,
    { need: 1, from: { role: "finance" } },
    { notify: [`email:${stranger.user.email}`] },
  );
  await isRefused(op.call, id, "FORBIDDEN", /everyone with the role "finance"/);
  await isRefused(stranger.call, id, "FORBIDDEN");
  for (const { call } of [ada, ben]) assert.equal((await call<TaskRecord[]>("GET", "/api/tasks")).body[0]?.id, id);
  const assigned = await service.call<Body>("POST", `/api/tasks/${id}/assign`, { body: { email: op.user.email } });
  assert.deepEqual([assigned.status, assigned.body.error_code], [422, "VALIDATION_FAILED"]);
  assert.equal((await decide(ben.call, id)).body.status, "completed");

  const unmatched = await ask(service.call, { need: 1, from: { pool: "nobody is here" } });
  assert.equal((await decide(op.call, unmatched)).body.status, "completed");
});

testOnBoth("people decide beside each other: a claim takes the task from none of them", async (service) => {
  const [ada, ben] = [await person(service, { pool: "desk" }), await person(service, { pool: "desk" })];
  const id = await ask(service.call, { need: 2, from: { pool: "desk" } });
  const claimed = await ada.call<TaskRecord>("POST", `/api/tasks/${id}/claim`, { body: {} });
  assert.deepEqual([claimed.status, claimed.body.assigned_to_user_id], [200, null]);
  assert.equal((await decide(ben.call, id)).body.status, "created");
  await ada.call("POST", `/api/tasks/${id}/release`, { body: {} });
  assert.equal((await decide(ada.call, id)).body.status, "completed");
});

testOnBoth("what a person has decided leaves their inbox, and comes back with another round", async (service) => {
  const [ada, ben] = [await person(service, { pool: "desk" }), await person(service, { pool: "desk" })];
  const id = await ask(service.call, { need: 2, from: { pool: "desk" } });
  const inbox = async ({ call }: { call: Call }) =>
    (await call<TaskRecord[]>("GET", "/api/tasks?terminal=false")).body.length;
  await decide(ada.call, id);
  assert.deepEqual([await inbox(ada), await inbox(ben)], [0, 1]);
  assert.equal((await ada.call("GET", `/api/tasks/${id}`)).status, 200);
  await decide(ben.call, id, { decision: "edit", args: { amount: 50 } });
  assert.deepEqual([await inbox(ada), await inbox(ben)], [1, 0]);
  await ben.call("DELETE", `/api/tasks/${id}/approvals/me`);
  assert.deepEqual([await inbox(ada), await inbox(ben)], [1, 1]);

  const cy = await person(service, { pool: "desk" });
  const next = await ask(service.call, { need: 3, from: { pool: "desk" } });
  await decide(ada.call, next);
  await service.call("DELETE", `/api/users/${cy.user.id}`);
  assert.equal(await reofferTasksOfDeparted(service.ctx), 1);
  assert.deepEqual(
    [await inbox(ada), await inbox(ben)],
    [1, 2],
    "who has decided is not asked again when another leaves",
  );
});

testOnBoth(
  "an approval never ends a task that cannot be approved any more, and people take theirs back all the same",
  async (service) => {
    const [ada, ben, cy, dan] = [
      await person(service),
      await person(service),
      await person(service),
      await person(service),
    ];
    const emails = [ada, ben, cy, dan].map(({ user }) => user.email!);
    const id = await ask(service.call, { need: 3, veto: "none", from: { emails } });
    assert.equal((await decide(ada.call, id, { decision: "reject" })).body.status, "created");
    await service.call("DELETE", `/api/users/${dan.user.id}`);
    const approved = await decide(ben.call, id);
    assert.deepEqual([approved.body.status, approved.body.approvals!.have], ["created", 1]);
    const end = await decide(cy.call, id, { decision: "reject" });
    assert.deepEqual([end.body.status, end.body.response], ["completed", { decision: "reject" }]);

    const first = await ask(service.call, { need: 2, from: { emails } });
    const second = await ask(service.call, { need: 2, from: { emails }, exclude: [`answered:${first}`] });
    await decide(ada.call, second);
    await decide(ada.call, first);
    await isRefused(ada.call, second, "EXCLUDED");
    const back = await ada.call<Body>("DELETE", `/api/tasks/${second}/approvals/me`);
    assert.deepEqual([back.status, back.body.approvals!.have], [200, 0]);
  },
);

testOnBoth("requests that could never be approved as written are refused", async (service) => {
  const one = { need: 1 };
  const emails = ["ada@example.com", "ben@example.com"];
  const other = await newAgent(service);
  const foreign = await ask(other.call, one);
  const agent = await newAgent(service);
  const refused: [approvals: unknown, fields: object, path: string, call?: Call][] = [
    [{ need: 0 }, {}, "/approvals/need"],
    [{ need: 11 }, {}, "/approvals/need"],
    [{ ...one, from: { emials: emails } }, {}, "/approvals/from"],
    [{ ...one, from: { role: "a", pool: "b" } }, {}, "/approvals/from"],
    [{ ...one, from: { emails: ["ada"] } }, {}, "/approvals/from/emails/0"],
    [{ need: 3, from: { emails } }, {}, "/approvals/need"],
    [{ need: 2, from: { emails: ["ada@example.com", "ADA@example.com"] } }, {}, "/approvals/need"],
    [{ ...one, from: { role: "a" } }, { assign_to: { email: "ada@example.com" } }, "/assign_to"],
    [{ ...one, veto: "none" }, {}, "/approvals/veto"],
    [{ ...one, veto: "some" }, {}, "/approvals/veto"],
    [{ ...one, one_of_each: [{ role: "a" }, { role: "b" }] }, {}, "/approvals/one_of_each"],
    [{ ...one, one_of_each: [{ team: "a" }] }, {}, "/approvals/one_of_each/0"],
    [{ ...one, exclude: ["me"] }, {}, "/approvals/exclude/0"],
    [{ ...one, exclude: ["asker", "answered:tsk_01kajv3mzt8w5rq0e4v9c2n7ab"] }, {}, "/approvals/exclude/1"],
    [{ ...one, exclude: [`answered:${foreign}`] }, {}, "/approvals/exclude/0", agent.call],
    [one, { action: { ...(actionTask()["action" as never] as object), allowed: ["edit", "reject"] } }, "/approvals"],
    [one, { verifier_config: { provider: "openai", instructions: "Check." } }, "/verifier_config"],
  ];
  for (const [approvals, fields, path, call = service.call] of refused) {
    const { status, body, text } = await tryAsk(call, approvals, fields);
    assert.ok(status === 422 || status === 400, text);
    assert.equal(body.details[0]!.path, path, text);
  }
  const plain = await service.call<Body>("POST", "/api/tasks", {
    body: {
      ...actionTask(),
      action: undefined,
      payload: {},
      payload_schema: {},
      response_schema: { type: "object" },
      approvals: one,
    },
  });
  assert.deepEqual([plain.status, plain.body.error_code], [422, "APPROVALS_NEED_ACTION"]);
});

testOnBoth("a request is the same again with its approvals written out, and another with others", async (service) => {
  const key = { idempotency_key: "approved twice" };
  const made = await tryAsk(service.call, { need: 2 }, key);
  const replay = await tryAsk(service.call, { need: 2, veto: "any", blind: false, exclude: [] }, key);
  assert.deepEqual([replay.headers["idempotent-replayed"], replay.body.id], ["true", made.body.id]);
  assert.equal(replay.headers["idempotent-mismatch"], undefined);
  for (const approvals of [{ need: 3 }, null])
    assert.equal((await tryAsk(service.call, approvals, key)).headers["idempotent-mismatch"], "true");
});

testOnBoth("the callback and the poll say who approved, also of a task that ran out of time", async (service, t) => {
  const hook = await receiver(t);
  const [ada, ben] = [await person(service, { pool: "desk" }), await person(service, { pool: "desk" })];
  const ends = [
    { status: "completed", voters: [ada, ben] },
    { status: "timed_out", voters: [ada] },
  ];
  for (const { status, voters } of ends) {
    const id = await ask(service.call, { need: 2, from: { pool: "desk" } }, { callback_url: hook.url });
    for (const { call } of voters) await decide(call, id);
    if (status === "timed_out") {
      service.clock.advance(HOUR);
      await timeOutDueTasks(service.ctx);
    }
    service.clock.advance(10_000);
    await deliver(service);
    const posted = JSON.parse(hook.received.at(-1)!.body) as TaskRecord;
    const polled = await service.call<TaskRecord>("GET", `/api/tasks/${id}/poll?timeout=0`);
    for (const said of [posted, polled.body])
      assert.deepEqual(
        [
          said.status,
          said.approvals!.have,
          said.approvals!.decisions.map(({ by, decision }) => [by.user_id, decision]),
        ],
        [status, voters.length, voters.map(({ user }) => [user.id, "approve"])],
      );
  }
});

testOnBoth("a deleted task takes what people decided with it", async (service) => {
  const [ada] = [await person(service, { pool: "desk" }), await person(service, { pool: "desk" })];
  const id = await ask(service.call, { need: 2, from: { pool: "desk" } });
  await decide(ada.call, id);
  assert.equal((await service.call("DELETE", `/api/tasks/${id}`)).status, 204);
  assert.deepEqual(await service.ctx.db.query.selectFrom("task_approvals").selectAll().execute(), []);
});

testOnBoth("the record says why the decision of its reader does not count", async (service) => {
  const [ada, ben] = [await person(service, { role: "finance" }), await person(service, { role: "finance" })];
  const op = await person(service, { is_operator: true });
  const other = await ask(service.call, { need: 1, from: { role: "finance" } });
  const id = await ask(op.call, { need: 1, from: { role: "finance" }, exclude: ["asker", `answered:${other}`] });
  const refusalFor = async (call: Call) => (await call<TaskRecord>("GET", `/api/tasks/${id}`)).body.approvals!.refusal;
  await decide(ada.call, other);
  assert.match((await refusalFor(ada.call))!, /You decided task/);
  assert.match((await refusalFor(op.call))!, /You asked for this/);
  assert.match((await refusalFor(service.call))!, /Only people of the directory/);
  const stranger = await person(service, { is_operator: true });
  assert.match((await refusalFor(stranger.call))!, /everyone with the role "finance"/);
  assert.equal(await refusalFor(ben.call), null);
  // The end says enough.
  await decide(ben.call, id);
  assert.equal(await refusalFor(ada.call), null);
});
