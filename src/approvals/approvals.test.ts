import assert from "node:assert/strict";
import { actionTask } from "../../test/support/actions.ts";
import { person } from "../../test/support/people.ts";
import { testOnBoth, type Answer, type TestService } from "../../test/support/service.ts";
import type { AuditEntryRecord, ListedTask, TaskRecord } from "../tasks/schema.ts";

type Body = TaskRecord & { error_code: string; message: string; details: { path: string }[] };
type Person = Awaited<ReturnType<typeof person>>;

const approve = { decision: "approve" };
const reject = { decision: "reject", message: "Too much." };
const lower = { decision: "edit", args: { amount: 50, to: { name: "Mia" } } };

async function people(service: TestService, count: number, fields: object = {}): Promise<Person[]> {
  return Promise.all(Array.from({ length: count }, async () => person(service, { pool: "desk", ...fields })));
}

async function ask(service: TestService, approvals: object, fields: object = {}): Promise<TaskRecord> {
  const made = await tryAsk(service, approvals, fields);
  assert.equal(made.status, 201, made.text);
  return made.body;
}

async function tryAsk(service: TestService, approvals: unknown, fields: object = {}): Promise<Answer<Body>> {
  return service.call<Body>("POST", "/api/tasks", { body: { ...actionTask(), approvals, ...fields } });
}

async function decide(
  { call }: Pick<Person, "call">,
  id: string,
  response: object,
  more: object = {},
): Promise<Answer<Body>> {
  return call<Body>("POST", `/api/tasks/${id}/complete`, { body: { response, ...more } });
}

async function trailOf(service: TestService, id: string): Promise<AuditEntryRecord[]> {
  return (await service.call<AuditEntryRecord[]>("GET", `/api/tasks/${id}/audit`)).body;
}

const desk = { from: { pool: "desk" } };

testOnBoth(
  "an action runs when as many people as it needs have approved, and each decision is in the trail",
  async (service) => {
    const [ada, ben] = await people(service, 3);
    const { id } = await ask(service, { need: 2, ...desk });

    const first = await decide(ada!, id, approve);
    assert.equal(first.status, 200);
    assert.equal(first.body.status, "created");
    assert.deepEqual(first.body.approvals, {
      need: 2,
      have: 1,
      round: 1,
      changed_by: null,
      blind: false,
      veto: "any",
      waiting_for: [],
      refusal: null,
      decisions: [
        {
          by: { user_id: ada!.user.id, email: ada!.user.email, name: null },
          decision: "approve",
          at: first.body.updated_at,
          channel: "dashboard",
        },
      ],
    });
    assert.equal(first.body.response, null);

    const second = await decide(ben!, id, approve);
    assert.equal(second.body.status, "completed");
    assert.deepEqual(second.body.response, { decision: "approve", args: { amount: 90, to: { name: "Mia" } } });
    assert.equal(second.body.completed_by_user_id, ben!.user.id);
    assert.equal(second.body.approvals!.have, 2);
    assert.deepEqual(
      (await trailOf(service, id)).map(({ action, actor_email, extra }) => [action, actor_email, extra]).slice(2),
      [
        ["approved", ada!.user.email, { response_keys: ["decision", "args"], have: 1, need: 2 }],
        ["completed", ben!.user.email, { response_keys: ["decision", "args"], have: 2, need: 2 }],
      ],
    );
  },
);

testOnBoth("a person counts once, however often they approve", async (service) => {
  const [ada] = await people(service, 2);
  const { id } = await ask(service, { need: 2, ...desk });
  await decide(ada!, id, approve);
  const again = await decide(ada!, id, approve);
  assert.deepEqual([again.status, again.body.status, again.body.approvals!.have], [200, "created", 1]);
  assert.equal((await trailOf(service, id)).filter(({ action }) => action === "approved").length, 1);

  for (const times of [1, 2]) {
    const edited = await decide(ada!, id, lower, { round: 1 });
    assert.deepEqual([edited.body.approvals!.round, edited.body.approvals!.have], [2, 1], `edited ${times} times`);
  }
  assert.equal((await trailOf(service, id)).filter(({ action }) => action === "approved").length, 2);
});

