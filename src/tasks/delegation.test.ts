import assert from "node:assert/strict";
import { actionTask } from "../../test/support/actions.ts";
import { addUser, person } from "../../test/support/people.ts";
import { newProject } from "../../test/support/projects.ts";
import { testOnBoth, type TestService } from "../../test/support/service.ts";
import type { UserRecord } from "../people/schema.ts";
import { addCandidates } from "./candidates.ts";
import { reofferTasksOfDeparted } from "./departures.ts";
import type { AuditEntryRecord, CreateTaskBody, ListedTask, TaskRecord } from "./schema.ts";

const HOUR = 3_600_000;

type User = Pick<UserRecord, "id" | "email">;

/** Says that a person is away. @param hours - from when to when, from now */
async function away(
  service: TestService,
  { id }: User,
  delegate: User | null,
  [from, until]: [number, number] = [0, 24],
): Promise<string> {
  const at = (hours: number) => new Date(service.clock.now() + hours * HOUR).toISOString();
  const body = { from: at(from), until: at(until), delegate_user_id: delegate?.id ?? null };
  assert.equal((await service.call("PUT", `/api/users/${id}/absence`, { body })).status, 200);
  return body.until;
}

const named = ({ id, email }: User) => ({ user_id: id, email });
const read = async ({ call }: TestService, id: string) => (await call<TaskRecord>("GET", `/api/tasks/${id}`)).body;
const lastEntry = async ({ call }: TestService, id: string) =>
  (await call<AuditEntryRecord[]>("GET", `/api/tasks/${id}/audit`)).body.at(-1)!;
const offered = async (service: TestService, id: string) =>
  new Set(
    (await service.ctx.db.query.selectFrom("task_candidates").select("person").where("task_id", "=", id).execute()).map(
      ({ person: name }) => name,
    ),
  );
const ids = (...users: User[]) => new Set(users.map(({ id }) => id));

/** Creates a task and returns who has it: the ids of the assignee and of the absent person. */
async function whoGets(service: TestService, fields: Partial<CreateTaskBody>): Promise<(string | null)[]> {
  const { assigned_to_user_id, delegated_from } = await service.create(fields);
  return [assigned_to_user_id, delegated_from?.user_id ?? null];
}

testOnBoth(
  "a task for an absent person goes to the delegate, and the record and the trail name both",
  async (service) => {
    const [ada, ben] = [await person(service, { email: "Ada@example.com" }), await person(service)];
    const until = await away(service, ada.user, ben.user);
    const task = await service.create({ assign_to: { email: "ada@EXAMPLE.com" } });
    const delegated_from = { user_id: ada.user.id, email: "ada@EXAMPLE.com" };
    const shown = ({ assigned_to_user_id, assigned_to_email, ...record }: ListedTask) => [
      assigned_to_user_id,
      assigned_to_email,
      record.delegated_from,
      record.delegated_until,
    ];
    const wanted = [ben.user.id, ben.user.email, delegated_from, until];
    assert.deepEqual(shown(task), wanted);
    assert.deepEqual(shown(await read(service, task.id)), wanted);
    const [row] = (await ben.call<ListedTask[]>("GET", "/api/tasks")).body;
    assert.deepEqual(shown(row!), wanted);
    assert.deepEqual((await lastEntry(service, task.id)).extra, {
      by: "email",
      assigned_to_user_id: ben.user.id,
      assigned_to_email: ben.user.email,
      delegated_from,
    });
    assert.deepEqual((await ada.call<ListedTask[]>("GET", "/api/tasks")).body, []);
    const answer = { body: { response: { approved: true } } };
    assert.equal((await ada.call("POST", `/api/tasks/${task.id}/complete`, answer)).status, 403);
    const done = await ben.call<TaskRecord>("POST", `/api/tasks/${task.id}/complete`, answer);
    assert.deepEqual([done.status, done.body.completed_by_user_id], [200, ben.user.id]);
    assert.deepEqual(shown(done.body), wanted);
  },
);

testOnBoth("however a single person is named, the delegate gets the task", async (service) => {
  const [ada, ben] = [await addUser(service, { role: "approver" }), await addUser(service)];
  await away(service, ada, ben);
  const ways: Partial<CreateTaskBody>[] = [
    { assign_to: { user_id: ada.id } },
    { assign_to: { role: "approver" } },
    { notify: [`email:${ada.email}`] },
  ];
  for (const fields of ways) assert.deepEqual(await whoGets(service, fields), [ben.id, ada.id], JSON.stringify(fields));
});

