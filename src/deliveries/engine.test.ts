import assert from "node:assert/strict";
import {
  anotherEngine,
  attemptsOf,
  changeDelivery,
  deliver,
  deliveryOf,
  DONE,
  endedTask,
  gate,
  ON_THE_DOT,
  receiver,
} from "../../test/support/deliveries.ts";
import { expectedSignature } from "../../test/support/receiver.ts";
import { PAYLOAD_KEY, testOnBoth } from "../../test/support/service.ts";
import type { Db } from "../db/database.ts";
import type { AuditEntryRecord } from "../tasks/schema.ts";
import { createEngine } from "./engine.ts";

/** Seconds before attempts 2 to 13, as the specification gives them. */
const WAITS = [30, 60, 120, 300, 900, 1_800, 3_600, 7_200, 14_400, 28_800, 86_400, 86_400];

testOnBoth("a callback that is answered with 2xx is sent once, and not again", async (service, t) => {
  const hook = await receiver(t, (response) => response.writeHead(204).end());
  const id = await endedTask(service, hook.url);
  for (let i = 0; i < 3; i++) {
    await deliver(service);
    service.clock.advance(86_400_000);
  }
  assert.equal(hook.received.length, 1);
  const row = await deliveryOf(service, id);
  assert.deepEqual(
    [row.status, row.attempt_count, row.next_attempt_at, row.last_status_code, row.last_error, row.lease_owner],
    ["SUCCEEDED", 1, null, 204, null, null],
  );
  const [attempt, ...more] = await attemptsOf(service, row.id);
  assert.deepEqual(more, []);
  assert.deepEqual(
    [attempt?.cycle, attempt?.attempt, attempt?.outcome, attempt?.status_code],
    [1, 1, "succeeded", 204],
  );
});

testOnBoth(
  "thirteen attempts, each after its wait and never before, the same bytes each time; then ABANDONED",
  async (service, t) => {
    const { clock, ctx } = service;
    const warn = t.mock.method(ctx.log, "warn", () => {});
    const hook = await receiver(t, (response) => {
      clock.advance(700); // the waits count from the end of the attempt
      response.writeHead(hook.received.length === 2 ? 302 : 500, { location: hook.url }).end("sorry");
    });
    const id = await endedTask(service, hook.url);
    for (let attempt = 1; attempt <= 13; attempt++) {
      await deliver(service);
      assert.equal(hook.received.length, attempt);
      const row = await deliveryOf(service, id);
      assert.equal(row.attempt_count, attempt);
      assert.match(row.last_error!, attempt === 2 ? /^redirect: / : /^http_status: /);
      if (attempt === 13) break;
      assert.equal(row.status, "FAILED");
      assert.equal(row.next_attempt_at, clock.now() + WAITS[attempt - 1]! * 1000);
      clock.advance(WAITS[attempt - 1]! * 1000 - 1);
      await deliver(service);
      assert.equal(hook.received.length, attempt, "early");
      clock.advance(1);
    }
    const row = await deliveryOf(service, id);
    assert.deepEqual([row.status, row.next_attempt_at, row.last_status_code], ["ABANDONED", null, 500]);
    clock.advance(10 * 86_400_000);
    await deliver(service);
    assert.equal(hook.received.length, 13);

    assert.equal(new Set(hook.received.map(({ body }) => body)).size, 1);
    for (const { body, headers } of hook.received)
      assert.equal(headers["x-service-signature"], expectedSignature(PAYLOAD_KEY, body));
    assert.deepEqual(
      (await attemptsOf(service, row.id)).map(({ attempt, response_excerpt }) => [attempt, response_excerpt]),
      Array.from({ length: 13 }, (_, i) => [i + 1, "sorry"]),
    );
    const trail = (await service.call<AuditEntryRecord[]>("GET", `/api/tasks/${id}/audit`)).body;
    assert.deepEqual(
      trail.map(({ action }) => action),
      ["created", "cancelled", "callback_abandoned"],
    );
    assert.deepEqual(trail.at(-1)?.extra, { delivery_id: row.id, attempts: 13 });
    const logged = warn.mock.calls.find(({ arguments: [, message] }) => (message as string) === "Webhook abandoned");
    assert.deepEqual(logged?.arguments[0], {
      delivery_id: row.id,
      task_id: id,
      attempts: 13,
      last_error: row.last_error,
    });
  },
  ON_THE_DOT,
);

