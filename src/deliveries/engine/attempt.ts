/** One attempt: from its lease to the outcome, within the time that the lease allows. */
import type { ClaimedDelivery } from "../claim.ts";
import { failure, kindOf, type DueDelivery, type Outcome, type Postponed } from "../kinds.ts";
import { releaseLease, type Attempt } from "../outcomes.ts";
import type { Slot } from "./lanes.ts";
import { storeFinding } from "./findings.ts";
import { hasWaiting } from "./queue.ts";
import type { EngineState } from "./state.ts";
import { WRITE_SHARE, writeOutcome } from "./write-outcome.ts";

/** Why an attempt ended without an outcome: the engine stops. */
const GIVEN_UP = Symbol("given up");

/** Starts an attempt, which gives its slot back when it ends. */
export function startAttempt(state: EngineState, row: ClaimedDelivery, body: string | null, slot: Slot): void {
  const { attempts, log } = state;
  const controller = new AbortController();
  const done = makeAttempt(state, row, body, slot, controller)
    .catch((error: unknown) => log.error({ err: error, delivery_id: row.id }, "An attempt could not be ended"))
    .finally(() => {
      attempts.delete(done);
      ringIfWaiting(state);
    });
  attempts.set(done, controller);
}

/** Ends the attempts under way without an outcome. Each releases its lease, so that another process makes it again. */
export function giveUpAttempts({ attempts }: EngineState): void {
  for (const controller of attempts.values()) controller.abort(GIVEN_UP);
}

/** Waits until no attempt is under way and all outcomes are written. */
export async function settleAttempts({ attempts }: EngineState): Promise<void> {
  while (attempts.size > 0) await Promise.all(attempts.keys());
}

async function makeAttempt(
  state: EngineState,
  row: ClaimedDelivery,
  body: string | null,
  slot: Slot,
  controller: AbortController,
): Promise<void> {
  const { db, lanes, metrics, owner } = state;
  const attempt: Attempt = { ...row, lease_owner: owner };
  const started_at = db.now();
  const startedAt = performance.now();
  const { id, kind, task_id, destination, origin, cycle, losses } = row;
  const delivery = { id, kind, task_id, destination, origin, cycle, attempt: row.attempt_count + 1, losses, body };
  lanes.load(slot, body?.length ?? 0);
  const outcome = await send(state, delivery, controller);
  if (outcome === GIVEN_UP || "postponed_ms" in outcome) {
    lanes.leave(slot);
    return returnAttempt(state, attempt, outcome === GIVEN_UP ? null : db.now() + outcome.postponed_ms);
  }
  const duration_ms = Math.round(performance.now() - startedAt);
  // The next attempt need not wait until this outcome is written.
  const isAnswered = outcome.ok || outcome.status_code !== null;
  const finding = lanes.leave(slot, { duration_ms, isAnswered, at: db.now() });
  ringIfWaiting(state);
  metrics.deliveryAttempts.inc({ outcome: outcome.ok ? "succeeded" : "failed", lane: slot.lane });
  await Promise.all([
    writeOutcome(state, row, attempt, outcome, { started_at, duration_ms }),
    finding && storeFinding(state, kind, finding),
  ]);
}

/** Lets the kind send. Returns an outcome before the lease ends, whatever the kind does. */
async function send(
  { kinds, leaseMs }: EngineState,
  delivery: DueDelivery,
  controller: AbortController,
): Promise<Outcome | Postponed | typeof GIVEN_UP> {
  const { signal } = controller;
  const limit = leaseMs * (1 - WRITE_SHARE);
  const timer = setTimeout(() => controller.abort(new Error("The attempt took too long.")), limit);
  try {
    const outcome = await Promise.race([kindOf(kinds, delivery.kind).send(delivery, signal), whenAborted(signal)]);
    const isAnswered = "postponed_ms" in outcome || outcome.ok;
    return !isAnswered && signal.reason === GIVEN_UP ? GIVEN_UP : outcome;
  } catch (error) {
    if (signal.reason === GIVEN_UP) return GIVEN_UP;
    return failure(signal.aborted ? "timeout" : "internal", error instanceof Error ? error.message : String(error));
  } finally {
    clearTimeout(timer);
  }
}

/** @param due_at - when the delivery is due; null: as before */
async function returnAttempt({ db, log }: EngineState, attempt: Attempt, due_at: number | null): Promise<void> {
  try {
    await releaseLease(db, attempt, due_at);
  } catch (error) {
    log.error({ err: error, delivery_id: attempt.id }, "An attempt could not be given back; its lease will lapse");
  }
}

/** A slot is free: the next turn need not wait for the next look. */
function ringIfWaiting({ queue, alarms }: EngineState): void {
  if (hasWaiting(queue)) alarms.due.ring();
  if (queue.parked.size > 0) alarms.released.ring();
}

/** Rejects with the reason once the signal is aborted. */
function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
}
