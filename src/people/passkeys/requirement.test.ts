import assert from "node:assert/strict";
import { test } from "node:test";
import { readConfig } from "../../config.ts";
import { createAuthenticator } from "../../../test/support/authenticator.ts";
import {
  addPasskey,
  callAfter,
  confirmWith,
  creationOptions,
  originOf,
  signInWith,
  type ErrorBody,
} from "../../../test/support/passkeys.ts";
import { addUser, browser, callAs, PASSWORD, signedIn } from "../../../test/support/people.ts";
import { testOnBoth, type TestService } from "../../../test/support/service.ts";
import { setupToken } from "../setup.ts";

const MINUTE = 60_000;
const REQUIRED = { env: { SERVICE_REQUIRE_PASSKEY: "operators" } };
const OPERATOR = { email: "ada@example.com", password: PASSWORD, is_operator: true };

interface Me {
  passkey_required?: boolean;
  error_code?: string;
}

async function login(service: TestService, email: string) {
  const body = { email, password: PASSWORD };
  const answer = await service.call<Me>("POST", "/api/auth/login", { token: null, body });
  return { ...answer, call: answer.status === 200 ? callAfter(service, answer) : null };
}

/** The routes that a limited session may call. All others are refused, whatever they are. */
const ALLOWED = [
  "GET /api/auth/confirm",
  "GET /api/auth/me",
  "GET /api/auth/passkeys",
  "POST /api/auth/confirm",
  "POST /api/auth/confirm/options",
  "POST /api/auth/logout",
  "POST /api/auth/passkeys",
  "POST /api/auth/passkeys/options",
];

testOnBoth(
  "an operator who signs in by password can only add a passkey, and can then do everything",
  async (service) => {
    await addUser(service, OPERATOR);
    const { body, call } = await login(service, "ada@example.com");
    assert.equal(body.passkey_required, true);
    assert.equal((await call!<Me>("GET", "/api/auth/me")).body.passkey_required, true);

    const { paths } = (
      await service.call<{ paths: Record<string, Record<string, { security?: object[] }>> }>("GET", "/api/openapi.json")
    ).body;
    const open: string[] = [];
    for (const [path, methods] of Object.entries(paths)) {
      for (const [method, { security = [] }] of Object.entries(methods)) {
        const name = `${method.toUpperCase()} ${path}`;
        // The first ends the session. The second is a stream that would not end if it were not refused.
        if (name === "POST /api/auth/logout" || name === "GET /api/events") continue;
        const answer = await call!<Me | null>(method.toUpperCase() as "GET", path.replaceAll(/\{\w+\}/g, "x"));
        if (answer.body?.error_code === "PASSKEY_REQUIRED") assert.equal(answer.status, 403);
        else if (security.some((one) => "session" in one) || name === "GET /api/auth/me") open.push(name);
      }
    }
    assert.deepEqual(
      open.toSorted(),
      ALLOWED.filter((name) => name !== "POST /api/auth/logout"),
    );

    const { cookies, device } = await addPasskey(service, call!);
    const full = callAs(service, browser(cookies.find((one) => one.startsWith("service_session="))!));
    assert.equal((await full("GET", "/api/users")).status, 200);
    assert.equal((await full<Me>("GET", "/api/auth/me")).body.passkey_required, undefined);
    // A copy of the limited session's cookie gains nothing.
    assert.equal((await call!("GET", "/api/auth/passkeys")).status, 401);

    // From now on the password alone is not enough, and only the right password tells.
    const refused = await login(service, "ada@example.com");
    assert.deepEqual([refused.status, refused.body.error_code], [403, "PASSKEY_REQUIRED"]);
    const wrong = { email: "ada@example.com", password: "wrong password" };
    const guess = await service.call<Me>("POST", "/api/auth/login", { token: null, body: wrong });
    assert.deepEqual([guess.status, guess.body.error_code], [401, "INVALID_CREDENTIALS"]);
    const inAgain = await signInWith<Me>(service, device);
    assert.deepEqual([inAgain.status, inAgain.body.passkey_required], [200, undefined]);
    assert.equal((await callAfter(service, inAgain)("GET", "/api/users")).status, 200);
    await service.ctx.security.flush();
    const events = (await service.call<{ reason: string }[]>("GET", "/api/security-events?type=sign_in")).body;
    assert.ok(events.some(({ reason }) => reason === "PASSKEY_REQUIRED"));
  },
  REQUIRED,
);

