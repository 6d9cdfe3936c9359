import assert from "node:assert/strict";
import { person } from "../../test/support/people.ts";
import { testOnBoth, type Answer, type TestService } from "../../test/support/service.ts";
import { endLapsedClaims, startClaimExpiry } from "./claims.ts";
import { timeOutDueTasks } from "./timeouts.ts";
import type { AuditEntryRecord, TaskRecord } from "./schema.ts";

type Body = TaskRecord & { error_code: string };
type Call = TestService["call"];

const MINUTE = 60_000;
const post = (call: Call, id: string, what: string, body?: object): Promise<Answer<Body>> =>
  call<Body>("POST", `/api/tasks/${id}/${what}`, { body });
const answer = { response: { approved: true } };
const trailOf = async (service: TestService, id: string) =>
  (await service.call<AuditEntryRecord[]>("GET", `/api/tasks/${id}/audit`)).body;

testOnBoth(
  "a claim says who is working on a task, for ten minutes, and is renewed by whoever holds it",
  async (service) => {
    const [dana, op] = [await person(service), await person(service, { is_operator: true })];
    const { id } = await service.create({ assign_to: { email: dana.user.email! } });
    const claimed = await post(dana.call, id, "claim");
    assert.equal(claimed.status, 200);
    assert.equal(claimed.body.claimed_by_email, dana.user.email);
    assert.equal(claimed.body.claim_expires_at, new Date(service.clock.now() + 10 * MINUTE).toISOString());
    const held = await post(op.call, id, "claim");
    assert.deepEqual([held.status, held.body.error_code], [409, "TASK_ALREADY_CLAIMED"]);

    service.clock.advance(9 * MINUTE);
    assert.equal(
      (await post(dana.call, id, "claim")).body.claim_expires_at,
      new Date(service.clock.now() + 10 * MINUTE).toISOString(),
    );
    service.clock.advance(10 * MINUTE - 1);
    assert.equal((await post(op.call, id, "claim")).status, 409);
    service.clock.advance(1);
    assert.equal((await post(op.call, id, "claim")).body.claimed_by_email, op.user.email);
    // An operator who looks after a task does not take it away from the person it is for.
    assert.equal((await post(op.call, id, "claim")).body.assigned_to_email, dana.user.email);
    const actions = (await trailOf(service, id)).map(({ action, actor_email }) => [action, actor_email]);
    assert.deepEqual(actions, [
      ["created", null],
      ["assigned", null],
      ["claimed", dana.user.email],
      ["claimed", op.user.email],
    ]);
  },
);

testOnBoth("a claim keeps others from starting, and never from answering", async (service) => {
  const [dana, op] = [await person(service), await person(service, { is_operator: true })];
  const { id } = await service.create({ assign_to: { email: dana.user.email! } });
  await post(op.call, id, "claim");
  assert.equal((await post(dana.call, id, "complete", answer)).status, 200);
});

testOnBoth("an operator takes a claim over, nobody else", async (service) => {
  const [dana, op] = [await person(service), await person(service, { is_operator: true })];
  const { id } = await service.create({ assign_to: { email: dana.user.email! } });
  await post(op.call, id, "claim");
  assert.deepEqual((await post(dana.call, id, "claim", { force: true })).status, 403);
  await post(op.call, id, "release");
  await post(dana.call, id, "claim");
  const taken = await post(op.call, id, "claim", { force: true });
  assert.deepEqual([taken.status, taken.body.claimed_by_email], [200, op.user.email]);
  assert.deepEqual((await trailOf(service, id)).at(-1)!.extra, { taken_from: dana.user.email });
});

testOnBoth("the admin token is nobody in particular, and claims nothing", async (service) => {
  const { id } = await service.create();
  const refused = await post(service.call, id, "claim");
  assert.deepEqual([refused.status, refused.body.error_code], [400, "CLAIM_NEEDS_A_PERSON"]);
});

testOnBoth("what is offered to several is the first one's who claims it", async (service) => {
  const people = [await person(service, { pool: "refunds" }), await person(service, { pool: "refunds" })] as const;
  const [dana, mia] = people;
  const { id, assigned_to_email } = await service.create({ assign_to: { pool: "refunds" } });
  assert.equal(assigned_to_email, null);
  for (const { call } of people) {
    assert.equal((await call("GET", `/api/tasks/${id}`)).status, 200);
    assert.equal((await call<TaskRecord[]>("GET", "/api/tasks")).body.length, 1);
  }
  const claims = await Promise.all(people.map(({ call }) => post(call, id, "claim")));
  assert.deepEqual(
    claims.map(({ status }) => status).toSorted((a, b) => a - b),
    [200, 409],
  );
  const [winner, loser] = claims[0]!.status === 200 ? [dana, mia] : [mia, dana];
  const record = claims.find(({ status }) => status === 200)!.body;
  assert.deepEqual([record.assigned_to_user_id, record.assigned_to_email], [winner.user.id, winner.user.email]);
  assert.equal((await loser.call<TaskRecord[]>("GET", "/api/tasks")).body.length, 0);
  // Given back, it is on offer again.
  assert.equal((await post(winner.call, id, "release")).body.assigned_to_email, null);
  assert.equal((await loser.call<TaskRecord[]>("GET", "/api/tasks")).body.length, 1);
  await post(loser.call, id, "claim");
  assert.equal((await post(loser.call, id, "complete", answer)).body.completed_by_email, loser.user.email);
});