testOnBoth("an absence counts from its first to its last moment, and not before or after", async (service) => {
  const [ada, ben] = [await addUser(service), await addUser(service)];
  const to = { assign_to: { user_id: ada.id } };
  await away(service, ada, ben, [1, 2]);
  assert.deepEqual(await whoGets(service, to), [ada.id, null]);
  service.clock.advance(HOUR);
  assert.deepEqual(await whoGets(service, to), [ben.id, ada.id]);
  service.clock.advance(HOUR - 1);
  assert.deepEqual(await whoGets(service, to), [ben.id, ada.id]);
  service.clock.advance(1);
  assert.deepEqual(await whoGets(service, to), [ada.id, null]);
  await away(service, ada, ben);
  await service.call("DELETE", `/api/users/${ada.id}/absence`);
  assert.deepEqual(await whoGets(service, to), [ada.id, null]);
});

testOnBoth("delegates of delegates are followed once", async (service) => {
  const [a, b, c, d] = [await addUser(service), await addUser(service), await addUser(service), await addUser(service)];
  const to = { assign_to: { user_id: a.id } };
  await away(service, a, b);
  await away(service, b, null);
  assert.deepEqual(
    await whoGets(service, to),
    [b.id, a.id],
    "one who is away without a delegate is asked all the same",
  );
  await away(service, b, c);
  const task = await service.create(to);
  assert.deepEqual([task.assigned_to_user_id, task.delegated_from], [c.id, named(a)]);
  const { extra } = await lastEntry(service, task.id);
  assert.deepEqual([extra!["delegated_from"], extra!["delegated_through"]], [named(a), named(b)]);
  await away(service, c, d);
  assert.deepEqual(await whoGets(service, to), [c.id, a.id]);
});

testOnBoth("a delegate who could not have the task has no effect", async (service) => {
  const [ada, ben, cy] = [await addUser(service), await addUser(service), await addUser(service)];
  const to = { assign_to: { user_id: ada.id } };
  assert.deepEqual(await whoGets(service, to), [ada.id, null]);
  await away(service, ada, null);
  assert.deepEqual(await whoGets(service, to), [ada.id, null], "without a delegate the person was named all the same");
  await away(service, ada, ben);
  await away(service, ben, cy);
  await service.call("DELETE", `/api/users/${cy.id}`);
  assert.deepEqual(await whoGets(service, to), [ben.id, ada.id]);
  await service.call("DELETE", `/api/users/${ben.id}`);
  assert.deepEqual(await whoGets(service, to), [ada.id, null]);

  await newProject(service, "hiring");
  const dan = await addUser(service, { projects: ["hiring"] });
  await away(service, ada, dan);
  assert.deepEqual(await whoGets(service, to), [ada.id, null]);
});

testOnBoth("choosing by role passes over people who are away, unless all are", async (service) => {
  const add = () => addUser(service, { role: "approver" });
  const [a, b, c] = [await add(), await add(), await add()];
  const to = { assign_to: { role: "approver" } };
  await away(service, a, null, [0, 24]);
  assert.deepEqual(
    [await whoGets(service, to), await whoGets(service, to), await whoGets(service, to)],
    [
      [b.id, null],
      [c.id, null],
      [b.id, null],
    ],
  );
  await away(service, b, null, [0, 12]);
  await away(service, c, null, [0, 48]);
  assert.deepEqual(await whoGets(service, to), [b.id, null], "who is back first");
  const stranger = await addUser(service);
  await away(service, c, stranger, [0, 48]);
  assert.deepEqual(await whoGets(service, to), [stranger.id, c.id], "or else a delegate, who is here now");
});

testOnBoth("a pool and a list are offered to those who are here, or else to all", async (service) => {
  const add = () => addUser(service, { pool: "desk" });
  const [a, b, c] = [await add(), await add(), await add()];
  const delegate = await addUser(service);
  const emails = [a, b, c].map(({ email }) => email!);
  const offers = async () => [
    await offered(service, (await service.create({ assign_to: { pool: "desk" } })).id),
    await offered(service, (await service.create({ assign_to: { emails } })).id),
  ];
  await away(service, a, delegate);
  assert.deepEqual(await offers(), [ids(b, c), ids(b, c)]);
  await away(service, b, null);
  await away(service, c, null);
  assert.deepEqual(await offers(), [ids(a, b, c), ids(a, b, c)]);
  const outside = await service.create({ assign_to: { emails: [...emails, "outside@example.com"] } });
  assert.deepEqual(await offered(service, outside.id), new Set(["outside@example.com"]));
});

testOnBoth("people who must approve are passed over only if enough others remain", async (service) => {
  const add = (role: string) => person(service, { role, pool: "desk" });
  const [a, b, c] = [await add("finance"), await add("law"), await add("law")];
  const ask = async (approvals: object, fields: object = {}) => {
    const { body, text } = await service.call<TaskRecord>("POST", "/api/tasks", {
      body: { ...actionTask(), approvals, ...fields },
    });
    assert.ok(body.id, text);
    return offered(service, body.id);
  };
  const from = { pool: "desk" };
  const all = ids(a.user, b.user, c.user);
  await away(service, c.user, null);
  assert.deepEqual(await ask({ need: 2, from }), ids(a.user, b.user));
  assert.deepEqual(await ask({ need: 3, from }), all, "in number");
  assert.deepEqual(
    await ask({ need: 2, from, exclude: ["on_behalf_of"] }, { on_behalf_of: { id: a.user.id } }),
    ids(b.user, c.user),
    "of those whose approval counts; whoever is excluded is not asked",
  );
  const finance = { need: 1, from, one_of_each: [{ role: "finance" }] };
  assert.deepEqual(await ask(finance), ids(a.user, b.user));
  await service.call("DELETE", `/api/users/${c.user.id}/absence`);
  await away(service, a.user, null);
  assert.deepEqual(await ask(finance), all, "of each group");
});

