import assert from "node:assert/strict";
import { test } from "node:test";
import { addUser, browser, callAs, PASSWORD, person, signedIn } from "../../test/support/people.ts";
import { startTestService, testOnBoth, type Answer, type TestService } from "../../test/support/service.ts";
import { createPasswords } from "./passwords.ts";
import { createCookies } from "./sessions.ts";
import { sourceOf } from "./rate-limits.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

interface ErrorBody {
  error_code: string;
  message: string;
  request_id?: string;
}

function login(service: TestService, body: object, headers: Record<string, string> = {}): Promise<Answer<ErrorBody>> {
  return service.call<ErrorBody>("POST", "/api/auth/login", { token: null, body, headers });
}

testOnBoth("who signs in gets a session of their own, in a cookie that scripts cannot read", async (service) => {
  const user = await addUser(service, { email: "Dana@Example.com", password: PASSWORD, display_name: "Dana" });
  const first = await login(service, { email: "dana@example.COM", password: PASSWORD });
  assert.equal(first.status, 200);
  assert.deepEqual(first.body, {
    authenticated: true,
    user_id: user.id,
    email: "Dana@Example.com",
    display_name: "Dana",
    is_operator: false,
    projects: [{ project: "default", role: "member" }],
    time_zone: null,
    language: null,
    absence: null,
  });
  const cookie = first.headers["set-cookie"]!;
  assert.match(cookie, /^service_session=[\w-]+\.[\w-]+; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/);
  const second = await login(service, { email: "dana@example.com", password: PASSWORD });
  assert.notEqual(second.headers["set-cookie"], cookie);
  // What is stored is of no use as a cookie.
  const rows = await service.ctx.db.query.selectFrom("sessions").selectAll().execute();
  assert.equal(rows.length, 2);
  for (const { hash } of rows) assert.ok(!cookie.includes(hash) && hash.length === 64);
});

testOnBoth("a password that was hashed with other parameters is hashed again when it is known", async (service) => {
  const user = await addUser(service, { email: "dana@example.com", password: PASSWORD });
  const weak = await createPasswords({ memory: 32, passes: 1, parallelism: 1 }).hash(PASSWORD);
  const stored = async () =>
    (await service.ctx.db.query.selectFrom("users").select("password_hash").executeTakeFirstOrThrow()).password_hash!;
  await service.ctx.db.write((tx) => tx.query.updateTable("users").set({ password_hash: weak }).execute());
  const session = callAs(service, await signedIn(service, user.id));

  assert.equal((await login(service, { email: "dana@example.com", password: "wrong password" })).status, 401);
  assert.equal(await stored(), weak);
  assert.equal((await login(service, { email: "dana@example.com", password: PASSWORD })).status, 200);
  const strong = await stored();
  assert.match(strong, /^\$argon2id\$v=19\$m=64,t=1,p=1\$/);
  assert.equal((await login(service, { email: "dana@example.com", password: PASSWORD })).status, 200);
  assert.equal(await stored(), strong, "once");
  // Nothing else changes for the person.
  assert.equal((await session("GET", "/api/tasks")).status, 200);
});

testOnBoth("every failure to sign in is answered alike", async (service) => {
  await addUser(service, { email: "dana@example.com", password: PASSWORD });
  await addUser(service, { email: "nopass@example.com" });
  const gone = await addUser(service, { email: "gone@example.com", password: PASSWORD });
  await service.call("DELETE", `/api/users/${gone.id}`);
  const failures = [
    await login(service, { email: "dana@example.com", password: "wrong password" }),
    await login(service, { email: "nobody@example.com", password: PASSWORD }),
    await login(service, { email: "nopass@example.com", password: PASSWORD }),
    await login(service, { email: "gone@example.com", password: PASSWORD }),
    await login(service, { email: "not an address", password: PASSWORD }),
  ].map(({ status, body, headers }) => {
    const { request_id: _one, ...rest } = body;
    const { "x-request-id": _other, date: _date, ...others } = headers;
    return { status, rest, others };
  });
  for (const failure of failures) assert.deepEqual(failure, failures[0]);
  assert.deepEqual([failures[0]!.status, failures[0]!.rest.error_code], [401, "INVALID_CREDENTIALS"]);
  assert.equal((failures[0]!.others as Record<string, unknown>)["set-cookie"], undefined);
});

