import assert from "node:assert/strict";
import { request } from "node:http";
import type { AddressInfo } from "node:net";
import type { ServerResponse } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { TestContext } from "node:test";
import { expectedSignature, startReceiver, type Receiver } from "../../test/support/receiver.ts";
import { ADMIN_TOKEN, PAYLOAD_KEY, testOnBoth, type TestService } from "../../test/support/service.ts";
import type { Db } from "../db/database.ts";
import type { DeliveryRow } from "../db/schema.ts";
import { moveTask } from "../tasks/move.ts";
import { getTaskWithDocuments } from "../tasks/store.ts";
import type { AuditEntryRecord } from "../tasks/schema.ts";
import { createEngine, type Engine, type EngineOptions } from "./engine.ts";
import { giveUpAttempts, settleAttempts } from "./engine/attempt.ts";
import { recoverLapsed } from "./engine/recover.ts";
import { createState } from "./engine/state.ts";
import { makeTurn } from "./engine/turn.ts";
import type { DueDelivery, Kind, Outcome } from "./kinds.ts";
import { claimDeliveries } from "./claim.ts";
import { recordOutcomes } from "./outcomes.ts";

const ON_THE_DOT = { deliveries: { random: () => 0 } };
const LEASE_MS = 30_000;
/** Seconds before attempts 2 to 13, as the specification gives them. */
const WAITS = [30, 60, 120, 300, 900, 1_800, 3_600, 7_200, 14_400, 28_800, 86_400, 86_400];
const DONE: Outcome = { ok: true, status_code: 200, response_excerpt: "" };

async function receiver(t: TestContext, answer?: Parameters<typeof startReceiver>[0]): Promise<Receiver> {
  const started = await startReceiver(answer);
  t.after(() => started.close());
  return started;
}

/** A task that has ended without any request, so that its callback is due at once. */
async function endedTask({ ctx, create }: TestService, callback_url: string): Promise<string> {
  const { id } = await create({ callback_url });
  const task = await getTaskWithDocuments(ctx.db, id);
  await moveTask(ctx, task, { type: "cancelled", reason: null, email: null }, { type: "system", email: null });
  return id;
}

async function rowOf({ ctx }: TestService, taskId: string): Promise<DeliveryRow> {
  return ctx.db.query.selectFrom("deliveries").selectAll().where("task_id", "=", taskId).executeTakeFirstOrThrow();
}

async function attemptsOf({ ctx }: TestService, id: string) {
  return ctx.db.query
    .selectFrom("delivery_attempts")
    .selectAll()
    .where("delivery_id", "=", id)
    .orderBy("cycle")
    .orderBy("attempt")
    .execute();
}

async function change({ ctx }: TestService, taskId: string, set: Partial<DeliveryRow>): Promise<void> {
  await ctx.db.write((tx) => tx.query.updateTable("deliveries").set(set).where("task_id", "=", taskId).execute());
}

/** Deliveries whose due time stands ahead because an answer, or a slot, is waited for. */
async function rowsHeld({ ctx, clock }: TestService): Promise<number> {
  const select = ctx.db.query.selectFrom("deliveries").select("id").where("lease_owner", "is", null);
  return (await select.where("next_attempt_at", ">", clock.now()).execute()).length;
}

/** Everything that is due, to its end. */
async function deliver({ ctx }: TestService): Promise<void> {
  await ctx.deliveries.turn();
  await ctx.deliveries.settle();
}

/** An engine of another process on the same database. */
function anotherEngine({ ctx }: TestService, send: Kind["send"], options: Partial<EngineOptions> = {}) {
  const kind: Kind = { hasLastingOrigins: true, send, nextAttemptAt: () => null, onAbandoned: async () => {} };
  const { db, log, metrics } = ctx;
  return createEngine({ db, log, metrics, kinds: { callback: kind }, random: () => 0, ...options });
}

let owed = 0;

/** Writes a delivery for each of these origins, due in this order. */
async function owe({ ctx, clock }: TestService, origins: string[]): Promise<void> {
  const now = clock.now();
  const rows = origins.map((origin, i) => ({
    id: `dlv_${owed++}`,
    kind: "callback",
    is_live: 0,
    task_id: "tsk_x",
    destination: origin,
    origin,
    status: "PENDING",
    cycle: 1,
    attempt_count: 0,
    next_attempt_at: now - origins.length + i,
    lease_epoch: 0,
    losses: 0,
    created_at: now,
    updated_at: now,
  }));
  await ctx.db.write(async (tx) => {
    for (let i = 0; i < rows.length; i += 500)
      await tx.query
        .insertInto("deliveries")
        .values(rows.slice(i, i + 500))
        .execute();
    tx.hint("deliveries");
  });
}

