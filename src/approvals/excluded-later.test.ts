import assert from "node:assert/strict";
import { actionTask } from "../../test/support/actions.ts";
import { newAgent } from "../../test/support/agents.ts";
import { person } from "../../test/support/people.ts";
import { testOnBoth, type Answer, type TestService } from "../../test/support/service.ts";
import type { AuditEntryRecord, TaskRecord } from "../tasks/schema.ts";

type Body = TaskRecord & { error_code: string; message: string; details: { path: string; message: string }[] };
type Call = TestService["call"];

const approve = { decision: "approve" };
const lower = { decision: "edit", args: { amount: 50, to: { name: "Mia" } } };

let asked = 0;

async function tryAsk(call: Call, approvals: unknown, fields: object = {}): Promise<Answer<Body>> {
  const body = { ...actionTask(), idempotency_key: `later-${++asked}`, approvals, ...fields };
  return call<Body>("POST", "/api/tasks", { body });
}

async function ask(call: Call, approvals: object, fields: object = {}): Promise<string> {
  const { status, body, text } = await tryAsk(call, approvals, fields);
  assert.equal(status, 201, text);
  return body.id;
}

const decide = async (call: Call, id: string, response: object = approve) =>
  call<Body>("POST", `/api/tasks/${id}/complete`, { body: { response } });

async function desk(service: TestService, count: number) {
  return Promise.all(Array.from({ length: count }, async () => person(service, { pool: "desk" })));
}

const from = { pool: "desk" };
const namesIn = ({ approvals }: TaskRecord) => approvals!.decisions.map(({ by }) => by.user_id);

testOnBoth(
  "nobody decides while it is hidden who decides the other task, so nothing tells who did",
  async (service) => {
    const [ada, ben, cy] = await desk(service, 3);
    const first = await ask(service.call, { need: 2, from, blind: true });
    const second = await ask(service.call, { need: 1, from, exclude: [`answered:${first}`] });
    const offered = await service.call<AuditEntryRecord[]>("GET", `/api/tasks/${second}/audit`);
    assert.equal((offered.body[1]!.extra!["candidates"] as string[]).length, 3);
    await decide(ada!.call, first);
    const seen = [];
    for (const { call } of [ada!, ben!]) {
      const { status, body } = await decide(call, second);
      const { refusal } = (await call<TaskRecord>("GET", `/api/tasks/${second}`)).body.approvals!;
      const inbox = await call<TaskRecord[]>("GET", "/api/tasks?terminal=false");
      seen.push({
        status,
        code: body.error_code,
        message: body.message,
        refusal,
        listed: inbox.body.some(({ id }) => id === second),
      });
    }
    assert.deepEqual(seen[0], seen[1]);
    assert.deepEqual([seen[0]!.status, seen[0]!.code, seen[0]!.listed], [403, "EXCLUDED", true]);
    assert.match(seen[0]!.message, /hides who decides it/);

    await decide(ben!.call, first);
    assert.match((await decide(ada!.call, second)).body.message, /You decided task/);
    assert.equal((await decide(cy!.call, second)).body.status, "completed");
  },
);

testOnBoth("a vote does not count any more when its person answers the other task after it", async (service) => {
  const [ada, ben, cy] = await desk(service, 3);
  const first = await ask(service.call, { need: 2, from });
  const second = await ask(service.call, { need: 2, from, exclude: [`answered:${first}`] });
  await decide(ada!.call, second);
  await decide(ada!.call, first);
  const counted = await decide(ben!.call, second);
  assert.deepEqual(
    [counted.body.status, counted.body.approvals!.have, namesIn(counted.body)],
    ["created", 1, [ben!.user.id]],
  );
  const read = (await service.call<TaskRecord>("GET", `/api/tasks/${second}`)).body;
  assert.deepEqual(read.approvals!.decisions, counted.body.approvals!.decisions);
  const trail = await service.call<AuditEntryRecord[]>("GET", `/api/tasks/${second}/audit`);
  assert.deepEqual(trail.body.at(-1)!.extra!["not_counted"], [ada!.user.email]);
  const done = await decide(cy!.call, second);
  assert.deepEqual([done.body.status, namesIn(done.body)], ["completed", [ben!.user.id, cy!.user.id]]);
});

