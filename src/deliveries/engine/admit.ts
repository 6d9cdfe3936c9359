/** Which deliveries may begin now: those for which their origin gets a slot of its lane. */
import type { Db } from "../../db/database.ts";
import type { Located } from "../../db/home.ts";
import { listDueOf } from "../claim.ts";
import type { Lanes, Slot } from "./lanes.ts";
import { originsInTurn, type Parked, type Queue } from "./queue.ts";

interface Admitting {
  db: Db;
  lanes: Lanes;
  queue: Queue;
}

/** A delivery and its slot. */
export interface Admitted extends Located {
  slot: Slot;
}

/** How many deliveries a turn may still begin. */
export interface Room {
  readonly max: number;
  all: number;
  /** In slots of unproven origins. Many of them at once would delay the deliveries to proven origins. */
  unproven: number;
  /** Slots were free, but all room was used: the next turn should follow at once. */
  isCut: boolean;
}

const UNPROVEN_MAX = 48;

export function createRoom(max: number): Room {
  return { max, all: max, unproven: UNPROVEN_MAX, isCut: false };
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

/**
 * Takes slots for origins in their turn, and reads which of their deliveries fill them. When the database fails, all slots
 * are free again.
 */
export async function admitDue({ db, lanes, queue }: Admitting, now: number, room: Room): Promise<Admitted[]> {
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
  // Without any room from the start, the next turn has none either.
  if (room.all === 0) room.isCut = room.max > 0;
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
