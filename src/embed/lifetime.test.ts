import assert from "node:assert/strict";
import { EMBED_ENV, mint, newServiceKey } from "../../test/support/embed.ts";
import { testOnBoth } from "../../test/support/service.ts";

/** A token still counts this long after its end, because clocks differ. */
const LEEWAY_SECONDS = 5;

for (const [name, fields, seconds] of [
  ["no ttl_seconds", {}, 300],
  ["ttl_seconds null", { ttl_seconds: null }, 300],
  ["ttl_seconds 60", { ttl_seconds: 60 }, 60],
  ["ttl_seconds 3600", { ttl_seconds: 3600 }, 3600],
] as const)
  testOnBoth(
    `a token with ${name} counts for ${seconds} seconds`,
    async (service) => {
      const { key } = await newServiceKey(service);
      const { id } = await service.create({ timeout_seconds: 86_400 });
      const { body } = await mint(service, key, { task_id: id, ...fields });
      assert.equal(Date.parse(body.expires_at) - service.clock.now(), seconds * 1000);
      const read = async () => (await service.call("GET", "/api/embed/task", { token: body.embed_token })).status;
      service.clock.advance(seconds * 1000 - 1);
      assert.equal(await read(), 200);
      service.clock.advance(LEEWAY_SECONDS * 1000 + 1000);
      assert.equal(await read(), 401);
    },
    { env: EMBED_ENV },
  );

testOnBoth(
  "a token for more than 3600 seconds, or for less than one, is 422",
  async (service) => {
    const { key } = await newServiceKey(service);
    const { id } = await service.create();
    for (const ttl_seconds of [0, -1, 3601, 86_400]) {
      const { status, body } = await mint(service, key, { task_id: id, ttl_seconds });
      assert.deepEqual([status, body.error_code], [422, "VALIDATION_FAILED"], String(ttl_seconds));
    }
  },
  { env: EMBED_ENV },
);
