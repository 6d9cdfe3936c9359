import assert from "node:assert/strict";
import { setImmediate as nextTurn } from "node:timers/promises";
import { anotherEngine, DONE } from "../../test/support/deliveries.ts";
import { testOnBoth, type TestService } from "../../test/support/service.ts";
import { toInserted } from "../db/rows.ts";
import { giveUpAttempts, settleAttempts } from "./engine/attempt.ts";
import { createState } from "./engine/state.ts";
import { makeTurn } from "./engine/turn.ts";
import type { Kind, Outcome } from "./kinds.ts";

let owed = 0;

/** Writes a delivery for each of these origins, due in this order. */
async function owe({ ctx, clock }: TestService, origins: string[]): Promise<void> {
  const now = clock.now();
  const rows = origins.map((origin, i) => ({
    id: `dlv_${owed++}`,
    kind: "callback",
    is_live: 0,
    task_id: "tsk_00",
    home: 0,
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
        .values(rows.slice(i, i + 500).map((row) => toInserted(tx.dialect, "deliveries", row)))
        .execute();
    tx.hint("deliveries");
  });
}

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
  const { id, home } = await service.ctx.db.query
    .selectFrom("deliveries")
    .select(["id", "home"])
    .where("origin", "=", "http://new.test")
    .executeTakeFirstOrThrow();
  engine.release([{ id, home, origin: "http://new.test" }]);
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

let isOtherLooking = false;
testOnBoth(
  "while another process looks for due deliveries and lapsed leases, this one leaves them to it",
  async (service) => {
    const sent: string[] = [];
    const engine = anotherEngine(service, async ({ id }) => {
      sent.push(id);
      return DONE;
    });
    await owe(service, ["http://due.test", "http://lapsed.test"]);
    const lease = { lease_owner: "a lost process", lease_until: service.clock.now() };
    await service.ctx.db.write((tx) =>
      tx.query.updateTable("deliveries").set(lease).where("origin", "=", "http://lapsed.test").execute(),
    );
    const owners = async () => {
      const rows = await service.ctx.db.query.selectFrom("deliveries").select("lease_owner").orderBy("id").execute();
      return rows.map(({ lease_owner }) => lease_owner);
    };

    isOtherLooking = true;
    await engine.turn();
    await engine.settle();
    assert.deepEqual([sent, await owners()], [[], [null, "a lost process"]]);
    isOtherLooking = false;
    await engine.turn();
    await engine.settle();
    assert.deepEqual([sent.length, await owners()], [2, [null, null]]);
    await engine.stop();
  },
  {
    db: (opened) => {
      const lookAlone: typeof opened.lookAlone = async (name, look) =>
        isOtherLooking ? null : opened.lookAlone(name, look);
      return Object.assign(Object.create(opened) as typeof opened, { lookAlone });
    },
  },
);
