import assert from "node:assert/strict";
import { createAuthenticator } from "../../../test/support/authenticator.ts";
import { newVisitor, type Visitor } from "../../../test/support/oidc/visitor.ts";
import { testWithProvider } from "../../../test/support/oidc/test-with-provider.ts";
import { addPasskey, confirmWith, originOf, type ErrorBody } from "../../../test/support/passkeys.ts";
import { addUser, PASSWORD } from "../../../test/support/people.ts";

const ADA = { sub: "ada-1", email: "ada@example.com", email_verified: true };
const CONFIRM = "/api/auth/oidc/start?confirm=1&return_to=/inbox";
/** Passkeys need https, and the provider must know the address. */
const REQUIRED = {
  provider: { publicUrl: "https://tasks.test" },
  env: { SERVICE_REQUIRE_PASSKEY: "operators" },
};

async function signInByPassword(visitor: Visitor): Promise<void> {
  const body = { email: "ada@example.com", password: PASSWORD };
  const { status, cookies } = await visitor.call("POST", "/api/auth/login", { body });
  assert.equal(status, 200);
  for (const one of cookies) visitor.cookies.set(...(one.split(";", 1)[0]!.split(/=(.*)/) as [string, string]));
}

async function isLimited(visitor: Visitor): Promise<boolean> {
  const { status, body } = await visitor.call<ErrorBody>("GET", "/api/users");
  if (status === 200) return false;
  assert.equal(body.error_code, "PASSKEY_REQUIRED");
  return true;
}

testWithProvider(
  "a company account is enough for an operator who must use a passkey: to sign in, and in a limited session",
  async (service, { accounts }) => {
    await addUser(service, { email: "ada@example.com", is_operator: true, password: PASSWORD });
    accounts.set("ada", ADA);
    const visitor = newVisitor(service);
    await visitor.signIn("ada");
    assert.equal(await isLimited(visitor), false);
    // A confirmation by password takes nothing from it.
    assert.deepEqual((await visitor.call("GET", "/api/auth/confirm")).body, { ways: ["password", "oidc"] });

    for (const path of [CONFIRM, "/api/auth/oidc/start"]) {
      const limited = newVisitor(service);
      await signInByPassword(limited);
      assert.equal(await isLimited(limited), true);
      const { status, text } = await limited.signIn("ada", path);
      assert.equal(status, 302, text);
      assert.equal(await isLimited(limited), false, path);
    }
  },
  REQUIRED,
);

testWithProvider(
  "a person has all ways to confirm, and an operator with a company account may remove the last passkey",
  async (service, { accounts }) => {
    await addUser(service, { email: "ada@example.com", is_operator: true, password: PASSWORD });
    accounts.set("ada", ADA);
    const visitor = newVisitor(service);
    await visitor.signIn("ada");
    await visitor.signIn("ada", CONFIRM);
    const device = createAuthenticator(originOf(service));
    const { id } = await addPasskey(service, visitor.call, { device });
    assert.deepEqual((await visitor.call("GET", "/api/auth/confirm")).body, { ways: ["passkey", "oidc"] });
    const confirmed = await confirmWith(visitor.call, device);
    assert.equal(confirmed.status, 200);
    for (const one of confirmed.cookies)
      visitor.cookies.set(...(one.split(";", 1)[0]!.split(/=(.*)/) as [string, string]));
    assert.equal((await visitor.call("DELETE", `/api/auth/passkeys/${id}`)).status, 204);
    assert.deepEqual((await visitor.call("GET", "/api/auth/confirm")).body, { ways: ["password", "oidc"] });
  },
  REQUIRED,
);

testWithProvider(
  "people choose among a passkey, the password and the company account",
  async (service, { accounts }) => {
    await addUser(service, { email: "ada@example.com", password: PASSWORD });
    accounts.set("ada", ADA);
    const visitor = newVisitor(service);
    await visitor.signIn("ada");
    await visitor.signIn("ada", CONFIRM);
    await addPasskey(service, visitor.call);
    assert.deepEqual((await visitor.call("GET", "/api/auth/confirm")).body, { ways: ["passkey", "password", "oidc"] });
  },
  { provider: REQUIRED.provider },
);
