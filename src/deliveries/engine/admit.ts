/** Which deliveries may begin now: those for which their origin gets a slot of its lane. */
import type { Db } from "../../db/database.ts";
import { listDueOf, makeDue } from "../claim.ts";
import type { Lanes, Slot } from "./lanes.ts";
import { originsInTurn, takeLateParked, type Parked, type Queue } from "./queue.ts";

interface Admitting {
  db: Db;
  lanes: Lanes;
  queue: Queue;
}

/** A delivery and its slot. */
export interface Admitted {
  id: string;
  slot: Slot;
}

/** `held` were parked, and their rows are not due yet; `due` are. */
export interface Admission {
  held: Admitted[];
  due: Admitted[];
}

/** Leaves parked deliveries that cannot begin here to any process that has a slot. */
export async function makeLateParkedDue({ db, queue }: Admitting): Promise<void> {
  const late = takeLateParked(queue, performance.now());
  if (late.length > 0) await makeDue(db, late);
}

/** Takes slots for up to `max` deliveries. When the database fails, all slots are free again. */
export async function admit(admitting: Admitting, now: number, max: number): Promise<Admission> {
  const held = admitParked(admitting, max);
  try {
    return { held, due: await admitDue(admitting, now, max - held.length) };
  } catch (error) {
    leaveSlots(admitting.lanes, held);
    throw error;
  }
}

export function leaveSlots(lanes: Lanes, admitted: Iterable<Admitted>): void {
  for (const { slot } of admitted) lanes.leave(slot);
}

/** Takes slots for parked deliveries. Origins that have more of them than slots go to the end of the queue. */
export function admitParked({ lanes, queue: { parked } }: Pick<Admitting, "lanes" | "queue">, max: number): Admitted[] {
  const admitted: Admitted[] = [];
  const rest: [string, Parked[]][] = [];
  for (const [origin, own] of parked) {
    if (admitted.length >= max) break;
    const slots = takeSlots(lanes, origin, true, Math.min(own.length, max - admitted.length));
    if (slots.length === 0) continue;
    parked.delete(origin);
    for (const [i, { id }] of own.splice(0, slots.length).entries()) admitted.push({ id, slot: slots[i]! });
    if (own.length > 0) rest.push([origin, own]);
  }
  for (const [origin, own] of rest) parked.set(origin, own);
  return admitted;
}

/** Takes slots for origins in their turn, and reads which of their deliveries fill them. */
async function admitDue({ db, lanes, queue }: Admitting, now: number, max: number): Promise<Admitted[]> {
  const slots = takeSlotsInTurn(lanes, queue, max);
  const admitted: Admitted[] = [];
  try {
    const wanted = [...slots].map(([origin, { length }]) => ({ origin, count: length }));
    for (const { id, origin } of await listDueOf(db, wanted, now)) {
      const slot = slots.get(origin)?.pop();
      if (slot) admitted.push({ id, slot });
      // All its slots are used, so it may have more due deliveries: it waits for its next turn.
      if (slots.get(origin)?.length === 0) queue.waiting.add(origin);
    }
  } finally {
    for (const slot of [...slots.values()].flat()) lanes.leave(slot);
  }
  return admitted;
}

/** Origins that get a slot leave the queue; the others keep their turn. */
function takeSlotsInTurn(lanes: Lanes, queue: Queue, max: number): Map<string, Slot[]> {
  const { fresh, waiting } = queue;
  const slots = new Map<string, Slot[]>();
  let free = max;
  for (const origin of originsInTurn(queue)) {
    if (free <= 0) break;
    const own = takeSlots(lanes, origin, fresh.has(origin), free);
    if (own.length === 0) continue;
    fresh.delete(origin);
    waiting.delete(origin);
    slots.set(origin, own);
    free -= own.length;
  }
  return slots;
}

function takeSlots(lanes: Lanes, origin: string, isFresh: boolean, max: number): Slot[] {
  const taken: Slot[] = [];
  while (taken.length < max) {
    const slot = lanes.enter(origin, isFresh);
    if (!slot) break;
    taken.push(slot);
  }
  return taken;
}
