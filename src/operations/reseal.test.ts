import assert from "node:assert/strict";
import { testOnBoth, type TestService } from "../../test/support/service.ts";
import { sealedWith, sealFor, unsealFrom } from "../db/sealed.ts";

const OLD = Buffer.alloc(32, 3);
const SENDERS = 12;
/** So many passes are too many. */
const ENOUGH = 20;

const result = (resealed: number, current: number, unreadable: string[] = [], left = 0) => ({
  resealed,
  current,
  left,
  unreadable,
});
const reseal = async ({ call }: TestService) => (await call("POST", "/api/admin/reseal")).body;
const configs = async ({ ctx }: TestService) =>
  ctx.db.query.selectFrom("email_identities").select(["id", "transport_config"]).orderBy("id").execute();

/** Seals the settings of a sender with this key. */
function sealed(key: Buffer, id: string): string {
  const keys = { secretKey: key, previous: { adminToken: null, secretKey: null, payloadKey: null } };
  return sealFor(keys, "email_identities", id, JSON.stringify({ kind: "log", of: id }));
}

/** Adds senders whose settings are sealed with this key, as before it was rotated. */
async function addSenders(service: TestService, key: Buffer, ids: string[]): Promise<void> {
  for (const id of ids) {
    const body = { id, display_name: id, from_email: "desk@example.com", transport: "log" };
    const { status } = await service.call("POST", "/api/channels/email/identities", { body });
    assert.equal(status, 200);
    const transport_config = sealed(key, id);
    await service.ctx.db.write((tx) =>
      tx.query.updateTable("email_identities").set({ transport_config }).where("id", "=", id).execute(),
    );
  }
}

testOnBoth(
  "settings of the previous key are sealed with the current one, once, however many do it at the same time",
  async (service) => {
    const { config } = service.ctx;
    const ids = Array.from({ length: SENDERS }, (_, number) => `sender-${number}`);
    await addSenders(service, OLD, ids);
    await addSenders(service, Buffer.from(config.secretKey), ["new"]);
    const done = await Promise.all(Array.from({ length: 4 }, () => reseal(service)));
    assert.equal(
      done.reduce((sum, { resealed }) => sum + Number(resealed), 0),
      SENDERS,
    );
    for (const { current, unreadable } of done) assert.deepEqual([current, unreadable], [SENDERS + 1, []]);
    for (const { id, transport_config } of await configs(service)) {
      assert.equal(sealedWith(config, "email_identities", id, transport_config), "current");
      assert.deepEqual(JSON.parse(unsealFrom(config, "email_identities", id, transport_config)!), {
        kind: "log",
        of: id,
      });
    }
    const before = await configs(service);
    assert.deepEqual(await reseal(service), result(0, SENDERS + 1));
    assert.deepEqual(await configs(service), before, "nothing is written a second time");
  },
  { env: { SERVICE_SECRET_KEY_PREVIOUS: OLD.toString("base64") } },
);

testOnBoth(
  "settings that no key opens are named and left as they are",
  async (service) => {
    await addSenders(service, Buffer.alloc(32, 4), ["lost"]);
    await addSenders(service, OLD, ["old"]);
    const [lost] = await configs(service);
    assert.deepEqual(await reseal(service), result(1, 1, ["email_identities/lost"]));
    const { body } = await service.call<{ details: object }[]>("GET", "/api/security-events?type=settings_resealed");
    assert.deepEqual(
      body.map(({ details }) => details),
      [{ count: 1 }],
    );
    assert.deepEqual((await configs(service))[0], lost);
  },
  { env: { SERVICE_SECRET_KEY_PREVIOUS: OLD.toString("base64") } },
);

testOnBoth(
  "a setting that somebody changes in the meantime keeps the change",
  async (service) => {
    await addSenders(service, OLD, ["desk"]);
    const { db } = service.ctx;
    const { write } = db;
    // The change is committed after the row was read, and before it is written.
    db.write = async (fn) => {
      db.write = write;
      await addSenders(service, Buffer.from(service.ctx.config.secretKey), ["desk"]);
      return write.call(db, fn) as ReturnType<typeof fn>;
    };
    const changed = async () => (await configs(service))[0]!.transport_config;
    assert.deepEqual(await reseal(service), result(0, 1));
    const opened = unsealFrom(service.ctx.config, "email_identities", "desk", await changed());
    assert.deepEqual(JSON.parse(opened!), { kind: "log", of: "desk" });
  },
  { env: { SERVICE_SECRET_KEY_PREVIOUS: OLD.toString("base64") } },
);

testOnBoth(
  "it ends, and says what is left, while another process encrypts with the previous key again and again",
  async (service) => {
    await addSenders(service, OLD, ["desk"]);
    const { db } = service.ctx;
    const { write } = db;
    let passes = 0;
    db.write = async (fn) => {
      const done = await write.call(db, fn);
      // A process that was not restarted yet has the keys the other way round.
      if (++passes <= ENOUGH)
        await write.call(db, (tx) =>
          tx.query
            .updateTable("email_identities")
            .set({ transport_config: sealed(OLD, "desk") })
            .execute(),
        );
      return done as Awaited<ReturnType<typeof fn>>;
    };
    const found = await reseal(service);
    assert.ok(passes < ENOUGH, `${passes} passes`);
    assert.deepEqual(found, result(passes, 0, [], 1));
    db.write = write;
    assert.deepEqual(await reseal(service), result(1, 1));
  },
  { env: { SERVICE_SECRET_KEY_PREVIOUS: OLD.toString("base64") } },
);
