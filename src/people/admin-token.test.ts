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
