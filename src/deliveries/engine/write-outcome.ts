/** What an outcome changes of its delivery, written under the lease of its attempt or not at all. */
import { setTimeout as delay } from "node:timers/promises";
import type { Tx } from "../../db/database.ts";
import type { ClaimedDelivery } from "../claim.ts";
import { kindOf, type Kind, type Outcome } from "../kinds.ts";
import { recordOutcome, type Attempt, type EndedAttempt } from "../outcomes.ts";
import type { EngineState } from "./state.ts";

/** The share of its lease that an attempt leaves for writing the outcome. */
export const WRITE_SHARE = 1 / 6;

/** The wait after the first failure to write; it doubles. */
const RETRY_MS = 50;

type Times = Pick<EndedAttempt, "started_at" | "duration_ms">;

/** Writes an outcome. Tries for as long as the lease may last; after that the attempt belongs to another process. */
export async function writeOutcome(
  state: EngineState,
  row: ClaimedDelivery,
  attempt: Attempt,
  outcome: Outcome,
  times: Times,
): Promise<void> {
  const { db, log, metrics, kinds, outcomes, leaseMs, random } = state;
  const kind = kindOf(kinds, row.kind);
  const ended = conclude(kind, row.attempt_count + 1, outcome, { ...times, now: db.now(), random });
  const endHook = endHookOf(kind, row, outcome, ended);
  const giveUpAt = performance.now() + leaseMs * WRITE_SHARE;
  for (let pause = RETRY_MS; ; pause *= 2) {
    try {
      const isCounted = await (endHook ? writeWith(state, endHook, attempt, ended) : outcomes.add({ attempt, ended }));
      if (isCounted && ended.status === "ABANDONED") metrics.deliveriesAbandoned.inc();
      return;
    } catch (error) {
      log.error({ err: error, delivery_id: row.id }, "The outcome of an attempt could not be written");
      if (performance.now() + pause > giveUpAt) return;
      // The receiver may have answered with text that cannot be stored: the attempt counts without it.
      ended.response_excerpt = null;
      await delay(pause);
    }
  }
}

/** Decides what becomes of a delivery after this attempt, its `attempts`-th. */
function conclude(
  kind: Kind,
  attempts: number,
  outcome: Outcome,
  { now, random, ...times }: Times & { now: number; random: () => number },
): EndedAttempt {
  const ended_at = Math.max(now, times.started_at);
  const { status_code, response_excerpt, meaning = null } = outcome;
  const common = { ...times, ended_at, status_code, response_excerpt, meaning };
  if (outcome.ok) return { ...common, status: "SUCCEEDED", next_attempt_at: null, error: null };
  const next = outcome.is_final ? null : kind.nextAttemptAt(attempts, new Date(ended_at), random());
  const earliest = ended_at + (outcome.wait_ms ?? 0);
  return {
    ...common,
    status: next === null ? "ABANDONED" : "FAILED",
    next_attempt_at: next === null ? null : Math.max(next.getTime(), earliest),
    error: `${outcome.error}: ${outcome.message}`,
  };
}

/** Returns what the kind writes in the transaction that ends the delivery; null while there is nothing to write. */
function endHookOf(
  kind: Kind,
  { id, task_id, destination, attempt_count }: ClaimedDelivery,
  outcome: Outcome,
  { status, error }: EndedAttempt,
): ((tx: Tx) => Promise<void>) | null {
  const delivery = { id, task_id, destination, attempts: attempt_count + 1 };
  if (status === "ABANDONED") return (tx) => kind.onAbandoned(tx, { ...delivery, last_error: error ?? "" });
  if (!outcome.ok || outcome.is_needless || !kind.onSucceeded) return null;
  return (tx) => kind.onSucceeded!(tx, delivery);
}

/** @returns false when the lease is no longer the row's: then nothing was written, by the hook neither */
async function writeWith(
  { db }: EngineState,
  endHook: (tx: Tx) => Promise<void>,
  attempt: Attempt,
  ended: EndedAttempt,
): Promise<boolean> {
  try {
    await db.write(async (tx) => {
      await endHook(tx);
      if (!(await recordOutcome(tx, attempt, ended))) throw new LeaseLost();
    });
    return true;
  } catch (error) {
    if (error instanceof LeaseLost) return false;
    throw error;
  }
}

/** Rolls back the transaction of an outcome whose lease is no longer the row's. */
class LeaseLost extends Error {}
