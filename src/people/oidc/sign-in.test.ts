import assert from "node:assert/strict";
import { codeOf, newVisitor } from "../../../test/support/oidc/visitor.ts";
import { testWithProvider } from "../../../test/support/oidc/test-with-provider.ts";
import { ServiceError } from "../../errors.ts";
import { addUser, signedIn } from "../../../test/support/people.ts";
import type { TestService } from "../../../test/support/service.ts";
import type { UserRecord } from "../schema.ts";

const MINUTE = 60_000;
const DANA = { sub: "dana-1", email: "Dana@example.com", email_verified: true, name: "Dana Ek" };

async function events(service: TestService, type: string) {
  await service.ctx.security.flush();
  const { body } = await service.call<Record<string, never>[]>("GET", `/api/security-events?type=${type}`);
  return body.map(({ outcome, reason, actor, details }) => ({ outcome, reason, actor, details }));
}

for (const [algorithm, hasFullIdToken, authentication] of [
  ["RS256", true, "client_secret_basic"],
  ["ES256", false, "client_secret_post"],
] as const)
  testWithProvider(
    `a person of the directory signs in with their company account, and later by the account alone: ${algorithm}`,
    async (service, { accounts, issuer }) => {
      const user = await addUser(service, { email: "dana@example.com" });
      accounts.set("dana", DANA);
      const visitor = newVisitor(service);
      const first = await visitor.signIn("dana", "/api/auth/oidc/start?return_to=/tasks/tsk_1%3Fscope%3Dmine");
      assert.deepEqual([first.status, first.headers["location"]], [302, "/tasks/tsk_1?scope=mine"], first.text);
      const me = await visitor.call("GET", "/api/auth/me");
      assert.deepEqual([me.body["user_id"], me.body["email"]], [user.id, "dana@example.com"]);
      const record = await service.call<UserRecord>("GET", `/api/users/${user.id}`);
      assert.deepEqual(
        record.body.oidc_accounts.map(({ issuer, subject }) => ({ issuer, subject })),
        [{ issuer, subject: "dana-1" }],
      );

      // From now on the account is what counts, and no address.
      accounts.set("dana", { ...DANA, email: "other@example.com", email_verified: false });
      const again = newVisitor(service);
      assert.equal((await again.signIn("dana")).headers["location"], "/inbox");
      assert.equal((await again.call("GET", "/api/auth/me")).body["user_id"], user.id);
      const actor = { kind: "user", id: user.id, email: "dana@example.com" };
      const signIn = { outcome: "success", reason: null, actor, details: { by: "oidc", issuer } };
      assert.deepEqual(await events(service, "sign_in"), [signIn, signIn]);
      assert.equal((await events(service, "user_oidc_linked")).length, 1);
    },
    { provider: { algorithm, hasFullIdToken, authentication } },
  );

testWithProvider(
  "an address that is not verified neither matches nor creates anyone",
  async (service, { accounts }) => {
    await addUser(service, { email: "dana@example.com" });
    for (const email_verified of [false, "true", undefined]) {
      accounts.set("dana", { ...DANA, email_verified });
      const refused = await newVisitor(service).signIn("dana");
      assert.deepEqual([refused.status, codeOf(refused)], [403, "OIDC_EMAIL_NOT_VERIFIED"]);
      assert.ok(!refused.cookies.some((cookie) => cookie.startsWith("service_session=")));
    }
    assert.deepEqual(await service.ctx.db.query.selectFrom("oidc_links").selectAll().execute(), []);
    const [event] = await events(service, "sign_in");
    assert.deepEqual(
      [event?.outcome, event?.reason, event?.actor],
      ["failure", "OIDC_EMAIL_NOT_VERIFIED", { kind: "anonymous", id: null, email: "dana@example.com" }],
    );
  },
  { env: { SERVICE_OIDC_AUTO_CREATE: "1" } },
);

testWithProvider(
  "a second account with the address of a linked person does not become that person",
  async (service, { accounts }) => {
    const user = await addUser(service, { email: "dana@example.com" });
    accounts.set("dana", DANA);
    accounts.set("thief", { ...DANA, sub: "thief-1" });
    assert.equal((await newVisitor(service).signIn("dana")).status, 302);
    const refused = await newVisitor(service).signIn("thief");
    assert.deepEqual([refused.status, codeOf(refused)], [409, "OIDC_OTHER_ACCOUNT_LINKED"]);
    // When the account was replaced, an operator removes the old one.
    assert.equal((await service.call("DELETE", `/api/users/${user.id}/oidc-accounts`)).status, 204);
    assert.equal((await newVisitor(service).signIn("thief")).status, 302);
    assert.equal((await newVisitor(service).signIn("dana")).status, 409);
  },
);

testWithProvider(
  "people who are not in the directory, or deactivated, do not get in",
  async (service, { accounts }) => {
    accounts.set("dana", DANA);
    const unknown = await newVisitor(service).signIn("dana");
    assert.deepEqual([unknown.status, codeOf(unknown)], [403, "OIDC_PERSON_UNKNOWN"]);
    const user = await addUser(service, { email: "dana@example.com", active: true });
    await service.call("PATCH", `/api/users/${user.id}`, { body: { active: false } });
    const before = await newVisitor(service).signIn("dana");
    assert.deepEqual([before.status, codeOf(before)], [403, "OIDC_PERSON_DEACTIVATED"]);
    await service.call("PATCH", `/api/users/${user.id}`, { body: { active: true } });
    assert.equal((await newVisitor(service).signIn("dana")).status, 302);
    await service.call("PATCH", `/api/users/${user.id}`, { body: { active: false } });
    const after = await newVisitor(service).signIn("dana");
    assert.deepEqual([after.status, codeOf(after)], [403, "OIDC_PERSON_DEACTIVATED"]);
  },
);

