/**
 * Who may make how many attempts at once, so that receivers that are slow or down cost the others nothing.
 *
 * An origin begins with one attempt at a time; each answer doubles that, up to eight. A timeout, or a slow median, moves
 * it to the slow lane, one attempt at a time, until it has answered quickly twice. In each lane, half of the slots are out
 * of reach for origins that have not proven themselves, however many of them there are; and of the other half, a quarter
 * is out of reach for what is overdue, so that a new origin is tried at once beside any backlog. No clock, no database.
 */
export type Lane = "fast" | "slow";

/** The right to make one attempt. */
export interface Slot {
  readonly origin: string;
  readonly lane: Lane;
  readonly isProven: boolean;
}

/** What an attempt told about its origin. */
export interface Report {
  duration_ms: number;
  /** The receiver answered, whatever it answered. */
  isAnswered: boolean;
}

export interface Lanes {
  /** Takes a slot; null when there is no room. `isFresh`: for something that has only just become owed. */
  enter(origin: string, isFresh: boolean): Slot | null;
  /** Gives a slot back; without a report when no attempt was made. */
  leave(slot: Slot, report?: Report): void;
  /** Attempts under way. */
  inFlight(): Record<Lane, number>;
}

export interface LanesOptions {
  fast?: number;
  slow?: number;
  /** Origins remembered; the one that was idle the longest is forgotten first. */
  remembered?: number;
}

const LIMIT_MAX = 8;
/** The part of a lane that origins which have not proven themselves may fill, and that they may fill with old rows. */
const UNPROVEN = 1 / 2;
const UNPROVEN_OVERDUE = 3 / 8;
/** What takes longer is slow when it is an answer, and as good as a timeout when it is none. */
const SLOW_MS = 2_000;
/** Durations that the median is taken of. */
const WINDOW = 7;
/** Answers, quick in the median, that lead out of the slow lane; and answers that can lead into it. */
const TRIALS = 2;

interface Origin {
  limit: number;
  inFlight: number;
  isSlow: boolean;
  /** It has answered, and not fallen silent in the slow lane since. */
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
      // The newest last.
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
    // What fails at once (a refused connection) holds no slot up, and says nothing of how it answers.
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

/** Of an even number, the upper one of the two in the middle. */
function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
