import type { Clock } from "../clock.ts";
import { createActivity, settle, type Activity, type Waiter, type Worker } from "./activity.ts";
import { createAgenda, type Agenda } from "./agenda.ts";
import { millisecondsOf, type Duration } from "./duration.ts";

/** The time of a test. It does not move while the program under test does something. */
export interface TestClock extends Clock {
  /** Moves the time on by `duration`. Everything due happens, and the program reacts to each event. */
  advance(duration: Duration): Promise<void>;
}

export interface Timeline {
  /** Returns epoch milliseconds. */
  now(): number;
  /**
   * Runs `act` at `time`. Actions of the same time run in the order of these calls.
   * @param isMinor - it only causes another request; there may be thousands of such actions
   */
  at(time: number, act: () => void, isMinor?: boolean): () => void;
  /** Records a wait until the returned function is called. */
  wait(who: Waiter): () => void;
  /** Stops time during work that does not itself wait for time. */
  busy<T>(work: Promise<T>, whose: Worker): Promise<T>;
  sleep(ms: number, signal: AbortSignal | undefined, who: Waiter): Promise<void>;
  advance(duration: Duration): Promise<void>;
}

export interface TimelineOptions {
  /** Epoch milliseconds. */
  start: number;
  /** true: only `advance` moves time. false: time also moves to the next event whenever everything waits. */
  isManual: boolean;
}

interface State {
  now: number;
  readonly isManual: boolean;
  readonly agenda: Agenda;
  readonly activity: Activity;
  /** Whether `run` is in progress. */
  isRunning: boolean;
  /** The last call of `advance` that is in progress. */
  advancing: Promise<void> | null;
}

export function createTimeline({ start, isManual }: TimelineOptions): Timeline {
  const state: State = {
    now: start,
    isManual,
    agenda: createAgenda(),
    activity: createActivity(),
    isRunning: false,
    advancing: null,
  };
  return {
    now: () => state.now,
    at: (time, act, isMinor) => add(state, time, act, isMinor),
    wait: (who) => wait(state, who),
    busy: async (work, whose) => busy(state, work, whose),
    sleep: async (ms, signal, who) => sleep(state, ms, signal, who),
    advance: async (duration) => advance(state, millisecondsOf(duration)),
  };
}

function add(state: State, time: number, act: () => void, isMinor = false): () => void {
  const remove = state.agenda.add({ time, act, isMinor });
  changed(state);
  return remove;
}

function wait(state: State, who: Waiter): () => void {
  const { waiting } = state.activity;
  let isOver = false;
  waiting[who]++;
  changed(state);
  return () => {
    if (isOver) return;
    isOver = true;
    waiting[who]--;
    changed(state);
  };
}

async function busy<T>(state: State, work: Promise<T>, whose: Worker): Promise<T> {
  const { working } = state.activity;
  working[whose]++;
  try {
    return await work;
  } finally {
    working[whose]--;
    changed(state);
  }
}

async function sleep(state: State, ms: number, signal: AbortSignal | undefined, who: Waiter): Promise<void> {
  signal?.throwIfAborted();
  const stopWaiting = wait(state, who);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const forget = add(state, state.now + ms, resolve, who === "call");
  const abort = (): void => reject(signal?.reason);
  signal?.addEventListener("abort", abort, { once: true });
  try {
    await promise;
  } finally {
    signal?.removeEventListener("abort", abort);
    forget();
    stopWaiting();
  }
}

/** Moves time on by `ms`, after earlier moves. */
async function advance(state: State, ms: number): Promise<void> {
  const before = state.advancing ?? Promise.resolve();
  const mine = before.then(async () => move(state, ms));
  state.advancing = mine;
  await mine;
  if (state.advancing === mine) state.advancing = null;
  changed(state);
}

async function move(state: State, ms: number): Promise<void> {
  const until = state.now + ms;
  do await settled(state);
  while (step(state, until));
  state.now = until;
}

function changed(state: State): void {
  state.activity.happened++;
  if (!state.isRunning && state.advancing === null) void run(state);
}

/** Runs what is due until nothing is left, or `advance` takes over. */
async function run(state: State): Promise<void> {
  state.isRunning = true;
  do await settled(state);
  while (state.advancing === null && step(state, mayJump(state) ? Number.POSITIVE_INFINITY : state.now));
  state.isRunning = false;
}

/** Returns whether time moves to the next event by itself. */
function mayJump({ isManual, activity: { waiting } }: State): boolean {
  return !isManual && waiting.call + waiting.anybody > 0;
}

async function settled({ activity, agenda }: State): Promise<void> {
  await settle(activity, () => agenda.next?.isMinor === true);
}

/** Runs the next action. @returns false if nothing is due until `limit` */
function step(state: State, limit: number): boolean {
  const { next } = state.agenda;
  if (next === undefined || next.time > limit) return false;
  state.agenda.shift();
  state.now = Math.max(state.now, next.time);
  state.activity.happened++;
  next.act();
  return true;
}
