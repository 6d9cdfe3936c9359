import assert from "node:assert/strict";
import { newAgent } from "../../test/support/agents.ts";
import { person } from "../../test/support/people.ts";
import { newTaskBody, testOnBoth, type TestService } from "../../test/support/service.ts";
import { DAY, HOUR, isoTime, MINUTE } from "../lib/time.ts";
import { takeDueSteps } from "./escalating.ts";
import { SNOOZED_MAX } from "./snooze-store.ts";
import type { ListedTask, TaskCounts, TaskRecord } from "./schema.ts";

type Call = TestService["call"];

const later = (service: TestService, ms = HOUR) => isoTime(service.clock.now() + ms);
const snooze = async (service: TestService, call: Call, id: string, ms = HOUR) => {
  const until = later(service, ms);
  const { status, body } = await call<TaskRecord>("PUT", `/api/tasks/${id}/snooze`, { body: { until } });
  assert.deepEqual([status, body.snoozed_until], [200, until], JSON.stringify(body));
};
const listed = async (call: Call, query = "") =>
  (await call<ListedTask[]>("GET", `/api/tasks?${query}`)).body.map(({ id }) => id);
const counts = async (call: Call) => (await call<TaskCounts>("GET", "/api/tasks/counts")).body;

testOnBoth("a snoozed task leaves the person's own lists and counts, and comes back by itself", async (service) => {
  const { create, clock } = service;
  const [ada, ben] = [await person(service), await person(service, { is_operator: true })];
  const fields = { assign_to: { email: ada.user.email! }, timeout_seconds: 86_400 };
  const [first, second, third] = [await create(fields), await create(fields), await create(fields)];
  for (const { call } of [ada, ben]) {
    await snooze(service, call, second.id);
    await snooze(service, call, first.id, 2 * HOUR);
    const rest = [third.id];
    for (const query of ["", "sort=deadline", "terminal=false", "status=created", "q=is:open", "limit=1"])
      assert.deepEqual(await listed(call, query), rest, query);
    const page = await call("GET", "/api/tasks?limit=1");
    assert.equal(page.headers["link"], undefined, "there is no second page");
    const counted = await counts(call);
    assert.deepEqual([counted.open, counted.snoozed, counted.next_wake_at], [1, 2, later(service)]);

    // It is found where it is searched for.
    assert.deepEqual(await listed(call, "q=is:snoozed&sort=deadline"), [first.id, second.id]);
    assert.deepEqual(await listed(call, `q=${first.id}`), [first.id]);
    const [row] = (await call<ListedTask[]>("GET", "/api/tasks?q=is:snoozed&sort=deadline")).body;
    assert.equal(row!.snoozed_until, later(service, 2 * HOUR));
    await call("POST", "/api/views", { body: { name: "Open", filter: {} } });
    assert.equal((await call<{ count: number }[]>("GET", "/api/views")).body[0]!.count, 1);
  }
  // Another snooze takes the place of the one before.
  await snooze(service, ben.call, first.id, 3 * HOUR);

  // Programs see everything as before, and so does everybody else.
  assert.equal((await service.call<TaskRecord>("GET", `/api/tasks/${first.id}`)).body.snoozed_until, undefined);
  assert.equal((await listed(service.call)).length, 3);
  assert.equal((await counts(service.call)).open, 3);
  const cara = await person(service, { is_operator: true });
  assert.deepEqual([(await listed(cara.call)).length, (await listed(cara.call, "q=is:snoozed")).length], [3, 0]);

  clock.advance(HOUR);
  assert.deepEqual(await listed(ada.call, "sort=deadline"), [second.id, third.id]);
  clock.advance(HOUR);
  assert.equal((await listed(ada.call)).length, 3);
  assert.equal((await counts(ada.call)).snoozed, undefined);
  assert.equal((await listed(ben.call)).length, 2);
});

testOnBoth(
  "a snoozed task comes back when it is woken, revised, assigned to the person, or a comment names them",
  async (service) => {
    const { create } = service;
    const ada = await person(service, { display_name: "Ada Lovelace" });
    const ben = await person(service, { is_operator: true });
    const email = ada.user.email!;
    const path = ({ id }: { id: string }, rest: string) => `/api/tasks/${id}/${rest}`;
    const isHidden = async ({ id }: { id: string }, { call } = ada) => !(await listed(call)).includes(id);
    const say = (id: string, text: string) => ben.call("POST", `/api/tasks/${id}/comments`, { body: { text } });
    const mine = { assign_to: { email } };

    const woken = await create(mine);
    await snooze(service, ada.call, woken.id, MINUTE);
    assert.equal(await isHidden(woken), true);
    const answer = await ada.call<TaskRecord>("DELETE", path(woken, "snooze"));
    assert.deepEqual([answer.status, answer.body.snoozed_until, await isHidden(woken)], [200, undefined, false]);
    assert.equal((await ada.call("DELETE", path(woken, "snooze"))).status, 200);

    const revised = await create(mine);
    await snooze(service, ada.call, revised.id, MINUTE);
    const body = { payload: { amount: 1, customer: "Dana" } };
    assert.equal((await service.call("POST", path(revised, "revise"), { body })).status, 200);
    assert.equal(await isHidden(revised), false);

    const assigned = await create();
    await snooze(service, ben.call, assigned.id, MINUTE);
    assert.equal(await isHidden(assigned, ben), true);
    await service.call("POST", path(assigned, "assign"), { body: { user_id: ben.user.id } });
    assert.equal(await isHidden(assigned, ben), false);
    // Also when it was theirs before somebody else had it.
    await snooze(service, ben.call, assigned.id, MINUTE);
    await service.call("POST", path(assigned, "assign"), { body: { user_id: ada.user.id } });
    assert.equal(await isHidden(assigned, ben), true);
    await service.call("POST", path(assigned, "assign"), { body: { user_id: ben.user.id } });
    assert.equal(await isHidden(assigned, ben), false);

    const named = await create(mine);
    for (const text of [`@${email.toUpperCase()} please look`, "What do you say, @ada lovelace?"]) {
      await snooze(service, ada.call, named.id, MINUTE);
      await say(named.id, `Not for ${email}, nor @someone`);
      assert.equal(await isHidden(named), true);
      await say(named.id, text);
      assert.equal(await isHidden(named), false, text);
    }

    const agent = await newAgent(service);
    const asked = await agent.call<TaskRecord>("POST", "/api/tasks", { body: newTaskBody(mine) });
    const question = await ada.call<{ id: string }>("POST", path(asked.body, "comments"), {
      body: { kind: "question", text: "Why?" },
    });
    await snooze(service, ada.call, asked.body.id, MINUTE);
    const reply = { text: "Because.", reply_to: question.body.id };
    assert.equal((await agent.call("POST", path(asked.body, "comments"), { body: reply })).status, 201);
    assert.equal(await isHidden(asked.body), false);
  },
);

