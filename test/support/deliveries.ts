/** Helpers for tests of deliveries: tasks whose callback is due, their rows, and the engines of other processes. */
import type { TestContext } from "node:test";
import type { DeliveryRow } from "../../src/db/schema.ts";
import { createEngine, type EngineOptions } from "../../src/deliveries/engine.ts";
import type { Kind, Outcome } from "../../src/deliveries/kinds.ts";
import { moveTask } from "../../src/tasks/move.ts";
import { getTaskWithDocuments } from "../../src/tasks/store.ts";
import { startReceiver, type Receiver } from "./receiver.ts";
import type { TestService } from "./service.ts";

/** Options for a service without random waits. */
export const ON_THE_DOT = { deliveries: { random: () => 0 } };
export const LEASE_MS = 30_000;
export const DONE: Outcome = { ok: true, status_code: 200, response_excerpt: "" };

export async function receiver(t: TestContext, answer?: Parameters<typeof startReceiver>[0]): Promise<Receiver> {
  const started = await startReceiver(answer);
  t.after(() => started.close());
  return started;
}

/** A task that has ended without any request, so that its callback is due at once. */
export async function endedTask({ ctx, create }: TestService, callback_url: string): Promise<string> {
  const { id } = await create({ callback_url });
  const task = await getTaskWithDocuments(ctx.db, id);
  await moveTask(
    ctx,
    task,
    { type: "cancelled", reason: null, email: null },
    { type: "system", email: null, agent: null },
  );
  return id;
}

export async function deliveryOf({ ctx }: TestService, taskId: string): Promise<DeliveryRow> {
  return ctx.db.query.selectFrom("deliveries").selectAll().where("task_id", "=", taskId).executeTakeFirstOrThrow();
}

export async function attemptsOf({ ctx }: TestService, id: string) {
  return ctx.db.query
    .selectFrom("delivery_attempts")
    .selectAll()
    .where("delivery_id", "=", id)
    .orderBy("cycle")
    .orderBy("attempt")
    .execute();
}

export async function changeDelivery({ ctx }: TestService, taskId: string, set: Partial<DeliveryRow>): Promise<void> {
  await ctx.db.write((tx) => tx.query.updateTable("deliveries").set(set).where("task_id", "=", taskId).execute());
}

/** Everything that is due, to its end. */
export async function deliver({ ctx }: TestService): Promise<void> {
  await ctx.deliveries.turn();
  await ctx.deliveries.settle();
}

/** An engine of another process on the same database. */
export function anotherEngine({ ctx }: TestService, send: Kind["send"], options: Partial<EngineOptions> = {}) {
  const kind: Kind = { hasLastingOrigins: true, send, nextAttemptAt: () => null, onAbandoned: async () => {} };
  const { db, log, metrics } = ctx;
  return createEngine({ db, log, metrics, kinds: { callback: kind }, random: () => 0, ...options });
}

/** A promise that is settled from outside. */
export function gate() {
  let open!: () => void;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}
