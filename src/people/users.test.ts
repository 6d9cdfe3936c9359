import assert from "node:assert/strict";
import { test } from "node:test";
import { addUser, callAs, PASSWORD, person, signedIn } from "../../test/support/people.ts";
import { testOnBoth, type Answer, type TestService } from "../../test/support/service.ts";
import { createPasswords, requireGoodPassword } from "./passwords.ts";
import type { UserRecord } from "./schema.ts";

type ErrorBody = { error_code: string; details?: { path: string }[] };

const make = (service: TestService, body: object) =>
  service.call<UserRecord & ErrorBody>("POST", "/api/users", { body });
const change = (service: TestService, id: string, body: object): Promise<Answer<UserRecord & ErrorBody>> =>
  service.call<UserRecord & ErrorBody>("PATCH", `/api/users/${id}`, { body });

testOnBoth("a user is made, read, listed, changed and deactivated", async (service) => {
  const created = await make(service, {
    email: "Dana@Example.com",
    display_name: "Dana",
    role: "approver",
    access_level: "gold",
    pool: "refunds",
    slack_team_id: "T1",
    slack_user_id: "U1",
  });
  assert.equal(created.status, 201);
  const { id, created_at } = created.body;
  assert.match(id, /^usr_/);
  assert.deepEqual(created.body, {
    id,
    email: "Dana@Example.com",
    display_name: "Dana",
    is_operator: false,
    projects: [{ project: "default", role: "member" }],
    role: "approver",
    access_level: "gold",
    pool: "refunds",
    slack_team_id: "T1",
    slack_user_id: "U1",
    has_password: false,
    oidc_accounts: [],
    invitation: null,
    active: true,
    absence: null,
    last_assigned_at: null,
    created_at,
    updated_at: created_at,
  });
  assert.deepEqual((await service.call("GET", `/api/users/${id}`)).body, created.body);
  assert.deepEqual((await service.call("GET", "/api/users")).body, [created.body]);

  service.clock.advance(1000);
  const changed = await change(service, id, { role: null, pool: "claims", password: PASSWORD, slack_user_id: "U2" });
  assert.equal(changed.status, 200);
  assert.deepEqual(changed.body, {
    ...created.body,
    role: null,
    pool: "claims",
    slack_user_id: "U2",
    has_password: true,
    updated_at: new Date(service.clock.now()).toISOString(),
  });
  const gone = await service.call<UserRecord>("DELETE", `/api/users/${id}`);
  assert.deepEqual([gone.status, gone.body.active], [200, false]);
  assert.equal((await service.call<UserRecord>("GET", `/api/users/${id}`)).body.active, false);
  assert.equal((await change(service, id, { active: true })).body.active, true);
});

testOnBoth("an address belongs to one person, whatever its case, also when they are gone", async (service) => {
  const dana = await addUser(service, { email: "dana@example.com", slack_team_id: "T1", slack_user_id: "U1" });
  await service.call("DELETE", `/api/users/${dana.id}`);
  const eve = await addUser(service, { email: "eve@example.com" });
  for (const fields of [
    { email: "DANA@example.com" },
    { email: "new@example.com", slack_team_id: "T1", slack_user_id: "U1" },
  ]) {
    const answer = await make(service, fields);
    assert.deepEqual([answer.status, answer.body.error_code], [409, "USER_ALREADY_EXISTS"]);
  }
  for (const fields of [{ email: "Dana@Example.com" }, { slack_team_id: "T1", slack_user_id: "U1" }])
    assert.equal((await change(service, eve.id, fields)).body.error_code, "USER_ALREADY_EXISTS");
  // The same Slack id in another workspace is somebody else's.
  assert.equal((await change(service, eve.id, { slack_team_id: "T2", slack_user_id: "U1" })).status, 200);
  assert.equal((await change(service, dana.id, { email: "DANA@example.com" })).status, 200);
});

testOnBoth("of 20 users with one address at once one is made", async (service) => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => make(service, { email: "dana@example.com" })));
  assert.equal(answers.filter(({ status }) => status === 201).length, 1);
  assert.equal(answers.filter(({ body }) => body.error_code === "USER_ALREADY_EXISTS").length, 19);
  const others = await Promise.all(Array.from({ length: 10 }, () => addUser(service)));
  const moved = await Promise.all(others.map(({ id }) => change(service, id, { email: "one@example.com" })));
  assert.equal(moved.filter(({ status }) => status === 200).length, 1);
  assert.equal(moved.filter(({ body }) => body.error_code === "USER_ALREADY_EXISTS").length, 9);
});

