/**
 * Who may make how many attempts at once, so that receivers that are slow or down cost the others nothing.
 *
 * An origin begins with one attempt at a time; each answer doubles that, up to eight. A timeout, or a slow median, moves
 * it to the slow lane, one attempt at a time, until it has answered quickly twice. In each lane, half of the slots are out
 * of reach for origins that have not proven themselves, however many of them there are. No clock, no database.
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
  /** How many attempts to `origin` may begin now. */
  room(origin: string): number;
  /** Takes a slot; null when there is no room. */
  enter(origin: string): Slot | null;
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

  function room(name: string): number {
    const origin = origins.get(name) ?? newOrigin();
    const lane = laneOf(origin);
    const free = sizes[lane] - total[lane];
    const ofKind = origin.isProven ? free : Math.min(free, Math.floor(sizes[lane] / 2) - unproven[lane]);
    return Math.max(0, Math.min(ofKind, origin.limit - origin.inFlight));
  }

  function forgetIdle(): void {
    for (const [name, origin] of origins) {
      if (origins.size <= remembered) return;
      if (origin.inFlight === 0) origins.delete(name);
    }
  }

  return {
    room,
    enter(name) {
      if (room(name) === 0) return null;
      const origin = origins.get(name) ?? newOrigin();
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
