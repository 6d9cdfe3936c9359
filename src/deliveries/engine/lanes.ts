/**
 * How many attempts each origin may make at once, so that slow receivers do not delay the others. No clock, no database.
 *
 * - An origin starts with one attempt at a time. Each answer doubles its limit, up to eight.
 * - A timeout or a slow median moves it to the slow lane, with one attempt at a time. Two quick answers move it back.
 * - In each lane, origins that have not proven themselves use at most half of the slots, however many origins there are.
 *   Their overdue deliveries use at most three quarters of that half, so that a new origin is tried at once beside a backlog.
 */
export type Lane = "fast" | "slow";

/** The right to make one attempt. */
export interface Slot {
  readonly origin: string;
  readonly lane: Lane;
  readonly isProven: boolean;
}

/** What an attempt shows about its origin. */
export interface Report {
  duration_ms: number;
  /** The receiver answered, with any status. */
  isAnswered: boolean;
}

export interface Lanes {
  /** Takes a slot; null when there is none. `isFresh`: for a delivery that became due only now. */
  enter(origin: string, isFresh: boolean): Slot | null;
  /** Frees a slot; without a report when no attempt was made. */
  leave(slot: Slot, report?: Report): void;
  /** Counts the slots taken. */
  inFlight(): Record<Lane, number>;
}

export interface LanesOptions {
  fast?: number;
  slow?: number;
  /** The most origins remembered. The origin that was idle the longest is forgotten first. */
  remembered?: number;
}

const LIMIT_MAX = 8;
/** The share of a lane for origins that have not proven themselves, and the part of it for their overdue deliveries. */
const UNPROVEN = 1 / 2;
const UNPROVEN_OVERDUE = 3 / 8;
/** An answer that takes longer is slow; a failure without an answer that takes longer counts as a timeout. */
const SLOW_MS = 2_000;
/** The number of latest durations whose median counts. */
const WINDOW = 7;
/** The number of answers that must be known before their median moves an origin to the other lane. */
const TRIALS = 2;

interface Origin {
  limit: number;
  inFlight: number;
  isSlow: boolean;
  /** It has answered, and has had no timeout in the slow lane since. */
  isProven: boolean;
  durations: number[];
}

export function createLanes({ fast = 192, slow = 64, remembered = 10_000 }: LanesOptions = {}): Lanes {
  const sizes: Record<Lane, number> = { fast, slow };
  const total: Record<Lane, number> = { fast: 0, slow: 0 };
  const unproven: Record<Lane, number> = { fast: 0, slow: 0 };
  const origins = new Map<string, Origin>();

  function hasRoom(origin: Origin, isFresh: boolean): boolean {
    const lane = laneOf(origin);
    const size = sizes[lane];
    if (origin.inFlight >= origin.limit || total[lane] >= size) return false;
    return origin.isProven || unproven[lane] < Math.floor(size * (isFresh ? UNPROVEN : UNPROVEN_OVERDUE));
  }

  function forgetIdle(): void {
    for (const [name, origin] of origins) {
      if (origins.size <= remembered) return;
      if (origin.inFlight === 0) origins.delete(name);
    }
  }

  return {
    enter(name, isFresh) {
      const origin = origins.get(name) ?? newOrigin();
      if (!hasRoom(origin, isFresh)) return null;
      const slot: Slot = { origin: name, lane: laneOf(origin), isProven: origin.isProven };
      origin.inFlight++;
      total[slot.lane]++;
      if (!slot.isProven) unproven[slot.lane]++;
      // The map is in the order of use: the latest is the last.
      origins.delete(name);
      origins.set(name, origin);
      forgetIdle();
      return slot;
    },
    leave(slot, report) {
      total[slot.lane]--;
      if (!slot.isProven) unproven[slot.lane]--;
      const origin = origins.get(slot.origin);
      if (!origin) return;
      origin.inFlight--;
      if (report) learn(origin, slot, report);
    },
    inFlight: () => ({ ...total }),
  };
}

function newOrigin(): Origin {
  return { limit: 1, inFlight: 0, isSlow: false, isProven: false, durations: [] };
}

function laneOf(origin: Origin): Lane {
  return origin.isSlow ? "slow" : "fast";
}

function learn(origin: Origin, slot: Slot, { duration_ms, isAnswered }: Report): void {
  if (!isAnswered) {
    // A quick failure (a refused connection) blocks no slot, and tells nothing about answers.
    if (duration_ms <= SLOW_MS) return;
    if (slot.lane === "slow") origin.isProven = false;
    origin.isSlow = true;
    origin.limit = 1;
    origin.durations = [];
    return;
  }
  origin.durations = [...origin.durations, duration_ms].slice(-WINDOW);
  const isSlow = median(origin.durations) > SLOW_MS;
  if (origin.durations.length >= TRIALS && isSlow !== origin.isSlow) {
    origin.isSlow = isSlow;
    origin.limit = 1;
  }
  if (!origin.isSlow) origin.limit = Math.min(origin.limit * 2, LIMIT_MAX);
  origin.isProven = true;
}

/** Returns the median; of an even number of values, the upper one of the middle two. */
function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