testOnBoth("of twenty people who approve at once, three count for an action that needs three", async (service) => {
  const all = await people(service, 20);
  const { id } = await ask(service, { need: 3, ...desk });
  const answers = await Promise.all(all.map(async (one) => decide(one, id, approve)));
  const ends = answers.filter(({ status, body }) => status === 200 && body.status === "completed");
  assert.equal(ends.length, 1);
  assert.equal(answers.filter(({ status }) => status === 200).length, 3);
  assert.equal(
    answers.filter(({ status, body }) => status === 409 && body.error_code === "TASK_ALREADY_TERMINAL").length,
    17,
  );
  const { body } = await service.call<TaskRecord>("GET", `/api/tasks/${id}`);
  assert.deepEqual([body.approvals!.have, body.approvals!.decisions.length], [3, 3]);
});

testOnBoth("one rejection ends the task, unless nobody has a veto", async (service) => {
  const [ada, ben, cy] = await people(service, 3);
  const strict = await ask(service, { need: 2, ...desk });
  await decide(ada!, strict.id, approve);
  const rejected = await decide(ben!, strict.id, reject);
  assert.deepEqual([rejected.body.status, rejected.body.response], ["completed", reject]);

  const { id } = await ask(service, { need: 2, veto: "none", ...desk }, { idempotency_key: "no veto" });
  const against = await decide(ada!, id, reject);
  assert.deepEqual([against.body.status, against.body.approvals!.have], ["created", 0]);
  await decide(ben!, id, approve);
  assert.equal((await decide(cy!, id, approve)).body.status, "completed");

  const lost = await ask(service, { need: 2, veto: "none", ...desk }, { idempotency_key: "lost" });
  await decide(ada!, lost.id, reject);
  const last = await decide(ben!, lost.id, reject);
  assert.deepEqual([last.body.status, last.body.response], ["completed", reject]);
});

testOnBoth(
  "an edit begins a round about the changed arguments, and the answer has what was changed",
  async (service) => {
    const [ada, ben, cy] = await people(service, 3);
    const { id } = await ask(service, { need: 2, ...desk });
    await decide(ada!, id, approve);
    const edited = await decide(ben!, id, lower);
    assert.equal(edited.body.status, "created");
    assert.deepEqual([edited.body.approvals!.round, edited.body.approvals!.have], [2, 1]);
    assert.deepEqual(edited.body.payload, lower.args);
    const [row] = (await service.call<ListedTask[]>("GET", "/api/tasks?view=full")).body;
    assert.deepEqual([row!.payload, row!.approvals], [lower.args, { need: 2, have: 1, round: 2 }]);
    assert.deepEqual(edited.body.action!.args, { amount: 90, to: { name: "Mia" } });

    const late = await decide(cy!, id, approve, { round: 1 });
    assert.deepEqual([late.status, late.body.error_code], [409, "TASK_CHANGED"]);
    const other = await decide(cy!, id, { ...approve, args: { amount: 90, to: { name: "Mia" } } });
    assert.deepEqual([other.status, other.body.details[0]!.path], [422, "/response/args"]);

    const done = await decide(ada!, id, approve, { round: 2 });
    assert.equal(done.body.status, "completed");
    assert.deepEqual(done.body.response, {
      ...lower,
      patch: [{ op: "replace", path: "/amount", value: 50 }],
    });
  },
);

