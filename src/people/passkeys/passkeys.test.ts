import assert from "node:assert/strict";
import { bytes, createAuthenticator, list, map, text, type Deviation } from "../../../test/support/authenticator.ts";
import { addPasskey, creationOptions, originOf, signInWith, type ErrorBody } from "../../../test/support/passkeys.ts";
import { callAs, PASSWORD, person, signedIn } from "../../../test/support/people.ts";
import { testOnBoth, type TestService } from "../../../test/support/service.ts";

const MINUTE = 60_000;

async function eventsOf(service: TestService): Promise<Record<string, unknown>[]> {
  await service.ctx.security.flush();
  const { body } = await service.call<Record<string, unknown>[]>("GET", "/api/security-events?limit=200");
  return body.filter(({ type }) => String(type).startsWith("passkey"));
}

testOnBoth("a person adds, names, renames and removes passkeys, and others see none of them", async (service) => {
  const dana = await person(service, { email: "dana@example.com", password: PASSWORD });
  const kim = await person(service, { password: PASSWORD });
  assert.deepEqual((await dana.call("GET", "/api/auth/passkeys")).body, []);
  const options = (await dana.call<{ public_key: object }>("POST", "/api/auth/passkeys/options")).body.public_key;
  const { challenge, ...rest } = options as Record<string, unknown>;
  assert.match(String(challenge), /^[\w-]{72}$/);
  assert.deepEqual(rest, {
    rp: { id: "localhost", name: "Human Task Service" },
    user: {
      id: Buffer.from(dana.user.id).toString("base64url"),
      name: "dana@example.com",
      displayName: "dana@example.com",
    },
    pubKeyCredParams: [-8, -7, -257].map((alg) => ({ type: "public-key", alg })),
    timeout: 300_000,
    attestation: "none",
    excludeCredentials: [],
    authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
    extensions: { credProps: true },
  });

  const laptop = await addPasskey(service, dana.call, { name: "Laptop" });
  const phone = await addPasskey(service, dana.call, { name: "Phone" });
  assert.deepEqual((await creationOptions(dana.call)).excludeCredentials, [
    { type: "public-key", id: laptop.device.id, transports: ["internal"] },
    { type: "public-key", id: phone.device.id, transports: ["internal"] },
  ]);
  service.clock.advance(MINUTE);
  assert.equal((await signInWith(service, phone.device)).status, 200);
  const renamed = await dana.call("PATCH", `/api/auth/passkeys/${laptop.id}`, { body: { name: "Old laptop" } });
  const expected = { created_at: "2026-01-31T12:00:00.000Z", usable: true };
  assert.deepEqual(renamed.body, { id: laptop.id, name: "Old laptop", last_used_at: null, ...expected });
  const listed = [
    { id: laptop.id, name: "Old laptop", last_used_at: null, ...expected },
    { id: phone.id, name: "Phone", last_used_at: "2026-01-31T12:01:00.000Z", ...expected },
  ];
  assert.deepEqual((await dana.call("GET", "/api/auth/passkeys")).body, listed);
  // Operators see them too; keys and ids of credentials leave with nobody.
  const seen = await service.call("GET", `/api/users/${dana.user.id}/passkeys`);
  assert.deepEqual(seen.body, listed);
  assert.ok(!seen.text.includes(phone.device.id));

  assert.deepEqual((await kim.call("GET", "/api/auth/passkeys")).body, []);
  for (const [method, body] of [
    ["PATCH", { name: "Mine" }],
    ["DELETE", undefined],
  ] as const) {
    const refused = await kim.call<ErrorBody>(method, `/api/auth/passkeys/${laptop.id}`, { body });
    assert.deepEqual([refused.status, refused.body.error_code], [404, "PASSKEY_NOT_FOUND"]);
  }
  assert.equal((await dana.call("DELETE", `/api/auth/passkeys/${laptop.id}`)).status, 204);
  assert.deepEqual((await dana.call("GET", "/api/auth/passkeys")).body, [listed[1]]);
  assert.equal((await signInWith(service, laptop.device)).status, 401);
  assert.equal((await dana.call<ErrorBody>("DELETE", `/api/auth/passkeys/${laptop.id}`)).status, 404);

  const target = { kind: "user", id: dana.user.id };
  const events = (await eventsOf(service)).filter(({ outcome }) => outcome === "success");
  assert.deepEqual(
    events.map(({ type, details, target, actor }) => ({ type, details, target, actor })),
    [
      ["passkey_removed", "Old laptop"],
      ["passkey_added", "Phone"],
      ["passkey_added", "Laptop"],
    ].map(([type, passkey]) => ({
      type,
      details: { email: "dana@example.com", passkey },
      target,
      actor: { kind: "user", id: dana.user.id, email: "dana@example.com" },
    })),
  );
});