void test("signing in works as hard for an address that nobody has as for one that somebody has", async () => {
  const { service, stop } = await startTestService("sqlite");
  try {
    await addUser(service, { email: "dana@example.com", password: PASSWORD });
    const asked: (string | null)[] = [];
    const { passwords } = service.ctx;
    service.ctx.passwords = {
      ...passwords,
      matches: async (password, stored) => {
        asked.push(stored);
        return passwords.matches(password, stored);
      },
    };
    await login(service, { email: "dana@example.com", password: "wrong password" });
    await login(service, { email: "nobody@example.com", password: "wrong password" });
    assert.equal(asked.length, 2);
    assert.deepEqual([typeof asked[0], asked[1]], ["string", null]);
  } finally {
    await stop();
  }
});

testOnBoth(
  "signing in takes 10 tries in 5 minutes from one address; more of them make the wait no longer",
  async (service) => {
    await addUser(service, { email: "dana@example.com", password: PASSWORD });
    for (let i = 0; i < 10; i++)
      assert.equal((await login(service, { email: `n-${i}@example.com`, password: "x" })).status, 401);
    service.clock.advance(4 * MINUTE);
    for (let i = 0; i < 5; i++) {
      const refused = await login(service, { email: "dana@example.com", password: PASSWORD });
      assert.deepEqual([refused.status, refused.body.error_code], [429, "RATE_LIMITED"]);
      assert.equal(refused.headers["retry-after"], "60");
    }
    service.clock.advance(MINUTE);
    assert.equal((await login(service, { email: "dana@example.com", password: PASSWORD })).status, 200);
  },
);

testOnBoth(
  "an e-mail address takes 20 tries from wherever they come, and a success clears them",
  async (service) => {
    await addUser(service, { email: "dana@example.com", password: PASSWORD });
    let address = 0;
    const from = () => ({ "x-forwarded-for": `203.0.113.${++address}` });
    const wrong = { email: "dana@example.com", password: "wrong password" };
    const right = { ...wrong, password: PASSWORD };
    for (let i = 0; i < 19; i++) assert.equal((await login(service, wrong, from())).status, 401);
    assert.equal((await login(service, right, from())).status, 200);
    for (let i = 0; i < 20; i++)
      assert.equal((await login(service, { ...wrong, email: "DANA@example.com" }, from())).status, 401);
    assert.equal((await login(service, right, from())).status, 429);
    // Somebody else's address is another matter.
    assert.equal((await login(service, { ...wrong, email: "eve@example.com" }, from())).status, 401);
  },
  { env: { SERVICE_TRUSTED_PROXIES: "127.0.0.1" } },
);

testOnBoth(
  "a proxy that forwards ports, or texts that are no addresses, is no way around the limit",
  async (service) => {
    const statuses = [];
    for (const forwarded of [
      (i: number) => `203.0.113.7:${50_000 + i}`,
      (i: number) => `[2001:db8::7]:${50_000 + i}`,
      (i: number) => `hidden-${i}`,
    ]) {
      for (let i = 0; i < 11; i++)
        statuses.push(
          (await login(service, { email: `n-${i}@example.com`, password: "x" }, { "x-forwarded-for": forwarded(i) }))
            .status,
        );
    }
    const one = [...Array<number>(10).fill(401), 429];
    assert.deepEqual(statuses, [...one, ...one, ...one]);
  },
  { env: { SERVICE_TRUSTED_PROXIES: "127.0.0.1" } },
);

testOnBoth("attempts beyond the limit write nothing, whichever addresses they name", async (service) => {
  for (let i = 0; i < 10; i++) await login(service, { email: `n-${i}@example.com`, password: "x" });
  let writes = 0;
  const { db } = service.ctx;
  const { write } = db;
  db.write = async (run) => {
    writes++;
    return write(run);
  };
  for (let i = 0; i < 50; i++)
    assert.equal((await login(service, { email: `made-up-${i}@example.com`, password: "x" })).status, 429);
  assert.equal(writes, 0);
  const rows = await db.query.selectFrom("rate_windows").select("bucket").execute();
  assert.equal(rows.length, 11, "one of the source, ten of the addresses");
});

