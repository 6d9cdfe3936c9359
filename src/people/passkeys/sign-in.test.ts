import assert from "node:assert/strict";
import { test } from "node:test";
import { createAuthenticator, type Deviation } from "../../../test/support/authenticator.ts";
import {
  addPasskey,
  askToSignIn,
  callAfter,
  confirmWith,
  originOf,
  signInWith,
  type ErrorBody,
} from "../../../test/support/passkeys.ts";
import { addUser, callAs, PASSWORD, person, signedIn } from "../../../test/support/people.ts";
import { startTestService, testOnBoth, type Answer, type TestService } from "../../../test/support/service.ts";

const MINUTE = 60_000;

async function events(service: TestService, type: string): Promise<Record<string, unknown>[]> {
  await service.ctx.security.flush();
  return (await service.call<Record<string, unknown>[]>("GET", `/api/security-events?type=${type}&limit=200`)).body;
}

/** Signs in, each time from an address of its own, and returns the code of the error or "in". */
let address = 0;
async function outcomeOf(attempt: (headers: Record<string, string>) => Promise<Answer<ErrorBody>>): Promise<string> {
  const { status, body } = await attempt({ "x-forwarded-for": `203.0.113.${++address % 250}` });
  return status === 200 ? "in" : body.error_code;
}

const BEHIND_PROXY = { env: { SERVICE_TRUSTED_PROXIES: "127.0.0.1" } };

testOnBoth("who signs in with a passkey gets a session of their own, as with a password", async (service) => {
  const { user, call } = await person(service, { email: "dana@example.com", password: PASSWORD, display_name: "Dana" });
  const { device } = await addPasskey(service, call);
  const answer = await signInWith<Record<string, unknown>>(service, device);
  assert.equal(answer.status, 200);
  assert.deepEqual(answer.body, {
    authenticated: true,
    user_id: user.id,
    email: "dana@example.com",
    display_name: "Dana",
    is_operator: false,
    projects: [{ project: "default", role: "member" }],
    time_zone: null,
    language: null,
    absence: null,
  });
  assert.match(answer.cookies[0]!, /^service_session=[\w-]+\.[\w-]+; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/);
  assert.match(answer.cookies[1]!, /^service_device=/);
  assert.equal((await callAfter(service, answer)("GET", "/api/tasks")).status, 200);
  const [event] = await events(service, "sign_in");
  assert.deepEqual(
    [event!["outcome"], event!["actor"], event!["details"]],
    ["success", { kind: "user", id: user.id, email: "dana@example.com" }, { by: "passkey" }],
  );
  // The session that the browser had ends.
  const before = await signedIn(service, user.id);
  assert.equal((await signInWith(service, device, {}, { ...before })).status, 200);
  assert.equal((await callAs(service, before)("GET", "/api/tasks")).status, 401);
});

const HOSTILE: Record<string, readonly [Deviation, code: string]> = {
  "a page of another site": [{ origin: "https://evil.example.com" }, "PASSKEY_OTHER_SITE"],
  "a frame in a page of another site": [{ crossOrigin: true }, "PASSKEY_OTHER_SITE"],
  "a passkey for another host": [{ rpId: "evil.example.com" }, "PASSKEY_OTHER_SITE"],
  "no user verification": [{ isVerified: false }, "PASSKEY_NOT_VERIFIED"],
  "the answer to another kind of question": [{ type: "webauthn.create" }, "VALIDATION_FAILED"],
  "a challenge that nobody made": [{ challenge: "A".repeat(72) }, "PASSKEY_EXPIRED"],
  "a tampered signature": [{ isTampered: true }, "PASSKEY_NOT_ACCEPTED"],
  "the handle of another user": [{ userHandle: "dXNyXzE" }, "PASSKEY_NOT_ACCEPTED"],
  "no handle": [{ userHandle: null }, "PASSKEY_NOT_ACCEPTED"],
};

