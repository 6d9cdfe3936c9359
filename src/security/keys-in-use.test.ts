import assert from "node:assert/strict";
import { testOnBoth } from "../../test/support/service.ts";
import type { Config } from "../config.ts";
import { recordKeysInUse } from "./keys-in-use.ts";

type Keys = Pick<Config, "adminToken" | "secretKey" | "payloadKey" | "previous">;

const NONE = { adminToken: null, secretKey: null, payloadKey: null };
const OLD: Keys = {
  adminToken: "the-token-of-before",
  secretKey: Buffer.alloc(32, 1),
  payloadKey: Buffer.alloc(32, 2),
  previous: NONE,
};
const NEW = { adminToken: "the-token-of-after", secretKey: Buffer.alloc(32, 3), payloadKey: Buffer.alloc(32, 4) };

testOnBoth(
  "a start with other keys than before leaves an event, and a start with the same ones leaves none",
  async (service) => {
    const { ctx, call } = service;
    const lines: { event?: string }[] = [];
    const log = { info: (line: { event?: string }) => lines.push(line) } as unknown as typeof ctx.log;
    const startWith = async (config: Keys) => {
      const read = async () =>
        (await call<{ id: string; actor: object; details: Record<string, unknown> }[]>("GET", "/api/security-events"))
          .body;
      const before = new Set((await read()).map(({ id }) => id));
      await recordKeysInUse({ config, db: ctx.db, log });
      service.clock.advance(1000);
      const [event, ...more] = (await read()).filter(({ id }) => !before.has(id));
      assert.deepEqual(more, []);
      if (event === undefined) return null;
      assert.deepEqual(event.actor, { kind: "service", id: null, email: null });
      const { changed, previous, ...fingerprints } = event.details;
      assert.ok(!JSON.stringify(fingerprints).includes(config.adminToken));
      return { changed, previous };
    };
    assert.deepEqual(await startWith(OLD), { changed: null, previous: [] });
    assert.equal(await startWith(OLD), null);

    const all = ["secret_key", "admin_token", "payload_key"];
    const { previous: _none, ...old } = OLD;
    assert.deepEqual(await startWith({ ...NEW, previous: old }), { changed: all, previous: all });
    assert.equal(await startWith({ ...NEW, previous: old }), null);
    assert.deepEqual(await startWith({ ...NEW, previous: NONE }), { changed: [], previous: [] });

    assert.deepEqual(
      await startWith({ ...NEW, payloadKey: null, previous: { ...NONE, adminToken: "one-more-token" } }),
      {
        changed: ["payload_key"],
        previous: ["admin_token"],
      },
    );
    // Replaced without a rotation.
    assert.deepEqual(await startWith(OLD), { changed: ["secret_key"], previous: [] });
    assert.deepEqual(
      lines.map(({ event }) => event),
      Array.from({ length: 5 }, () => "keys_changed"),
    );
  },
);