testOnBoth("of more windows than the maximum, the oldest are deleted", async (service) => {
  const { db } = service.ctx;
  const { tidyWindows } = await import("./rate-limits.ts");
  for (let i = 0; i < 5; i++) {
    await login(service, { email: `n-${i}@example.com`, password: "x" });
    service.clock.advance(1000);
  }
  await db.write((tx) => tidyWindows(tx, 3));
  const rows = await db.query.selectFrom("rate_windows").select("ends_at").orderBy("ends_at").execute();
  const now = service.clock.now();
  assert.deepEqual(
    rows.map(({ ends_at }) => ends_at - now),
    [297_000, 298_000, 299_000],
  );
});

testOnBoth("a forwarded address counts only from a trusted proxy", async (service) => {
  for (let i = 0; i < 10; i++)
    await login(service, { email: `n-${i}@example.com`, password: "x" }, { "x-forwarded-for": `203.0.113.${i}` });
  const answer = await login(service, { email: "n@example.com", password: "x" }, { "x-forwarded-for": "203.0.113.99" });
  assert.equal(answer.status, 429);
});

testOnBoth("40 tries at once are counted one by one", async (service) => {
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, i) => login(service, { email: `n-${i}@example.com`, password: "x" })),
  );
  assert.equal(answers.filter(({ status }) => status === 401).length, 10);
  assert.equal(answers.filter(({ status }) => status === 429).length, 30);
});

testOnBoth("what happens to a person while their password is checked wins", async (service) => {
  for (const change of [{ active: false }, { password: "another password" }, { password: null }]) {
    const user = await addUser(service, { password: PASSWORD });
    const { passwords } = service.ctx;
    const matches = async (password: string, stored: string | null) => {
      const isRight = await passwords.matches(password, stored);
      await service.call("PATCH", `/api/users/${user.id}`, { body: change });
      return isRight;
    };
    service.ctx.passwords = { ...passwords, matches };
    const answer = await login(service, { email: user.email, password: PASSWORD });
    assert.deepEqual([answer.status, answer.body.error_code], [401, "INVALID_CREDENTIALS"], JSON.stringify(change));
    service.ctx.passwords = passwords;
  }
  assert.deepEqual(await service.ctx.db.query.selectFrom("sessions").selectAll().execute(), []);
});

testOnBoth("a session opens nothing for somebody who is not active, however that came", async (service) => {
  const { user, call } = await person(service);
  await service.ctx.db.write((tx) =>
    tx.query.updateTable("users").set({ active: 0 }).where("id", "=", user.id).execute(),
  );
  assert.equal((await call("GET", "/api/tasks")).status, 401);
});

testOnBoth("signing out ends the session, and only that one", async (service) => {
  const { user, headers, call } = await person(service);
  const other = callAs(service, await signedIn(service, user.id));
  const out = await call("POST", "/api/auth/logout");
  assert.equal(out.status, 204);
  assert.match(out.headers["set-cookie"]!, /^service_session=; Max-Age=0;/);
  assert.equal((await callAs(service, headers)("GET", "/api/tasks")).status, 401);
  assert.equal((await other("GET", "/api/tasks")).status, 200);
  assert.equal((await service.call("POST", "/api/auth/logout", { token: null })).status, 204);
});

testOnBoth("a session ends after 24 hours without use, and after 7 days whatever is done with it", async (service) => {
  const idle = await person(service);
  service.clock.advance(24 * HOUR - 1);
  assert.equal((await idle.call("GET", "/api/tasks")).status, 200);
  service.clock.advance(24 * HOUR - 1);
  assert.equal((await idle.call("GET", "/api/tasks")).status, 200);
  service.clock.advance(24 * HOUR);
  assert.equal((await idle.call("GET", "/api/tasks")).status, 401);

  const busy = await person(service);
  for (let hours = 0; hours < 7 * 24; hours += 12) {
    assert.equal((await busy.call("GET", "/api/auth/me")).body["authenticated"], true);
    service.clock.advance(12 * HOUR);
  }
  assert.equal((await busy.call("GET", "/api/auth/me")).body["authenticated"], false);
});

