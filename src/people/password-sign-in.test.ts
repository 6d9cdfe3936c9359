import assert from "node:assert/strict";
import { addUser, PASSWORD, person } from "../../test/support/people.ts";
import { testOnBoth, type TestService } from "../../test/support/service.ts";
import { setupToken } from "./setup.ts";

const login = async (service: TestService, email: string, password = PASSWORD) => {
  const { status, body } = await service.call("POST", "/api/auth/login", { token: null, body: { email, password } });
  return [status, body["error_code"] ?? null];
};

const OFF = [403, "PASSWORD_SIGN_IN_OFF"];

async function addPeople(service: TestService): Promise<void> {
  await addUser(service, { email: "ada@example.com", password: PASSWORD, is_operator: true });
  await addUser(service, { email: "dana@example.com", password: PASSWORD });
}

testOnBoth(
  "with SERVICE_PASSWORD_SIGN_IN=operators, only operators use their password",
  async (service) => {
    await addPeople(service);
    assert.deepEqual(await login(service, "ada@example.com"), [200, null]);
    assert.deepEqual(await login(service, "dana@example.com"), OFF);
    // Who does not know the password learns nothing.
    assert.deepEqual(await login(service, "dana@example.com", "wrong"), [401, "INVALID_CREDENTIALS"]);
    const { call } = await person(service, { password: PASSWORD });
    const confirmed = await call("POST", "/api/auth/confirm", { body: { password: PASSWORD } });
    assert.deepEqual([confirmed.status, confirmed.body["error_code"]], OFF);
    assert.deepEqual((await call("GET", "/api/auth/confirm")).body, { ways: [] });
    const { body } = await service.call("GET", "/api/setup/status", { token: null });
    assert.deepEqual(body["sign_in"], { password: "operators", oidc: false });
  },
  { env: { SERVICE_PASSWORD_SIGN_IN: "operators" } },
);

testOnBoth(
  "with SERVICE_PASSWORD_SIGN_IN=off, no password signs in, and setup still works",
  async (service) => {
    const token = setupToken(service.ctx.config);
    const setup = { email: "first@example.com", password: PASSWORD, token };
    assert.equal((await service.call("POST", "/api/setup/operator", { token: null, body: setup })).status, 201);
    await addPeople(service);
    for (const email of ["first@example.com", "ada@example.com", "dana@example.com", "stranger@example.com"])
      assert.deepEqual(await login(service, email), OFF);
  },
  { env: { SERVICE_PASSWORD_SIGN_IN: "off" } },
);

testOnBoth("everyone uses their password unless it is turned off", async (service) => {
  await addPeople(service);
  assert.deepEqual(await login(service, "dana@example.com"), [200, null]);
  const { call } = await person(service, { password: PASSWORD });
  assert.deepEqual((await call("GET", "/api/auth/confirm")).body, { ways: ["password"] });
});
