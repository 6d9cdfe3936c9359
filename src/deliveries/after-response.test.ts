import assert from "node:assert/strict";
import { request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import {
  anotherEngine,
  changeDelivery,
  deliver,
  deliveryOf,
  DONE,
  endedTask,
  gate,
  LEASE_MS,
  receiver,
} from "../../test/support/deliveries.ts";
import { ADMIN_TOKEN, testOnBoth, type TestService } from "../../test/support/service.ts";
import { claimDeliveries } from "./claim.ts";

/** Deliveries whose due time stands ahead because an answer, or a slot, is waited for. */
async function rowsHeld({ ctx, clock }: TestService): Promise<number> {
  const select = ctx.db.query.selectFrom("deliveries").select("id").where("lease_owner", "is", null);
  return (await select.where("next_attempt_at", ">", clock.now()).execute()).length;
}

testOnBoth(
  "an engine that does not run begins no released delivery, and one that has stopped none at all",
  async (service) => {
    const sent: string[] = [];
    const engine = anotherEngine(service, async ({ task_id }) => {
      sent.push(task_id);
      return DONE;
    });
    const held = await endedTask(service, "http://a.test/");
    await changeDelivery(service, held, { next_attempt_at: service.clock.now() + 5_000 });
    const { id, home, origin } = await deliveryOf(service, held);
    engine.release([{ id, home, origin }]);
    await engine.turn();
    await engine.settle();
    assert.deepEqual(sent, []);

    await engine.stop();
    await endedTask(service, "http://b.test/");
    engine.start();
    engine.release([{ id, home, origin }]);
    await engine.turn();
    await engine.settle();
    assert.deepEqual(sent, []);
    assert.deepEqual(engine.inFlight(), { fast: 0, slow: 0 });
  },
);

testOnBoth(
  "the callback of a request starts after its response is sent, and callbacks of other requests do not wait for it",
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
    assert.equal((await deliveryOf(service, held)).status, "PENDING");
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
    // From here on two at a time. The others are left to processes that have room, and are due.
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

/** Every look waits for this. */
let looked: Promise<unknown> = Promise.resolve();
testOnBoth(
  "the callback of a request starts while a look gets no answer, and while every look fails",
  async (service, t) => {
    const { ctx, call } = service;
    const hook = await receiver(t);
    const cancelOne = async () => {
      const { id } = await service.create({ callback_url: hook.url });
      assert.equal((await call("POST", `/api/tasks/${id}/cancel`)).status, 200);
    };
    const { promise, reject } = Promise.withResolvers<never>();
    looked = promise;
    ctx.deliveries.start();
    await cancelOne();
    await hook.until(1);
    reject(new Error("a node is down"));
    await cancelOne();
    await hook.until(2);
    await ctx.deliveries.settle();
    const rows = await ctx.db.query.selectFrom("deliveries").select("status").execute();
    assert.deepEqual(
      rows.map(({ status }) => status),
      ["SUCCEEDED", "SUCCEEDED"],
    );
  },
  {
    db: (opened) => {
      const lookAlone: typeof opened.lookAlone = async (_name, look) => {
        await looked;
        return look();
      };
      return Object.assign(Object.create(opened) as typeof opened, { lookAlone });
    },
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
    const { id, home } = await deliveryOf(service, taskId);
    await changeDelivery(service, taskId, { status: "FAILED", attempt_count: 1, next_attempt_at: clock.now() + 8_000 });
    const claim = () =>
      claimDeliveries(ctx.db, { held: [{ id, home }], due: [] }, { owner: "late", until: clock.now() + LEASE_MS });
    assert.deepEqual(await claim(), []);
    clock.advance(8_000);
    assert.equal((await claim()).length, 1);
  },
);