testOnBoth(
  "a delegate whose approval would not count gets nothing; the one who is away excludes no one",
  async (service) => {
    const [ada, ben] = [await person(service), await person(service)];
    await away(service, ada.user, ben.user);
    const ask = async (on_behalf_of: object) => {
      const { body } = await service.call<TaskRecord>("POST", "/api/tasks", {
        body: {
          ...actionTask(),
          assign_to: { user_id: ada.user.id },
          approvals: { need: 1, exclude: ["on_behalf_of"] },
          on_behalf_of,
        },
      });
      return body;
    };
    assert.equal((await ask({ id: ben.user.id })).assigned_to_user_id, ada.user.id);
    const { id, assigned_to_user_id } = await ask({ id: ada.user.id });
    assert.equal(assigned_to_user_id, ben.user.id);
    const decided = await ben.call<TaskRecord>("POST", `/api/tasks/${id}/complete`, {
      body: { response: { decision: "approve" } },
    });
    assert.deepEqual([decided.status, decided.body.status], [200, "completed"], decided.text);
  },
);

testOnBoth("a task that somebody assigns is no longer for the one who was away", async (service) => {
  const [ada, ben, cy] = [await addUser(service), await addUser(service), await addUser(service)];
  await away(service, ada, ben);
  const assign = async (id: string, to: object) => {
    await service.call("POST", `/api/tasks/${id}/assign`, { body: to });
    const { assigned_to_user_id, delegated_from, delegated_until } = await read(service, id);
    return [assigned_to_user_id, delegated_from, delegated_until];
  };
  for (const to of [{ user_id: cy.id }, { user_id: null }, { user_id: ada.id }]) {
    const { id } = await service.create({ assign_to: { user_id: ada.id } });
    assert.deepEqual(await assign(id, to), [to.user_id, null, null], "an operator means whom they name");
  }
});

testOnBoth(
  "a task of somebody who leaves goes to the delegate of who is next, or back when the delegate leaves",
  async (service) => {
    const [ada, ben, cy] = [
      await addUser(service, { role: "approver" }),
      await addUser(service),
      await addUser(service),
    ];
    const first = await service.create({ assign_to: { role: "approver" } });
    const next = await addUser(service, { role: "approver" });
    await away(service, next, ben);
    await away(service, cy, ben);
    const second = await service.create({ assign_to: { user_id: cy.id } });
    await service.call("DELETE", `/api/users/${ada.id}`);
    await reofferTasksOfDeparted(service.ctx);
    const has = async (id: string) => {
      const { assigned_to_user_id, delegated_from } = await read(service, id);
      return [assigned_to_user_id, delegated_from];
    };
    assert.deepEqual(await has(first.id), [ben.id, named(next)]);
    assert.deepEqual((await lastEntry(service, first.id)).extra, {
      by: "role",
      assigned_to_user_id: ben.id,
      assigned_to_email: ben.email,
      delegated_from: named(next),
      reason: "deactivated",
      taken_from: ada.email,
    });
    await service.call("DELETE", `/api/users/${ben.id}`);
    await reofferTasksOfDeparted(service.ctx);
    assert.deepEqual(await has(first.id), [next.id, null]);
    assert.deepEqual(await has(second.id), [cy.id, null]);
  },
);

testOnBoth("a task that others may take as well is for no one else once its delegate leaves", async (service) => {
  const [ada, ben, cy] = [await addUser(service), await addUser(service), await addUser(service)];
  await away(service, ada, ben);
  const { id } = await service.create({ assign_to: { user_id: ada.id } });
  await service.ctx.db.write((tx) => addCandidates(tx, id, [cy.id]));
  await service.call("DELETE", `/api/users/${ben.id}`);
  await reofferTasksOfDeparted(service.ctx);
  const { assigned_to_user_id, delegated_from } = await read(service, id);
  assert.deepEqual([assigned_to_user_id, delegated_from], [null, null]);
});

testOnBoth("the trail of a redacted task names neither the delegate nor who is away", async (service) => {
  const [ada, ben] = [await addUser(service), await addUser(service)];
  await away(service, ada, ben);
  const { id, delegated_from } = await service.create({ assign_to: { user_id: ada.id }, redact_payload: true });
  assert.deepEqual(delegated_from, named(ada));
  const { action, extra } = await lastEntry(service, id);
  assert.deepEqual([action, extra], ["assigned", null]);
});
