/** The turns of the two loops: one looks for what is due, the other begins what was released. Both begin what gets a slot. */
import { pauses } from "../../lib/pauses.ts";
import { claimDeliveries, makeDue } from "../claim.ts";
import { admitDue, admitParked, createRoom, leaveSlots, type Admitted, type Room } from "./admit.ts";
import { startAttempt } from "./attempt.ts";
import { lookForDue, scheduleNextLook, takeLook } from "./look.ts";
import { recallOrigins } from "./findings.ts";
import { parkReleased, takeLateParked, untilLateParked } from "./queue.ts";
import { areLeasesDue, recoverLapsed } from "./recover.ts";
import type { EngineState } from "./state.ts";

/** The most deliveries that one turn begins. */
const CLAIM_MAX = 128;
/** The most ended attempts that are not written yet: a database that accepts no outcomes ends the sending. */
const UNWRITTEN_MAX = 1_024;

/** Recovers lost attempts, looks for what is due, and begins it. @returns how long there is nothing to do, in milliseconds */
export async function makeTurn(state: EngineState): Promise<number> {
  const { db, look } = state;
  const now = db.now();
  if (areLeasesDue(state, now))
    await db.lookAlone("leases", async () => {
      await recoverLapsed(state, now);
      return {};
    });

  const isLooking = takeLook(look);
  const hasMore = isLooking && (await lookForDue(state, now));
  const room = roomOf(state);
  const begun = await begin(state, { held: [], due: await admitDue(state, now, room) });

  if (isLooking) await scheduleNextLook(state, { hasMore, begun });
  return room.isCut ? 0 : look.lookAt - performance.now();
}

/**
 * Begins deliveries whose response was sent. It asks only their homes. Those that must not wait for a slot any longer are
 * left to any process that has one.
 *
 * @returns how long there is nothing to do, in milliseconds
 */
export async function beginReleased(state: EngineState): Promise<number> {
  const { db, queue } = state;
  await recallOrigins(
    state,
    queue.released.map(({ origin }) => origin),
  );
  const now = performance.now();
  parkReleased(queue, now);
  const late = takeLateParked(queue, now);
  const room = roomOf(state);
  await begin(state, { held: admitParked(state, room), due: [] });
  if (late.length > 0) await makeDue(db, late);
  return room.isCut ? 0 : untilLateParked(queue, performance.now());
}

function roomOf({ attempts, lanes }: EngineState): Room {
  const { fast, slow } = lanes.inFlight();
  const unwritten = attempts.size - fast - slow;
  return createRoom(Math.max(0, Math.min(CLAIM_MAX, UNWRITTEN_MAX - unwritten)));
}

/**
 * Takes a lease for each admitted delivery and starts its attempt. A delivery that another process took first is left out.
 *
 * @param admitted - the rows of those that are held are not due yet
 * @returns the number of attempts that started
 */
async function begin(state: EngineState, { held, due }: { held: Admitted[]; due: Admitted[] }): Promise<number> {
  const { db, lanes, owner, leaseMs } = state;
  const admitted = new Map([...held, ...due].map((one) => [one.id, one]));
  try {
    if (state.mode === "stopping" || admitted.size === 0) return 0;
    const claimed = await claimDeliveries(db, { held, due }, { owner, until: db.now() + leaseMs });
    let begun = 0;
    const pause = pauses();
    for (const { body, ...row } of claimed) {
      const slot = admitted.get(row.id)?.slot;
      if (!slot) continue;
      admitted.delete(row.id);
      startAttempt(state, row, body, slot);
      begun++;
      const paused = pause();
      if (paused !== null) await paused;
    }
    return begun;
  } finally {
    leaveSlots(lanes, admitted.values());
  }
}
