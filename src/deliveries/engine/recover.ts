/** Attempts whose process was lost: their leases lapse, and the attempts are made again. */
import { SECOND } from "../../lib/time.ts";
import { failure } from "../kinds.ts";
import { freeLapsed, listLost } from "../outcomes.ts";
import type { EngineState } from "./state.ts";
import { writeOutcome } from "./write-outcome.ts";

/** How often a lost attempt is made again; the loss after that counts as a failure. (wire: Callback schedule) */
const REPEATS_MAX = 3;
/** How often leases are checked. A lost attempt is found at most this long after its lease has lapsed. */
const CHECK_EVERY_MS = 5 * SECOND;
/** The most leases that one statement frees. */
const LAPSED_ROWS = 100;

export function areLeasesDue({ leasesCheckedAt }: EngineState, now: number): boolean {
  return now - leasesCheckedAt >= CHECK_EVERY_MS;
}

/** Makes lost attempts due again, at once and under the same number. One that was lost too often fails. */
export async function recoverLapsed(state: EngineState, now: number): Promise<void> {
  const { db, leaseMs } = state;
  // Where only one process uses the database, every lease that it finds at its start was left by an earlier process.
  const isStart = !db.hints.isShared && state.leasesCheckedAt === Number.NEGATIVE_INFINITY;
  const lapsedBy = isStart ? Number.MAX_SAFE_INTEGER : now;
  let freed: number;
  do {
    freed = await freeLapsed(db, lapsedBy, REPEATS_MAX, LAPSED_ROWS);
    if (freed > 0) state.look.mustLook = true;
  } while (freed === LAPSED_ROWS);
  for (const row of await listLost(db, lapsedBy, REPEATS_MAX, LAPSED_ROWS)) {
    const outcome = failure("worker_lost", "Every process that made this attempt ended before it did.");
    const started_at = Math.min(row.lease_until - leaseMs, now);
    await writeOutcome(state, row, row, outcome, { started_at, duration_ms: leaseMs });
  }
  state.leasesCheckedAt = now;
}
