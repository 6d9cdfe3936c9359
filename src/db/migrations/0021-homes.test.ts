import assert from "node:assert/strict";
import { deliver, endedTask, receiver } from "../../../test/support/deliveries.ts";
import { undoFrom } from "../../../test/support/older-release.ts";
import { newTaskBody, testOnBoth, type TestService } from "../../../test/support/service.ts";
import type { WebhookDelivery, WholeWebhookDelivery } from "../../deliveries/schema.ts";
import type { ListedTask, TaskRecord } from "../../tasks/schema.ts";
import { homeOf, TASK_BOUND, type TaskBoundTable } from "../home.ts";
import { migrate } from "../migrate.ts";

const PATH = "/api/admin/webhook-deliveries";
const TABLES = Object.keys(TASK_BOUND) as TaskBoundTable[];
/** Ids as the release before made them: they end with neither home. */
const OLD_TASK = "tsk_01kajv3mzt8w5rq0e4v9c2n7ab";
const OLD_DELIVERY = "dlv_01kajv3mzt8w5rq0e4v9c2n7yz";
/** A delivery that is gone. */
const ORPHAN = "dlv_01kajv3mzt8w5rq0e4v9c2n7gg";

testOnBoth(
  "what the release before stored is found, changed, sent and deleted",
  async (service, t) => {
    const { ctx, dialect, call } = service;
    const hook = await receiver(t);
    const body = newTaskBody({ callback_url: hook.url, notify: ["email:kim@example.com", "email:dana@example.com"] });
    const { id: created } = (await call<TaskRecord>("POST", "/api/tasks", { body })).body;
    await call("POST", `/api/tasks/${created}/complete`, { body: { response: { approved: true } } });
    service.clock.advance(10_000);
    await deliver(service);
    await asBefore(service, created);
    await ctx.db.write((tx) => migrate(tx.query, dialect));

    for (const table of TABLES)
      for (const { home } of await ctx.db.query.selectFrom(table).select("home").execute())
        assert.equal(home, homeOf(table === "delivery_places" ? ORPHAN : OLD_TASK), table);
    assert.equal((await call<TaskRecord>("GET", `/api/tasks/${OLD_TASK}`)).body.status, "completed");
    assert.equal((await call<ListedTask[]>("GET", "/api/tasks?view=full")).body[0]?.id, OLD_TASK);
    assert.equal((await call<object[]>("GET", `/api/tasks/${OLD_TASK}/audit`)).body.length > 1, true);
    const replay = await call<TaskRecord>("POST", "/api/tasks", { body });
    assert.deepEqual([replay.headers["idempotent-replayed"], replay.body.id], ["true", OLD_TASK]);

    const delivery = await call<WholeWebhookDelivery>("GET", `${PATH}/${OLD_DELIVERY}`);
    assert.deepEqual([delivery.body.status, delivery.body.attempts.length], ["SUCCEEDED", 1]);
    assert.equal((JSON.parse(delivery.body.body!) as TaskRecord).status, "completed");
    assert.equal((await call<WebhookDelivery>("POST", `${PATH}/${OLD_DELIVERY}/redeliver`)).body.status, "PENDING");
    await deliver(service);
    const many = async (which: object) => {
      assert.deepEqual((await call("POST", `${PATH}/redeliver`, { body: which })).body, { count: 1 });
      await deliver(service);
    };
    await many({ ids: [OLD_DELIVERY] });
    await many({ status: "SUCCEEDED" });
    assert.equal(hook.received.length, 4);
    assert.equal((await call<WholeWebhookDelivery>("GET", `${PATH}/${OLD_DELIVERY}`)).body.attempts.length, 4);

    await call("DELETE", `/api/tasks/${OLD_TASK}`);
    for (const table of TABLES.filter((name) => name !== "audit_entries" && name !== "delivery_places"))
      assert.deepEqual(await ctx.db.query.selectFrom(table).selectAll().execute(), [], table);
  },
  { changesTables: true },
);

testOnBoth(
  "a task of the release before that is open goes on",
  async (service, t) => {
    const { ctx, dialect, call } = service;
    const hook = await receiver(t);
    const { id } = await service.create({ callback_url: hook.url });
    await ctx.db.write((tx) => undoFrom(tx, "0021"));
    await ctx.db.write((tx) => migrate(tx.query, dialect));
    await call("POST", `/api/tasks/${id}/complete`, { body: { response: { approved: true } } });
    await endedTask(service, hook.url);
    service.clock.advance(10_000);
    while (hook.received.length < 2) await deliver(service);
  },
  { changesTables: true },
);

/** Makes the rows of a task those of the release before, with a place whose delivery is gone. */
async function asBefore({ ctx }: TestService, created: string): Promise<void> {
  await ctx.db.write(async (tx) => {
    await undoFrom(tx, "0021");
    await tx.query.updateTable("tasks").set({ id: OLD_TASK }).where("id", "=", created).execute();
    for (const table of ["task_documents", "task_responses", "audit_entries", "deliveries"] as const)
      await tx.query.updateTable(table).set({ task_id: OLD_TASK }).execute();
    await tx.query.deleteFrom("deliveries").where("kind", "<>", "callback").execute();
    await tx.query.updateTable("deliveries").set({ id: OLD_DELIVERY }).execute();
    for (const table of ["delivery_bodies", "delivery_attempts"] as const) {
      const [kept] = await tx.query.selectFrom(table).select("delivery_id").orderBy("delivery_id").execute();
      await tx.query.deleteFrom(table).where("delivery_id", "<>", kept!.delivery_id).execute();
      await tx.query.updateTable(table).set({ delivery_id: OLD_DELIVERY }).execute();
    }
    const gone = {
      delivery_id: ORPHAN,
      begun_at: null,
      place: null,
      shown: null,
      is_noted: 0,
    };
    await tx.query
      .insertInto("delivery_places")
      .values(gone as never)
      .execute();
  });
}
