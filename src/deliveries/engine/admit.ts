/** Which deliveries may begin now: those for which their origin gets a slot of its lane. */
import type { Db } from "../../db/database.ts";
import type { Located } from "../../db/home.ts";
import { listDueOf, makeDue } from "../claim.ts";
import type { Lanes, Slot } from "./lanes.ts";
import { originsInTurn, takeLateParked, type Parked, type Queue } from "./queue.ts";

interface Admitting {
  db: Db;
  lanes: Lanes;
  queue: Queue;
}

/** A delivery and its slot. */
export interface Admitted extends Located {
  slot: Slot;
}

/** `held` were parked, and their rows are not due yet; `due` are. */
export interface Admission {
  held: Admitted[];
  due: Admitted[];
  /** Slots were free, but the room of this turn was used: the next turn should follow at once. */
  isCut: boolean;
}

/** How many deliveries a turn may still begin. */
export interface Room {
  all: number;
  /** In slots of unproven origins. Many of them at once would delay the deliveries to proven origins. */
  unproven: number;
  /** Something found no room. */
  isCut: boolean;
}

const UNPROVEN_MAX = 48;

export function createRoom(max: number): Room {
  return { all: max, unproven: UNPROVEN_MAX, isCut: false };
}

/** Leaves parked deliveries that cannot begin here to any process that has a slot. */
export async function makeLateParkedDue({ db, queue }: Admitting): Promise<void> {
  const late = takeLateParked(queue, performance.now());
  if (late.length > 0) await makeDue(db, late);
}

/** Takes slots for up to `max` deliveries. When the database fails, all slots are free again. */
export async function admit(admitting: Admitting, now: number, max: number): Promise<Admission> {
  const room = createRoom(max);
  const held = admitParked(admitting, room);
  try {
    const due = await admitDue(admitting, now, room);
    return { held, due, isCut: room.isCut && max > 0 };
  } catch (error) {
    leaveSlots(admitting.lanes, held);
    throw error;
  }
}

export function leaveSlots(lanes: Lanes, admitted: Iterable<Admitted>): void {
  for (const { slot } of admitted) lanes.leave(slot);
}

/** Takes slots for parked deliveries. Origins that have more of them than slots go to the end of the queue. */
export function admitParked({ lanes, queue: { parked } }: Pick<Admitting, "lanes" | "queue">, room: Room): Admitted[] {
  const admitted: Admitted[] = [];
  const rest: [string, Parked[]][] = [];
  for (const [origin, own] of parked) {
    const slots = takeSlots(lanes, origin, { isFresh: true, max: own.length, room });
    if (slots.length === 0) continue;
    parked.delete(origin);
    for (const [i, { id, home }] of own.splice(0, slots.length).entries()) admitted.push({ id, home, slot: slots[i]! });
    if (own.length > 0) rest.push([origin, own]);
  }
  for (const [origin, own] of rest) parked.set(origin, own);
  return admitted;
}

/** Takes slots for origins in their turn, and reads which of their deliveries fill them. */
async function admitDue({ db, lanes, queue }: Admitting, now: number, room: Room): Promise<Admitted[]> {
  const slots = takeSlotsInTurn(lanes, queue, room);
  const admitted: Admitted[] = [];
  try {
    const wanted = [...slots].map(([origin, { length }]) => ({ origin, count: length }));
    for (const { id, home, origin } of await listDueOf(db, wanted, now)) {
      const slot = slots.get(origin)?.pop();
      if (slot) admitted.push({ id, home, slot });
      // All its slots are used, so it may have more due deliveries: it waits for its next turn.
      if (slots.get(origin)?.length === 0) queue.waiting.add(origin);
    }
  } finally {
    for (const slot of [...slots.values()].flat()) lanes.leave(slot);
  }
  return admitted;
}

/** Origins that get a slot leave the queue; the others keep their turn. */
function takeSlotsInTurn(lanes: Lanes, queue: Queue, room: Room): Map<string, Slot[]> {
  const { fresh, waiting } = queue;
  const slots = new Map<string, Slot[]>();
  for (const origin of originsInTurn(queue)) {
    const own = takeSlots(lanes, origin, { isFresh: fresh.has(origin), max: room.all, room });
    if (room.all === 0 && own.length === 0) break;
    if (own.length === 0) continue;
    fresh.delete(origin);
    waiting.delete(origin);
    slots.set(origin, own);
  }
  return slots;
}

function takeSlots(
  lanes: Lanes,
  origin: string,
  { isFresh, max, room }: { isFresh: boolean; max: number; room: Room },
): Slot[] {
  const taken: Slot[] = [];
  if (room.all === 0) room.isCut = true;
  while (taken.length < max && room.all > 0) {
    // Many origins may wait that get no slot in this turn. To enter and leave would push others out of the memory.
    const pool = lanes.look(origin, isFresh);
    if (pool === "unproven" && room.unproven === 0) {
      room.isCut = true;
      break;
    }
    const slot = pool && lanes.enter(origin, isFresh);
    if (!slot) break;
    if (pool === "unproven") room.unproven--;
    room.all--;
    taken.push(slot);
  }
  return taken;
}