testOnBoth(
  "an answer is taken only from our pages, for our host, from a verified user, with the right signature",
  async (service) => {
    const { user, call } = await person(service, { password: PASSWORD });
    const { device } = await addPasskey(service, call);
    const stranger = createAuthenticator(originOf(service));
    stranger.create({
      challenge: "",
      rp: { id: "localhost" },
      user: { id: Buffer.from(user.id).toString("base64url") },
    });
    for (const [name, [deviation, code]] of Object.entries(HOSTILE)) {
      const attempt = (one: typeof device) => outcomeOf((headers) => signInWith(service, one, deviation, headers));
      assert.equal(await attempt(device), code, name);
      // The same, except for the passkey, so that nobody learns which ids are known.
      assert.equal(await attempt(stranger), code, `${name}, of an unknown passkey`);
    }
    assert.equal(await outcomeOf((headers) => signInWith(service, stranger, {}, headers)), "PASSKEY_NOT_ACCEPTED");
    // A copy of the public id with a key of one's own.
    const forged = createAuthenticator(originOf(service), Buffer.from(device.id, "base64url"));
    forged.create({ challenge: "", rp: { id: "localhost" }, user: { id: Buffer.from(user.id).toString("base64url") } });
    assert.equal(await outcomeOf((headers) => signInWith(service, forged, {}, headers)), "PASSKEY_NOT_ACCEPTED");
    assert.equal(await outcomeOf((headers) => signInWith(service, device, {}, headers)), "in");

    const reasons = new Set((await events(service, "sign_in")).map(({ reason }) => reason));
    for (const code of ["PASSKEY_OTHER_SITE", "PASSKEY_NOT_VERIFIED", "PASSKEY_NOT_ACCEPTED", "PASSKEY_EXPIRED"])
      assert.ok(reasons.has(code), code);
  },
  BEHIND_PROXY,
);

testOnBoth("passkeys of deactivated people are answered like unknown ones", async (service) => {
  const { user, call } = await person(service, { password: PASSWORD });
  const { device } = await addPasskey(service, call);
  const failures = [];
  await service.call("PATCH", `/api/users/${user.id}`, { body: { active: false } });
  failures.push(await signInWith(service, device));
  failures.push(await signInWith(service, createAuthenticator(originOf(service)), { userHandle: "dXNyXzE" }));
  const shown = failures.map(({ status, body: { error_code, message } }) => ({
    status,
    body: { error_code, message },
  }));
  assert.deepEqual(shown[0], shown[1]);
  assert.deepEqual([shown[1]!.status, shown[1]!.body.error_code], [401, "PASSKEY_NOT_ACCEPTED"]);
});

testOnBoth("a passkey signs in only while its person has a password, and says so to them alone", async (service) => {
  const { user, call } = await person(service, { password: PASSWORD });
  const { device } = await addPasskey(service, call);
  await service.call("PATCH", `/api/users/${user.id}`, { body: { password: null } });
  const refused = await signInWith(service, device);
  assert.deepEqual([refused.status, refused.body.error_code], [403, "PASSKEY_NEEDS_PASSWORD"]);
  assert.match(refused.body.message, /ask an operator to set a password/);
  const forged = await signInWith(service, device, { isTampered: true });
  assert.equal(forged.body.error_code, "PASSKEY_NOT_ACCEPTED");
  // Neither can a person without a password add one.
  const other = callAs(service, await signedIn(service, (await addUser(service)).id));
  const options = await other<ErrorBody>("POST", "/api/auth/passkeys/options");
  assert.deepEqual([options.status, options.body.error_code], [403, "PASSKEY_NEEDS_PASSWORD"]);
  await service.call("PATCH", `/api/users/${user.id}`, { body: { password: "another good password" } });
  assert.equal((await signInWith(service, device)).status, 200);
});

