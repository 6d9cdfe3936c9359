import assert from "node:assert/strict";
import { ADMIN_TOKEN, newTaskBody, testOnBoth } from "../../test/support/service.ts";
import { MINUTE } from "../lib/time.ts";

const OWN = "Own-admin-token_0123456789.abcdefghi";

testOnBoth(
  "the service admits the token of SERVICE_ADMIN_API_TOKEN, and no other",
  async (service) => {
    const created = await service.call<{ id: string }>("POST", "/api/tasks", { body: newTaskBody(), token: OWN });
    assert.equal(created.status, 201);
    assert.equal((await service.call("GET", `/api/tasks/${created.body.id}`, { token: OWN })).status, 200);
    const wrong = [ADMIN_TOKEN, OWN.toLowerCase(), OWN.slice(0, -1), `${OWN}x`, `x${OWN}`, "", "undefined", "null"];
    const headers = [
      ...wrong.map((token) => ({ authorization: `Bearer ${token}` })),
      { authorization: OWN },
      { authorization: `Basic ${Buffer.from(`admin:${OWN}`).toString("base64")}` },
      {},
    ];
    for (const carried of headers) {
      const refused = await service.call("GET", "/api/tasks", { token: null, headers: carried });
      assert.deepEqual([refused.status, refused.body["error_code"]], [401, "UNAUTHENTICATED"], JSON.stringify(carried));
    }
  },
  { env: { SERVICE_ADMIN_API_TOKEN: OWN } },
);

const PREVIOUS = "the-token-before-it-was-rotated";

testOnBoth(
  "during a rotation both admin tokens are accepted, and the use of the previous one is logged once an hour",
  async ({ call, ctx, clock }, t) => {
    const { mock } = t.mock.method(ctx.log, "warn", () => {});
    const statusWith = async (token?: string) =>
      (await call("GET", "/api/settings", token === undefined ? {} : { token })).status;
    assert.equal(await statusWith(), 200);
    assert.equal(mock.callCount(), 0);
    for (const expected of [1, 1, 2]) {
      assert.equal(await statusWith(PREVIOUS), 200);
      assert.equal(mock.callCount(), expected);
      clock.advance(31 * MINUTE);
    }
    assert.match(JSON.stringify(mock.calls[0]!.arguments), /previous admin token is still in use/);
    assert.doesNotMatch(JSON.stringify(mock.calls[0]!.arguments), new RegExp(PREVIOUS));
    assert.equal(await statusWith(`${PREVIOUS}x`), 401);
    assert.equal(await statusWith(""), 401);
  },
  { env: { SERVICE_ADMIN_API_TOKEN_PREVIOUS: PREVIOUS } },
);

testOnBoth(
  "guesses at the token from one address are limited; addresses that have sent a valid one are not",
  async (service) => {
    const get = (token: string, from: string) =>
      service.call<{ error_code: string }>("GET", "/api/tasks", { token, headers: { "x-forwarded-for": from } });
    const guess = (i: number, from: string) => get(`guess-${i}`, from);
    assert.equal((await get(ADMIN_TOKEN, "203.0.113.1")).status, 200);
    for (const from of ["203.0.113.1", "203.0.113.2"])
      for (let i = 0; i < 100; i++) assert.equal((await guess(i, from)).status, 401);
    const refused = await guess(100, "203.0.113.2:50123");
    assert.deepEqual([refused.status, refused.body.error_code], [429, "RATE_LIMITED"]);
    assert.equal(refused.headers["retry-after"], "300");
    assert.equal((await get("ssk_made-up", "203.0.113.2")).status, 429, "keys are tokens, too");
    // An answer of another kind would tell that this guess was right.
    assert.equal((await get(ADMIN_TOKEN, "203.0.113.2")).status, 429);
    // Others work on, with invalid tokens beside valid ones as well.
    assert.equal((await get(ADMIN_TOKEN, "203.0.113.1")).status, 200);
    assert.equal((await guess(100, "203.0.113.1")).status, 401);
    assert.equal((await get(ADMIN_TOKEN, "203.0.113.3")).status, 200);
    service.clock.advance(300_000);
    assert.equal((await guess(101, "203.0.113.2")).status, 401);
    assert.equal((await get(ADMIN_TOKEN, "203.0.113.2")).status, 200);
  },
  { env: { SERVICE_TRUSTED_PROXIES: "127.0.0.1" } },
);