testOnBoth("adding and removing a passkey need a fresh proof", async (service) => {
  const { call, user } = await person(service, { password: PASSWORD });
  const { id } = await addPasskey(service, call);
  const options = await creationOptions(call);
  service.clock.advance(10 * MINUTE);
  const credential = createAuthenticator(originOf(service)).create(options);
  for (const [method, path, body] of [
    ["POST", "/api/auth/passkeys/options", undefined],
    ["POST", "/api/auth/passkeys", { name: "Phone", credential }],
    ["DELETE", `/api/auth/passkeys/${id}`, undefined],
  ] as const) {
    const refused = await call<ErrorBody>(method, path, { body });
    assert.deepEqual([refused.status, refused.body.error_code], [403, "CONFIRMATION_REQUIRED"], path);
  }
  assert.equal((await service.ctx.db.query.selectFrom("passkeys").selectAll().execute())[0]!.user_id, user.id);
});

/** An attestation that names a certificate. */
const CERTIFIED = map([
  [text("alg"), Buffer.of(0x26)],
  [text("sig"), bytes(Buffer.alloc(64))],
  [text("x5c"), list([bytes(Buffer.alloc(100))])],
]);

const HOSTILE: Record<string, readonly [Deviation, status: number, code: string]> = {
  "a page of another site": [{ origin: "https://evil.example.com" }, 422, "PASSKEY_OTHER_SITE"],
  "the same host over another scheme": [{ origin: "https://localhost:0" }, 422, "PASSKEY_OTHER_SITE"],
  "a frame in a page of another site": [{ crossOrigin: true }, 422, "PASSKEY_OTHER_SITE"],
  "a passkey for another host": [{ rpId: "evil.example.com" }, 422, "PASSKEY_OTHER_SITE"],
  "no user verification": [{ isVerified: false }, 422, "PASSKEY_NOT_VERIFIED"],
  "the answer to another kind of question": [{ type: "webauthn.get" }, 422, "VALIDATION_FAILED"],
  "a challenge that nobody made": [{ challenge: "AAAA" }, 422, "PASSKEY_EXPIRED"],
  "a certificate": [{ attestation: ["packed", CERTIFIED] }, 422, "VALIDATION_FAILED"],
  "an unknown attestation": [{ attestation: ["odd", map([])] }, 422, "VALIDATION_FAILED"],
};

testOnBoth("a new passkey is taken only from our pages, for our host, from a verified user", async (service) => {
  const { call } = await person(service, { password: PASSWORD });
  for (const [name, [deviation, status, code]] of Object.entries(HOSTILE)) {
    const credential = createAuthenticator(originOf(service)).create(await creationOptions(call), deviation);
    const refused = await call<ErrorBody>("POST", "/api/auth/passkeys", { body: { name: "Odd", credential } });
    assert.deepEqual([refused.status, refused.body.error_code], [status, code], `${name}: ${refused.text}`);
    // It is refused for being one, before the library looks at it.
    if (name === "a certificate") assert.match(refused.text, /Is attested, which was not asked for/);
  }
  assert.deepEqual((await call("GET", "/api/auth/passkeys")).body, []);
  await service.ctx.security.flush();
  const reasons = (await eventsOf(service)).map(({ type, outcome, reason }) => [type, outcome, reason]);
  assert.ok(
    reasons.some((one) => String(one) === "passkey_added,failure,PASSKEY_OTHER_SITE"),
    String(reasons),
  );

  const broken = [
    {},
    { id: "a", rawId: "a", type: "public-key", response: {} },
    { id: "a", rawId: "a", type: "public-key", response: { clientDataJSON: "e30", attestationObject: "oA" } },
    { id: "a", rawId: "a", type: "public-key", response: { clientDataJSON: "AAAA", attestationObject: "AAAA" } },
  ];
  for (const credential of broken) {
    const refused = await call<ErrorBody>("POST", "/api/auth/passkeys", { body: { name: "Odd", credential } });
    assert.ok([400, 422].includes(refused.status), refused.text);
  }
});

