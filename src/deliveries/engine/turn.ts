/** One turn of the engine: it recovers lost attempts, looks for what is due, and begins what gets a slot. */
import { claimDeliveries } from "../claim.ts";
import { admit, leaveSlots, makeLateParkedDue, type Admission } from "./admit.ts";
import { startAttempt } from "./attempt.ts";
import { lookForDue, scheduleNextLook, takeLook } from "./look.ts";
import { parkReleased } from "./queue.ts";
import { areLeasesDue, recoverLapsed } from "./recover.ts";
import type { EngineState } from "./state.ts";

/** The most deliveries that one turn begins. */
const CLAIM_MAX = 128;
/** The most attempts under way or not yet written: a database that accepts no outcomes ends the sending. */
const ATTEMPTS_MAX = 512;

/** @returns how long there is nothing to do, in milliseconds */
export async function makeTurn(state: EngineState): Promise<number> {
  const { db, look, queue } = state;
  const now = db.now();
  if (areLeasesDue(state, now)) await recoverLapsed(state, now);

  const isLooking = takeLook(look);
  const hasMore = isLooking && (await lookForDue(state, now));

  parkReleased(queue, performance.now());
  await makeLateParkedDue(state);
  const room = Math.max(0, Math.min(CLAIM_MAX, ATTEMPTS_MAX - state.attempts.size));
  const begun = await begin(state, await admit(state, now, room));

  if (isLooking) await scheduleNextLook(state, { hasMore, begun });
  return queue.released.length > 0 ? 0 : look.lookAt - performance.now();
}

/**
 * Takes a lease for each admitted delivery and starts its attempt. A delivery that another process took first is left out.
 *
 * @returns the number of attempts that started
 */
async function begin(state: EngineState, { held, due }: Admission): Promise<number> {
  const { db, lanes, owner, leaseMs } = state;
  const admitted = new Map([...held, ...due].map((one) => [one.id, one]));
  try {
    if (state.mode === "stopping" || admitted.size === 0) return 0;
    const ids = { held: held.map(({ id }) => id), due: due.map(({ id }) => id) };
    const claimed = await claimDeliveries(db, ids, { owner, until: db.now() + leaseMs });
    let begun = 0;
    for (const { body, ...row } of claimed) {
      const slot = admitted.get(row.id)?.slot;
      if (!slot) continue;
      admitted.delete(row.id);
      startAttempt(state, row, body, slot);
      begun++;
    }
    return begun;
  } finally {
    leaveSlots(lanes, admitted.values());
  }
}
