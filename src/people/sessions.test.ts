import assert from "node:assert/strict";
import { addUser, browser, callAs, PASSWORD, person, signedIn, type Signed } from "../../test/support/people.ts";
import { testOnBoth, type Answer, type TestService } from "../../test/support/service.ts";
import type { SessionRecord } from "./session-schema.ts";

const HOUR = 3_600_000;
const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

async function login(service: TestService, email: string, headers: Record<string, string> = {}): Promise<Answer> {
  return service.call("POST", "/api/auth/login", { token: null, body: { email, password: PASSWORD }, headers });
}

async function sessionsOf(service: TestService, headers: Signed): Promise<SessionRecord[]> {
  return (await callAs(service, headers)<SessionRecord[]>("GET", "/api/auth/sessions")).body;
}

async function isLive(service: TestService, headers: Signed): Promise<boolean> {
  return (await callAs(service, headers)("GET", "/api/tasks")).status === 200;
}

testOnBoth("people see their own sessions: when, from where and with which browser", async (service) => {
  const { email } = await addUser(service, { email: "dana@example.com", password: PASSWORD });
  const first = await login(service, email!, { "user-agent": FIREFOX });
  service.clock.advance(HOUR);
  const second = await login(service, email!, { "user-agent": `\u00ff${"x".repeat(999)}` });
  const stranger = await person(service);

  const listed = await sessionsOf(service, browser(second.headers["set-cookie"]!));
  assert.deepEqual(
    listed.map((session) => ({ ...session, id: "" })),
    [
      {
        id: "",
        created_at: "2026-01-31T13:00:00.000Z",
        last_used_at: "2026-01-31T13:00:00.000Z",
        address: "127.0.0.1",
        user_agent: `\u00ff${"x".repeat(299)}`,
        current: true,
        confirmed: true,
      },
      {
        id: "",
        created_at: "2026-01-31T12:00:00.000Z",
        last_used_at: "2026-01-31T12:00:00.000Z",
        address: "127.0.0.1",
        user_agent: FIREFOX,
        current: false,
        confirmed: false,
      },
    ],
  );
  // What is listed is neither the cookie nor the key of the row.
  const rows = await service.ctx.db.query.selectFrom("sessions").select("hash").execute();
  for (const { id } of listed) {
    assert.match(id, /^ses_[0-9a-f]{32}$/);
    for (const { hash } of rows) assert.ok(!hash.includes(id.slice(4)));
    assert.ok(!first.headers["set-cookie"]!.includes(id.slice(4)));
  }
  assert.equal((await sessionsOf(service, stranger.headers)).length, 1);
  assert.equal((await service.call("GET", "/api/auth/sessions")).status, 403);
});

testOnBoth("a session of an earlier release is listed and counts as confirmed at its sign-in", async (service) => {
  const { headers } = await person(service);
  await service.ctx.db.write((tx) =>
    tx.query.updateTable("sessions").set({ address: null, user_agent: null, confirmed_at: null }).execute(),
  );
  const [listed] = await sessionsOf(service, headers);
  assert.deepEqual([listed!.address, listed!.user_agent, listed!.confirmed], [null, null, true]);
  service.clock.advance(HOUR);
  assert.equal((await sessionsOf(service, headers))[0]!.confirmed, false);
});

testOnBoth("a person ends one of their sessions; the others go on", async (service) => {
  const user = await addUser(service, { password: PASSWORD });
  const [mine, other, third] = [
    await signedIn(service, user.id),
    await signedIn(service, user.id),
    await signedIn(service, user.id),
  ];
  const stranger = await person(service);
  const call = callAs(service, mine);
  const { id } = (await sessionsOf(service, other)).find(({ current }) => current)!;

  assert.equal((await stranger.call("DELETE", `/api/auth/sessions/${id}`)).status, 404);
  assert.equal(await isLive(service, other), true);
  assert.equal((await call("DELETE", `/api/auth/sessions/${id}`)).status, 204);
  assert.equal((await call("DELETE", `/api/auth/sessions/${id}`)).status, 404);
  assert.deepEqual(
    [await isLive(service, mine), await isLive(service, other), await isLive(service, third)],
    [true, false, true],
  );

  assert.equal((await call("DELETE", "/api/auth/sessions")).status, 204);
  assert.deepEqual([await isLive(service, mine), await isLive(service, third)], [true, false]);
  assert.equal(await isLive(service, stranger.headers), true);

  const [own] = await sessionsOf(service, mine);
  const ended = await call("DELETE", `/api/auth/sessions/${own!.id}`);
  assert.deepEqual([ended.status, await isLive(service, mine)], [204, false]);
  assert.match(ended.headers["set-cookie"]!, /^service_session=; Max-Age=0;/);
});

