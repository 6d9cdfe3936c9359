import assert from "node:assert/strict";
import { setImmediate as nextTurn } from "node:timers/promises";
import {
  anotherEngine,
  attemptsOf,
  changeDelivery,
  deliver,
  deliveryOf,
  DONE,
  endedTask,
  gate,
  LEASE_MS,
  ON_THE_DOT,
  receiver,
} from "../../test/support/deliveries.ts";
import { testOnBoth } from "../../test/support/service.ts";
import type { AuditEntryRecord } from "../tasks/schema.ts";
import type { Engine } from "./engine.ts";
import { recoverLapsed } from "./engine/recover.ts";
import { createState } from "./engine/state.ts";
import type { DueDelivery, Kind } from "./kinds.ts";
import { recordOutcomes } from "./outcomes.ts";

testOnBoth("an attempt that would outlast its lease is ended before", async (service) => {
  const engine = anotherEngine(service, () => new Promise(() => {}), { leaseMs: 60 });
  const id = await endedTask(service, "http://a.test/");
  await engine.turn();
  await engine.settle();
  assert.match((await deliveryOf(service, id)).last_error!, /^timeout: /);
});

testOnBoth("the outcome of an attempt whose lease is gone changes nothing", async (service, t) => {
  const { opened, open } = gate();
  const hook = await receiver(t, (response) => void opened.then(() => response.end()));
  const id = await endedTask(service, hook.url);
  await service.ctx.deliveries.turn();
  await hook.until(1);
  const { lease_epoch } = await deliveryOf(service, id);
  // Somebody else has it now, under the same name even, but another epoch.
  await changeDelivery(service, id, { lease_epoch: lease_epoch + 1 });
  const taken = await deliveryOf(service, id);
  open();
  await service.ctx.deliveries.settle();
  assert.deepEqual(await deliveryOf(service, id), taken);
  assert.deepEqual(await attemptsOf(service, taken.id), []);

  await changeDelivery(service, id, { lease_epoch, lease_owner: "somebody" });
  const attempt = { ...(await deliveryOf(service, id)), lease_owner: "another" };
  const ended = {
    status: "SUCCEEDED" as const,
    next_attempt_at: null,
    started_at: 0,
    duration_ms: 0,
    ended_at: 0,
    status_code: 200,
    error: null,
    response_excerpt: null,
    meaning: null,
  };
  assert.deepEqual(await recordOutcomes(service.ctx.db, [{ attempt, ended }]), [false]);
  assert.equal((await deliveryOf(service, id)).status, "PENDING");
});

testOnBoth("an abandonment whose lease is gone leaves no trace", async (service, t) => {
  const { opened, open } = gate();
  const hook = await receiver(t, (response) => void opened.then(() => response.writeHead(500).end()));
  const id = await endedTask(service, hook.url);
  await changeDelivery(service, id, { attempt_count: 12 });
  await service.ctx.deliveries.turn();
  await hook.until(1);
  const { lease_epoch } = await deliveryOf(service, id);
  await changeDelivery(service, id, { lease_epoch: lease_epoch + 1 });
  open();
  await service.ctx.deliveries.settle();
  assert.equal((await deliveryOf(service, id)).status, "PENDING");
  const { body } = await service.call<AuditEntryRecord[]>("GET", `/api/tasks/${id}/audit`);
  assert.deepEqual(
    body.map(({ action }) => action),
    ["created", "cancelled"],
  );
});

testOnBoth(
  "the attempt of a lost process is made again, three times at most; then it has failed",
  async (service, t) => {
    const hook = await receiver(t);
    await deliver(service); // its start is over
    const id = await endedTask(service, hook.url);
    const seen: number[] = [];
    const lostOnes: Engine[] = [];
    for (let loss = 0; loss < 4; loss++) {
      // Each takes the row and is never heard of again.
      const send: Kind["send"] = ({ attempt }) => {
        seen.push(attempt);
        return new Promise(() => {});
      };
      const lost = anotherEngine(service, send, { drainMs: 1 });
      lostOnes.push(lost);
      await lost.turn();
      while (seen.length <= loss) await nextTurn();
      await deliver(service);
      assert.equal((await deliveryOf(service, id)).attempt_count, 0, "its lease still holds");
      service.clock.advance(LEASE_MS + 5_000);
    }
    assert.deepEqual(seen, [1, 1, 1, 1]);
    await deliver(service);
    const row = await deliveryOf(service, id);
    assert.deepEqual([row.status, row.attempt_count, row.losses], ["FAILED", 1, 0]);
    assert.match(row.last_error!, /^worker_lost: /);
    assert.equal(row.next_attempt_at, service.clock.now() + 30_000);
    assert.equal(hook.received.length, 0);
    service.clock.advance(30_000);
    await deliver(service);
    const last = await deliveryOf(service, id);
    assert.deepEqual([last.status, last.attempt_count], ["SUCCEEDED", 2]);
    for (const lost of lostOnes) await lost.stop();
    assert.deepEqual(await deliveryOf(service, id), last, "what they give back is not theirs any more");
  },
  ON_THE_DOT,
);