testOnBoth(
  "a password does not add a passkey for an operator who has one, nor confirm a change",
  async (service) => {
    const ada = await addUser(service, { ...OPERATOR, is_operator: false });
    const { call: asMember } = await login(service, "ada@example.com");
    const { device } = await addPasskey(service, asMember!);
    // A session that began with a password, before she became an operator.
    const { call } = await login(service, "ada@example.com");
    await service.call("PATCH", `/api/users/${ada.id}`, { body: { is_operator: true } });
    assert.equal((await call!<Me>("GET", "/api/users")).body.error_code, "PASSKEY_REQUIRED");
    assert.equal((await call!<Me>("POST", "/api/auth/passkeys/options")).body.error_code, "PASSKEY_REQUIRED");
    assert.deepEqual((await call!("GET", "/api/auth/confirm")).body, { ways: ["passkey"] });
    const refused = await call!<ErrorBody>("POST", "/api/auth/confirm", { body: { password: PASSWORD } });
    assert.deepEqual([refused.status, refused.body.error_code], [403, "PASSKEY_REQUIRED"]);
    // Her passkey makes it a session like any other.
    const full = callAfter(service, await confirmWith(call!, device));
    assert.equal((await full("GET", "/api/users")).status, 200);
    assert.equal((await addPasskey(service, full, { name: "Phone" })).cookies.length, 0);
    // A new password begins a session, which stays what it was.
    const password = { current: PASSWORD, new: "another good password" };
    const changed = await full("PATCH", "/api/auth/me", { body: { password } });
    assert.equal((await callAfter(service, changed)("GET", "/api/users")).status, 200);
  },
  REQUIRED,
);

testOnBoth(
  "options that were fetched before another passkey was added are of no use to a limited session",
  async (service) => {
    const ada = await addUser(service, OPERATOR);
    const first = callAs(service, await signedIn(service, ada.id));
    const second = callAs(service, await signedIn(service, ada.id));
    const options = await creationOptions(second);
    await addPasskey(service, first);
    const credential = createAuthenticator(originOf(service)).create(options);
    const refused = await second<ErrorBody>("POST", "/api/auth/passkeys", { body: { name: "Mine", credential } });
    assert.deepEqual([refused.status, refused.body.error_code], [403, "PASSKEY_REQUIRED"]);
  },
  REQUIRED,
);