testOnBoth("a user needs an address", async (service) => {
  for (const fields of [
    {},
    { display_name: "Nobody" },
    { email: null },
    { slack_team_id: "T1" },
    { email: "dana@example.com", slack_user_id: "U1" },
  ]) {
    const answer = await make(service, fields);
    assert.deepEqual([answer.status, answer.body.error_code], [422, "USER_NO_ADDRESS"], JSON.stringify(fields));
  }
  const slack = await make(service, { slack_team_id: "T1", slack_user_id: "U1" });
  assert.equal(slack.status, 201);
  assert.equal(
    (await change(service, slack.body.id, { slack_team_id: null, slack_user_id: null })).body.error_code,
    "USER_NO_ADDRESS",
  );
  const mail = await addUser(service);
  assert.equal((await change(service, mail.id, { email: null })).body.error_code, "USER_NO_ADDRESS");
});

testOnBoth("what cannot be a user is refused and names the place", async (service) => {
  const wrong: [object, number, string][] = [
    [{ email: 5 }, 400, "/email"],
    [{ email: "dana" }, 422, "/email"],
    [{ email: `${"x".repeat(250)}@example.com` }, 422, "/email"],
    [{ email: "dana@example.com", role: "" }, 422, "/role"],
    [{ email: "dana@example.com", role: "a\0b" }, 422, "/role"],
    [{ email: "dana@example.com", is_operator: "yes" }, 400, "/is_operator"],
    [{ email: "dana@example.com", password: "1234567" }, 422, "/password"],
    [{ email: "dana@example.com", password: "qwertyuiop" }, 422, "/password"],
  ];
  for (const [body, status, path] of wrong) {
    const answer = await make(service, body);
    assert.deepEqual([answer.status, answer.body.details?.[0]?.path], [status, path], JSON.stringify(body));
  }
  const { body: users } = await service.call<unknown[]>("GET", "/api/users");
  assert.deepEqual(users, []);
  assert.equal((await service.call("GET", "/api/users/usr_none")).status, 404);
  assert.equal((await change(service, "usr_00000000000000000000000000", {})).body.error_code, "USER_NOT_FOUND");
});

testOnBoth("what a request cannot set stays as it is", async (service) => {
  const user = await addUser(service, { id: "usr_mine", created_at: "1970-01-01T00:00:00.000Z", password_hash: "x" });
  assert.notEqual(user.id, "usr_mine");
  assert.equal(user.has_password, false);
  const changed = await change(service, user.id, {
    id: "usr_mine",
    email_key: "other",
    last_assigned_at: 5,
    has_password: true,
  });
  assert.deepEqual(changed.body, user);
});

testOnBoth("the list is newest first, in pages, and can be narrowed down", async (service) => {
  const users: UserRecord[] = [];
  for (let i = 0; i < 7; i++) {
    users.unshift(await addUser(service, { role: i % 2 === 0 ? "even" : "odd", pool: i < 3 ? "first" : null }));
    service.clock.advance(1);
  }
  await service.call("DELETE", `/api/users/${users[0]!.id}`);
  const ids = users.map(({ id }) => id);
  const list = async (query: string) =>
    (await service.call<UserRecord[]>("GET", `/api/users?${query}`)).body.map(({ id }) => id);
  assert.deepEqual(await list("active=false"), [ids[0]]);
  assert.deepEqual(await list("active=true"), ids.slice(1));
  assert.deepEqual(
    await list("role=odd"),
    ids.filter((_, i) => (6 - i) % 2 === 1),
  );
  assert.deepEqual(await list("pool=first"), ids.slice(4));
  assert.deepEqual(await list(`q=${users[3]!.email!.toUpperCase()}`), [ids[3]]);
  assert.deepEqual(await list("q=%25"), []);

  const paged: string[] = [];
  let next = "/api/users?limit=3";
  while (next !== "") {
    const page = await service.call<UserRecord[]>("GET", next);
    paged.push(...page.body.map(({ id }) => id));
    next = /<([^>]+)>/.exec(page.headers["link"] ?? "")?.[1] ?? "";
  }
  assert.deepEqual(paged, ids);
});