testOnBoth("what a candidate left lying is the next one's", async (service) => {
  const [dana, mia] = [await person(service, { pool: "p" }), await person(service, { pool: "p" })];
  const { id } = await service.create({ assign_to: { pool: "p" } });
  await post(dana.call, id, "claim");
  service.clock.advance(10 * MINUTE);
  assert.equal((await post(mia.call, id, "claim")).body.assigned_to_user_id, mia.user.id);
});

testOnBoth("a candidate answers without a claim, and is the assignee with the answer", async (service) => {
  const [dana, mia] = [await person(service, { pool: "p" }), await person(service, { pool: "p" })];
  const { id } = await service.create({ assign_to: { pool: "p" } });
  const answered = await post(dana.call, id, "complete", answer);
  assert.deepEqual(
    [answered.status, answered.body.assigned_to_user_id, answered.body.assigned_to_email],
    [200, dana.user.id, dana.user.email],
  );
  const { body } = await mia.call<TaskRecord>("GET", `/api/tasks/${id}`);
  assert.deepEqual([body.assigned_to_user_id, body.completed_by_user_id], [dana.user.id, dana.user.id]);
});

testOnBoth(
  "whoever's claim is running, a candidate's answer counts, and the claim ends with the task",
  async (service) => {
    const members = [await person(service, { pool: "p" }), await person(service, { pool: "p" })] as const;
    const op = await person(service, { is_operator: true });
    const [dana, mia] = members;
    for (const holder of [op, mia]) {
      const { id } = await service.create({ assign_to: { pool: "p" } });
      assert.equal((await post(holder.call, id, "claim")).status, 200);
      const answered = await post(dana.call, id, "complete", answer);
      assert.equal(answered.status, 200);
      const { assigned_to_user_id, claimed_by_email, claim_expires_at } = answered.body;
      assert.deepEqual([assigned_to_user_id, claimed_by_email, claim_expires_at], [dana.user.id, null, null]);
      const { body: read } = await service.call<TaskRecord>("GET", `/api/tasks/${id}`);
      assert.deepEqual(
        [read.assigned_to_user_id, read.claimed_by_email, read.claim_expires_at],
        [dana.user.id, null, null],
      );
    }
  },
);

testOnBoth("an end of any kind ends the claim", async (service) => {
  const op = await person(service, { is_operator: true });
  const claimed = async () => {
    const { id } = await service.create({ timeout_seconds: 60 });
    await post(op.call, id, "claim");
    return id;
  };
  const [cancelled, late] = [await claimed(), await claimed()];
  await post(service.call, cancelled, "cancel");
  service.clock.advance(MINUTE);
  assert.equal(await timeOutDueTasks(service.ctx), 1);
  for (const id of [cancelled, late]) {
    const { body } = await service.call<TaskRecord>("GET", `/api/tasks/${id}`);
    assert.deepEqual([body.claimed_by_email, body.claim_expires_at], [null, null], body.status);
  }
});

testOnBoth("a claim that is not renewed ends at its time, and the task is on offer to all again", async (service) => {
  const [dana, mia] = [await person(service, { pool: "p" }), await person(service, { pool: "p" })];
  const op = await person(service, { is_operator: true });
  const offered = await service.create({ assign_to: { pool: "p" } });
  const theirs = await service.create({ assign_to: { user_id: dana.user.id } });
  await post(dana.call, offered.id, "claim");
  await post(op.call, theirs.id, "claim");
  const listOf = async ({ call }: { call: Call }) =>
    (await call<TaskRecord[]>("GET", "/api/tasks")).body.map(({ id }) => id);
  assert.deepEqual(await listOf(mia), []);

  service.clock.advance(10 * MINUTE - 1);
  assert.equal(await endLapsedClaims(service.ctx), 0);
  service.clock.advance(1);
  assert.equal(await endLapsedClaims(service.ctx), 2);
  assert.equal(await endLapsedClaims(service.ctx), 0);

  assert.deepEqual(await listOf(mia), [offered.id]);
  assert.deepEqual(await listOf(dana), [theirs.id, offered.id]);
  const after = (await service.call<TaskRecord>("GET", `/api/tasks/${offered.id}`)).body;
  assert.deepEqual([after.assigned_to_email, after.claimed_by_email, after.claim_expires_at], [null, null, null]);
  // The claim of an operator took nothing from the assignee.
  const kept = (await service.call<TaskRecord>("GET", `/api/tasks/${theirs.id}`)).body;
  assert.deepEqual([kept.assigned_to_user_id, kept.claimed_by_email], [dana.user.id, null]);
  const entry = (await trailOf(service, offered.id)).at(-1)!;
  assert.deepEqual(
    [entry.action, entry.actor_type, entry.extra],
    ["released", "system", { reason: "expired", taken_from: dana.user.email }],
  );
});

