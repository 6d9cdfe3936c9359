/** One turn of the engine: it recovers lost attempts, looks for what is due, and begins what gets a slot. */
import { claimDeliveries } from "../claim.ts";
import { admit, leaveSlots, makeLateParkedDue, type Admission } from "./admit.ts";
import { startAttempt } from "./attempt.ts";
import { lookForDue, scheduleNextLook, takeLook } from "./look.ts";
import { recallOrigins } from "./findings.ts";
import { parkReleased } from "./queue.ts";
import { areLeasesDue, recoverLapsed } from "./recover.ts";
import type { EngineState } from "./state.ts";

/** The most deliveries that one turn begins. */
const CLAIM_MAX = 128;
/** The most ended attempts that are not written yet: a database that accepts no outcomes ends the sending. */
const UNWRITTEN_MAX = 1_024;

/** @returns how long there is nothing to do, in milliseconds */
export async function makeTurn(state: EngineState): Promise<number> {
  const { db, lanes, look, queue } = state;
  const now = db.now();
  if (areLeasesDue(state, now))
    await db.lookAlone("leases", async () => {
      await recoverLapsed(state, now);
      return {};
    });

  const isLooking = takeLook(look);
  const hasMore = isLooking && (await lookForDue(state, now));

  await recallOrigins(
    state,
    queue.released.map(({ origin }) => origin),
  );
  parkReleased(queue, performance.now());
  await makeLateParkedDue(state);
  const { fast, slow } = lanes.inFlight();
  const unwritten = state.attempts.size - fast - slow;
  const room = Math.max(0, Math.min(CLAIM_MAX, UNWRITTEN_MAX - unwritten));
  const admission = await admit(state, now, room);
  const begun = await begin(state, admission);

  if (isLooking) await scheduleNextLook(state, { hasMore, begun });
  const mustGoOn = queue.released.length > 0 || admission.isCut;
  return mustGoOn ? 0 : look.lookAt - performance.now();
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
    const claimed = await claimDeliveries(db, { held, due }, { owner, until: db.now() + leaseMs });
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