/** A promise that is settled from outside. */
function gate() {
  let open!: () => void;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

testOnBoth("a callback that is answered with 2xx is sent once, and not again", async (service, t) => {
  const hook = await receiver(t, (response) => response.writeHead(204).end());
  const id = await endedTask(service, hook.url);
  for (let i = 0; i < 3; i++) {
    await deliver(service);
    service.clock.advance(86_400_000);
  }
  assert.equal(hook.received.length, 1);
  const row = await rowOf(service, id);
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
      const row = await rowOf(service, id);
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
    const row = await rowOf(service, id);
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
  await change(service, ids["bad_url"]!, { destination: "http://[", origin: "unusable" });
  await change(service, ids["unknown_kind"]!, { kind: "pigeon", origin: "a" });
  await change(service, ids["connect"]!, { destination: "http://127.0.0.1:9/", origin: "http://127.0.0.1:9" });
  const { id: bodyless } = await rowOf(service, ids["no_body"]!);
  await service.ctx.db.write((tx) =>
    tx.query.deleteFrom("delivery_bodies").where("delivery_id", "=", bodyless).execute(),
  );
  for (let i = 0; i < 3; i++) await deliver(service);
  for (const [error, id] of Object.entries(ids)) {
    const row = await rowOf(service, id);
    assert.deepEqual([row.status, row.attempt_count, row.last_error!.split(":")[0]], ["FAILED", 1, error]);
  }
  assert.equal((await rowOf(service, good)).status, "SUCCEEDED");
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
    const row = await rowOf(service, id);
    assert.deepEqual([row.status, row.last_error], ["ABANDONED", `internal: ${id === ids[0] ? "at once" : "later"}`]);
  }
});

testOnBoth("an attempt that would outlast its lease is ended before", async (service) => {
  const engine = anotherEngine(service, () => new Promise(() => {}), { leaseMs: 60 });
  const id = await endedTask(service, "http://a.test/");
  await engine.turn();
  await engine.settle();
  assert.match((await rowOf(service, id)).last_error!, /^timeout: /);
});

testOnBoth("the outcome of an attempt whose lease is gone changes nothing", async (service, t) => {
  const { opened, open } = gate();
  const hook = await receiver(t, (response) => void opened.then(() => response.end()));
  const id = await endedTask(service, hook.url);
  await service.ctx.deliveries.turn();
  await hook.until(1);
  const { lease_epoch } = await rowOf(service, id);
  // Somebody else has it now, under the same name even, but another epoch.
  await change(service, id, { lease_epoch: lease_epoch + 1 });
  const taken = await rowOf(service, id);
  open();
  await service.ctx.deliveries.settle();
  assert.deepEqual(await rowOf(service, id), taken);
  assert.deepEqual(await attemptsOf(service, taken.id), []);

  await change(service, id, { lease_epoch, lease_owner: "somebody" });
  const attempt = { ...(await rowOf(service, id)), lease_owner: "another" };
  const ended = {
    status: "SUCCEEDED" as const,
    next_attempt_at: null,
    started_at: 0,
    duration_ms: 0,
    ended_at: 0,
    status_code: 200,
    error: null,
    response_excerpt: null,
  };
  assert.deepEqual(await recordOutcomes(service.ctx.db, [{ attempt, ended }]), [false]);
  assert.equal((await rowOf(service, id)).status, "PENDING");
});

testOnBoth("an abandonment whose lease is gone leaves no trace", async (service, t) => {
  const { opened, open } = gate();
  const hook = await receiver(t, (response) => void opened.then(() => response.writeHead(500).end()));
  const id = await endedTask(service, hook.url);
  await change(service, id, { attempt_count: 12 });
  await service.ctx.deliveries.turn();
  await hook.until(1);
  const { lease_epoch } = await rowOf(service, id);
  await change(service, id, { lease_epoch: lease_epoch + 1 });
  open();
  await service.ctx.deliveries.settle();
  assert.equal((await rowOf(service, id)).status, "PENDING");
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
      assert.equal((await rowOf(service, id)).attempt_count, 0, "its lease still holds");
      service.clock.advance(LEASE_MS + 5_000);
    }
    assert.deepEqual(seen, [1, 1, 1, 1]);
    await deliver(service);
    const row = await rowOf(service, id);
    assert.deepEqual([row.status, row.attempt_count, row.losses], ["FAILED", 1, 0]);
    assert.match(row.last_error!, /^worker_lost: /);
    assert.equal(row.next_attempt_at, service.clock.now() + 30_000);
    assert.equal(hook.received.length, 0);
    service.clock.advance(30_000);
    await deliver(service);
    const last = await rowOf(service, id);
    assert.deepEqual([last.status, last.attempt_count], ["SUCCEEDED", 2]);
    for (const lost of lostOnes) await lost.stop();
    assert.deepEqual(await rowOf(service, id), last, "what they give back is not theirs any more");
  },
  ON_THE_DOT,
);