testOnBoth(
  "passkeys sign in where passwords are off, and the last one of the last operator stays",
  async (service) => {
    const ada = await addUser(service, { password: PASSWORD, is_operator: true });
    const { device, id } = await addPasskey(service, callAs(service, await signedIn(service, ada.id)));
    const inside = await signInWith(service, device);
    assert.equal(inside.status, 200);
    const call = callAfter(service, inside);
    assert.deepEqual((await call("GET", "/api/auth/confirm")).body, { ways: ["passkey"] });
    for (const [send, path, body] of [
      [call, `/api/auth/passkeys/${id}`],
      [service.call, `/api/users/${ada.id}/passkeys`],
      [service.call, `/api/users/${ada.id}`, { password: null }],
    ] as const) {
      const refused = await send<ErrorBody>(body ? "PATCH" : "DELETE", path, body ? { body } : {});
      assert.deepEqual([refused.status, refused.body.error_code], [409, "LAST_OPERATOR"], path);
    }
    const bob = await addUser(service, { password: PASSWORD, is_operator: true });
    await addPasskey(service, callAs(service, await signedIn(service, bob.id)));
    assert.equal((await call("DELETE", `/api/auth/passkeys/${id}`)).status, 204);
  },
  { env: { SERVICE_PASSWORD_SIGN_IN: "off" } },
);

testOnBoth("the options tell nothing of accounts, and write nothing", async (service) => {
  const { call } = await person(service, { password: PASSWORD });
  const before = await askToSignIn(service);
  await addPasskey(service, call);
  const { options, cookie } = await askToSignIn(service, { cookie: before.cookie, "sec-fetch-site": "same-origin" });
  assert.deepEqual({ ...options, challenge: "" }, { ...before.options, challenge: "" });
  assert.deepEqual(
    { ...options, challenge: "" },
    { challenge: "", rpId: "localhost", timeout: 300_000, userVerification: "required", allowCredentials: [] },
  );
  assert.notEqual(options.challenge, before.options.challenge);
  assert.equal(cookie, before.cookie, "pages of one browser share the cookie");
  // The one row is of the passkey that was added.
  assert.equal((await service.ctx.db.query.selectFrom("passkey_challenges").selectAll().execute()).length, 1);
});

testOnBoth(
  "a challenge to sign in counts once, for five minutes, and in the browser that asked",
  async (service) => {
    const { call } = await person(service, { password: PASSWORD });
    const { device } = await addPasskey(service, call);
    const send = (credential: object, cookie: string | null) =>
      outcomeOf((headers) =>
        service.call<ErrorBody>("POST", "/api/auth/login/passkey", {
          token: null,
          body: { credential },
          headers: { ...headers, "sec-fetch-site": "same-origin", ...(cookie !== null && { cookie }) },
        }),
      );
    const mine = await askToSignIn(service);
    const other = await askToSignIn(service);
    const credential = device.get(mine.options);
    assert.equal(await send(credential, other.cookie), "PASSKEY_EXPIRED", "another browser");
    assert.equal(await send(credential, null), "PASSKEY_EXPIRED", "a browser without cookies");
    assert.equal(await send(credential, mine.cookie), "in");
    assert.equal(await send(credential, mine.cookie), "PASSKEY_EXPIRED", "replayed");
    assert.equal(await send(device.get(mine.options), mine.cookie), "PASSKEY_EXPIRED", "signed again");
    // A failed answer uses the challenge up as well.
    const again = await askToSignIn(service);
    assert.equal(await send(device.get(again.options, { isTampered: true }), again.cookie), "PASSKEY_NOT_ACCEPTED");
    assert.equal(await send(device.get(again.options), again.cookie), "PASSKEY_EXPIRED");

    const late = await askToSignIn(service);
    const early = await askToSignIn(service);
    service.clock.advance(5 * MINUTE - 1000);
    assert.equal(await send(device.get(early.options), early.cookie), "in");
    service.clock.advance(1000);
    assert.equal(await send(device.get(late.options), late.cookie), "PASSKEY_EXPIRED");

    // For another purpose: to confirm, in a session.
    const { body } = await call<{ public_key: { challenge: string } }>("POST", "/api/auth/confirm/options");
    const asked = await askToSignIn(service);
    const borrowed = device.get({ ...asked.options, challenge: body.public_key.challenge });
    assert.equal(await send(borrowed, asked.cookie), "PASSKEY_EXPIRED");
  },
  BEHIND_PROXY,
);

