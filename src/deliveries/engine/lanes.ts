/**
 * How many attempts each origin may make at once, so that slow receivers do not delay the others. No clock, no database.
 *
 * - An origin starts with one attempt at a time. Each answer doubles its limit, up to eight.
 * - A timeout or a slow median moves it to the slow lane, with one attempt at a time. Two quick answers move it back.
 * - In each lane, origins that have not proven themselves have their own slots, and never use those of the others. In the
 *   fast lane there are many: most of these attempts only wait for an answer, and hold no more than a socket and a body.
 *   A proven origin without an attempt gets one of them when its own are in use.
 * - Overdue deliveries use at most three quarters of these slots, so that a new origin is tried at once beside a backlog.
 */
import { DAY } from "../../lib/time.ts";

export type Lane = "fast" | "slow";
/** Whose slots these are: those of proven origins, or of the others. */
export type Pool = "proven" | "unproven";

/** The right to make one attempt. */
export interface Slot {
  readonly origin: string;
  readonly lane: Lane;
  readonly pool: Pool;
}

/** What an attempt shows about its origin. */
export interface Report {
  duration_ms: number;
  /** The receiver answered, with any status. */
  isAnswered: boolean;
  /** When the attempt ended, in epoch milliseconds. */
  at: number;
}

/** What to store about an origin, for other processes and for the next start. */
export interface Finding {
  origin: string;
  /** false: it was stored as one that answers, and no longer is. */
  isAnswering: boolean;
}

export interface Lanes {
  /** Returns the pool that has a slot for the origin, or null. It takes none, and the origin is not remembered for it. */
  look(origin: string, isFresh: boolean): Pool | null;
  /** Takes a slot; null when there is none. `isFresh`: for a delivery that became due only now. */
  enter(origin: string, isFresh: boolean): Slot | null;
  /** Counts the characters that an attempt keeps in memory until it ends. */
  load(slot: Slot, characters: number): void;
  /** Frees a slot; without a report when no attempt was made. Returns what is new about the origin. */
  leave(slot: Slot, report?: Report): Finding | null;
  /** Tells whether there is any memory of the origin. */
  knows(origin: string): boolean;
  /** Adds an origin that is unknown here, and that is stored as one that answered at `answeredAt`. */
  introduce(origin: string, answeredAt: number): void;
  /** Counts the slots taken. */
  inFlight(): Record<Lane, number>;
}

export interface LanesOptions {
  /** Slots of proven origins. */
  fast?: number;
  slow?: number;
  /** Slots of origins in the fast lane that have not proven themselves. */
  unproven?: number;
  /** The most characters that attempts at such origins keep, except for the first 96 attempts. */
  charactersMax?: number;
  /** The most origins remembered. The origin that was idle the longest is forgotten first. */
  remembered?: number;
}

const LIMIT_MAX = 8;
/** Slots of unproven origins that do not depend on the size of the bodies. */
const UNPROVEN_MIN = 96;
/** The slots of the slow lane for unproven origins, beside those for proven ones. */
const SLOW_UNPROVEN = 1 / 2;
/** The part of the slots of unproven origins for overdue deliveries. */
const OVERDUE = 3 / 4;
/** An answer that takes longer is slow; a failure without an answer that takes longer counts as a timeout. */
const SLOW_MS = 2_000;
/** The number of latest durations whose median counts. */
const WINDOW = 7;
/** The number of answers that must be known before their median moves an origin to the other lane. */
const TRIALS = 2;
/** How often it is stored that the same origin still answers. */
const STORED_EVERY_MS = 1 * DAY;

interface Origin {
  limit: number;
  inFlight: number;
  isSlow: boolean;
  /** It has answered, and has had no timeout in the slow lane since. */
  isProven: boolean;
  /** When it was last stored that it answers; null: that is not stored. */
  storedAt: number | null;
  durations: number[];
}

export function createLanes({
  fast = 192,
  slow = 64,
  unproven = 2_048,
  charactersMax = 32 * 1024 ** 2,
  remembered = 10_000,
}: LanesOptions = {}): Lanes {
  type Counts = Record<Pool, Record<Lane, number>>;
  const sizes: Counts = {
    proven: { fast, slow },
    unproven: { fast: unproven, slow: Math.floor(slow * SLOW_UNPROVEN) },
  };
  const taken: Counts = { proven: { fast: 0, slow: 0 }, unproven: { fast: 0, slow: 0 } };
  const loads = new Map<Slot, number>();
  let characters = 0;
  const origins = new Map<string, Origin>();

  function poolFor(origin: Origin, isFresh: boolean): Pool | null {
    if (origin.inFlight >= origin.limit) return null;
    const lane = laneOf(origin);
    if (origin.isProven && taken.proven[lane] < sizes.proven[lane]) return "proven";
    const size = characters < charactersMax ? sizes.unproven[lane] : Math.min(sizes.unproven[lane], UNPROVEN_MIN);
    const hasRoom = taken.unproven[lane] < Math.floor(size * (isFresh ? 1 : OVERDUE));
    return hasRoom && origin.inFlight === 0 ? "unproven" : null;
  }

  function forgetIdle(): void {
    for (const [name, origin] of origins) {
      if (origins.size <= remembered) return;
      if (origin.inFlight === 0) origins.delete(name);
    }
  }

  /** The map is in the order of use: the latest is the last. */
  function remember(name: string, origin: Origin): void {
    origins.delete(name);
    origins.set(name, origin);
    forgetIdle();
  }

  return {
    look: (name, isFresh) => poolFor(origins.get(name) ?? newOrigin(), isFresh),
    enter(name, isFresh) {
      const origin = origins.get(name) ?? newOrigin();
      const pool = poolFor(origin, isFresh);
      if (pool === null) return null;
      const slot: Slot = { origin: name, lane: laneOf(origin), pool };
      origin.inFlight++;
      taken[pool][slot.lane]++;
      remember(name, origin);
      return slot;
    },
    load(slot, length) {
      if (slot.pool === "proven") return;
      characters += length;
      loads.set(slot, length);
    },
    leave(slot, report) {
      taken[slot.pool][slot.lane]--;
      characters -= loads.get(slot) ?? 0;
      loads.delete(slot);
      const origin = origins.get(slot.origin);
      if (!origin) return null;
      origin.inFlight--;
      if (!report) return null;
      learn(origin, slot, report);
      return findingOf(slot.origin, origin, report);
    },
    knows: (name) => origins.has(name),
    introduce(name, answeredAt) {
      if (!origins.has(name)) remember(name, { ...newOrigin(), isProven: true, storedAt: answeredAt });
    },
    inFlight: () => ({
      fast: taken.proven.fast + taken.unproven.fast,
      slow: taken.proven.slow + taken.unproven.slow,
    }),
  };
}

function newOrigin(): Origin {
  return { limit: 1, inFlight: 0, isSlow: false, isProven: false, storedAt: null, durations: [] };
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

/** Says what to store after the origin has learned from a report, and takes note that it is stored. */
function findingOf(name: string, origin: Origin, { isAnswered, at }: Report): Finding | null {
  if (origin.isSlow || !origin.isProven) {
    if (origin.storedAt === null) return null;
    origin.storedAt = null;
    return { origin: name, isAnswering: false };
  }
  if (!isAnswered || (origin.storedAt !== null && at - origin.storedAt < STORED_EVERY_MS)) return null;
  origin.storedAt = at;
  return { origin: name, isAnswering: true };
}

/** Returns the median; of an even number of values, the upper one of the middle two. */
function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