testOnBoth("a start voids the leases of an earlier one where there is one process, and only there", async (service) => {
  const id = await endedTask(service, "http://a.test/");
  await change(service, id, { lease_owner: "earlier", lease_epoch: 7, lease_until: service.clock.now() + LEASE_MS });
  const engine = anotherEngine(service, async () => DONE);
  await engine.turn();
  await engine.settle();
  assert.equal((await rowOf(service, id)).status, service.dialect === "sqlite" ? "SUCCEEDED" : "PENDING");
  service.clock.advance(LEASE_MS);
  await engine.turn();
  await engine.settle();
  assert.equal((await rowOf(service, id)).status, "SUCCEEDED");
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
    assert.equal((await rowOf(service, good)).status, "SUCCEEDED");
    for (const id of [slow, late]) {
      const row = await rowOf(service, id);
      assert.deepEqual(
        [row.status, row.attempt_count, row.lease_owner, row.losses, row.next_attempt_at],
        ["PENDING", 0, null, 0, row.created_at],
      );
    }
  },
);

testOnBoth(
  "an engine that does not run begins no released delivery, and one that has stopped none at all",
  async (service) => {
    const sent: string[] = [];
    const engine = anotherEngine(service, async ({ task_id }) => {
      sent.push(task_id);
      return DONE;
    });
    const held = await endedTask(service, "http://a.test/");
    await change(service, held, { next_attempt_at: service.clock.now() + 5_000 });
    const { id, origin } = await rowOf(service, held);
    engine.release([{ id, origin }]);
    await engine.turn();
    await engine.settle();
    assert.deepEqual(sent, []);

    await engine.stop();
    await endedTask(service, "http://b.test/");
    engine.start();
    engine.release([{ id, origin }]);
    await engine.turn();
    await engine.settle();
    assert.deepEqual(sent, []);
    assert.deepEqual(engine.inFlight(), { fast: 0, slow: 0 });
  },
);

testOnBoth("a lapsed lease makes the turn that finds it look", async (service) => {
  const { db, log, metrics } = service.ctx;
  const state = createState({ db, log, metrics, kinds: {} });
  const id = await endedTask(service, "http://a.test/");
  await change(service, id, { lease_owner: "lost", lease_until: service.clock.now() + LEASE_MS });
  state.leasesCheckedAt = 0;
  state.look.mustLook = false;
  await recoverLapsed(state, service.clock.now());
  assert.equal(state.look.mustLook, false);
  await recoverLapsed(state, service.clock.now() + LEASE_MS);
  assert.equal(state.look.mustLook, true);
  assert.equal((await rowOf(service, id)).losses, 1);
});

testOnBoth("what a stop gives back is only what is still its own", async (service) => {
  const engine = anotherEngine(service, () => new Promise(() => {}), { drainMs: 1 });
  const id = await endedTask(service, "http://a.test/");
  await engine.turn();
  const { lease_epoch } = await rowOf(service, id);
  for (const taken of [{ lease_owner: "somebody" }, { lease_epoch: lease_epoch + 1 }]) await change(service, id, taken);
  const before = await rowOf(service, id);
  await engine.stop();
  assert.deepEqual(await rowOf(service, id), before);
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
  assert.equal((await attemptsOf(service, (await rowOf(service, id)).id)).length, 1);
  await service.call("DELETE", `/api/tasks/${id}`);
  assert.deepEqual(await service.ctx.db.query.selectFrom("delivery_attempts").selectAll().execute(), []);
});