testWithProvider(
  "a callback counts once, for a short time, in the browser that began",
  async (service, { accounts }) => {
    await addUser(service, { email: "dana@example.com" });
    accounts.set("dana", DANA);
    const visitor = newVisitor(service);
    const callback = await visitor.goTo("dana");
    const kept = new Map(visitor.cookies);

    const stranger = newVisitor(service);
    await stranger.begin();
    const foreign = await stranger.open(callback);
    assert.deepEqual([foreign.status, codeOf(foreign)], [400, "OIDC_SIGN_IN_EXPIRED"]);
    const without = await newVisitor(service).open(callback);
    assert.deepEqual([without.status, codeOf(without)], [400, "OIDC_SIGN_IN_EXPIRED"]);

    assert.equal((await visitor.open(callback)).status, 302);
    assert.ok(!visitor.cookies.has("service_oidc"));
    for (const [name, value] of kept) visitor.cookies.set(name, value);
    const replayed = await visitor.open(callback);
    assert.deepEqual([replayed.status, codeOf(replayed)], [400, "OIDC_SIGN_IN_EXPIRED"]);

    const slow = newVisitor(service);
    const late = await slow.goTo("dana");
    service.clock.advance(10 * MINUTE);
    assert.equal(codeOf(await slow.open(late)), "OIDC_SIGN_IN_EXPIRED");
  },
);

testWithProvider("a database that is away is told on a page too", async (service) => {
  const user = await addUser(service, { email: "dana@example.com" });
  const visitor = newVisitor(service);
  const { cookie } = await signedIn(service, user.id);
  visitor.cookies.set("service_session", cookie.split(/=(.*)/)[1]!);
  service.ctx.db.run = () => Promise.reject(new ServiceError("DATABASE_UNAVAILABLE"));
  for (const path of ["start", "callback?state=x"]) {
    const answer = await visitor.open(`/api/auth/oidc/${path}`);
    assert.deepEqual([answer.status, codeOf(answer)], [503, "DATABASE_UNAVAILABLE"]);
    assert.match(answer.headers["content-type"]!, /^text\/html/);
    assert.ok(answer.headers["retry-after"]);
  }
});

testWithProvider("a person who cancels at the provider gets a page that says what to do", async (service) => {
  const visitor = newVisitor(service);
  const cancelled = await visitor.open(await visitor.goTo(null, "/api/auth/oidc/start?return_to=/stats"));
  assert.deepEqual([cancelled.status, codeOf(cancelled)], [403, "OIDC_SIGN_IN_REFUSED"]);
  assert.match(cancelled.headers["content-type"]!, /^text\/html/);
  assert.match(cancelled.text, /href="\/api\/auth\/oidc\/start\?return_to=%2Fstats"/);
  assert.ok(!visitor.cookies.has("service_oidc"));
});

testWithProvider("the way back leads to pages of this service only", async (service, { accounts }) => {
  await addUser(service, { email: "dana@example.com" });
  accounts.set("dana", DANA);
  for (const path of [
    "https://evil.example",
    "//evil.example",
    "/\\evil.example",
    "/.//evil.example",
    "/%09/evil.example/..//evil.example",
    "/\t/evil.example",
    "/api/auth/logout",
    "inbox",
    `/${"x".repeat(2000)}`,
  ]) {
    const answer = await newVisitor(service).signIn(
      "dana",
      `/api/auth/oidc/start?return_to=${encodeURIComponent(path)}`,
    );
    const to = new URL(answer.headers["location"]!, "http://tasks.test");
    assert.equal(to.origin, "http://tasks.test", path);
    assert.ok(answer.headers["location"] === "/inbox" || !/^\/\/|^\/api/.test(answer.headers["location"]!), path);
  }
});

testWithProvider(
  "signing in ends the session that the browser had, and is under no limit",
  async (service, { accounts }) => {
    const user = await addUser(service, { email: "dana@example.com" });
    accounts.set("dana", DANA);
    const { cookie } = await signedIn(service, user.id);
    const visitor = newVisitor(service);
    visitor.cookies.set("service_session", cookie.split("=")[1]!);
    for (let i = 0; i < 15; i++) assert.equal((await visitor.signIn("dana")).status, 302);
    const sessions = await service.ctx.db.query.selectFrom("sessions").selectAll().execute();
    assert.equal(sessions.length, 1);
  },
);

testWithProvider(
  "two first sign-ins at once link one account",
  async (service, { accounts }) => {
    accounts.set("dana", DANA);
    const visitors = [1, 2, 3, 4].map(() => newVisitor(service));
    const callbacks = await Promise.all(visitors.map((visitor) => visitor.goTo("dana")));
    const answers = await Promise.all(visitors.map((visitor, i) => visitor.open(callbacks[i]!)));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [302, 302, 302, 302],
    );
    const users = await service.ctx.db.query
      .selectFrom("users")
      .select(["email", "display_name", "is_operator"])
      .execute();
    assert.deepEqual(
      users.map((user) => ({ ...user })),
      [{ email: "Dana@example.com", display_name: "Dana Ek", is_operator: 0 }],
    );
    const [created, ...more] = await events(service, "user_created");
    assert.deepEqual([created?.details?.["by"], more], ["oidc", []]);
  },
  { env: { SERVICE_OIDC_AUTO_CREATE: "1" } },
);
