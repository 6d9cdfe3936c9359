import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { UserRecord } from "../../src/people/schema.ts";
import type { TaskRecord } from "../../src/tasks/schema.ts";
import { createAuthenticator, type PublicKeyOptions } from "../support/authenticator.ts";
import { postgres } from "../support/postgres.ts";
import { startProcess, type ServiceProcess } from "../support/processes.ts";
import { newTaskBody } from "../support/service.ts";

const PASSWORD = "correct horse battery staple";

void describe("people on two processes", () => {
  let a: ServiceProcess;
  let b: ServiceProcess;
  let drop: () => Promise<void>;
  /** The cookie of the first operator. */
  let operator = "";

  before(async () => {
    const database = await (await postgres()).createDatabase();
    ({ drop } = database);
    [a, b] = await Promise.all([
      startProcess({ SERVICE_DATABASE_URL: database.url }),
      startProcess({ SERVICE_DATABASE_URL: database.url }),
    ]);
  });
  after(async () => {
    await Promise.all([a.kill(), b.kill()]);
    await drop();
  });

  /** Sends a request without the token that `call` sends. */
  const ask = async (service: ServiceProcess, method: string, path: string, body?: object, headers: object = {}) => {
    const answer = await fetch(service.url + path, {
      method,
      headers: { "content-type": "application/json", ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return {
      status: answer.status,
      headers: answer.headers,
      body: (text === "" ? {} : JSON.parse(text)) as Record<string, unknown>,
    };
  };
  const cookieOf = (headers: Headers) => headers.get("set-cookie")!.split(";", 1)[0]!;

  test("of 100 set-ups at once over both exactly one wins, and both know the same link", async () => {
    const link = (service: ServiceProcess) => service.log.flatMap((line) => /setup#token=[\w-]+/.exec(line) ?? []);
    // The link is printed after the address.
    while (link(a).length + link(b).length < 2) await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(link(a), link(b));
    const statuses: number[] = [];
    // The limit refuses requests after the thirtieth.
    await Promise.all(
      Array.from({ length: 100 }, async (_, i) => {
        const { status, headers } = await ask(i % 2 === 0 ? a : b, "POST", "/api/setup/operator", {
          email: `op-${i}@example.com`,
          password: PASSWORD,
        });
        statuses.push(status);
        if (status === 201) operator = cookieOf(headers);
      }),
    );
    assert.equal(statuses.filter((status) => status === 201).length, 1);
    assert.equal(statuses.filter((status) => ![201, 409, 429, 503].includes(status)).length, 0);
    const { body: users } = await a.call<UserRecord[]>("GET", "/api/users");
    assert.equal(users.length, 1);
  });

  test("a challenge for a passkey counts once over both, whichever of them made it", async () => {
    const signed = { cookie: operator, "sec-fetch-site": "same-origin" };
    const call = async (service: ServiceProcess, path: string, body: object = {}) =>
      ask(service, "POST", `/api/auth/${path}`, body, signed);
    const device = createAuthenticator("http://localhost:0");
    const creation = (await call(a, "passkeys/options")).body["public_key"] as PublicKeyOptions;
    assert.equal((await call(b, "passkeys", { name: "Key", credential: device.create(creation) })).status, 201);
    const request = (await call(b, "confirm/options")).body["public_key"] as PublicKeyOptions;
    const credential = device.get(request);
    const answers = await Promise.all([a, b, a, b].map(async (service) => call(service, "confirm", { credential })));
    const codes = answers.map(({ status, body }) => (status === 200 ? "confirmed" : body["error_code"]));
    assert.equal(codes.filter((code) => code === "confirmed").length, 1, String(codes));
    // A slow one finds that the session has a new cookie.
    for (const code of codes) assert.match(String(code), /^(confirmed|PASSKEY_EXPIRED|UNAUTHENTICATED)$/);
  });

  test("who is signed in at one is signed in at the other, and signed out at both at once", async () => {
    const { body: user } = await a.call<UserRecord>("POST", "/api/users", {
      email: "dana@example.com",
      password: PASSWORD,
    });
    const signIn = async (service: ServiceProcess) => {
      const { status, headers } = await ask(service, "POST", "/api/auth/login", {
        email: "dana@example.com",
        password: PASSWORD,
      });
      assert.equal(status, 200);
      return { cookie: cookieOf(headers), "sec-fetch-site": "same-origin" };
    };
    const first = await signIn(a);
    const second = await signIn(b);
    for (const headers of [first, second])
      for (const service of [a, b])
        assert.equal((await ask(service, "GET", "/api/tasks", undefined, headers)).status, 200);
    await ask(a, "POST", "/api/auth/logout", undefined, first);
    assert.equal((await ask(b, "GET", "/api/tasks", undefined, first)).status, 401);
    assert.equal((await ask(b, "GET", "/api/tasks", undefined, second)).status, 200);
    await a.call("DELETE", `/api/users/${user.id}`);
    assert.equal((await ask(b, "GET", "/api/tasks", undefined, second)).status, 401);
  });

  test("tries to sign in are counted over both", async () => {
    const statuses: number[] = [];
    for (let i = 0; i < 14; i++) {
      const service = i % 2 === 0 ? a : b;
      statuses.push((await ask(service, "POST", "/api/auth/login", { email: "x@example.com", password: "x" })).status);
    }
    // Two requests from the same address succeeded before.
    assert.deepEqual(statuses, [...Array<number>(8).fill(401), ...Array<number>(6).fill(429)]);
  });

  test("20 assignments at once over both happen one after the other", async () => {
    const people: UserRecord[] = [];
    for (let i = 0; i < 4; i++) {
      const email = `hand-${i}@example.com`;
      const { body: user } = await a.call<UserRecord>("POST", "/api/users", { email, pool: "hands" });
      people.push(user);
    }
    const { body: task } = await a.call<TaskRecord>(
      "POST",
      "/api/tasks",
      newTaskBody({ assign_to: { pool: "hands" } }),
    );
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, i) =>
        (i % 2 === 0 ? a : b).call<TaskRecord>("POST", `/api/tasks/${task.id}/assign`, { user_id: people[i % 4]!.id }),
      ),
    );
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    const { body: trail } = await a.call<{ action: string }[]>("GET", `/api/tasks/${task.id}/audit`);
    assert.equal(trail.filter(({ action }) => action === "assigned").length, 20);
  });

  test("a stream at one tells of what happened at the other", async () => {
    const stop = new AbortController();
    const response = await fetch(`${a.url}/api/events`, {
      headers: { authorization: "Bearer test-admin-token-0123456789" },
      signal: stop.signal,
    });
    const { body: task } = await b.call<TaskRecord>("POST", "/api/tasks", newTaskBody());
    let text = "";
    for await (const chunk of response.body!) {
      text += Buffer.from(chunk).toString();
      if (text.includes(`"id":"${task.id}","status":"created"`)) break;
    }
    stop.abort();
  });
});