testOnBoth("a snooze changes nothing for the task, and its end ends it", async (service) => {
  const { create, clock } = service;
  const { user, call } = await person(service);
  const before = await create({ assign_to: { email: user.email! } });
  await snooze(service, call, before.id);
  const { body: after } = await service.call<TaskRecord>("GET", `/api/tasks/${before.id}`);
  assert.deepEqual(after, before);
  assert.equal((await service.call<unknown[]>("GET", `/api/tasks/${before.id}/audit`)).body.length, 2);
  assert.equal(
    (await call("POST", `/api/tasks/${before.id}/complete`, { body: { response: { approved: true } } })).status,
    200,
  );
  assert.deepEqual(await listed(call, "terminal=true"), [before.id]);
  assert.deepEqual(await listed(call, "q=is:snoozed"), []);
  const path = `/api/tasks/${before.id}/snooze`;
  const refused = [await call("PUT", path, { body: { until: later(service) } }), await call("DELETE", path)];
  assert.deepEqual(
    refused.map(({ status }) => status),
    [409, 409],
  );
  const late = await create({ assign_to: { email: user.email! }, timeout_seconds: 60 });
  clock.advance(2 * MINUTE);
  assert.equal((await call("PUT", `/api/tasks/${late.id}/snooze`, { body: { until: later(service) } })).status, 409);
  await service.call("DELETE", `/api/tasks/${before.id}`);
  assert.deepEqual(await service.ctx.db.query.selectFrom("task_snoozes").selectAll().execute(), []);
});

testOnBoth("a time that cannot be is refused, and so is a task of others", async (service) => {
  const { create } = service;
  const { user, call } = await person(service);
  const { id, timeout_at } = await create({ assign_to: { email: user.email! } });
  const ask = async (until: unknown, task = id, one: Call = call) => {
    const { status, body } = await one<{ error_code: string; details?: { path: string }[] }>(
      "PUT",
      `/api/tasks/${task}/snooze`,
      {
        body: { until },
      },
    );
    return [status, body.error_code, body.details?.[0]?.path];
  };
  const wrong = [422, "VALIDATION_FAILED", "/until"];
  for (const until of [
    "tomorrow",
    "2026-01-05",
    later(service, 0),
    later(service, -DAY),
    isoTime(Date.parse(timeout_at) + 1),
  ])
    assert.deepEqual(await ask(until), wrong, until);
  assert.equal((await ask(5))[1], "MALFORMED_REQUEST");
  assert.equal((await ask(timeout_at))[0], 200);
  const stranger = await person(service);
  assert.deepEqual(await ask(later(service), id, stranger.call), [403, "FORBIDDEN", undefined]);
  assert.deepEqual(await ask(later(service), "tsk_0"), [404, "TASK_NOT_FOUND", undefined]);
  assert.deepEqual(await ask(later(service), id, service.call), [403, "FORBIDDEN", undefined]);
});

testOnBoth("a person can snooze a limited number of tasks", async (service) => {
  const { user, call } = await person(service);
  const ids: string[] = [];
  for (let i = 0; i <= SNOOZED_MAX; i++) ids.push((await service.create({ assign_to: { email: user.email! } })).id);
  for (const id of ids.slice(1)) await snooze(service, call, id, MINUTE);
  const put = (id: string) => call("PUT", `/api/tasks/${id}/snooze`, { body: { until: later(service, MINUTE) } });
  assert.equal((await put(ids[0]!)).status, 422);
  assert.equal((await put(ids[1]!)).status, 200, "a task that is snoozed already");
  await call("DELETE", `/api/tasks/${ids[1]}/snooze`);
  assert.equal((await put(ids[0]!)).status, 200);
});

testOnBoth("a step that assigns a snoozed task to the person brings it back", async (service) => {
  const { user, call } = await person(service, { is_operator: true });
  const { id } = await service.create({ escalation: [{ after: 60, do: "assign", to: { user_id: user.id } }] });
  await snooze(service, call, id);
  service.clock.advance(MINUTE);
  assert.deepEqual(await listed(call), []);
  assert.equal(await takeDueSteps(service.ctx), 1);
  assert.deepEqual(await listed(call), [id]);
});