testOnBoth(
  "an ended session ends its open polls at once, and no polls of the person's other sessions",
  async (service) => {
    const user = await addUser(service, { is_operator: true });
    const [mine, other] = [await signedIn(service, user.id), await signedIn(service, user.id)];
    const { id: task } = await service.create();
    /** Returns once the poll waits, or is answered. */
    const poll = async (headers: Signed) => {
      let isAnswered = false;
      const answer = callAs(service, headers)("GET", `/api/tasks/${task}/poll?timeout=50`).finally(
        () => (isAnswered = true),
      );
      while (service.ctx.waiters.count() === 0 && !isAnswered) await new Promise(setImmediate);
      return { answer };
    };
    const endings = {
      "DELETE one": async (id: string) => callAs(service, mine)("DELETE", `/api/auth/sessions/${id}`),
      "DELETE others": async () => callAs(service, mine)("DELETE", "/api/auth/sessions"),
      "sign out": async (_: string, ended: Signed) => callAs(service, ended)("POST", "/api/auth/logout"),
    };
    for (const [name, end] of Object.entries(endings)) {
      const ended = await signedIn(service, user.id);
      const { id } = (await sessionsOf(service, ended)).find(({ current }) => current)!;
      const open = await poll(ended);
      assert.equal((await end(id, ended)).status, 204, name);
      assert.equal((await open.answer).status, 401, name);
    }
    // The other session's poll is answered with the task as it is.
    const open = await poll(mine);
    const another = await signedIn(service, user.id);
    assert.equal((await callAs(service, another)("POST", "/api/auth/logout")).status, 204);
    assert.equal((await open.answer).status, 200);
    assert.equal(await isLive(service, other), false);
  },
);

testOnBoth("operators end all sessions of a person", async (service) => {
  const { user, headers } = await person(service);
  const other = await signedIn(service, user.id);
  const operator = await person(service, { is_operator: true });
  const plain = await person(service);
  const path = `/api/users/${user.id}/sessions`;
  assert.equal((await plain.call("DELETE", path)).status, 403);
  assert.equal((await operator.call("DELETE", "/api/users/usr_x/sessions")).status, 404);
  assert.equal((await operator.call("DELETE", path)).status, 204);
  for (const one of [headers, other]) assert.equal(await isLive(service, one), false);
  assert.equal(await isLive(service, operator.headers), true);
  const later = await signedIn(service, user.id);
  assert.equal((await service.call("DELETE", path)).status, 204);
  assert.equal(await isLive(service, later), false);
});

testOnBoth("signing in again ends the session that the browser had", async (service) => {
  const { email } = await addUser(service, { email: "dana@example.com", password: PASSWORD });
  const before = browser((await login(service, email!)).headers["set-cookie"]!);
  const elsewhere = browser((await login(service, email!)).headers["set-cookie"]!);
  const wrong = { email, password: "wrong password" };
  const failed = await service.call("POST", "/api/auth/login", { token: null, body: wrong, headers: { ...before } });
  assert.equal(failed.status, 401);
  assert.equal(await isLive(service, before), true);

  const after = browser((await login(service, email!, { ...before })).headers["set-cookie"]!);
  const live = [await isLive(service, before), await isLive(service, after), await isLive(service, elsewhere)];
  assert.deepEqual(live, [false, true, true]);
});

testOnBoth(
  "who signs in where somebody else was signed in ends that session, and the security log says so",
  async (service) => {
    const ada = await addUser(service, { email: "ada@example.com", password: PASSWORD });
    const dana = await addUser(service, { email: "dana@example.com", password: PASSWORD });
    const hers = browser((await login(service, dana.email!)).headers["set-cookie"]!);
    const again = browser((await login(service, dana.email!, { ...hers })).headers["set-cookie"]!);
    const ended = async () =>
      (
        await service.call<{ actor: object; target: object; outcome: string }[]>(
          "GET",
          "/api/security-events?type=sessions_ended",
        )
      ).body;
    assert.deepEqual(await ended(), [], "one's own session goes without an event");

    assert.equal((await login(service, ada.email!, { ...again })).status, 200);
    assert.equal(await isLive(service, again), false);
    assert.deepEqual(
      (await ended()).map(({ actor, target, outcome }) => ({ actor, target, outcome })),
      [
        {
          actor: { kind: "user", id: ada.id, email: ada.email },
          target: { kind: "user", id: dana.id },
          outcome: "success",
        },
      ],
    );
  },
);