testOnBoth("the last operator can be neither deactivated, nor demoted, nor locked out", async (service) => {
  const last = await addUser(service, { is_operator: true, password: PASSWORD });
  const cannot = await addUser(service, { is_operator: true });
  for (const body of [{ active: false }, { is_operator: false }, { password: null }]) {
    const answer = await change(service, last.id, body);
    assert.deepEqual([answer.status, answer.body.error_code], [409, "LAST_OPERATOR"], JSON.stringify(body));
  }
  assert.equal((await service.call<ErrorBody>("DELETE", `/api/users/${last.id}`)).body.error_code, "LAST_OPERATOR");
  await change(service, cannot.id, { password: PASSWORD });
  assert.equal((await change(service, last.id, { is_operator: false })).status, 200);
});

testOnBoth("of two operators who leave at once one stays", async (service) => {
  for (let round = 0; round < 5; round++) {
    const both = [await addUser(service, { is_operator: true }), await addUser(service, { is_operator: true })];
    const left = await service.call<UserRecord[]>("GET", "/api/users?active=true");
    const others = left.body.filter(({ id, is_operator }) => is_operator && both.every((user) => user.id !== id));
    for (const { id } of others) await change(service, id, { is_operator: false });
    const answers = await Promise.all(both.map(({ id }) => service.call("DELETE", `/api/users/${id}`)));
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, 409],
    );
  }
});

testOnBoth("deactivation, demotion and a new password end every session of that person at once", async (service) => {
  for (const [body, back] of [
    [{ active: false }, { active: true }],
    [{ is_operator: false }, { is_operator: true }],
    [{ password: "another password" }, {}],
    [{ password: null }, {}],
  ]) {
    const { user, headers, call } = await person(service, { is_operator: true, password: PASSWORD });
    const other = callAs(service, await signedIn(service, user.id));
    const bystander = await person(service, { is_operator: true, password: PASSWORD });
    assert.equal((await change(service, user.id, body!)).status, 200);
    for (const one of [call, other]) assert.equal((await one("GET", "/api/tasks")).status, 401, JSON.stringify(body));
    // And they do not come back with the person.
    await change(service, user.id, back!);
    assert.equal((await callAs(service, headers)("GET", "/api/tasks")).status, 401);
    assert.equal((await bystander.call("GET", "/api/tasks")).status, 200);
  }
  const { user, call } = await person(service);
  await change(service, user.id, { display_name: "Dana", role: "approver" });
  assert.equal((await call("GET", "/api/tasks")).status, 200);
});

void test("a password is stored so that nobody can read it, and matches only itself", async () => {
  const passwords = createPasswords();
  const [one, other] = [await passwords.hash(PASSWORD), await passwords.hash(PASSWORD)];
  assert.match(one, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
  assert.notEqual(one, other);
  assert.equal(await passwords.matches(PASSWORD, one), true);
  assert.equal(await passwords.matches(`${PASSWORD} `, one), false);
  assert.equal(await passwords.matches(PASSWORD, null), false);
  assert.equal(await passwords.matches(PASSWORD, "not a hash"), false);
  // The same letters, typed on another keyboard.
  assert.equal(await passwords.matches("caf\u0065\u0301 au lait", await passwords.hash("caf\u00e9 au lait")), true);
});

void test("a crowd that signs in at once is told to come again instead of taking the machine", async () => {
  const passwords = createPasswords();
  const results = await Promise.allSettled(Array.from({ length: 60 }, () => passwords.matches("x", null)));
  const refused = results.filter((result) => result.status === "rejected");
  assert.equal(refused.length, 60 - 42);
  for (const { reason } of refused) assert.equal((reason as { code: string }).code, "OVERLOADED");
  assert.equal(await passwords.matches("x", null), false);
});

void test("the commonest passwords are refused", () => {
  for (const password of [
    "password",
    "PassW0rd",
    "password123!",
    "iloveyou",
    "11111111",
    "abcabcabc",
    "12345678",
    "87654321",
    "qwertyuiop",
    "Welcome2024",
    "dana@example.com",
    "dana1234",
  ])
    assert.throws(
      () => requireGoodPassword(password, "/password", "dana@example.com"),
      { code: "VALIDATION_FAILED" },
      password,
    );
  for (const password of [PASSWORD, "tr0ub4dor&3x", "8 rainy mondays", "ümläutpasswört", "hunter-gatherer"])
    requireGoodPassword(password, "/password", "dana@example.com");
});
