/**
 * Makes the attempts that are due: finds deliveries, takes each under a lease, hands it to its kind, writes the outcome, and
 * decides when the next attempt is due.
 *
 * Correctness rests on the table alone: a turn that looks finds everything that is due. Hints, responses and free slots only
 * start the next turn sooner. Deliveries whose response was sent have turns of their own, which ask for nothing else. So
 * they begin although a look takes long, or fails because one node of several is down. Two rules account for every attempt:
 * its outcome is written under its lease or not at all, and an attempt ends before its lease does.
 *
 * ## The engine is always in one of these modes
 *
 *     idle ── start() ──▶ running ── stop() ──▶ stopping
 *      └───────────────── stop() ──────────────────▲
 *
 * - idle: the first mode. Nothing happens by itself; `turn()` makes one turn. Released deliveries are ignored, since their
 *   rows become due without the engine.
 * - running: two loops make turns and sleep between them. One sleeps until the next look, and a hint that something is due
 *   ends its sleep. A turn of it that fails is followed by a sleep of a second and a look. The other one is for released
 *   deliveries, which end its sleep. An attempt that ended while others wait for a slot, and `stop()`, end both sleeps.
 * - stopping: the last mode. The loops end after their turns, and no more leases are taken. Attempts under way may take
 *   `drainMs`; after that each gives up its lease. What is queued stays in the table, where other processes find it.
 *
 * ## A delivery is always in one of these places
 *
 *     in the table, due (or becomes due)           in the table, held until its response was sent
 *          │ lookForDue: its origin is noted            │ release()
 *          │                                            ▼
 *          │                                       released
 *          │                                            │ parkReleased, in the next turn
 *          ▼          takeLateParked: no slot in        ▼
 *     waiting/fresh ◀─ 1 s, or older ones go first ─ parked
 *          │ admitDue                                   │ admitParked       (each takes a slot of the origin's lane)
 *          └──────────────────┬─────────────────────────┘
 *                             ▼
 *                         admitted ─ taken by another process, engine is stopping, or database failed ─▶ in the table
 *                             │ claimDeliveries: a lease, for 30 s
 *                             ▼
 *                         under way ─ engine is stopping and `drainMs` are over: the lease is released ─▶ in the table, due
 *                             │ the kind returned or threw, or 25 s are over; the slot is free
 *                             ▼
 *                         ended ─ 5 s were not enough to write: the lease lapses ─▶ recoverLapsed
 *                             │ writeOutcome
 *                             ▼
 *                         in the table: SUCCEEDED, FAILED (due later) or ABANDONED
 *
 * `waiting` and `fresh` hold origins, and no deliveries: which ones are due is read when there is a slot. After a start, the
 * origins that are stored as ones that answer (known-origins.ts) come first. The attempts of a process that is lost leave
 * leases that lapse. recoverLapsed makes these deliveries due again, under the same number of attempt; the fourth time it
 * writes the outcome `worker_lost`.
 */
import { giveUpAttempts, settleAttempts } from "./engine/attempt.ts";
import type { Lane } from "./engine/lanes.ts";
import { runLoops } from "./engine/loop.ts";
import { createState, type EngineOptions } from "./engine/state.ts";
import { makeTurn } from "./engine/turn.ts";
import type { HeldDelivery } from "./after-response.ts";
import { DELIVERIES_HINT } from "./store.ts";

export type { EngineOptions };

export interface Engine {
  /** Makes turns until the engine is stopped. */
  start(): void;
  /** Makes one turn that looks: begins what is due and has a slot. */
  turn(): Promise<void>;
  /** Waits for the attempts under way, and until their outcomes are written. */
  settle(): Promise<void>;
  /** Begins deliveries whose response was sent. */
  release(deliveries: readonly HeldDelivery[]): void;
  /** Takes no more leases, waits for the attempts under way, and releases the leases of those that take too long. */
  stop(): Promise<void>;
  /** Counts the attempts under way. */
  inFlight(): Record<Lane, number>;
}

export function createEngine(options: EngineOptions): Engine {
  const state = createState(options);
  const { db, look, queue, alarms, lanes, drainMs } = state;
  let looping: Promise<void> = Promise.resolve();

  const unlisten = db.hints.listen((hint) => {
    if (hint !== DELIVERIES_HINT) return;
    look.mustLook = true;
    alarms.due.ring();
  });

  return {
    start: () => {
      if (state.mode !== "idle") return;
      state.mode = "running";
      looping = runLoops(state);
    },
    turn: async () => {
      look.mustLook = true;
      await makeTurn(state);
    },
    settle: () => settleAttempts(state),
    release: (deliveries) => {
      if (state.mode !== "running") return;
      queue.released.push(...deliveries);
      alarms.released.ring();
    },
    stop: async () => {
      state.mode = "stopping";
      unlisten();
      for (const alarm of Object.values(alarms)) alarm.ring();
      await looping;
      const timer = setTimeout(() => giveUpAttempts(state), drainMs);
      await settleAttempts(state);
      clearTimeout(timer);
    },
    inFlight: lanes.inFlight,
  };
}