testOnBoth("a person takes their decision back while the task is open", async (service) => {
  const [ada, ben] = await people(service, 2);
  const { id } = await ask(service, { need: 2, ...desk });
  const withdraw = async ({ call }: Person) => call<Body>("DELETE", `/api/tasks/${id}/approvals/me`);
  assert.equal((await withdraw(ada!)).body.error_code, "APPROVAL_NOT_FOUND");
  await decide(ada!, id, approve);
  const back = await withdraw(ada!);
  assert.deepEqual([back.status, back.body.approvals!.have, back.body.approvals!.decisions], [200, 0, []]);
  assert.equal((await withdraw(ada!)).body.error_code, "APPROVAL_NOT_FOUND");
  assert.deepEqual(
    (await trailOf(service, id)).slice(-1).map(({ action, extra }) => [action, extra]),
    [["withdrawn", { have: 0, need: 2 }]],
  );
  assert.equal((await decide(ben!, id, approve)).body.status, "created");
  assert.equal((await decide(ada!, id, approve)).body.status, "completed");
  assert.equal((await withdraw(ada!)).body.error_code, "TASK_ALREADY_TERMINAL");
});

testOnBoth("what others decide is hidden until the end where it is asked for", async (service) => {
  const [ada, ben] = await people(service, 2);
  const op = await person(service, { is_operator: true });
  const { id } = await ask(service, { need: 2, blind: true, ...desk });
  const mine = await decide(ada!, id, approve);
  assert.deepEqual([mine.body.approvals!.have, mine.body.approvals!.decisions.length], [null, 1]);
  for (const { call } of [ben!, op]) {
    const { body } = await call<TaskRecord>("GET", `/api/tasks/${id}`);
    assert.deepEqual([body.approvals!.have, body.approvals!.decisions], [null, []]);
  }
  const listed = await op.call<ListedTask[]>("GET", "/api/tasks");
  assert.deepEqual(listed.body[0]!.approvals, { need: 2, have: null, round: 1 });
  const trail = await op.call<AuditEntryRecord[]>("GET", `/api/tasks/${id}/audit`);
  assert.equal(
    trail.body.some(({ action }) => action === "approved"),
    false,
  );
  const end = await decide(ben!, id, approve);
  assert.deepEqual([end.body.approvals!.have, end.body.approvals!.decisions.length], [2, 2]);
  assert.equal(
    (await trailOf(service, id)).some(({ action }) => action === "approved"),
    true,
  );
});

testOnBoth("each of the groups needs a person of its own", async (service) => {
  const both = await person(service, { pool: "desk", role: "finance" });
  const [legal] = await people(service, 1, { role: "legal" });
  const [finance] = await people(service, 1, { role: "finance" });
  const groups = [{ role: "finance" }, { role: "legal" }];
  const { id } = await ask(service, { need: 2, one_of_each: groups, ...desk });
  await decide(both, id, approve);
  const second = await decide(finance!, id, approve);
  assert.deepEqual([second.body.status, second.body.approvals!.have], ["created", 2]);
  assert.deepEqual(second.body.approvals!.waiting_for, [{ role: "legal" }]);
  assert.equal((await decide(legal!, id, approve)).body.status, "completed");
});

testOnBoth("of several actions, people run all or none", async (service) => {
  const [ada, ben] = await people(service, 2);
  const { action: _, ...body } = actionTask();
  const actions = ["refund", "close"].map((name) => ({ ...actionTask().action, name }));
  const made = await service.call<Body>("POST", "/api/tasks", {
    body: { ...body, actions, approvals: { need: 2, ...desk } },
  });
  const { id } = made.body;
  const mixed = await decide(ada!, id, { decisions: [approve, reject] });
  assert.deepEqual([mixed.status, mixed.body.details[0]!.path], [422, "/response/decisions"]);
  const edited = await decide(ada!, id, { decisions: [lower, approve] });
  assert.deepEqual([edited.body.status, edited.body.approvals!.round], ["created", 2]);
  const done = await decide(ben!, id, { decisions: [approve, approve] });
  assert.equal(done.body.status, "completed");
  assert.deepEqual(
    (done.body.response!["decisions"] as { decision: string; args: object }[]).map(({ decision, args }) => [
      decision,
      args,
    ]),
    [
      ["edit", lower.args],
      ["approve", { amount: 90, to: { name: "Mia" } }],
    ],
  );
});