testOnBoth("dead receivers take their share and no more; live ones behind them are found", async (service) => {
  const sent: string[] = [];
  const send: Kind["send"] = async ({ origin }) => {
    sent.push(origin);
    return origin.startsWith("http://dead") ? new Promise<Outcome>(() => {}) : DONE;
  };
  const engine = anotherEngine(service, send, { drainMs: 1, unproven: 192 });
  await owe(service, ["http://live.test"]);
  await engine.turn();
  await engine.settle();
  assert.deepEqual(sent.splice(0), ["http://live.test"]);
  await engine.turn(); // finds nothing more of it

  const dead = Array.from({ length: 900 }, (_, i) => `http://dead-${String(i % 300).padStart(3, "0")}.test`);
  await owe(service, [...dead, "http://live.test", "http://new.test"]);
  // Each turn goes over a stretch of the origins.
  for (let i = 0; i < 4; i++) await engine.turn();
  assert.equal(sent.filter((origin) => origin.startsWith("http://dead")).length, 144, "three quarters");
  assert.equal(new Set(sent).size, 145, "one attempt each");
  assert.ok(sent.includes("http://live.test"), "which has answered before");

  engine.start();
  const { id } = await service.ctx.db.query
    .selectFrom("deliveries")
    .select("id")
    .where("origin", "=", "http://new.test")
    .executeTakeFirstOrThrow();
  engine.release([{ id, origin: "http://new.test" }]);
  while (!sent.includes("http://new.test")) await nextTurn();
  await engine.stop();
});

testOnBoth("an unknown receiver is tried while three hundred other unknown ones do not answer", async (service) => {
  const sent: string[] = [];
  const send: Kind["send"] = async ({ origin }) => {
    sent.push(origin);
    return new Promise(() => {});
  };
  const engine = anotherEngine(service, send, { drainMs: 1, unproven: 2_048 });
  const hung = Array.from({ length: 300 }, (_, i) => `http://hung-${i}.test`);
  await owe(service, hung);
  engine.start();
  while (sent.length < 300) await nextTurn();
  await owe(service, ["http://new.test"]);
  while (!sent.includes("http://new.test")) await nextTurn();
  assert.deepEqual(engine.inFlight(), { fast: 301, slow: 0 }, "none of them has ended");
  await engine.stop();
  const select = service.ctx.db.query.selectFrom("deliveries").select("id");
  assert.deepEqual(await select.where("lease_owner", "is not", null).execute(), [], "all are given back");
});

testOnBoth("a turn that has used all its room is followed by the next at once", async (service) => {
  const { db, log, metrics } = service.ctx;
  const kind: Kind = { send: () => new Promise(() => {}), nextAttemptAt: () => null, onAbandoned: async () => {} };
  const state = createState({ db, log, metrics, kinds: { callback: kind } });
  await owe(
    service,
    Array.from({ length: 200 }, (_, i) => `http://hung-${i}.test`),
  );
  assert.equal(await makeTurn(state), 0);
  assert.equal(state.attempts.size, 48, "unproven ones");
  assert.equal(await makeTurn(state), 0);
  assert.equal(state.attempts.size, 96);
  giveUpAttempts(state);
  await settleAttempts(state);
});

testOnBoth("after a restart, receivers that answered before are tried ahead of unknown ones", async (service) => {
  const before = anotherEngine(service, async () => DONE);
  await owe(service, ["http://live.test"]);
  await before.turn();
  await before.settle();
  await before.stop();

  const sent: string[] = [];
  const send: Kind["send"] = async ({ origin }) => {
    sent.push(origin);
    return new Promise(() => {});
  };
  const after = anotherEngine(service, send, { drainMs: 1, unproven: 8 });
  const hung = Array.from({ length: 300 }, (_, i) => `http://hung-${i}.test`);
  await owe(service, [...hung, "http://live.test"]);
  // More are due before it than a look reads.
  await after.turn();
  assert.ok(sent.includes("http://live.test"));
  assert.equal(sent.length, 1 + 6, "the unknown ones have their own slots");
  await after.stop();
});

