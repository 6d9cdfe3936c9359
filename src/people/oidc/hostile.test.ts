import assert from "node:assert/strict";
import { test } from "node:test";
import { SignJWT } from "jose";
import { SECRET, startHostileIssuer, type HostileIssuer } from "../../../test/support/oidc/hostile-issuer.ts";
import type { ProviderOptions } from "./provider.ts";
import { codeOf, newVisitor, type Visitor } from "../../../test/support/oidc/visitor.ts";
import { addUser } from "../../../test/support/people.ts";
import { startTestService, type Answer, type TestService } from "../../../test/support/service.ts";

/** Of requests to a provider that does not answer. A busy machine must answer the others within it. */
const IMPATIENT: ProviderOptions = { timeoutMs: 3_000 };
const EMAIL = { email: "dana@example.com", email_verified: true };

/** Registers the same test for both databases, with a provider that lies as the test says. */
function testWithHostileIssuer(
  name: string,
  run: (service: TestService, issuer: HostileIssuer) => Promise<void>,
  provider: ProviderOptions = {},
): void {
  for (const dialect of ["sqlite", "postgres"] as const) {
    void test(`${name} (${dialect})`, { timeout: 55_000 }, async () => {
      const issuer = await startHostileIssuer();
      const { service, stop } = await startTestService(dialect, { env: issuer.env, provider });
      try {
        await run(service, issuer);
      } finally {
        await stop();
        await issuer.stop();
      }
    });
  }
}

/** Begins in a browser, and tells the issuer which nonce it got. @returns the parameters of the request */
async function begin(issuer: HostileIssuer, visitor: Visitor): Promise<URLSearchParams> {
  const { headers, text } = await visitor.begin();
  assert.ok(headers["location"], text);
  const { searchParams } = new URL(headers["location"]);
  issuer.nonce = searchParams.get("nonce")!;
  return searchParams;
}

/** Begins, and comes back with a code. */
async function comeBack(
  service: TestService,
  issuer: HostileIssuer,
  more: Record<string, string> = {},
): Promise<Answer> {
  const visitor = newVisitor(service);
  const state = (await begin(issuer, visitor)).get("state")!;
  const query = new URLSearchParams({ code: "c", state, ...more });
  return visitor.open(`/api/auth/oidc/callback?${query.toString()}`);
}

async function reasons(service: TestService): Promise<unknown[]> {
  await service.ctx.security.flush();
  const { body } = await service.call<{ reason: string }[]>("GET", "/api/security-events?type=sign_in&outcome=failure");
  return body.map(({ reason }) => reason);
}

const now = () => Math.floor(Date.now() / 1000);
const unsigned = (header: object, claims: object) =>
  `${[header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".")}.`;

/** What makes an ID token invalid. */
const LIES: Record<string, (issuer: HostileIssuer) => void> = {
  "a wrong nonce": (it) => (it.claims = { ...EMAIL, nonce: "another" }),
  "no nonce": (it) => (it.claims = { ...EMAIL, nonce: undefined }),
  "a wrong audience": (it) => (it.claims = { ...EMAIL, aud: "another" }),
  "several audiences, and another authorized party": (it) =>
    (it.claims = { ...EMAIL, aud: ["tasks", "another"], azp: "another" }),
  "a wrong issuer": (it) => (it.claims = { ...EMAIL, iss: "https://accounts.example.com" }),
  "a token that has expired": (it) => (it.claims = { ...EMAIL, iat: now() - 900, exp: now() - 600 }),
  "a token without an expiry": (it) => (it.claims = { ...EMAIL, exp: undefined }),
  "a token that is valid later": (it) => (it.claims = { ...EMAIL, nbf: now() + 600 }),
  "no subject": (it) => (it.claims = { ...EMAIL, sub: undefined }),
  "a subject that is too long": (it) => (it.claims = { ...EMAIL, sub: "x".repeat(256) }),
  "no signature (alg none)": (it) => (it.sign = async (claims) => unsigned({ alg: "none" }, claims)),
  "a signature with the client's secret": (it) =>
    (it.sign = (claims) =>
      new SignJWT({ ...claims }).setProtectedHeader({ alg: "HS256" }).sign(new TextEncoder().encode(SECRET))),
  "a signature with another key": (it) =>
    (it.sign = (claims) =>
      new SignJWT({ ...claims }).setProtectedHeader({ alg: "RS256", kid: "one" }).sign(it.otherKey)),
  "a key id that is not published": (it) =>
    (it.sign = (claims) =>
      new SignJWT({ ...claims }).setProtectedHeader({ alg: "RS256", kid: "two" }).sign(it.otherKey)),
  "a changed token": (it) =>
    (it.sign = async (claims) => {
      const [header, , signature] = (await it.signWell(claims)).split(".");
      const other = Buffer.from(JSON.stringify({ ...claims, sub: "admin-1" })).toString("base64url");
      return `${header}.${other}.${signature}`;
    }),
};

