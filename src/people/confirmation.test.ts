import assert from "node:assert/strict";
import { addUser, browser, callAs, PASSWORD, signedIn } from "../../test/support/people.ts";
import { testOnBoth } from "../../test/support/service.ts";

const MINUTE = 60_000;

interface ErrorBody {
  error_code: string;
  details?: { path: string }[];
}

testOnBoth("changes of who has access need a password that was given within ten minutes", async (service) => {
  const user = await addUser(service, { email: "op@example.com", password: PASSWORD, is_operator: true });
  const other = await addUser(service);
  const headers = await signedIn(service, user.id);
  const call = callAs(service, headers);
  const path = `/api/users/${other.id}`;
  service.clock.advance(10 * MINUTE - 1);
  assert.equal((await call("PATCH", path, { body: { is_operator: true } })).status, 200);
  service.clock.advance(1);
  const refused = await call<ErrorBody>("PATCH", path, { body: { is_operator: false } });
  assert.deepEqual([refused.status, refused.body.error_code], [403, "CONFIRMATION_REQUIRED"]);
  assert.equal((await service.call("GET", path)).body["is_operator"], true);
  // Everything else goes on.
  assert.equal((await call("GET", path)).status, 200);

  const wrong = await call<ErrorBody>("POST", "/api/auth/confirm", { body: { password: "wrong password" } });
  assert.deepEqual([wrong.status, wrong.body.details?.[0]?.path], [422, "/password"]);
  assert.equal((await call("PATCH", path, { body: { is_operator: false } })).status, 403);

  const confirmed = await call("POST", "/api/auth/confirm", { body: { password: PASSWORD } });
  assert.equal(confirmed.status, 200);
  const renewed = callAs(service, browser(confirmed.headers["set-cookie"]!));
  assert.equal((await renewed("PATCH", path, { body: { is_operator: false } })).status, 200);
  service.clock.advance(10 * MINUTE);
  assert.equal((await renewed("PATCH", path, { body: { is_operator: true } })).status, 403);
});

testOnBoth("who holds a copy of the cookie gains nothing when the person confirms", async (service) => {
  const user = await addUser(service, { password: PASSWORD, is_operator: true });
  const headers = await signedIn(service, user.id);
  const confirmed = await callAs(service, headers)("POST", "/api/auth/confirm", { body: { password: PASSWORD } });
  assert.equal((await callAs(service, headers)("GET", "/api/tasks")).status, 401);
  const call = callAs(service, browser(confirmed.headers["set-cookie"]!));
  // It is the same session, which ends when it would have ended.
  const { body } = await call<{ current: boolean; created_at: string }[]>("GET", "/api/auth/sessions");
  assert.deepEqual(
    body.map(({ current, created_at }) => [current, created_at]),
    [[true, "2026-01-31T12:00:00.000Z"]],
  );
});

testOnBoth("attempts to confirm count as attempts to sign in, before anything is hashed", async (service) => {
  const user = await addUser(service, { email: "dana@example.com", password: PASSWORD });
  const call = callAs(service, await signedIn(service, user.id));
  const confirm = (password: string) => call<ErrorBody>("POST", "/api/auth/confirm", { body: { password } });
  for (let i = 0; i < 20; i++) assert.equal((await confirm("guess")).status, 422);
  let hashed = 0;
  const { passwords } = service.ctx;
  service.ctx.passwords = { ...passwords, matches: async (...given) => (hashed++, passwords.matches(...given)) };
  const refused = await confirm(PASSWORD);
  assert.deepEqual([refused.status, refused.body.error_code, hashed], [429, "RATE_LIMITED", 0]);
  service.clock.advance(5 * MINUTE);
  assert.equal((await confirm(PASSWORD)).status, 200);
});

testOnBoth("only people confirm, and only while their password is the one that was checked", async (service) => {
  assert.equal((await service.call("POST", "/api/auth/confirm", { body: { password: PASSWORD } })).status, 403);
  for (const change of [{ active: false }, { password: "another password" }, null]) {
    const user = await addUser(service, { password: PASSWORD });
    const call = callAs(service, await signedIn(service, user.id));
    const { passwords } = service.ctx;
    const matches = async (password: string, stored: string | null) => {
      const isRight = await passwords.matches(password, stored);
      if (change !== null) await service.call("PATCH", `/api/users/${user.id}`, { body: change });
      else await service.call("DELETE", `/api/users/${user.id}/sessions`);
      return isRight;
    };
    service.ctx.passwords = { ...passwords, matches };
    const answer = await call("POST", "/api/auth/confirm", { body: { password: PASSWORD } });
    assert.equal(answer.status, 401, JSON.stringify(change));
    service.ctx.passwords = passwords;
  }
  assert.deepEqual(await service.ctx.db.query.selectFrom("sessions").selectAll().execute(), []);
});

testOnBoth(
  "to be asked for the password is no failure in the security log; a wrong password is one",
  async (service) => {
    const user = await addUser(service, { password: PASSWORD, is_operator: true });
    const other = await addUser(service);
    const call = callAs(service, await signedIn(service, user.id));
    const failures = async () => {
      await service.ctx.security.flush();
      const { body } = await service.call<{ type: string }[]>("GET", "/api/security-events?outcome=failure");
      return body.map(({ type }) => type);
    };
    service.clock.advance(10 * MINUTE);
    for (const [method, path, body] of [
      ["PATCH", `/api/users/${other.id}`, { role: "approver" }],
      ["POST", "/api/service-keys", { name: "Shop" }],
      ["GET", "/api/channels/slack/oauth/start", undefined],
    ] as const) {
      const asked = await call<ErrorBody>(method, path, { body });
      assert.deepEqual([asked.status, asked.body.error_code], [403, "CONFIRMATION_REQUIRED"], path);
    }
    assert.deepEqual(await failures(), []);
    assert.equal((await call("POST", "/api/auth/confirm", { body: { password: "guess" } })).status, 422);
    assert.deepEqual(await failures(), ["password_confirmed"]);
  },
);
