import assert from "node:assert/strict";
import { startHostileIssuer } from "../../../test/support/oidc/hostile-issuer.ts";
import { codeOf, newVisitor, type Visitor } from "../../../test/support/oidc/visitor.ts";
import { testWithProvider } from "../../../test/support/oidc/test-with-provider.ts";
import { addUser, signedIn } from "../../../test/support/people.ts";
import { startTestService, type TestService } from "../../../test/support/service.ts";
import { test } from "node:test";

const MINUTE = 60_000;
const ADA = { sub: "ada-1", email: "ada@example.com", email_verified: true };
const CONFIRM = "/api/auth/oidc/start?confirm=1&return_to=/settings/keys";

/** What a call gets that needs a confirmation. */
async function createsKey(visitor: Visitor): Promise<unknown> {
  const { status, body } = await visitor.call("POST", "/api/service-keys", { body: { name: "Shop" } });
  return body?.["error_code"] ?? status;
}

testWithProvider(
  "a person who signed in with a company account confirms with it, and is where they were",
  async (service, { accounts }) => {
    const user = await addUser(service, { email: "ada@example.com", is_operator: true });
    accounts.set("ada", ADA);
    const visitor = newVisitor(service);
    await visitor.signIn("ada");
    assert.deepEqual((await visitor.call("GET", "/api/auth/confirm")).body, { ways: ["oidc"] });
    service.clock.advance(11 * MINUTE);
    assert.equal(await createsKey(visitor), "CONFIRMATION_REQUIRED");

    const before = visitor.cookies.get("service_session")!;
    const begun = await visitor.begin(CONFIRM);
    const asked = new URL(begun.headers["location"]!).searchParams;
    assert.deepEqual([asked.get("prompt"), asked.get("max_age")], ["login", "0"]);
    const confirmed = await visitor.signIn("ada", CONFIRM);
    assert.deepEqual(
      [confirmed.status, confirmed.headers["location"]],
      [302, "/settings/keys?confirmed=1"],
      confirmed.text,
    );
    assert.equal(await createsKey(visitor), 201);
    // The copy of the old cookie is worth nothing.
    assert.notEqual(visitor.cookies.get("service_session"), before);
    const copy = newVisitor(service);
    copy.cookies.set("service_session", before);
    assert.equal(await createsKey(copy), "UNAUTHENTICATED");
    const { body } = await service.call<object[]>("GET", "/api/security-events?type=identity_confirmed");
    const [{ type, outcome, reason, actor, target, details }] = body as [Record<string, unknown>];
    const person = { id: user.id, email: "ada@example.com" };
    assert.deepEqual(
      { type, outcome, reason, actor, target, details },
      {
        type: "identity_confirmed",
        outcome: "success",
        reason: null,
        actor: { kind: "user", ...person },
        target: { kind: "user", id: user.id },
        details: { email: "ada@example.com", by: "oidc" },
      },
    );
  },
);

testWithProvider("after confirming, a person is on the same part of the page", async (service, { accounts }) => {
  await addUser(service, { email: "ada@example.com", is_operator: true });
  accounts.set("ada", ADA);
  const visitor = newVisitor(service);
  await visitor.signIn("ada");
  const path = encodeURIComponent("/users?q=dana#inactive");
  const { headers } = await visitor.signIn("ada", `/api/auth/oidc/start?confirm=1&return_to=${path}`);
  assert.equal(headers["location"], "/users?q=dana&confirmed=1#inactive");
});

testWithProvider("only the person of the session confirms it, in that session", async (service, { accounts }) => {
  await addUser(service, { email: "ada@example.com", is_operator: true });
  await addUser(service, { email: "dana@example.com" });
  accounts.set("ada", ADA);
  accounts.set("dana", { sub: "dana-1", email: "dana@example.com", email_verified: true });
  await newVisitor(service).signIn("dana");
  const visitor = newVisitor(service);
  await visitor.signIn("ada");
  service.clock.advance(11 * MINUTE);

  visitor.leaveProvider();
  const other = await visitor.signIn("dana", CONFIRM);
  assert.deepEqual([other.status, codeOf(other)], [403, "OIDC_CONFIRMATION_FAILED"]);
  assert.match(other.text, /href="\/settings\/keys"/);
  const me = await visitor.call("GET", "/api/auth/me");
  assert.equal(me.body["email"], "ada@example.com");
  assert.equal(await createsKey(visitor), "CONFIRMATION_REQUIRED");

  // The session changed on the way.
  visitor.leaveProvider();
  const callback = await visitor.goTo("ada", CONFIRM);
  const { body } = await service.call<{ id: string }[]>("GET", "/api/users?q=ada");
  const { cookie } = await signedIn(service, body[0]!.id);
  visitor.cookies.set("service_session", cookie.split(/=(.*)/)[1]!);
  assert.equal(codeOf(await visitor.open(callback)), "OIDC_CONFIRMATION_FAILED");
  await service.ctx.security.flush();
  const events = await service.call<{ reason: string }[]>("GET", "/api/security-events?type=identity_confirmed");
  assert.deepEqual(new Set(events.body.map(({ reason }) => reason)), new Set(["OIDC_CONFIRMATION_FAILED"]));
});

testWithProvider("without a session, confirming is signing in", async (service, { accounts }) => {
  await addUser(service, { email: "ada@example.com", is_operator: true });
  accounts.set("ada", ADA);
  const visitor = newVisitor(service);
  assert.equal((await visitor.signIn("ada", CONFIRM)).headers["location"], "/settings/keys");
});

for (const dialect of ["sqlite", "postgres"] as const)
  void test(`a provider that does not ask again confirms no one (${dialect})`, async () => {
    const issuer = await startHostileIssuer();
    const { service, stop } = await startTestService(dialect, { env: issuer.env });
    try {
      await confirmsWithFreshProofOnly(service, issuer);
    } finally {
      await stop();
      await issuer.stop();
    }
  });

async function confirmsWithFreshProofOnly(
  service: TestService,
  issuer: Awaited<ReturnType<typeof startHostileIssuer>>,
): Promise<void> {
  await addUser(service, { email: "ada@example.com", is_operator: true });
  const visitor = newVisitor(service);
  const comeBack = async (path: string) => {
    const { searchParams } = new URL((await visitor.begin(path)).headers["location"]!);
    issuer.nonce = searchParams.get("nonce")!;
    return visitor.open(`/api/auth/oidc/callback?code=c&state=${searchParams.get("state")}`);
  };
  issuer.claims = { ...ADA };
  assert.equal((await comeBack("/api/auth/oidc/start")).status, 302);
  // It did not say when the person proved who they are, so this may have been long ago.
  assert.equal(await createsKey(visitor), "CONFIRMATION_REQUIRED");
  const seconds = () => Math.floor(service.clock.now() / 1000);
  for (const auth_time of [undefined, seconds() - 3600, seconds() - 61]) {
    issuer.claims = { ...ADA, auth_time };
    const refused = await comeBack(CONFIRM);
    assert.deepEqual([refused.status, codeOf(refused)], [403, "OIDC_CONFIRMATION_FAILED"], String(auth_time));
  }
  assert.equal(await createsKey(visitor), "CONFIRMATION_REQUIRED");
  issuer.claims = { ...ADA, auth_time: seconds() };
  assert.equal((await comeBack(CONFIRM)).status, 302);
  assert.equal(await createsKey(visitor), 201);
}