testOnBoth("a cookie that was made up, altered or signed elsewhere is nobody's", async (service) => {
  const { headers } = await person(service);
  const value = headers.cookie.split("=")[1]!;
  const [secret, signature] = value.split(".") as [string, string];
  const elsewhere = createCookies({
    secretKey: Buffer.alloc(32, 9),
    previous: { adminToken: null, secretKey: null, payloadKey: null },
    publicUrl: "http://localhost",
  }).make();
  const forged = [
    secret,
    `${secret}.`,
    `.${signature}`,
    `${secret}x.${signature}`,
    `${secret}.${signature.replace(/^./, (one) => (one === "A" ? "B" : "A"))}`,
    `${value}.${signature}`,
    elsewhere.setCookie.split(/[=;]/)[1]!,
    "' or 1=1 --",
    "%00",
    "x".repeat(4000),
  ];
  for (const cookie of forged) {
    const answer = await service.call<ErrorBody>("GET", "/api/tasks", {
      token: null,
      headers: { cookie: `service_session=${cookie}` },
    });
    assert.deepEqual([answer.status, answer.body.error_code], [401, "UNAUTHENTICATED"], cookie.slice(0, 80));
  }
  assert.equal(
    (await service.call("GET", "/api/tasks", { token: null, headers: { cookie: `a=b; ${headers.cookie}` } })).status,
    200,
  );
});

testOnBoth("a wrong token is nobody's, also beside a good cookie", async (service) => {
  const { headers } = await person(service, { is_operator: true });
  assert.equal((await service.call("GET", "/api/tasks", { token: "wrong", headers: { ...headers } })).status, 401);
});

testOnBoth(
  "whether the process lives is told without the database, also to somebody who is signed in",
  async (service) => {
    const { headers } = await person(service);
    service.ctx.db.run = async () => Promise.reject(new Error("the database is away"));
    assert.equal(
      (await service.call("GET", "/api/health?live=1", { token: null, headers: { ...headers } })).status,
      200,
    );
    assert.equal((await service.call("GET", "/api/tasks", { token: null, headers: { ...headers } })).status, 500);
  },
);

testOnBoth("another site cannot act with somebody's cookie", async (service) => {
  const { headers } = await person(service, { is_operator: true });
  const { cookie } = headers;
  const { id } = await service.create();
  const host = "tasks.example.com";
  const cancel = (given: Record<string, string>) =>
    service.call<ErrorBody>("POST", `/api/tasks/${id}/cancel`, { token: null, headers: { cookie, host, ...given } });
  for (const given of [
    {},
    { origin: "https://evil.example" },
    { origin: "null" },
    { origin: `http://${host}.evil.example` },
    { origin: "http://localhost:3001" },
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { "sec-fetch-site": "none" },
    { "sec-fetch-site": "cross-site", origin: `http://${host}` },
  ] as Record<string, string>[]) {
    const answer = await cancel(given);
    assert.deepEqual([answer.status, answer.body.error_code], [403, "FORBIDDEN"], JSON.stringify(given));
  }
  // Nor does any other site get to read an answer.
  const preflight = await service.call("GET", "/api/tasks", { headers: { origin: "https://evil.example" } });
  assert.equal(preflight.headers["access-control-allow-origin"], undefined);
  assert.equal((await cancel({ origin: `http://${host}` })).status, 200);
});

testOnBoth("a person changes their own name and time zone, and nothing else", async (service) => {
  const { user, call } = await person(service);
  const body = {
    display_name: "Dana",
    time_zone: "Europe/Berlin",
    is_operator: true,
    email: "root@example.com",
    role: "admin",
    active: false,
    __proto: 1,
  };
  const answer = await call("PATCH", "/api/auth/me", { body });
  assert.deepEqual(
    [answer.status, answer.body["display_name"], answer.body["time_zone"]],
    [200, "Dana", "Europe/Berlin"],
  );
  const { body: after } = await service.call("GET", `/api/users/${user.id}`);
  assert.deepEqual(after, { ...user, display_name: "Dana" });
  assert.equal((await call("PATCH", "/api/auth/me", { body: { time_zone: "Mars/Olympus" } })).status, 422);
  assert.equal((await call("PATCH", "/api/auth/me", { body: { language: "xx" } })).status, 422);
  assert.equal((await call("PATCH", "/api/auth/me", { body: { display_name: null } })).body["display_name"], null);
});