testOnBoth("an unknown receiver that answered another process is known here", async (service) => {
  const here = anotherEngine(service, () => new Promise(() => {}), { drainMs: 1, unproven: 0 });
  await here.turn(); // its start is over
  const there = anotherEngine(service, async () => DONE);
  await owe(service, ["http://live.test"]);
  await there.turn();
  await there.settle();
  await there.stop();
  await owe(service, ["http://live.test", "http://unknown.test"]);
  await here.turn();
  assert.deepEqual(here.inFlight(), { fast: 1, slow: 0 });
  await here.stop();
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

testOnBoth(
  "the callback of a request starts when its answer is out, others meanwhile do not wait for it",
  async (service, t) => {
    const { app, ctx, call } = service;
    const hook = await receiver(t);
    const { opened, open } = gate();
    const reached = gate();
    app.addHook("onSend", async (request) => {
      if (request.headers["x-request-id"] !== "held") return;
      reached.open();
      await opened;
    });
    const tasks = [await service.create({ callback_url: hook.url }), await service.create({ callback_url: hook.url })];
    const [held, other] = tasks.map(({ id }) => id) as [string, string];
    ctx.deliveries.start();
    // Both in one turn: on SQLite they share a commit.
    const answers = [
      call("POST", `/api/tasks/${held}/cancel`, { headers: { "x-request-id": "held" } }),
      call("POST", `/api/tasks/${other}/cancel`),
    ];
    await reached.opened;
    await hook.until(1);
    await answers[1];
    await ctx.deliveries.turn();
    await ctx.deliveries.settle();
    assert.deepEqual(
      hook.received.map(({ task_id }) => task_id),
      [other],
    );
    assert.equal((await rowOf(service, held)).status, "PENDING");
    open();
    await hook.until(2);
    assert.equal((await answers[0]!).status, 200);
    await ctx.deliveries.settle();
    assert.equal(hook.received.length, 2);
  },
);

testOnBoth(
  "answers that go out faster than their receiver takes callbacks delay them, and no more",
  async (service, t) => {
    const { ctx, call } = service;
    const answers: ServerResponse[] = [];
    const hook = await receiver(t, (response) => void answers.push(response));
    const ids: string[] = [];
    for (let i = 0; i < 4; i++) ids.push((await service.create({ callback_url: hook.url })).id);
    ctx.deliveries.start();
    for (const id of ids) assert.equal((await call("POST", `/api/tasks/${id}/cancel`)).status, 200);
    // A receiver that has not answered yet gets one at a time. The clock stands still: nothing falls due by itself.
    await hook.until(1);
    answers[0]!.end();
    // Two at a time from here; the rest is left to whoever has room, and is due from then on.
    await hook.until(3);
    while ((await rowsHeld(service)) > 0) await nextTurn();
    for (let i = 1; i < 4; i++) {
      await hook.until(i + 1);
      answers[i]!.end();
    }
    await ctx.deliveries.stop();
    assert.deepEqual(hook.received.map(({ task_id }) => task_id).toSorted(), ids.toSorted());
  },
);

testOnBoth("an answer that never gets out holds a callback up for some seconds only", async (service, t) => {
  const { app, ctx, call, clock } = service;
  const hook = await receiver(t);
  const { opened, open } = gate();
  const reached = gate();
  app.addHook("onSend", async (request) => {
    if (request.method !== "POST" || !request.url.endsWith("/cancel")) return;
    reached.open();
    await opened;
  });
  const { id } = await service.create({ callback_url: hook.url });
  const answer = call("POST", `/api/tasks/${id}/cancel`);
  await reached.opened;
  await deliver(service);
  assert.equal(hook.received.length, 0);
  clock.advance(5_000);
  await deliver(service);
  assert.equal(hook.received.length, 1);
  open();
  await answer;
  await ctx.deliveries.settle();
  assert.equal(hook.received.length, 1);
});

testOnBoth("a caller that hangs up does not keep the callback from starting", async (service, t) => {
  const { app, ctx } = service;
  const hook = await receiver(t);
  const { opened, open } = gate();
  const reached = gate();
  let response: ServerResponse | undefined;
  app.addHook("onSend", async (request, reply) => {
    if (!request.url.endsWith("/cancel")) return;
    response = reply.raw;
    reached.open();
    await opened;
  });
  const { id } = await service.create({ callback_url: hook.url });
  ctx.deliveries.start();
  await app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = app.server.address() as AddressInfo;
  const sent = request({
    port,
    host: "127.0.0.1",
    method: "POST",
    path: `/api/tasks/${id}/cancel`,
    headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
  });
  sent.on("error", () => {});
  sent.end();
  await reached.opened;
  sent.destroy();
  await hook.until(1);
  assert.equal(response?.writableFinished, false);
  open();
});

testOnBoth(
  "a row that waited for its answer is not begun early after another process has tried it",
  async (service) => {
    const { ctx, clock } = service;
    const taskId = await endedTask(service, "http://127.0.0.1:1/hook");
    const { id } = await rowOf(service, taskId);
    await change(service, taskId, { status: "FAILED", attempt_count: 1, next_attempt_at: clock.now() + 8_000 });
    const claim = () =>
      claimDeliveries(ctx.db, { held: [id], due: [] }, { owner: "late", until: clock.now() + LEASE_MS });
    assert.deepEqual(await claim(), []);
    clock.advance(8_000);
    assert.equal((await claim()).length, 1);
  },
);