testOnBoth(
  "a challenge to add a passkey counts once, for five minutes, and in the session that asked",
  async (service) => {
    const { call, user } = await person(service, { password: PASSWORD });
    const other = callAs(service, await signedIn(service, user.id));
    const add = async (by: TestService["call"], credential: object) => {
      const { status, body } = await by<ErrorBody>("POST", "/api/auth/passkeys", {
        body: { name: "Laptop", credential },
      });
      return status === 201 ? "added" : body.error_code;
    };
    const device = createAuthenticator(originOf(service));
    const options = await creationOptions(call);
    const credential = device.create(options);
    assert.equal(await add(other, credential), "PASSKEY_EXPIRED", "another session of the same person");
    assert.equal(await add(call, credential), "added");
    assert.equal(
      await add(call, createAuthenticator(originOf(service)).create(options)),
      "PASSKEY_EXPIRED",
      "replayed",
    );
    const late = createAuthenticator(originOf(service)).create(await creationOptions(call));
    service.clock.advance(5 * MINUTE);
    assert.equal(await add(call, late), "PASSKEY_EXPIRED", "late");
    // A challenge of a sign-in, made for the same holder as a session would be, is for that only.
    const signIn = await service.call<{ public_key: { challenge: string } }>(
      "POST",
      "/api/auth/login/passkey/options",
      {
        token: null,
      },
    );
    const borrowed = { ...(await creationOptions(call)), challenge: signIn.body.public_key.challenge };
    assert.equal(await add(call, createAuthenticator(originOf(service)).create(borrowed)), "PASSKEY_EXPIRED");

    // One to confirm, of the same session, is for that only.
    const { body } = await call<{ public_key: { challenge: string } }>("POST", "/api/auth/confirm/options");
    const confirming = { ...(await creationOptions(call)), challenge: body.public_key.challenge };
    assert.equal(await add(call, createAuthenticator(originOf(service)).create(confirming)), "PASSKEY_EXPIRED");

    // Of many at once, one succeeds.
    const race = createAuthenticator(originOf(service)).create(await creationOptions(call));
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => add(call, race)));
    assert.equal(outcomes.filter((one) => one === "added").length, 1, String(outcomes));
  },
);

testOnBoth("a credential belongs to one account, and a person has at most twenty", async (service) => {
  const dana = await person(service, { password: PASSWORD });
  const eve = await person(service, { password: PASSWORD });
  const { device } = await addPasskey(service, dana.call);
  for (const call of [eve.call, dana.call]) {
    const same = createAuthenticator(originOf(service), Buffer.from(device.id, "base64url"));
    const credential = same.create(await creationOptions(call));
    const refused = await call<ErrorBody>("POST", "/api/auth/passkeys", { body: { name: "Mine", credential } });
    assert.deepEqual([refused.status, refused.body.error_code], [409, "PASSKEY_ALREADY_ADDED"]);
  }
  assert.equal((await signInWith(service, device)).status, 200);

  const row = await service.ctx.db.query.selectFrom("passkeys").selectAll().executeTakeFirstOrThrow();
  await service.ctx.db.write((tx) =>
    tx.query
      .insertInto("passkeys")
      .values(Array.from({ length: 19 }, (_, i) => ({ ...row, id: `psk_${i}`, credential_id: `c${i}` })))
      .execute(),
  );
  const full = await dana.call<ErrorBody>("POST", "/api/auth/passkeys/options");
  assert.deepEqual([full.status, full.body.error_code], [409, "PASSKEY_LIMIT"]);
});

testOnBoth(
  "an address without https, or without a host name, has no passkeys, and says so",
  async (service) => {
    const { call } = await person(service, { password: PASSWORD });
    const refused = await call<ErrorBody>("POST", "/api/auth/passkeys/options");
    assert.deepEqual([refused.status, refused.body.error_code], [409, "PASSKEYS_UNAVAILABLE"]);
    const signIn = await service.call("POST", "/api/auth/login/passkey/options", { token: null });
    assert.deepEqual([signIn.status, signIn.body, signIn.cookies], [200, { public_key: null }, []]);
    const confirm = await call("POST", "/api/auth/confirm/options");
    assert.deepEqual([confirm.status, confirm.body], [200, { public_key: null }]);
  },
  { env: { SERVICE_PUBLIC_URL: "http://tasks.example.com" } },
);

testOnBoth("challenges that were used are forgotten once they have expired", async (service) => {
  const { call } = await person(service, { password: PASSWORD });
  await addPasskey(service, call);
  const count = async () => (await service.ctx.db.query.selectFrom("passkey_challenges").selectAll().execute()).length;
  const { tidyPeople } = await import("../sessions.ts");
  await tidyPeople(service.ctx);
  assert.equal(await count(), 1);
  service.clock.advance(5 * MINUTE);
  await tidyPeople(service.ctx);
  assert.equal(await count(), 0);
});
