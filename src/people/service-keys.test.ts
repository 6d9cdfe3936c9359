import assert from "node:assert/strict";
import { testOnBoth } from "../../test/support/service.ts";
import type { NewServiceKeyRecord, ServiceKeyRecord } from "./schema.ts";

testOnBoth("a service key is shown once, and kept as something that opens nothing", async (service) => {
  const made = await service.call<NewServiceKeyRecord>("POST", "/api/service-keys", { body: { name: "Shop" } });
  assert.equal(made.status, 201);
  const { key, ...record } = made.body;
  assert.match(key, /^hsk_[\w-]{43}$/);
  assert.deepEqual(record, {
    id: record.id,
    project: "default",
    agents: null,
    name: "Shop",
    prefix: key.slice(0, 10),
    created_at: record.created_at,
    last_used_at: null,
    revoked_at: null,
  });
  const listed = await service.call<ServiceKeyRecord[]>("GET", "/api/service-keys");
  assert.deepEqual(listed.body, [record]);
  const stored = JSON.stringify(await service.ctx.db.query.selectFrom("service_keys").selectAll().execute());
  assert.ok(!stored.includes(key.slice(10)));
});

testOnBoth("a service key is known until it is revoked, and its use is noted", async (service) => {
  const { body: made } = await service.call<NewServiceKeyRecord>("POST", "/api/service-keys", {
    body: { name: "Shop" },
  });
  const use = async (key: string) => (await service.call("GET", "/api/tasks", { token: key })).status;
  const record = async () => (await service.call<ServiceKeyRecord[]>("GET", "/api/service-keys")).body[0]!;
  // Known, and not allowed here.
  assert.equal(await use(made.key), 403);
  const used = (await record()).last_used_at;
  assert.equal(used, new Date(service.clock.now()).toISOString());
  service.clock.advance(59_000);
  await use(made.key);
  assert.equal((await record()).last_used_at, used);
  assert.equal(await use(`${made.key}x`), 401);
  assert.equal(await use("hsk_"), 401);

  assert.equal((await service.call("DELETE", `/api/service-keys/${made.id}`)).status, 204);
  assert.equal(await use(made.key), 401);
  const revoked_at = (await record()).revoked_at;
  assert.equal(revoked_at, new Date(service.clock.now()).toISOString());
  service.clock.advance(5000);
  assert.equal((await service.call("DELETE", `/api/service-keys/${made.id}`)).status, 204);
  assert.equal((await record()).revoked_at, revoked_at);
});

testOnBoth("what is wrong with a service key is said", async (service) => {
  assert.equal((await service.call("POST", "/api/service-keys", { body: {} })).status, 400);
  assert.equal((await service.call("POST", "/api/service-keys", { body: { name: "" } })).status, 422);
  for (const id of ["key_none", "key_00000000000000000000000000"])
    assert.equal((await service.call("DELETE", `/api/service-keys/${id}`)).status, 404);
});

testOnBoth("keys are listed newest first, in pages", async (service) => {
  const ids: string[] = [];
  for (let i = 0; i < 5; i++) {
    const { body } = await service.call<NewServiceKeyRecord>("POST", "/api/service-keys", {
      body: { name: `Key ${i}` },
    });
    ids.unshift(body.id);
    service.clock.advance(1);
  }
  const first = await service.call<ServiceKeyRecord[]>("GET", "/api/service-keys?limit=3");
  const second = await service.call<ServiceKeyRecord[]>("GET", /<([^>]+)>/.exec(first.headers["link"]!)![1]!);
  assert.deepEqual(
    [...first.body, ...second.body].map(({ id }) => id),
    ids,
  );
  assert.equal(second.headers["link"], undefined);
});
