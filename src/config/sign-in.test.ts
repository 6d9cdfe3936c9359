import assert from "node:assert/strict";
import { test } from "node:test";
import { createEnvironment } from "./environment.ts";
import { readSignIn } from "./sign-in.ts";

const WHOLE = {
  SERVICE_OIDC_ISSUER: "https://login.example.com/realms/main",
  SERVICE_OIDC_CLIENT_ID: "tasks",
  SERVICE_OIDC_CLIENT_SECRET: "the-secret",
};

function read(variables: Record<string, string>) {
  const env = createEnvironment(variables);
  return { signIn: readSignIn(env), problems: env.problems, warnings: env.warnings };
}

void test("a provider needs an issuer, a client and its secret; the rest has defaults", () => {
  assert.deepEqual(read({}).signIn, { passwords: "everyone", oidc: null });
  assert.deepEqual(read(WHOLE), {
    problems: [],
    warnings: [],
    signIn: {
      passwords: "everyone",
      oidc: {
        issuer: "https://login.example.com/realms/main",
        clientId: "tasks",
        clientSecret: "the-secret",
        scopes: "openid email profile",
        groupsClaim: "groups",
        operatorGroup: null,
        autoCreate: false,
      },
    },
  });
  for (const name of Object.keys(WHOLE)) {
    const { problems } = read({ ...WHOLE, [name]: "" });
    assert.deepEqual([problems.length, problems[0]!.startsWith(`${name} must be set with `)], [1, true]);
  }
  assert.equal(read({ SERVICE_OIDC_OPERATOR_GROUP: "admins" }).problems.length, 1);
});

void test("only addresses of issuers are accepted, and http only on this machine", () => {
  for (const issuer of ["http://localhost:8080", "http://127.0.0.1:1/realms/a", "http://[::1]:1", "https://a.example/"])
    assert.deepEqual(read({ ...WHOLE, SERVICE_OIDC_ISSUER: issuer }).problems, [], issuer);
  for (const issuer of [
    "login.example.com",
    "http://login.example.com",
    "ftp://login.example.com",
    "https://login.example.com?a=b",
    "https://login.example.com#a",
    "https://user:pass-word@login.example.com",
    "https://login.example.com/.well-known/openid-configuration",
  ]) {
    const { problems } = read({ ...WHOLE, SERVICE_OIDC_ISSUER: issuer });
    assert.equal(problems.length, 1, issuer);
    assert.ok(!problems[0]!.includes("pass-word"));
  }
});

void test("other values that are not valid are named", () => {
  for (const change of [
    { SERVICE_OIDC_SCOPES: "email profile" },
    { SERVICE_OIDC_AUTO_CREATE: "yes" },
    { SERVICE_PASSWORD_SIGN_IN: "never" },
  ])
    assert.deepEqual(
      read({ ...WHOLE, ...change }).problems.map((problem) => problem.split(" ", 1)[0]),
      Object.keys(change),
    );
  assert.equal(read({ SERVICE_PASSWORD_SIGN_IN: "off" }).warnings.length, 1);
  assert.equal(read({ ...WHOLE, SERVICE_PASSWORD_SIGN_IN: "off" }).warnings.length, 0);
});