testOnBoth("the watch over claims ends each at its time", async (service) => {
  const dana = await person(service, { pool: "p" });
  const { id } = await service.create({ assign_to: { pool: "p" } });
  await post(dana.call, id, "claim");
  service.clock.advance(10 * MINUTE);
  const ended = new Promise<void>((resolve) => {
    service.ctx.db.hints.listen((hint) => hint === `task:${id}` && resolve());
  });
  const watch = startClaimExpiry(service.ctx);
  await ended;
  await watch.stop();
  const { body } = await service.call<TaskRecord>("GET", `/api/tasks/${id}`);
  assert.equal(body.claimed_by_email, null);
});

testOnBoth("the trail says who was overtaken, also where the payload is redacted", async (service) => {
  const [op, other] = [await person(service, { is_operator: true }), await person(service, { is_operator: true })];
  const { id } = await service.create({ redact_payload: true });
  await post(op.call, id, "claim");
  await post(other.call, id, "claim", { force: true });
  assert.deepEqual((await trailOf(service, id)).at(-1)!.extra, { taken_from: op.user.email });
});

testOnBoth("nothing is assigned to somebody who was deactivated", async (service) => {
  const gone = await person(service);
  await service.call("DELETE", `/api/users/${gone.user.id}`);
  const { id } = await service.create();
  for (const body of [{ email: gone.user.email }, { user_id: gone.user.id }])
    assert.equal((await post(service.call, id, "assign", body)).status, 422);
});

testOnBoth(
  "a claim is released by whoever holds it or an operator, and releasing nothing changes nothing",
  async (service) => {
    const [dana, op] = [await person(service), await person(service, { is_operator: true })];
    const { id } = await service.create({ assign_to: { email: dana.user.email! } });
    await post(op.call, id, "claim");
    assert.equal((await post(dana.call, id, "release")).status, 403);
    const released = await post(service.call, id, "release");
    assert.deepEqual(
      [released.body.claimed_by_email, released.body.claim_expires_at, released.body.assigned_to_email],
      [null, null, dana.user.email],
    );
    const { length } = await trailOf(service, id);
    assert.equal((await post(dana.call, id, "release")).status, 200);
    assert.equal((await trailOf(service, id)).length, length);
  },
);

testOnBoth("an operator gives a task to a user, to an address, or to nobody", async (service) => {
  const [dana, mia] = [await person(service, { pool: "p" }), await person(service)];
  const { id } = await service.create({ assign_to: { pool: "p" } });
  await post(dana.call, id, "claim");
  const given = await post(service.call, id, "assign", { user_id: mia.user.id });
  assert.deepEqual(
    [given.status, given.body.assigned_to_user_id, given.body.assigned_to_email, given.body.claimed_by_email],
    [200, mia.user.id, mia.user.email, null],
  );
  // The offer is over for the others.
  assert.equal((await post(dana.call, id, "claim")).status, 403);
  assert.equal((await dana.call("GET", `/api/tasks/${id}`)).status, 403);
  assert.equal((await mia.call("GET", `/api/tasks/${id}`)).status, 200);

  const known = await post(service.call, id, "assign", { email: dana.user.email!.toUpperCase() });
  assert.equal(known.body.assigned_to_user_id, dana.user.id);
  const unknown = await post(service.call, id, "assign", { email: "later@example.com" });
  assert.deepEqual([unknown.body.assigned_to_user_id, unknown.body.assigned_to_email], [null, "later@example.com"]);
  const later = await person(service, { email: "Later@example.com" });
  assert.equal((await post(later.call, id, "claim")).status, 200);
  const nobody = await post(service.call, id, "assign", { user_id: null });
  assert.deepEqual([nobody.body.assigned_to_email, nobody.body.claimed_by_email], [null, null]);
  assert.equal((await later.call("GET", `/api/tasks/${id}`)).status, 403);
});

