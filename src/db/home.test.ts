import assert from "node:assert/strict";
import { test } from "node:test";
import { testOnBoth } from "../../test/support/service.ts";
import { HOMES, homeOf, homeOfKey, TASK_BOUND } from "./home.ts";

void test("the home of a task is the last two characters of its id", () => {
  assert.equal(homeOf("tsk_01kajv3mzt8w5rq0e4v9c2n700"), 0);
  assert.equal(homeOf("tsk_01kajv3mzt8w5rq0e4v9c2n71z"), 63);
  assert.equal(homeOf("tsk_01kajv3mzt8w5rq0e4v9c2n7zz"), HOMES - 1);
});

void test("a key of an asker always has the same home, and keys are in all homes alike", () => {
  // These are promised: ids of stored tasks end with them.
  const known = [homeOfKey("admin", "key-1"), homeOfKey("admin", "key-2"), homeOfKey("agt_1", "key-1")];
  assert.deepEqual(known, [912, 966, 981]);
  const counts = new Map<number, number>();
  for (let i = 0; i < 20 * HOMES; i++) {
    const home = homeOfKey("admin", `order-${i}`);
    counts.set(home, (counts.get(home) ?? 0) + 1);
  }
  assert.equal(counts.size, HOMES);
  assert.ok(Math.max(...counts.values()) < 60);
});

testOnBoth("every row of a task and of its callback has the home of its key", async ({ ctx, create, call }) => {
  const { id, idempotency_key } = await create({
    callback_url: "http://127.0.0.1:9/",
    notify: ["email:kim@example.com", "email:dana@example.com"],
  });
  await call("POST", `/api/tasks/${id}/complete`, { body: { response: { approved: true } } });
  const home = homeOfKey("admin", idempotency_key);
  assert.equal(homeOf(id), home);
  for (const table of Object.keys(TASK_BOUND) as (keyof typeof TASK_BOUND)[])
    for (const row of await ctx.db.query.selectFrom(table).select("home").execute())
      assert.deepEqual({ ...row }, { home }, table);
  const [delivery] = await ctx.db.query.selectFrom("deliveries").select("id").execute();
  assert.equal(homeOf(delivery!.id), home);
});