testWithHostileIssuer("an ID token that is not valid signs no one in", async (service, issuer) => {
  await addUser(service, { email: "dana@example.com" });
  for (const [what, lie] of Object.entries(LIES)) {
    Object.assign(issuer, { claims: EMAIL, sign: null });
    lie(issuer);
    const answer = await comeBack(service, issuer);
    assert.deepEqual([answer.status, codeOf(answer)], [502, "OIDC_TOKEN_INVALID"], what);
    assert.ok(!answer.cookies.some((cookie) => cookie.startsWith("service_session=")), what);
    assert.ok(!answer.text.includes("dana-1") && !answer.text.includes("eyJ"), what);
  }
  const counts = await service.ctx.db.query.selectFrom("sessions").selectAll().execute();
  assert.equal(counts.length, 0);
  assert.equal((await reasons(service))[0], "OIDC_TOKEN_INVALID");
  // Without a lie it works: the tests above are about the lies.
  Object.assign(issuer, { claims: EMAIL, sign: null });
  const good = await comeBack(service, issuer);
  assert.equal(good.status, 302, good.text);
});

testWithHostileIssuer("a callback counts once, even if the provider takes its code twice", async (service, issuer) => {
  await addUser(service, { email: "dana@example.com" });
  issuer.claims = EMAIL;
  const visitor = newVisitor(service);
  const state = (await begin(issuer, visitor)).get("state")!;
  const kept = new Map(visitor.cookies);
  const again = () => {
    const copy = newVisitor(service);
    for (const [name, value] of kept) copy.cookies.set(name, value);
    return copy.open(`/api/auth/oidc/callback?code=c&state=${state}`);
  };
  const statuses = (await Promise.all([again(), again(), again()])).map(({ status }) => status);
  assert.deepEqual(
    statuses.toSorted((a, b) => a - b),
    [302, 400, 400],
  );
  assert.equal(codeOf(await again()), "OIDC_SIGN_IN_EXPIRED");
  assert.equal((await service.ctx.db.query.selectFrom("sessions").selectAll().execute()).length, 1);
});

/** Answers that are none, and what people are told. */
const BROKEN: Record<string, readonly [(issuer: HostileIssuer) => void, status: number, code: string]> = {
  "slow tokens": [(it) => it.handlers.set("/token", () => undefined), 503, "OIDC_PROVIDER_UNAVAILABLE"],
  "a token answer that stops": [
    (it) =>
      it.handlers.set("/token", (_, response) => response.setHeader("content-type", "application/json").write("{")),
    503,
    "OIDC_PROVIDER_UNAVAILABLE",
  ],
  "a huge token answer": [
    (it) =>
      it.handlers.set("/token", (_, response) =>
        response.setHeader("content-type", "application/json").end(" ".repeat(2 ** 21)),
      ),
    503,
    "OIDC_PROVIDER_UNAVAILABLE",
  ],
  "a token answer that is no JSON": [
    (it) => it.handlers.set("/token", (_, response) => response.end("<p>")),
    502,
    "OIDC_PROVIDER_ERROR",
  ],
  "a redirect in place of tokens": [
    (it) =>
      it.handlers.set("/token", (_, response) => response.writeHead(302, { location: "https://evil.example" }).end()),
    502,
    "OIDC_PROVIDER_ERROR",
  ],
  "a code that was used": [
    (it) =>
      it.handlers.set("/token", (_, response) =>
        response.writeHead(400, { "content-type": "application/json" }).end('{"error":"invalid_grant"}'),
      ),
    400,
    "OIDC_SIGN_IN_EXPIRED",
  ],
  "a wrong secret": [
    (it) =>
      it.handlers.set("/token", (_, response) =>
        response
          .writeHead(401, { "content-type": "application/json", "www-authenticate": "Basic" })
          .end('{"error":"invalid_client"}'),
      ),
    502,
    "OIDC_PROVIDER_ERROR",
  ],
  "slow keys": [(it) => it.handlers.set("/jwks", () => undefined), 503, "OIDC_PROVIDER_UNAVAILABLE"],
};

for (const [what, [breakIt, status, code]] of Object.entries(BROKEN))
  testWithHostileIssuer(
    `${what}: people get a page that says what to do`,
    async (service, issuer) => {
      issuer.claims = EMAIL;
      breakIt(issuer);
      const answer = await comeBack(service, issuer);
      assert.deepEqual([answer.status, codeOf(answer)], [status, code], answer.text);
      assert.match(answer.headers["content-type"]!, /^text\/html/);
      assert.deepEqual(await reasons(service), [code]);
    },
    IMPATIENT,
  );

