/**
 * What waits in this process for a slot: origins with due deliveries, and deliveries that this process alone may begin. No
 * clock, no database: times are given, as `performance.now()` tells them.
 */
import type { Located } from "../../db/home.ts";
import { SECOND } from "../../lib/time.ts";
import type { HeldDelivery } from "../after-response.ts";

export interface Queue {
  /** Deliveries whose response was sent since the last turn. Their rows are held: no other process begins them yet. */
  readonly released: HeldDelivery[];
  /** The same by origin, from the next turn until there is a slot. */
  readonly parked: Map<string, Parked[]>;
  /** Origins with due deliveries, in the order of their turns. */
  readonly waiting: Set<string>;
  /** Origins whose deliveries became due only now. They alternate with those in `waiting`, and may be in both. */
  readonly fresh: Set<string>;
}

export interface Parked extends Located {
  since: number;
}

/** How long parked deliveries wait for a slot before other processes may take them. Their rows are held for longer. */
const PARKED_MS = 1 * SECOND;

export function createQueue(): Queue {
  return { released: [], parked: new Map(), waiting: new Set(), fresh: new Set() };
}

/** Tells whether an origin with due deliveries waits for a slot. */
export function hasWaiting({ waiting, fresh }: Queue): boolean {
  return waiting.size + fresh.size > 0;
}

/** released -> parked */
export function parkReleased({ released, parked }: Queue, now: number): void {
  for (const { id, home, origin } of released.splice(0)) {
    const own = parked.get(origin);
    if (own) own.push({ id, home, since: now });
    else parked.set(origin, [{ id, home, since: now }]);
  }
}

/**
 * parked -> fresh, for origins that have waited too long, and for those with older deliveries, which go first.
 *
 * @returns the deliveries, whose rows must be made due
 */
export function takeLateParked({ parked, waiting, fresh }: Queue, now: number): Located[] {
  const late: Located[] = [];
  for (const [origin, own] of parked) {
    const isLate = now - own[0]!.since > PARKED_MS;
    if (!isLate && !waiting.has(origin) && !fresh.has(origin)) continue;
    parked.delete(origin);
    fresh.add(origin);
    late.push(...own.map(({ id, home }) => ({ id, home })));
  }
  return late;
}

/** Returns after how many milliseconds `takeLateParked` must be called; Infinity if nothing is parked. */
export function untilLateParked({ parked }: Queue, now: number): number {
  let earliest = Number.POSITIVE_INFINITY;
  for (const [first] of parked.values()) earliest = Math.min(earliest, first!.since);
  return earliest + PARKED_MS + 1 - now;
}

/** Lists the origins with due deliveries in the order of their turns: a fresh one, then one that was waiting, and so on. */
export function* originsInTurn({ fresh, waiting }: Queue): Generator<string> {
  const rest = waiting.values();
  for (const origin of fresh) {
    yield origin;
    for (let next = rest.next(); !next.done; next = rest.next()) {
      if (fresh.has(next.value)) continue;
      yield next.value;
      break;
    }
  }
  for (const origin of rest) if (!fresh.has(origin)) yield origin;
}
