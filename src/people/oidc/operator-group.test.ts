import assert from "node:assert/strict";
import { newVisitor } from "../../../test/support/oidc/visitor.ts";
import { testWithProvider } from "../../../test/support/oidc/test-with-provider.ts";
import { addUser, PASSWORD } from "../../../test/support/people.ts";
import type { TestService } from "../../../test/support/service.ts";
import type { UserRecord } from "../schema.ts";

const ENV = {
  SERVICE_OIDC_OPERATOR_GROUP: "task-admins",
  SERVICE_OIDC_SCOPES: "openid email profile groups",
  SERVICE_OIDC_AUTO_CREATE: "1",
};
const account = (name: string, groups?: unknown) => ({
  sub: `${name}-1`,
  email: `${name}@example.com`,
  email_verified: true,
  ...(groups !== undefined && { groups }),
});

async function isOperator(service: TestService, name: string): Promise<boolean> {
  const { body } = await service.call<UserRecord[]>("GET", `/api/users?q=${name}`);
  return body[0]!.is_operator;
}

async function rightsEvents(service: TestService) {
  await service.ctx.security.flush();
  const { body } = await service.call<{ type: string; outcome: string; reason: string; details: object }[]>(
    "GET",
    "/api/security-events?limit=200",
  );
  return body
    .filter(({ type }) => type.startsWith("operator_rights"))
    .map(({ type, outcome, reason, details }) => ({ type, outcome, reason, ...details }));
}

for (const hasFullIdToken of [true, false])
  testWithProvider(
    `a member of the operator group is an operator from the next sign-in on: ${hasFullIdToken ? "ID token" : "user info"}`,
    async (service, { accounts }) => {
      await addUser(service, { email: "ada@example.com", is_operator: true, password: PASSWORD });
      accounts.set("dana", account("dana", ["staff"]));
      const before = newVisitor(service);
      await before.signIn("dana");
      assert.equal(await isOperator(service, "dana"), false);

      accounts.set("dana", account("dana", ["staff", "task-admins"]));
      assert.equal((await before.call("GET", "/api/users")).status, 403);
      const member = newVisitor(service);
      assert.equal((await member.signIn("dana")).status, 302);
      assert.equal((await member.call("GET", "/api/users")).status, 200);

      // Without the claim, a person is in no group. The sessions of an operator end.
      accounts.set("dana", account("dana"));
      const after = newVisitor(service);
      assert.equal((await after.signIn("dana")).status, 302);
      assert.equal((await after.call("GET", "/api/users")).status, 403);
      assert.equal((await member.call("GET", "/api/tasks")).status, 401);
      const event = { outcome: "success", reason: null, email: "dana@example.com", by: "oidc", group: "task-admins" };
      assert.deepEqual(await rightsEvents(service), [
        { type: "operator_rights_removed", ...event },
        { type: "operator_rights_granted", ...event },
      ]);
    },
    { env: ENV, provider: { hasFullIdToken } },
  );

testWithProvider(
  "the groups do not take the last operator away, and operators learn of it",
  async (service, { accounts }) => {
    const warnings: unknown[] = [];
    service.ctx.log.warn = (...said: unknown[]) => void warnings.push(said.at(-1));
    accounts.set("dana", account("dana", "task-admins"));
    assert.equal((await newVisitor(service).signIn("dana")).status, 302);
    accounts.set("dana", account("dana", []));
    const visitor = newVisitor(service);
    assert.equal((await visitor.signIn("dana")).status, 302);
    assert.equal((await visitor.call("GET", "/api/users")).status, 200);
    const [kept] = await rightsEvents(service);
    assert.deepEqual(
      [kept?.type, kept?.outcome, kept?.reason],
      ["operator_rights_removed", "failure", "LAST_OPERATOR"],
    );
    assert.match(String(warnings[0]), /last one who can sign in/);

    // Another operator, who cannot sign in, is not enough. One who can is.
    await addUser(service, { email: "kim@example.com", is_operator: true });
    await newVisitor(service).signIn("dana");
    assert.equal(await isOperator(service, "dana"), true);
    await addUser(service, { email: "ada@example.com", is_operator: true, password: PASSWORD });
    await newVisitor(service).signIn("dana");
    assert.equal(await isOperator(service, "dana"), false);
  },
  { env: ENV },
);

testWithProvider(
  "an operator without a password can be the last one, and keeps their company account",
  async (service, { accounts }) => {
    accounts.set("dana", account("dana", ["task-admins"]));
    await newVisitor(service).signIn("dana");
    const { body } = await service.call<UserRecord[]>("GET", "/api/users");
    const path = `/api/users/${body[0]!.id}`;
    const code = async (method: "DELETE" | "PATCH", rest = "", change?: object) =>
      (await service.call(method, path + rest, { ...(change && { body: change }) })).body?.["error_code"];
    assert.equal(await code("DELETE", "/oidc-accounts"), "LAST_OPERATOR");
    assert.equal(await code("DELETE"), "LAST_OPERATOR");
    // With password sign-in off, an operator who has only a password cannot sign in.
    await addUser(service, { email: "ada@example.com", is_operator: true, password: PASSWORD });
    assert.equal(await code("DELETE"), "LAST_OPERATOR");
    accounts.set("kim", account("kim", ["task-admins"]));
    await newVisitor(service).signIn("kim");
    assert.equal(await code("DELETE", "/oidc-accounts"), undefined);
    const record = await service.call<UserRecord>("GET", path);
    assert.deepEqual(record.body.oidc_accounts, []);
  },
  { env: { ...ENV, SERVICE_PASSWORD_SIGN_IN: "off" } },
);

testWithProvider(
  "operators of two sign-ins at once are not both taken away",
  async (service, { accounts }) => {
    for (const name of ["dana", "kim"]) {
      accounts.set(name, account(name, ["task-admins"]));
      await newVisitor(service).signIn(name);
      accounts.set(name, account(name, []));
    }
    const visitors = ["dana", "kim"].map((name) => ({ name, visitor: newVisitor(service) }));
    const callbacks = await Promise.all(visitors.map(({ name, visitor }) => visitor.goTo(name)));
    await Promise.all(visitors.map(({ visitor }, i) => visitor.open(callbacks[i]!)));
    assert.equal([await isOperator(service, "dana"), await isOperator(service, "kim")].filter(Boolean).length, 1);
  },
  { env: ENV },
);

testWithProvider(
  "an operator who tests the provider learns that it is not asked for groups",
  async (service) => {
    const { body } = await service.call<{ ok: boolean; message: string }>("POST", "/api/auth/oidc/check");
    assert.equal(body.ok, true);
    assert.match(
      body.message,
      /accepts the client\. The provider has a scope groups, which SERVICE_OIDC_SCOPES does not/,
    );
  },
  { env: { SERVICE_OIDC_OPERATOR_GROUP: "task-operators" } },
);
