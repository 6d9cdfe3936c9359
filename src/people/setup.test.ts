import assert from "node:assert/strict";
import { browser, callAs, PASSWORD } from "../../test/support/people.ts";
import { testOnBoth, type TestService } from "../../test/support/service.ts";
import { setupToken } from "./setup.ts";

const BODY = { email: "ada@example.com", password: PASSWORD, display_name: "Ada" };
/** As a browser on the machine itself sends it. */
const LOCAL = { host: "localhost:3000", origin: "http://localhost:3000" };

const setUp = (service: TestService, body: object = BODY, headers: Record<string, string> = LOCAL) =>
  service.call<{ user_id: string; email: string; error_code: string }>("POST", "/api/setup/operator", {
    token: null,
    body,
    headers,
  });
const needsSetup = async (service: TestService) =>
  (await service.call<{ needs_setup: boolean }>("GET", "/api/setup/status", { token: null })).body.needs_setup;

testOnBoth("the first operator is made once, and is signed in", async (service) => {
  assert.equal(await needsSetup(service), true);
  const answer = await setUp(service);
  assert.equal(answer.status, 201);
  assert.match(answer.body.user_id, /^usr_/);
  assert.equal(answer.body.email, "ada@example.com");
  assert.equal(await needsSetup(service), false);

  const me = await callAs(service, browser(answer.headers["set-cookie"]!))("GET", "/api/auth/me");
  assert.deepEqual(me.body, {
    authenticated: true,
    user_id: answer.body.user_id,
    email: "ada@example.com",
    display_name: "Ada",
    is_operator: true,
    projects: [{ project: "default", role: "member" }],
    time_zone: null,
    language: null,
    absence: null,
  });
  const again = await setUp(service, { ...BODY, email: "eve@example.com" });
  assert.deepEqual([again.status, again.body.error_code], [409, "SETUP_ALREADY_COMPLETED"]);
});

testOnBoth("of 25 set-ups at once exactly one wins", async (service) => {
  // All of them begin to write in the same moment.
  const { passwords } = service.ctx;
  const together = Promise.withResolvers<void>();
  let ready = 0;
  const hash = async (password: string) => {
    const hashed = await passwords.hash(password);
    if (++ready === 25) together.resolve();
    await together.promise;
    return hashed;
  };
  service.ctx.passwords = { ...passwords, hash };
  const answers = await Promise.all(
    Array.from({ length: 25 }, (_, i) => setUp(service, { ...BODY, email: `op-${i}@example.com` })),
  );
  const statuses = answers.map(({ status }) => status);
  assert.deepEqual(
    statuses.toSorted((a, b) => a - b),
    [201, ...Array<number>(24).fill(409)],
  );
  const { body: users } = await service.call<unknown[]>("GET", "/api/users");
  assert.equal(users.length, 1);
});

testOnBoth("whoever is not at the machine needs the token of the link", async (service) => {
  const refused: [string, Record<string, string>][] = [
    ["another host name, as a page elsewhere makes a browser send it", { host: "evil.example:3000" }],
    ["a proxy that says so", { ...LOCAL, "x-forwarded-for": "203.0.113.9" }],
    ["another proxy", { ...LOCAL, forwarded: "for=203.0.113.9" }],
    ["a tunnel", { ...LOCAL, "cf-connecting-ip": "203.0.113.9" }],
    ["a host that only looks like it", { host: "localhost.evil.example" }],
  ];
  for (const [what, headers] of refused) {
    const { origin: _none, ...rest } = headers;
    const answer = await setUp(service, BODY, rest);
    assert.deepEqual([answer.status, answer.body.error_code], [403, "INVALID_SETUP_TOKEN"], what);
  }
  assert.equal((await setUp(service, { ...BODY, token: "guess" })).body.error_code, "INVALID_SETUP_TOKEN");
  assert.equal(await needsSetup(service), true);
  const token = setupToken(service.ctx.config);
  assert.equal((await setUp(service, { ...BODY, token }, { host: "tasks.example.com" })).status, 201);
});

testOnBoth(
  "a service that others can reach asks everybody for the token",
  async (service) => {
    assert.equal((await setUp(service)).body.error_code, "INVALID_SETUP_TOKEN");
    const token = setupToken(service.ctx.config);
    const answer = await setUp(service, { ...BODY, token });
    assert.equal(answer.status, 201);
    assert.match(answer.headers["set-cookie"]!, /; Secure/);
  },
  { env: { SERVICE_PUBLIC_URL: "https://tasks.example.com" } },
);

testOnBoth("another site cannot make a browser set the service up", async (service) => {
  for (const headers of [
    { host: "localhost:3000", origin: "https://evil.example" },
    { host: "localhost:3000", origin: "null" },
    { host: "localhost:3000", "sec-fetch-site": "cross-site" },
    { host: "localhost:3000", "sec-fetch-site": "same-site" },
  ]) {
    const answer = await setUp(service, BODY, headers);
    assert.deepEqual([answer.status, answer.body.error_code], [403, "FORBIDDEN"]);
  }
  // A form of another site can send text without asking first.
  const form = await service.call<{ error_code: string }>("POST", "/api/setup/operator", {
    token: null,
    raw: JSON.stringify(BODY),
    headers: { "content-type": "text/plain", host: "localhost:3000" },
  });
  assert.deepEqual([form.status, form.body.error_code], [400, "MALFORMED_REQUEST"]);
  assert.equal(await needsSetup(service), true);
});

testOnBoth("what cannot be an operator is refused, and set-up is still to be done", async (service) => {
  const wrong: [object, number, string][] = [
    [{ email: "ada@example.com" }, 400, "/password"],
    [{ ...BODY, password: 12345678 }, 400, "/password"],
    [{ ...BODY, email: "ada" }, 422, "/email"],
    [{ ...BODY, password: "short" }, 422, "/password"],
    [{ ...BODY, password: "x".repeat(257) }, 422, "/password"],
    [{ ...BODY, password: "password123" }, 422, "/password"],
    [{ ...BODY, password: "ada@example.com" }, 422, "/password"],
  ];
  for (const [body, status, path] of wrong) {
    const answer = await service.call<{ details: { path: string }[] }>("POST", "/api/setup/operator", {
      token: null,
      body,
      headers: LOCAL,
    });
    assert.deepEqual([answer.status, answer.body.details[0]!.path], [status, path]);
  }
  assert.equal(await needsSetup(service), true);
});

testOnBoth("set-up takes 30 tries in 5 minutes from one address", async (service) => {
  for (let i = 0; i < 30; i++) assert.equal((await setUp(service, { ...BODY, token: "guess" })).status, 403);
  const refused = await setUp(service, { ...BODY, token: setupToken(service.ctx.config) });
  assert.deepEqual([refused.status, refused.body.error_code], [429, "RATE_LIMITED"]);
  assert.equal(refused.headers["retry-after"], "300");
  service.clock.advance(300_000);
  assert.equal((await setUp(service)).status, 201);
});

testOnBoth("an operator made otherwise ends the set-up, too", async (service) => {
  await service.call("POST", "/api/users", {
    body: { email: "op@example.com", is_operator: true, password: PASSWORD },
  });
  assert.equal(await needsSetup(service), false);
  assert.equal((await setUp(service)).body.error_code, "SETUP_ALREADY_COMPLETED");
});