testOnBoth("a row that cannot be sent fails alone", async (service, t) => {
  const hook = await receiver(t);
  const good = await endedTask(service, hook.url);
  const ids: Record<string, string> = {};
  for (const name of ["bad_url", "no_body", "unknown_kind", "connect"]) ids[name] = await endedTask(service, hook.url);
  await changeDelivery(service, ids["bad_url"]!, { destination: "http://[", origin: "unusable" });
  await changeDelivery(service, ids["unknown_kind"]!, { kind: "pigeon", origin: "a" });
  await changeDelivery(service, ids["connect"]!, { destination: "http://127.0.0.1:9/", origin: "http://127.0.0.1:9" });
  const { id: bodyless } = await deliveryOf(service, ids["no_body"]!);
  await service.ctx.db.write((tx) =>
    tx.query.deleteFrom("delivery_bodies").where("delivery_id", "=", bodyless).execute(),
  );
  for (let i = 0; i < 3; i++) await deliver(service);
  for (const [error, id] of Object.entries(ids)) {
    const row = await deliveryOf(service, id);
    assert.deepEqual([row.status, row.attempt_count, row.last_error!.split(":")[0]], ["FAILED", 1, error]);
  }
  assert.equal((await deliveryOf(service, good)).status, "SUCCEEDED");
  assert.deepEqual(
    hook.received.map(({ task_id }) => task_id),
    [good],
  );
});

testOnBoth("what a kind throws, at once or later, is a failed attempt", async (service) => {
  const engine = anotherEngine(service, (delivery) => {
    if (delivery.destination.endsWith("now")) throw new Error("at once");
    return Promise.reject(new Error("later"));
  });
  const ids = [await endedTask(service, "http://a.test/now"), await endedTask(service, "http://b.test/later")];
  await engine.turn();
  await engine.settle();
  for (const id of ids) {
    const row = await deliveryOf(service, id);
    assert.deepEqual([row.status, row.last_error], ["ABANDONED", `internal: ${id === ids[0] ? "at once" : "later"}`]);
  }
});

testOnBoth("a task deleted while its callback is on its way leaves nothing behind", async (service, t) => {
  const { opened, open } = gate();
  const hook = await receiver(t, (response) => void opened.then(() => response.end()));
  const id = await endedTask(service, hook.url);
  await service.ctx.deliveries.turn();
  await hook.until(1);
  assert.equal((await service.call("DELETE", `/api/tasks/${id}`)).status, 204);
  open();
  await service.ctx.deliveries.settle();
  for (const table of ["deliveries", "delivery_bodies", "delivery_attempts"] as const)
    assert.deepEqual(await service.ctx.db.query.selectFrom(table).selectAll().execute(), []);
});

testOnBoth("the attempts of a deleted task go with it", async (service, t) => {
  const hook = await receiver(t);
  const id = await endedTask(service, hook.url);
  await deliver(service);
  assert.equal((await attemptsOf(service, (await deliveryOf(service, id)).id)).length, 1);
  await service.call("DELETE", `/api/tasks/${id}`);
  assert.deepEqual(await service.ctx.db.query.selectFrom("delivery_attempts").selectAll().execute(), []);
});

testOnBoth("a database that fails does not end the loop", async (service, t) => {
  const hook = await receiver(t);
  let failures = 0;
  const broken: Db = {
    ...service.ctx.db,
    run: async (statement, params) => {
      if (failures < 1) {
        failures++;
        throw new Error("the database is away");
      }
      return service.ctx.db.run(statement, params);
    },
  };
  const engine = createEngine({
    db: broken,
    log: service.ctx.log,
    metrics: service.ctx.metrics,
    kinds: {
      callback: {
        send: async () => {
          const answer = await fetch(hook.url, { method: "POST", body: "x" });
          return { ...DONE, status_code: answer.status };
        },
        nextAttemptAt: () => null,
        onAbandoned: async () => {},
      },
    },
  });
  await endedTask(service, hook.url);
  engine.start();
  await hook.until(1);
  await engine.stop();
  assert.equal(failures, 1);
});
