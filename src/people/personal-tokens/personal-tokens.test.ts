import assert from "node:assert/strict";
import { bearer, newPersonalToken, reviewStatus } from "../../../test/support/personal-tokens.ts";
import { callAs, PASSWORD, person, signedIn } from "../../../test/support/people.ts";
import { testOnBoth, type TestService } from "../../../test/support/service.ts";
import { DAY } from "../../lib/time.ts";
import { tidyPeople } from "../sessions.ts";
import type { NewPersonalTokenRecord, PersonalTokenRecord } from "./schema.ts";

interface ErrorBody {
  error_code: string;
}

const TOKENS = "/api/auth/me/tokens";

async function listed(call: TestService["call"]): Promise<PersonalTokenRecord[]> {
  return (await call<PersonalTokenRecord[]>("GET", TOKENS)).body;
}

testOnBoth("a personal token is shown once, and only its hash is stored", async (service) => {
  const { call } = await person(service);
  const made = await call<NewPersonalTokenRecord>("POST", TOKENS, { body: { name: "Claude Code" } });
  assert.equal(made.status, 201);
  assert.equal(made.headers["cache-control"], "no-store");
  const { token, ...record } = made.body;
  assert.match(token, /^hts_person_[\w-]{43}[0-9a-z]{7}$/);
  const now = service.clock.now();
  assert.deepEqual(record, {
    id: record.id,
    name: "Claude Code",
    prefix: token.slice(0, 16),
    created_at: new Date(now).toISOString(),
    expires_at: new Date(now + 90 * DAY).toISOString(),
    last_used_at: null,
  });
  assert.deepEqual(await listed(call), [record]);
  const stored = JSON.stringify(await service.ctx.db.query.selectFrom("personal_tokens").selectAll().execute());
  assert.ok(stored.includes(record.prefix) && !stored.includes(token.slice(16)));
});

testOnBoth("everyone has their own tokens, and operators see those of others without the tokens", async (service) => {
  const [dana, bob, operator] = [
    await person(service),
    await person(service),
    await person(service, { is_operator: true }),
  ];
  const { token, ...record } = await newPersonalToken(dana);
  assert.deepEqual(await listed(bob.call), []);
  const path = `/api/users/${dana.user.id}/tokens`;
  assert.equal((await bob.call("GET", path)).status, 403);
  assert.equal((await bob.call("DELETE", `${TOKENS}/${record.id}`)).status, 404);
  assert.deepEqual((await operator.call("GET", path)).body, [record]);
  assert.equal(await reviewStatus(service, bearer(token)), "200");

  assert.equal((await operator.call("DELETE", path)).status, 204);
  assert.equal(await reviewStatus(service, bearer(token)), "401 UNAUTHENTICATED");
  assert.deepEqual(await listed(dana.call), []);
  // Her sessions go on, and revoking nothing is no error.
  assert.equal((await operator.call("DELETE", path)).status, 204);
  for (const unknown of ["/api/users/usr_none/tokens", "/api/users/usr_00000000000000000000000000/tokens"])
    for (const method of ["GET", "DELETE"] as const)
      assert.equal((await operator.call<ErrorBody>(method, unknown)).body.error_code, "USER_NOT_FOUND");
});

testOnBoth(
  "only a person who is signed in has personal tokens, and confirms that it is them to create one",
  async (service) => {
    assert.equal((await service.call("POST", TOKENS, { body: { name: "Mine" } })).status, 403);
    assert.equal((await service.call("GET", TOKENS)).status, 403);
    const { call } = await person(service, { password: PASSWORD });
    service.clock.advance(10 * 60_000);
    const refused = await call<ErrorBody>("POST", TOKENS, { body: { name: "Mine" } });
    assert.deepEqual([refused.status, refused.body.error_code], [403, "CONFIRMATION_REQUIRED"]);
    assert.deepEqual(await listed(call), []);
  },
);

testOnBoth("a token stops at its time, is listed for a month as expired, and is gone after that", async (service) => {
  const { call, user } = await person(service);
  const { token, expires_at } = await newPersonalToken({ call }, { name: "Short", expires_in_days: 1 });
  assert.equal(Date.parse(expires_at), service.clock.now() + DAY);
  service.clock.advance(DAY - 1);
  assert.equal(await reviewStatus(service, bearer(token)), "200");
  service.clock.advance(1);
  assert.equal(await reviewStatus(service, bearer(token)), "401 UNAUTHENTICATED");
  const again = callAs(service, await signedIn(service, user.id));
  assert.equal((await listed(again)).length, 1);
  service.clock.advance(30 * DAY);
  await tidyPeople(service.ctx);
  assert.deepEqual(await listed(callAs(service, await signedIn(service, user.id))), []);
});