testOnBoth(
  "nor does it when another takes theirs back, or when its person becomes the owner of the agent",
  async (service) => {
    const [ada, ben] = await desk(service, 3);
    const agent = await newAgent(service);
    const id = await ask(agent.call, { need: 3, from, exclude: ["asker"] });
    await decide(ada!.call, id);
    await decide(ben!.call, id);
    await service.call("PATCH", `/api/agents/${agent.id}`, { body: { owner_user_id: ada!.user.id } });
    const back = await ben!.call<Body>("DELETE", `/api/tasks/${id}/approvals/me`);
    assert.deepEqual([back.body.approvals!.have, back.body.approvals!.decisions], [0, []]);
  },
);

testOnBoth("a task is not offered to people whose decision does not count", async (service) => {
  const op = await person(service, { is_operator: true, pool: "desk" });
  const [ada, ben] = await desk(service, 2);
  const id = await ask(
    op.call,
    { need: 1, from, exclude: ["asker", "on_behalf_of"] },
    { on_behalf_of: { email: ada!.user.email!.toUpperCase() } },
  );
  const listed = async (call: Call) =>
    (await call<TaskRecord[]>("GET", "/api/tasks?terminal=false&mine=true")).body.map((task) => task.id);
  assert.deepEqual(await listed(ada!.call), []);
  assert.deepEqual(await listed(ben!.call), [id]);
  const { body } = await decide(op.call, id);
  assert.deepEqual([body.error_code, /You asked for this/.test(body.message)], ["EXCLUDED", true]);
  const trail = await service.call<AuditEntryRecord[]>("GET", `/api/tasks/${id}/audit`);
  assert.deepEqual(trail.body[1]!.extra, { candidates: [ben!.user.id] });
});

testOnBoth(
  "a request that fewer people may decide than must approve is refused, unless it was sent before",
  async (service) => {
    const op = await person(service, { is_operator: true });
    const ada = await person(service, { pool: "desk" });
    const agent = await newAgent(service, { owner_user_id: ada.user.id });
    const emails = [op.user.email!, ada.user.email!, "new@example.com"];
    const answered = await ask(service.call, { need: 1, from });
    const refused: [call: Call, approvals: object, count: string, fields?: object][] = [
      [op.call, { need: 3, from: { emails }, exclude: ["asker"] }, "Only 2 people"],
      [agent.call, { need: 3, from: { emails }, exclude: ["asker"] }, "Only 2 people"],
      [op.call, { need: 2, from }, "Only one person"],
      [op.call, { need: 1, from, exclude: ["on_behalf_of"] }, "No one", { on_behalf_of: { id: ada.user.id } }],
      [op.call, { need: 1, from, exclude: [`answered:${answered}`] }, "No one"],
    ];
    await decide(ada.call, answered);
    for (const [call, approvals, count, fields] of refused) {
      const { status, body, text } = await tryAsk(call, approvals, fields);
      assert.deepEqual([status, body.details[0]!.path], [422, "/approvals/need"], text);
      assert.equal(body.details[0]!.message, `${count} of \`from\` may decide this.`);
    }
    await ask(op.call, { need: 2, from: { emails }, exclude: ["asker"] });

    const ben = await person(service, { pool: "desk" });
    const again = { idempotency_key: "asked while both were there" };
    const made = await tryAsk(service.call, { need: 2, from }, again);
    await service.call("DELETE", `/api/users/${ben.user.id}`);
    const replay = await tryAsk(service.call, { need: 2, from }, again);
    assert.deepEqual([replay.headers["idempotent-replayed"], replay.body.id], ["true", made.body.id]);
  },
);

testOnBoth("the record says who changed the arguments of a round, also after they took it back", async (service) => {
  const [ada, ben] = await desk(service, 2);
  const by = { user_id: ada!.user.id, email: ada!.user.email, name: null };
  for (const blind of [false, true]) {
    const id = await ask(service.call, { need: 2, from, blind });
    const changedBy = async (call: Call) =>
      (await call<TaskRecord>("GET", `/api/tasks/${id}`)).body.approvals!.changed_by;
    assert.equal(await changedBy(ben!.call), null);
    await decide(ada!.call, id, lower);
    await ada!.call("DELETE", `/api/tasks/${id}/approvals/me`);
    for (const { call } of [ben!, service]) assert.deepEqual(await changedBy(call), blind ? null : by);
    const polled = await service.call<TaskRecord>("GET", `/api/tasks/${id}/poll?timeout=0`);
    assert.deepEqual(polled.body.approvals!.changed_by, blind ? null : by);
    await service.call("POST", `/api/tasks/${id}/cancel`, { body: {} });
    assert.deepEqual(await changedBy(ben!.call), by);
  }
});