testOnBoth("a counter that goes back is rejected, and operators see it", async (service) => {
  const { user, call } = await person(service, { email: "dana@example.com", password: PASSWORD });
  const { device } = await addPasskey(service, call, { name: "Key" });
  assert.equal((await signInWith(service, device, { counter: 7 })).status, 200);
  for (const counter of [7, 3, 0]) {
    const refused = await signInWith(service, device, { counter });
    assert.deepEqual([refused.status, refused.body.error_code], [401, "PASSKEY_NOT_ACCEPTED"], String(counter));
    assert.deepEqual(refused.cookies, []);
  }
  // A wrong signature says nothing about the counter.
  assert.equal((await signInWith(service, device, { counter: 1, isTampered: true })).status, 401);
  const found = await events(service, "passkey_counter_regressed");
  assert.deepEqual(
    found.map(({ outcome, reason, target, details }) => ({ outcome, reason, target, details })),
    [0, 3, 7].map((counter) => ({
      outcome: "failure",
      reason: "PASSKEY_NOT_ACCEPTED",
      target: { kind: "user", id: user.id },
      details: { email: "dana@example.com", passkey: "Key", counter, counter_before: 7 },
    })),
  );
  assert.equal((await signInWith(service, device, { counter: 8 })).status, 200);
  service.clock.advance(10 * MINUTE);
  assert.equal((await confirmWith(call, device, { counter: 8 })).status, 401);
  assert.equal((await confirmWith(call, device, { counter: 9 })).status, 200);
});

testOnBoth("devices that do not count always say zero", async (service) => {
  const { call } = await person(service, { password: PASSWORD });
  const { device } = await addPasskey(service, call);
  for (let i = 0; i < 3; i++) assert.equal((await signInWith(service, device, { counter: 0 })).status, 200);
});

testOnBoth(
  "attempts count for the address, and strangers do not lock out a browser that has signed in before",
  async (service) => {
    const { call } = await person(service, { email: "dana@example.com", password: PASSWORD });
    const { device } = await addPasskey(service, call);
    const from = { "x-forwarded-for": "198.51.100.1" };
    const first = await signInWith(service, device, {}, from);
    const own = first.cookies.find((cookie) => cookie.startsWith("service_device="))!.split(";", 1)[0]!;
    // Attempts with a password count for the same limit.
    for (let i = 0; i < 4; i++) {
      const body = { email: "dana@example.com", password: "wrong password" };
      assert.equal((await service.call("POST", "/api/auth/login", { token: null, body, headers: from })).status, 401);
    }
    for (let i = 0; i < 5; i++)
      assert.equal((await signInWith(service, device, { isTampered: true }, from)).status, 401);
    assert.equal((await signInWith(service, device, {}, from)).status, 429);
    assert.equal((await signInWith(service, device, {}, { ...from, cookie: own })).status, 200);
    // From elsewhere, nothing that others did to the account counts.
    for (let i = 0; i < 25; i++) {
      const body = { email: "dana@example.com", password: "wrong password" };
      const headers = { "x-forwarded-for": `203.0.113.${i}` };
      await service.call("POST", "/api/auth/login", { token: null, body, headers });
    }
    assert.equal((await signInWith(service, device, {}, { "x-forwarded-for": "203.0.113.200" })).status, 200);
  },
  BEHIND_PROXY,
);

void test("after the host of the service has changed, its former passkeys are not usable", async () => {
  const { service, stop } = await startTestService("sqlite");
  try {
    const { call } = await person(service, { password: PASSWORD });
    const { device } = await addPasskey(service, call);
    service.ctx.config.publicUrl = "https://tasks.example.com";
    const { body } = await call<{ usable: boolean }[]>("GET", "/api/auth/passkeys");
    assert.deepEqual(
      body.map(({ usable }) => usable),
      [false],
    );
    assert.deepEqual((await call("POST", "/api/auth/confirm/options")).body, { public_key: null });
    assert.deepEqual((await call("GET", "/api/auth/confirm")).body, { ways: ["password"] });
    const moved = await signInWith(service, device, { origin: "https://tasks.example.com" });
    assert.deepEqual([moved.status, moved.body.error_code], [401, "PASSKEY_NOT_ACCEPTED"]);
    const { options } = await askToSignIn(service);
    assert.equal(options.rpId, "tasks.example.com");
  } finally {
    await stop();
  }
});
