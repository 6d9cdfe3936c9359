import type { Clock } from "../clock.ts";
import { millisecondsOf, type Duration } from "./duration.ts";

/** The time of a test. It stands still while the program under test does something. */
export interface TestClock extends Clock {
  /** Lets so much time pass, with all that is due in it, and the program react to each. */
  advance(duration: Duration): Promise<void>;
}

/** Whose waiting it is: that of a call of the client, which `busy` knows of, or of anybody. */
export type Waiter = "call" | "anybody";
/** A call of the client waits or ends. Code of the test may wait for a call in turn, and nobody knows that it does. */
type Worker = "call" | "test";

export interface Timeline {
  /** Epoch milliseconds. */
  now(): number;
  /**
   * Does something once it is `time`; what is due at the same time happens in the order in which it was said.
   * @param isMinor - nothing comes of it but another request; there may be thousands
   */
  at(time: number, act: () => void, isMinor?: boolean): () => void;
  /** Somebody does nothing but wait, until the function that comes back is called. */
  wait(who: Waiter): () => void;
  /** Time stands still while work goes on that does not itself wait for time. */
  busy<T>(work: Promise<T>, whose: Worker): Promise<T>;
  sleep(ms: number, signal: AbortSignal | undefined, who: Waiter): Promise<void>;
  advance(duration: Duration): Promise<void>;
}

export interface TimelineOptions {
  /** Epoch milliseconds. */
  start: number;
  /** true: time moves by `advance` only. false: also when everybody waits, to what is due next. */
  isManual: boolean;
}

/** As they are before a test replaces them. */
const { setTimeout } = globalThis;
const { setImmediate } = globalThis as { setImmediate?: (act: () => void) => unknown };
const BUSY_TURN_MS = 5;
/** Who does not wait after so many turns is left behind: a call has lost its way, and the test's own code waits for one. */
const BUSY_TURNS = { call: 1000, test: 100 };

export function createTimeline({ start, isManual }: TimelineOptions): Timeline {
  let now = start;
  let due: { time: number; act: () => void; isMinor: boolean }[] = [];
  const waiting = { call: 0, anybody: 0 };
  const working = { call: 0, test: 0 };
  /** Counts what happens, so that it is seen when nothing does. */
  let happened = 0;
  let isRunning = false;
  let advancing: Promise<void> | null = null;

  function at(time: number, act: () => void, isMinor = false): () => void {
    const entry = { time, act, isMinor };
    const later = due.findIndex((other) => other.time > time);
    due.splice(later === -1 ? due.length : later, 0, entry);
    changed();
    return () => {
      due = due.filter((other) => other !== entry);
    };
  }

  /** @returns false when nothing is due until `limit` */
  function step(limit: number): boolean {
    const next = due[0];
    if (next === undefined || next.time > limit) return false;
    due.shift();
    now = Math.max(now, next.time);
    happened++;
    next.act();
    return true;
  }

  function changed(): void {
    happened++;
    if (!isRunning && advancing === null) void run();
  }

  async function run(): Promise<void> {
    isRunning = true;
    do await settle();
    while (advancing === null && step(mayJump() ? Number.POSITIVE_INFINITY : now));
    isRunning = false;
  }

  function mayJump(): boolean {
    return !isManual && waiting.call + waiting.anybody > 0;
  }

  /** Resolves once the program has come to where it only waits. */
  async function settle(): Promise<void> {
    const isBusy = (turns: number) =>
      (working.call > waiting.call && turns < BUSY_TURNS.call) || (working.test > 0 && turns < BUSY_TURNS.test);
    for (let quiet = 0; quiet < 2 || isBusy(quiet); quiet++) {
      const seen = happened;
      await turn(quiet, due[0]?.isMinor === true);
      if (happened !== seen) quiet = -1;
    }
  }

  async function advance(ms: number): Promise<void> {
    const until = now + ms;
    do await settle();
    while (step(until));
    now = until;
  }

  function wait(who: Waiter): () => void {
    let isOver = false;
    waiting[who]++;
    changed();
    return () => {
      if (isOver) return;
      isOver = true;
      waiting[who]--;
      changed();
    };
  }

  return {
    now: () => now,
    at,
    wait,
    busy: async (work, whose) => {
      working[whose]++;
      try {
        return await work;
      } finally {
        working[whose]--;
        changed();
      }
    },
    sleep: async (ms, signal, who) => {
      signal?.throwIfAborted();
      const stopWaiting = wait(who);
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const forget = at(now + ms, resolve, who === "call");
      const abort = (): void => reject(signal?.reason);
      signal?.addEventListener("abort", abort, { once: true });
      try {
        await promise;
      } finally {
        signal?.removeEventListener("abort", abort);
        forget();
        stopWaiting();
      }
    },
    advance: async (duration) => {
      const ms = millisecondsOf(duration);
      const before = advancing ?? Promise.resolve();
      const mine = before.then(async () => advance(ms));
      advancing = mine;
      await mine;
      if (advancing === mine) advancing = null;
      changed();
    },
  };
}

/** Lets the program have a turn of its event loop, and later on some time. */
function turn(quiet: number, isBrief: boolean): Promise<void> {
  return new Promise((resolve) => {
    if (quiet > 1) setTimeout(resolve, BUSY_TURN_MS);
    else if (setImmediate !== undefined && (quiet === 0 || isBrief)) setImmediate(resolve);
    else setTimeout(resolve, 0);
  });
}