testOnBoth("a new password takes the old one, and ends every other session at once", async (service) => {
  const user = await addUser(service, { email: "dana@example.com", password: PASSWORD });
  const [mine, other] = [await signedIn(service, user.id), await signedIn(service, user.id)];
  const call = callAs(service, mine);
  const change = (current: string, fresh: string) =>
    call("PATCH", "/api/auth/me", { body: { password: { current, new: fresh } } });
  assert.equal((await change("wrong password", "a much better password")).status, 422);
  assert.equal((await change(PASSWORD, "12345678")).status, 422);
  assert.equal((await callAs(service, other)("GET", "/api/tasks")).status, 200);

  const changed = await change(PASSWORD, "a much better password");
  assert.equal(changed.status, 200);
  assert.equal((await callAs(service, other)("GET", "/api/tasks")).status, 401);
  assert.equal((await callAs(service, mine)("GET", "/api/tasks")).status, 401);
  assert.equal((await callAs(service, browser(changed.headers["set-cookie"]!))("GET", "/api/tasks")).status, 200);
  assert.equal((await login(service, { email: "dana@example.com", password: PASSWORD })).status, 401);
  assert.equal((await login(service, { email: "dana@example.com", password: "a much better password" })).status, 200);
});

testOnBoth("a session that was left open is not enough to guess the password by", async (service) => {
  const user = await addUser(service, { email: "dana@example.com", password: PASSWORD });
  const call = callAs(service, await signedIn(service, user.id));
  const guess = () =>
    call("PATCH", "/api/auth/me", { body: { password: { current: "guess", new: "another password" } } });
  for (let i = 0; i < 20; i++) assert.equal((await guess()).status, 422);
  assert.equal((await guess()).status, 429);
});

testOnBoth("what has ended is removed by itself", async (service) => {
  const { tidyPeople } = await import("./sessions.ts");
  await person(service);
  await login(service, { email: "nobody@example.com", password: "x" });
  const { user } = await person(service);
  const left = async () => ({
    sessions: (await service.ctx.db.query.selectFrom("sessions").select("user_id").execute()).map((row) => row.user_id),
    windows: (await service.ctx.db.query.selectFrom("rate_windows").select("bucket").execute()).length,
  });
  assert.equal((await left()).windows, 2);
  service.clock.advance(25 * HOUR);
  await signedIn(service, user.id);
  await tidyPeople(service.ctx);
  assert.deepEqual(await left(), { sessions: [user.id], windows: 0 });
});

void test("addresses that one household shares count as one", () => {
  assert.equal(sourceOf("203.0.113.9"), "203.0.113.9");
  assert.equal(sourceOf("::ffff:203.0.113.9"), "203.0.113.9");
  assert.equal(sourceOf("::ffff:cb00:7109"), "203.0.113.9");
  assert.equal(sourceOf("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64");
  assert.equal(sourceOf("2001:0db8:1:2::9"), "2001:db8:1:2::/64");
  assert.equal(sourceOf("2001:db8::1"), "2001:db8:0:0::/64");
  assert.equal(sourceOf("::1"), "0:0:0:0::/64");
  assert.equal(sourceOf("fe80::1%eth0"), "fe80:0:0:0::/64");
});

void test("an address is the same with the port that a proxy writes, and texts that are none share one limit", () => {
  assert.equal(sourceOf("203.0.113.9:50123"), "203.0.113.9");
  assert.equal(sourceOf("[2001:db8:1:2::9]:50123"), "2001:db8:1:2::/64");
  assert.equal(sourceOf("[2001:db8:1:2::9]"), "2001:db8:1:2::/64");
  assert.equal(sourceOf("[::ffff:203.0.113.9]:1"), "203.0.113.9");
  for (const text of ["unknown", "_hidden", "203.0.113.9:x", "203.0.113.999", "1.2.3.4.5:6", "", "[::1", "'"])
    assert.equal(sourceOf(text), "no-address", text);
});