testOnBoth("what is wrong with a new token is said", async (service) => {
  const { call } = await person(service);
  const codes = async (body: object) => (await call<ErrorBody>("POST", TOKENS, { body })).status;
  assert.equal(await codes({}), 400);
  assert.equal(await codes({ name: "" }), 422);
  assert.equal(await codes({ name: "x".repeat(101) }), 422);
  for (const expires_in_days of [0, 366, 1.5, "30"]) assert.notEqual(await codes({ name: "x", expires_in_days }), 201);
  assert.equal(await codes({ name: "x", expires_in_days: 365 }), 201);
  for (const id of ["ptk_none", "ptk_00000000000000000000000000"])
    assert.equal((await call("DELETE", `${TOKENS}/${id}`)).status, 404);
});

testOnBoth("a person has at most ten live tokens, however many they ask for at once", async (service) => {
  const { user, call } = await person(service);
  await newPersonalToken({ call }, { name: "Short", expires_in_days: 1 });
  const made = await Promise.all(
    Array.from({ length: 14 }, async (_, i) => call<ErrorBody>("POST", TOKENS, { body: { name: `Token ${i}` } })),
  );
  const refused = made.filter(({ status }) => status !== 201);
  assert.equal(refused.length, 5);
  for (const { status, body } of refused) assert.deepEqual([status, body.error_code], [409, "PERSONAL_TOKEN_LIMIT"]);
  assert.equal((await listed(call)).length, 10);
  // One that has expired counts no longer.
  service.clock.advance(DAY);
  const later = callAs(service, await signedIn(service, user.id));
  await newPersonalToken({ call: later });
  assert.equal((await later("POST", TOKENS, { body: { name: "One more" } })).status, 409);
});

testOnBoth("the use of a token is noted, to within a minute", async (service) => {
  const { call } = await person(service);
  const { token } = await newPersonalToken({ call });
  const used = async () => (await listed(call))[0]!.last_used_at;
  await reviewStatus(service, bearer(token));
  const first = await used();
  assert.equal(first, new Date(service.clock.now()).toISOString());
  service.clock.advance(59_000);
  await reviewStatus(service, bearer(token));
  assert.equal(await used(), first);
  service.clock.advance(1_000);
  await reviewStatus(service, bearer(token));
  assert.equal(await used(), new Date(service.clock.now()).toISOString());
});

testOnBoth(
  "whatever signs a person out everywhere also ends their tokens, and nothing revives them",
  async (service) => {
    const ways: Record<string, (of: { id: string; call: TestService["call"] }) => Promise<{ status: number }>> = {
      deactivated: async ({ id }) => service.call("DELETE", `/api/users/${id}`),
      "signed out by an operator": async ({ id }) => service.call("DELETE", `/api/users/${id}/sessions`),
      "password set by an operator": async ({ id }) =>
        service.call("PATCH", `/api/users/${id}`, { body: { password: `${PASSWORD} 2` } }),
      "password changed by themselves": async ({ call }) =>
        call("PATCH", "/api/auth/me", { body: { password: { current: PASSWORD, new: `${PASSWORD} 3` } } }),
    };
    for (const [way, end] of Object.entries(ways)) {
      const { user, call } = await person(service, { password: PASSWORD });
      const { token } = await newPersonalToken({ call });
      assert.equal(await reviewStatus(service, bearer(token)), "200", way);
      assert.ok([200, 204].includes((await end({ id: user.id, call })).status), way);
      assert.equal(await reviewStatus(service, bearer(token)), "401 UNAUTHENTICATED", way);
      await service.call("PATCH", `/api/users/${user.id}`, { body: { active: true } });
      assert.equal(await reviewStatus(service, bearer(token)), "401 UNAUTHENTICATED", way);
    }
  },
);

testOnBoth("a token is of no use while its person is inactive, however that came about", async (service) => {
  const { user, call } = await person(service);
  const { token } = await newPersonalToken({ call });
  const setActive = async (active: number) =>
    service.ctx.db.write((tx) => tx.query.updateTable("users").set({ active }).where("id", "=", user.id).execute());
  await setActive(0);
  assert.equal(await reviewStatus(service, bearer(token)), "401 UNAUTHENTICATED");
  await setActive(1);
  assert.equal(await reviewStatus(service, bearer(token)), "200");
});

testOnBoth("a person who signs out, or ends other sessions, keeps their tokens", async (service) => {
  const { call } = await person(service);
  const { token } = await newPersonalToken({ call });
  assert.equal((await call("DELETE", "/api/auth/sessions")).status, 204);
  assert.equal((await call("POST", "/api/auth/logout")).status, 204);
  assert.equal(await reviewStatus(service, bearer(token)), "200");
});

testOnBoth("guesses at personal tokens are limited as those at other tokens are", async (service) => {
  const guess = async () => reviewStatus(service, bearer(`hts_person_${"A".repeat(50)}`));
  for (let i = 0; i < 100; i++) assert.equal(await guess(), "401 UNAUTHENTICATED");
  assert.equal(await guess(), "429 RATE_LIMITED");
});