testOnBoth("a start voids the leases of an earlier one where there is one process, and only there", async (service) => {
  const id = await endedTask(service, "http://a.test/");
  await changeDelivery(service, id, {
    lease_owner: "earlier",
    lease_epoch: 7,
    lease_until: service.clock.now() + LEASE_MS,
  });
  const engine = anotherEngine(service, async () => DONE);
  await engine.turn();
  await engine.settle();
  assert.equal((await deliveryOf(service, id)).status, service.dialect === "sqlite" ? "SUCCEEDED" : "PENDING");
  service.clock.advance(LEASE_MS);
  await engine.turn();
  await engine.settle();
  assert.equal((await deliveryOf(service, id)).status, "SUCCEEDED");
});

testOnBoth("two processes that look at once send each callback once", async (service) => {
  const ids = [];
  for (let i = 0; i < 40; i++) ids.push(await endedTask(service, `http://host-${i}.test/`));
  const sent: string[] = [];
  const send = async ({ task_id }: DueDelivery) => {
    sent.push(task_id);
    return DONE;
  };
  // Their first look voids leases on the embedded database, where there are no two processes.
  const engines = [anotherEngine(service, send), anotherEngine(service, send)];
  await Promise.all(engines.map((engine) => engine.turn()));
  await Promise.all(engines.map((engine) => engine.settle()));
  assert.deepEqual(sent.toSorted(), ids.toSorted());
  // Neither keeps a slot for a callback that the other one took first.
  for (const engine of engines) assert.deepEqual(engine.inFlight(), { fast: 0, slow: 0 });
});

testOnBoth(
  "a stop lets attempts under way end, takes nothing new, and gives back what does not end",
  async (service) => {
    const ends = gate();
    const calls: string[] = [];
    const engine = anotherEngine(
      service,
      async ({ destination }) => {
        calls.push(destination);
        await (destination.includes("slow") ? new Promise(() => {}) : ends.opened);
        return DONE;
      },
      { drainMs: 50 },
    );
    const [good, slow] = [await endedTask(service, "http://good.test/"), await endedTask(service, "http://slow.test/")];
    await engine.turn();
    engine.start();
    const late = await endedTask(service, "http://good.test/late");
    while (calls.length < 2) await nextTurn();
    const stopped = engine.stop();
    ends.open();
    await stopped;
    assert.deepEqual(calls.length, 2);
    assert.equal((await deliveryOf(service, good)).status, "SUCCEEDED");
    for (const id of [slow, late]) {
      const row = await deliveryOf(service, id);
      assert.deepEqual(
        [row.status, row.attempt_count, row.lease_owner, row.losses, row.next_attempt_at],
        ["PENDING", 0, null, 0, row.created_at],
      );
    }
  },
);

testOnBoth("a lapsed lease makes the turn that finds it look", async (service) => {
  const { db, log, metrics } = service.ctx;
  const state = createState({ db, log, metrics, kinds: {} });
  const id = await endedTask(service, "http://a.test/");
  await changeDelivery(service, id, { lease_owner: "lost", lease_until: service.clock.now() + LEASE_MS });
  state.leasesCheckedAt = 0;
  state.look.mustLook = false;
  await recoverLapsed(state, service.clock.now());
  assert.equal(state.look.mustLook, false);
  await recoverLapsed(state, service.clock.now() + LEASE_MS);
  assert.equal(state.look.mustLook, true);
  assert.equal((await deliveryOf(service, id)).losses, 1);
});

testOnBoth("what a stop gives back is only what is still its own", async (service) => {
  const engine = anotherEngine(service, () => new Promise(() => {}), { drainMs: 1 });
  const id = await endedTask(service, "http://a.test/");
  await engine.turn();
  const { lease_epoch } = await deliveryOf(service, id);
  for (const taken of [{ lease_owner: "somebody" }, { lease_epoch: lease_epoch + 1 }])
    await changeDelivery(service, id, taken);
  const before = await deliveryOf(service, id);
  await engine.stop();
  assert.deepEqual(await deliveryOf(service, id), before);
});
