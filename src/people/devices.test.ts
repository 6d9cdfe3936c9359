import assert from "node:assert/strict";
import { test } from "node:test";
import { addUser, PASSWORD, signedIn } from "../../test/support/people.ts";
import { testOnBoth, type Answer, type TestService } from "../../test/support/service.ts";
import { createDevices, DEVICE_COOKIE } from "./devices.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const EMAIL = "dana@example.com";
const OTHER_KEY = Buffer.alloc(32, 9);
const NEW_KEY = Buffer.alloc(32, 8);
const OPTIONS = { env: { SERVICE_TRUSTED_PROXIES: "127.0.0.1" } };

let address = 0;

interface From {
  /** The device cookie. */
  cookie?: string;
  /** Left out: an address that was not used before. */
  from?: string;
}

async function login(service: TestService, password: string, { cookie, from }: From = {}): Promise<Answer> {
  const forwarded = from ?? `203.0.113.${++address % 250}`;
  const headers = {
    "x-forwarded-for": forwarded,
    ...(cookie !== undefined && { cookie, "sec-fetch-site": "same-origin" }),
  };
  return service.call("POST", "/api/auth/login", { token: null, body: { email: EMAIL, password }, headers });
}

function deviceOf({ cookies }: { cookies: readonly string[] }): string {
  return cookies.find((cookie) => cookie.startsWith(DEVICE_COOKIE))!.split(";", 1)[0]!;
}

async function fillLimits(service: TestService): Promise<void> {
  for (let i = 0; i < 20; i++) assert.equal((await login(service, "wrong password")).status, 401);
  assert.equal((await login(service, PASSWORD)).status, 429);
}

testOnBoth(
  "strangers who use up the limit of an email do not lock out a browser that has signed in before",
  async (service) => {
    const user = await addUser(service, { email: EMAIL, password: PASSWORD });
    const first = await login(service, PASSWORD);
    const set = first.cookies.find((cookie) => cookie.startsWith(DEVICE_COOKIE))!;
    assert.match(
      set,
      /^service_device=[\w-]+\.\d+\.[\w-]+; Max-Age=15552000; Path=\/api\/auth; HttpOnly; SameSite=Strict$/,
    );
    assert.match(first.cookies[0]!, /^service_session=/);
    const cookie = deviceOf(first);
    await fillLimits(service);
    const again = await login(service, PASSWORD, { cookie });
    assert.equal(again.status, 200);
    // Strangers are kept out all the same, and the sign-in has not forgiven them.
    assert.equal((await login(service, PASSWORD)).status, 429);

    const headers = await signedIn(service, user.id);
    const confirm = (password: string) =>
      service.call("POST", "/api/auth/confirm", {
        token: null,
        body: { password },
        headers: { ...headers, cookie: `${headers.cookie}; ${deviceOf(again)}` },
      });
    assert.equal((await confirm(PASSWORD)).status, 200);
  },
  OPTIONS,
);

testOnBoth(
  "neither does the limit of an address",
  async (service) => {
    await addUser(service, { email: EMAIL, password: PASSWORD });
    const cookie = deviceOf(await login(service, PASSWORD));
    const from = "198.51.100.7";
    for (let i = 0; i < 10; i++) assert.equal((await login(service, "wrong password", { from })).status, 401);
    assert.equal((await login(service, PASSWORD, { from })).status, 429);
    assert.equal((await login(service, PASSWORD, { from, cookie })).status, 200);
  },
  OPTIONS,
);

testOnBoth(
  "a device that fails too often counts as a stranger until its window ends",
  async (service) => {
    await addUser(service, { email: EMAIL, password: PASSWORD });
    const cookie = deviceOf(await login(service, PASSWORD));
    await fillLimits(service);
    for (let i = 0; i < 10; i++) assert.equal((await login(service, "wrong password", { cookie })).status, 401);
    assert.equal((await login(service, PASSWORD, { cookie })).status, 429);
    service.clock.advance(5 * MINUTE);
    await fillLimits(service);
    assert.equal((await login(service, PASSWORD, { cookie })).status, 200);
    // A success is an attempt too.
    for (let i = 0; i < 9; i++) assert.equal((await login(service, PASSWORD, { cookie })).status, 200);
    assert.equal((await login(service, PASSWORD, { cookie })).status, 429);
  },
  OPTIONS,
);