testOnBoth("what cannot be assigned is refused and names the place", async (service) => {
  const gone = await person(service);
  await service.call("DELETE", `/api/users/${gone.user.id}`);
  const { id } = await service.create();
  for (const [body, status, path] of [
    [{}, 400, "/user_id"],
    [{ user_id: 5 }, 400, "/user_id"],
    [{ user_id: "usr_none" }, 422, "/user_id"],
    [{ user_id: gone.user.id }, 422, "/user_id"],
    [{ email: "dana" }, 422, "/email"],
    [{ user_id: gone.user.id, email: "dana@example.com" }, 422, "/email"],
  ] as const) {
    const refused = await service.call<{ details: { path: string }[] }>("POST", `/api/tasks/${id}/assign`, { body });
    assert.deepEqual([refused.status, refused.body.details[0]!.path], [status, path], JSON.stringify(body));
  }
});

testOnBoth("a task that has ended is nobody's to claim, release or assign", async (service) => {
  const op = await person(service, { is_operator: true });
  const ended = await service.create();
  await post(service.call, ended.id, "cancel");
  const overdue = await service.create({ timeout_seconds: 60 });
  service.clock.advance(MINUTE);
  for (const { id } of [ended, overdue])
    for (const [what, body] of [
      ["claim", {}],
      ["release", {}],
      ["assign", { email: "dana@example.com" }],
    ] as const)
      assert.deepEqual((await post(op.call, id, what, body)).body.error_code, "TASK_ALREADY_TERMINAL", what);
});

testOnBoth("an answer is stamped with whoever is signed in, whatever it says", async (service) => {
  const dana = await person(service);
  const { id } = await service.create({ assign_to: { email: dana.user.email! } });
  const forged = {
    ...answer,
    completed_by_email: "boss@example.com",
    completed_via_channel: "slack",
    completed_by_user_id: "usr_boss",
  };
  const done = await post(dana.call, id, "complete", forged);
  assert.deepEqual(
    [done.body.completed_by_email, done.body.completed_by_user_id, done.body.completed_via_channel],
    [dana.user.email, dana.user.id, "dashboard"],
  );
  const last = (await trailOf(service, id)).at(-1)!;
  assert.deepEqual(
    [last.action, last.actor_type, last.actor_email, last.channel],
    ["completed", "human", dana.user.email, "dashboard"],
  );
});

testOnBoth("an answer that was on its way when the task went to somebody else is refused", async (service) => {
  const [dana, mia] = [await person(service), await person(service)];
  const { id } = await service.create({
    assign_to: { email: dana.user.email! },
    verifier_config: { provider: "openai", instructions: "Is it fine?" },
  });
  const asked = Promise.withResolvers<void>();
  const decide = Promise.withResolvers<void>();
  service.ctx.verify = async () => {
    asked.resolve();
    await decide.promise;
    return { passed: true, reason: "fine" };
  };
  const late = post(dana.call, id, "complete", answer);
  await asked.promise;
  await post(service.call, id, "assign", { user_id: mia.user.id });
  decide.resolve();
  assert.equal((await late).status, 403);
  assert.equal((await service.call<TaskRecord>("GET", `/api/tasks/${id}`)).body.status, "created");
});

testOnBoth("an answer of somebody who is signed out while it is checked is refused", async (service) => {
  const dana = await person(service);
  const { id } = await service.create({
    assign_to: { email: dana.user.email! },
    verifier_config: { provider: "openai", instructions: "Is it fine?" },
  });
  service.ctx.verify = async () => {
    await service.call("DELETE", `/api/users/${dana.user.id}`);
    return { passed: true, reason: "fine" };
  };
  assert.equal((await post(dana.call, id, "complete", answer)).status, 401);
  assert.equal((await service.call<TaskRecord>("GET", `/api/tasks/${id}`)).body.status, "created");
});

testOnBoth("whoever waits for a task hears no more of it once it is somebody else's", async (service) => {
  const [dana, mia] = [await person(service), await person(service)];
  const { id } = await service.create({ assign_to: { email: dana.user.email! } });
  const poll = dana.call("GET", `/api/tasks/${id}/poll?timeout=60`);
  while (service.ctx.waiters.count() === 0) await new Promise((resolve) => setImmediate(resolve));
  await post(service.call, id, "assign", { user_id: mia.user.id });
  await post(mia.call, id, "complete", answer);
  assert.equal((await poll).status, 403);
});

testOnBoth("who may not see a task is told so at once, and does not wait for it", async (service) => {
  const { id } = await service.create();
  const { call } = await person(service);
  const poll = call("GET", `/api/tasks/${id}/poll?timeout=60`);
  assert.equal((await poll).status, 403);
  assert.equal(service.ctx.waiters.count(), 0);
});