testOnBoth(
  "the last passkey of an operator stays, another operator or the command line resets it, and the password gets in again",
  async (service) => {
    await addUser(service, OPERATOR);
    const bob = await addUser(service, { ...OPERATOR, email: "bob@example.com" });
    const signUp = async (email: string) => {
      const { cookies, ...rest } = await addPasskey(service, (await login(service, email)).call!);
      return { ...rest, call: callAfter(service, { cookies }) };
    };
    const asAda = await signUp("ada@example.com");
    const asBob = await signUp("bob@example.com");
    for (const path of [`/api/auth/passkeys/${asBob.id}`, `/api/users/${bob.id}/passkeys`]) {
      const refused = await asBob.call<ErrorBody>("DELETE", path);
      assert.deepEqual([refused.status, refused.body.error_code], [409, "LAST_PASSKEY"], path);
    }
    const more = await addPasskey(service, asBob.call, { name: "Phone" });
    assert.equal((await asBob.call("DELETE", `/api/auth/passkeys/${asBob.id}`)).status, 204);
    assert.equal((await asBob.call<ErrorBody>("DELETE", `/api/auth/passkeys/${more.id}`)).status, 409);

    // He has lost it.
    service.clock.advance(10 * MINUTE);
    const old = await asAda.call<ErrorBody>("DELETE", `/api/users/${bob.id}/passkeys`);
    assert.deepEqual([old.status, old.body.error_code], [403, "CONFIRMATION_REQUIRED"]);
    const fresh = callAfter(service, await confirmWith(asAda.call, asAda.device));
    assert.equal((await fresh("DELETE", `/api/users/${bob.id}/passkeys`)).status, 204);
    assert.equal((await asBob.call("GET", "/api/auth/me")).body["authenticated"], false, "signed out everywhere");
    assert.equal((await signInWith(service, more.device)).status, 401);
    const again = await login(service, "bob@example.com");
    assert.equal(again.body.passkey_required, true);
    await addPasskey(service, again.call!);

    // With the admin token, as the command line does.
    assert.equal((await service.call("DELETE", `/api/users/${bob.id}/passkeys`)).status, 204);
    assert.equal((await login(service, "bob@example.com")).status, 200);
    // There is nothing left to remove, and nobody is signed out.
    assert.equal((await service.call("DELETE", `/api/users/${bob.id}/passkeys`)).status, 204);
    const { body } = await service.call<{ target: object; details: object }[]>(
      "GET",
      "/api/security-events?type=passkeys_reset&outcome=success",
    );
    assert.deepEqual(
      body.map(({ target, details }) => ({ target, details })),
      [["Laptop"], ["Phone"]].map((passkeys) => ({
        target: { kind: "user", id: bob.id },
        details: { email: "bob@example.com", passkeys },
      })),
    );
    const unknown = await service.call<ErrorBody>("DELETE", "/api/users/usr_1/passkeys");
    assert.deepEqual([unknown.status, unknown.body.error_code], [404, "USER_NOT_FOUND"]);
  },
  REQUIRED,
);

testOnBoth(
  "the first operator and people who are no operators sign in as ever",
  async (service) => {
    const body = { email: "first@example.com", password: PASSWORD, token: setupToken(service.ctx.config) };
    const first = await service.call("POST", "/api/setup/operator", { token: null, body });
    assert.equal(first.status, 201);
    const call = callAfter(service, first);
    assert.equal((await call<Me>("GET", "/api/users")).body.error_code, "PASSKEY_REQUIRED");
    const added = await addPasskey(service, call);
    assert.equal((await callAfter(service, added)("GET", "/api/users")).status, 200);

    await addUser(service, { ...OPERATOR, is_operator: false });
    const { body: me, call: asAda } = await login(service, "ada@example.com");
    assert.equal(me.passkey_required, undefined);
    assert.equal((await asAda!("GET", "/api/tasks")).status, 200);
    const { id, device } = await addPasskey(service, asAda!);
    assert.equal((await login(service, "ada@example.com")).status, 200);
    assert.equal((await signInWith(service, device)).status, 200);
    assert.equal((await asAda!("DELETE", `/api/auth/passkeys/${id}`)).status, 204);
    // The admin token is not a person.
    assert.equal((await service.call("GET", "/api/users")).status, 200);
  },
  REQUIRED,
);

void test("the setting is checked at the start", () => {
  const problemsOf = (env: Record<string, string>) => {
    try {
      readConfig({ ...env }, () => ({ adminToken: "a".repeat(40), secretKey: "", payloadKey: "" }));
      return [];
    } catch (error) {
      return (error as { problems: string[] }).problems.filter((one) => one.includes("PASSKEY"));
    }
  };
  assert.match(problemsOf({ SERVICE_REQUIRE_PASSKEY: "all" })[0]!, /must be operators/);
  for (const url of [
    "http://tasks.example.com",
    "https://203.0.113.1",
    "https://[2001:db8::1]",
    "http://127.0.0.1:3000",
  ])
    assert.match(
      problemsOf({ SERVICE_REQUIRE_PASSKEY: "operators", SERVICE_PUBLIC_URL: url })[0] ?? "",
      /needs a SERVICE_PUBLIC_URL at which browsers allow passkeys/,
      url,
    );
  for (const url of ["https://tasks.example.com", "http://localhost:3000"])
    assert.deepEqual(problemsOf({ SERVICE_REQUIRE_PASSKEY: "operators", SERVICE_PUBLIC_URL: url }), [], url);
});