testOnBoth(
  "a device of somebody else, a made-up one and an old one count as strangers",
  async (service) => {
    const user = await addUser(service, { email: EMAIL, password: PASSWORD });
    const cookie = deviceOf(await login(service, PASSWORD));
    const [, id, at, signature] = /=(.*)\.(.*)\.(.*)$/.exec(cookie)!;
    const now = service.clock.now();
    const ofAnother = service.ctx.devices.remember(null, "usr_other", now).split(";", 1)[0]!;
    const elsewhere = createDevices({
      secretKey: OTHER_KEY,
      previous: { secretKey: null },
      publicUrl: "http://localhost",
    });
    const strangers = [
      ofAnother,
      elsewhere.remember(null, user.id, now).split(";", 1)[0]!,
      `${DEVICE_COOKIE}=`,
      `${DEVICE_COOKIE}=${id}.${at}.`,
      `${DEVICE_COOKIE}=${id}.${Number(at) + 1}.${signature}`,
      `${DEVICE_COOKIE}=x${id}.${at}.${signature}`,
      `${cookie}.x`,
    ];
    await fillLimits(service);
    for (const stranger of strangers)
      assert.equal((await login(service, PASSWORD, { cookie: stranger })).status, 429, stranger);
    assert.equal(service.ctx.devices.recognize(cookie, user.id, now + 180 * DAY), null);
    assert.equal(service.ctx.devices.recognize(cookie, user.id, now + 180 * DAY - 1), id);
  },
  OPTIONS,
);

test("a device is still known while the secret key is rotated, and not after that", () => {
  const publicUrl = "http://localhost";
  const now = Date.now();
  const before = createDevices({ secretKey: OTHER_KEY, previous: { secretKey: null }, publicUrl });
  const cookie = before.remember(null, "usr_a", now).split(";", 1)[0]!;
  const during = createDevices({ secretKey: NEW_KEY, previous: { secretKey: OTHER_KEY }, publicUrl });
  assert.notEqual(during.recognize(cookie, "usr_a", now), null);
  const after = createDevices({ secretKey: NEW_KEY, previous: { secretKey: null }, publicUrl });
  assert.equal(after.recognize(cookie, "usr_a", now), null);

  const renewed = during.renew(cookie, "usr_a", now + 10 * DAY)!;
  assert.match(renewed, /; Max-Age=1468\d{4};/, "170 days are left");
  const fresh = renewed.split(";", 1)[0]!;
  assert.notEqual(after.recognize(fresh, "usr_a", now), null);
  assert.equal(after.recognize(fresh, "usr_a", now + 180 * DAY), null);
  assert.equal(during.renew(fresh, "usr_a", now), null);
  assert.equal(during.renew(cookie, "usr_b", now), null);
});

testOnBoth(
  "a browser that is used while the secret key is rotated stays known after that",
  async (service) => {
    const user = await addUser(service, { email: EMAIL, password: PASSWORD });
    const before = createDevices({
      secretKey: OTHER_KEY,
      previous: { secretKey: null },
      publicUrl: "http://localhost",
    });
    const old = before.remember(null, user.id, service.clock.now()).split(";", 1)[0]!;
    const headers = await signedIn(service, user.id);
    const me = (device: string) =>
      service.call("GET", "/api/auth/me", {
        token: null,
        headers: { ...headers, cookie: `${headers.cookie}; ${device}` },
      });
    const fresh = deviceOf(await me(old));
    assert.deepEqual((await me(fresh)).cookies, [], "once is enough");
    const after = createDevices({ ...service.ctx.config, previous: { secretKey: null } });
    assert.notEqual(after.recognize(fresh, user.id, service.clock.now()), null);
    const anonymous = await service.call("GET", "/api/auth/me", { token: null, headers: { cookie: old } });
    assert.deepEqual(anonymous.cookies, []);
  },
  { env: { SERVICE_SECRET_KEY_PREVIOUS: OTHER_KEY.toString("base64") } },
);