testWithHostileIssuer("errors in the callback are told apart", async (service, issuer) => {
  for (const [error, status, code] of [
    ["access_denied", 403, "OIDC_SIGN_IN_REFUSED"],
    ["login_required", 403, "OIDC_SIGN_IN_REFUSED"],
    ["temporarily_unavailable", 503, "OIDC_PROVIDER_UNAVAILABLE"],
    ["invalid_scope", 502, "OIDC_PROVIDER_ERROR"],
    ["<script>alert(1)</script>", 502, "OIDC_PROVIDER_ERROR"],
  ] as const) {
    const visitor = newVisitor(service);
    const state = (await begin(issuer, visitor)).get("state")!;
    const answer = await visitor.open(`/api/auth/oidc/callback?${new URLSearchParams({ error, state }).toString()}`);
    assert.deepEqual([answer.status, codeOf(answer)], [status, code]);
    assert.ok(!answer.text.includes("<script>"));
  }
  assert.equal(issuer.requests.get("/token"), undefined);
});

testWithHostileIssuer("the answer of another issuer is rejected before its code is used", async (service, issuer) => {
  const answer = await comeBack(service, issuer, { iss: "https://other.example.com" });
  assert.equal(answer.status, 502);
  assert.equal(issuer.requests.get("/token"), undefined);
  for (const query of ["", "?code=c", "?state=x&code=c", "?state=x&state=y", "?code[]=1&state[a]=1", "?%E0%A4%A"]) {
    const page = await newVisitor(service).open(`/api/auth/oidc/callback${query}`);
    assert.deepEqual([page.status, codeOf(page)], [400, "OIDC_SIGN_IN_EXPIRED"], query);
  }
});

/** Discovery documents that no one is sent to the provider with. */
const DISCOVERED: Record<string, readonly [(issuer: HostileIssuer) => void, status: number]> = {
  "another issuer": [(it) => (it.metadata = { issuer: "https://other.example.com" }), 502],
  "an authorization endpoint that is a script": [
    (it) => (it.metadata = { authorization_endpoint: "javascript:alert(1)" }),
    502,
  ],
  "a token endpoint without TLS on another machine": [
    (it) => (it.metadata = { token_endpoint: "http://example.com/token" }),
    502,
  ],
  "no keys": [(it) => (it.metadata = { jwks_uri: undefined }), 502],
  "only algorithms with the client's secret": [
    (it) => (it.metadata = { id_token_signing_alg_values_supported: ["HS256", "none"] }),
    502,
  ],
  "no document": [
    (it) => it.handlers.set("/.well-known/openid-configuration", (_, response) => response.writeHead(404).end()),
    502,
  ],
  "a document that never comes": [(it) => it.handlers.set("/.well-known/openid-configuration", () => undefined), 503],
  "a huge document": [
    (it) =>
      it.handlers.set("/.well-known/openid-configuration", (_, response) =>
        response.setHeader("content-type", "application/json").end(" ".repeat(2 ** 21)),
      ),
    503,
  ],
};

testWithHostileIssuer(
  "no browser is sent to a provider whose description is wrong",
  async (service, issuer) => {
    for (const [what, [lie, status]] of Object.entries(DISCOVERED)) {
      Object.assign(issuer, { metadata: {} });
      issuer.handlers.clear();
      lie(issuer);
      const answer = await newVisitor(service).begin();
      assert.equal(answer.status, status, what);
      assert.ok(codeOf(answer)?.startsWith("OIDC_PROVIDER_"), what);
      const check = await service.call<{ ok: boolean; message: string }>("POST", "/api/auth/oidc/check");
      assert.deepEqual([check.status, check.body.ok], [200, false], what);
      assert.match(check.body.message, /\.$/, what);
    }
    // A provider that is repaired works at once.
    Object.assign(issuer, { metadata: {} });
    issuer.handlers.clear();
    assert.equal((await newVisitor(service).begin()).status, 302);
    const check = await service.call("POST", "/api/auth/oidc/check");
    assert.deepEqual(check.body, { ok: true, message: `${issuer.issuer} responds, has keys, and accepts the client.` });
  },
  IMPATIENT,
);

testWithHostileIssuer("the request has PKCE, state and nonce, and none of them twice", async (service, issuer) => {
  const seen = new Set<string>();
  for (let i = 0; i < 3; i++) {
    const sent = await begin(issuer, newVisitor(service));
    assert.equal(sent.get("code_challenge_method"), "S256");
    assert.equal(sent.get("response_type"), "code");
    assert.equal(sent.get("redirect_uri"), "http://tasks.test/api/auth/oidc/callback");
    assert.equal(sent.get("scope"), "openid email profile");
    for (const name of ["state", "nonce", "code_challenge"]) seen.add(sent.get(name)!);
  }
  assert.equal(seen.size, 9);
  assert.equal(issuer.requests.get("/.well-known/openid-configuration"), 1);
});
