/**
 * Makes the attempts that are due: finds them, takes them under a lease, hands them to their kind, writes down what came
 * of it, and decides when the next one is.
 *
 * Correctness rests on looking at the table alone. Hints, answers that went out and slots that became free only make it
 * look sooner. Two rules keep every attempt accounted for: an outcome is written under the lease of its attempt or not at
 * all, and an attempt is given up before its lease ends.
 */
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import type { Db, Tx } from "../db/database.ts";
import type { Metrics } from "../http/metrics.ts";
import { ServiceError } from "../errors.ts";
import { createBatcher } from "../lib/batch.ts";
import { MINUTE, SECOND } from "../lib/time.ts";
import type { DueDelivery, Kind, Kinds, Outcome } from "./kinds.ts";
import { createLanes, type Lane, type Slot } from "./lanes.ts";
import type { HeldDelivery } from "./response-hold.ts";
import {
  claimDeliveries,
  findNextDue,
  letFallDue,
  listDueOf,
  listDueOrigins,
  walkDueOrigins,
  type ClaimedDelivery,
} from "./claim.ts";
import {
  freeLapsed,
  giveBack,
  listLost,
  recordOutcome,
  recordOutcomes,
  type Attempt,
  type Ended,
  type EndedAttempt,
} from "./outcomes.ts";
import { DELIVERIES_HINT } from "./store.ts";

export interface Engine {
  /** Looks and sends until it is stopped. */
  start(): void;
  /** Looks once, and begins what is due and has room. */
  turn(): Promise<void>;
  /** Waits for the attempts under way, and for their outcomes to be written. */
  settle(): Promise<void>;
  /** The answer that these waited for is out: they may begin. */
  release(deliveries: readonly HeldDelivery[]): void;
  /** Takes nothing new, lets attempts under way end, and gives back those that do not in time. */
  stop(): Promise<void>;
  inFlight(): Record<Lane, number>;
}

export interface EngineOptions {
  db: Db;
  log: Logger;
  metrics: Pick<Metrics, "deliveryAttempts" | "deliveriesAbandoned">;
  kinds: Kinds;
  /** For how long an attempt belongs to the process that makes it, in milliseconds. */
  leaseMs?: number;
  /** How long attempts under way may take once the engine stops, in milliseconds. */
  drainMs?: number;
  /** From 0 to 1: how late, of what is allowed, a next attempt is. */
  random?: () => number;
}

/** Of its lease, what an attempt leaves for writing down its outcome. */
const WRITE_SHARE = 1 / 6;
/** How often the attempt of a lost process is repeated; after that it counts as failed. (wire: Callback schedule) */
const REPEATS_MAX = 3;
/** How often leases are looked through: a lost attempt is found this long after its lease has lapsed. */
const LAPSED_EVERY_MS = 5 * SECOND;

const BUSY_MS = 50;
const IDLE_MS = 1 * SECOND;
const ERROR_MS = 1 * SECOND;
/** What one turn looks at, at most: deliveries in the order of their time, origins in their order, lapsed leases. */
const DUE_ROWS = 128;
const ORIGINS = 128;
const LAPSED_ROWS = 100;
/** Deliveries that one turn begins, at most. */
const CLAIM_MAX = 128;
/** Outcomes that are written together, and such groups at once. */
const OUTCOMES = { items: 64, under_way: 2 };
/** How long released deliveries wait here for a slot before any process may take them; less than their rows are held. */
const PARKED_MS = 1 * SECOND;
/** Attempts under way or not yet written down, at most: a database that does not take outcomes ends the sending. */
const RUNNING_MAX = 512;

/** Why an attempt ended without an outcome: the engine stops. */
const GIVEN_UP = Symbol("given up");

/** A delivery that there is a slot for. */
interface Admitted {
  id: string;
  slot: Slot;
}

export function createEngine({
  db,
  log,
  metrics,
  kinds,
  leaseMs = 30 * SECOND,
  drainMs = 15 * SECOND,
  random = Math.random,
}: EngineOptions): Engine {
  const owner = randomUUID();
  const lanes = createLanes();
  const running = new Map<Promise<void>, AbortController>();
  const released: HeldDelivery[] = [];
  /** Released, by origin, and without a slot yet: their rows are held, so that nobody else begins them. */
  const parked = new Map<string, { id: string; since: number }[]>();
  /** Origins with something due, in the order in which they get their turn; `fresh`: it has only just become owed. */
  const waiting = new Set<string>();
  const fresh = new Set<string>();
  /** Where the walk over all origins goes on. */
  let walkFrom = "";
  let lapsedLookedAt = Number.NEGATIVE_INFINITY;

  let isRunning = false;
  let isStopping = false;
  let looping: Promise<void> = Promise.resolve();
  let wakeUp: (() => void) | null = null;
  let isWoken = false;
  /** Whether the next turn asks the database what is due, and by when one does in any case (`performance.now()`). */
  let mustLook = true;
  let lookAt = 0;
  let pauseMs = BUSY_MS;

  const outcomes = createBatcher<Ended, boolean>(
    OUTCOMES,
    (batch) => recordOutcomes(db, batch),
    (error) => !(error instanceof ServiceError),
  );

  // --- What is due -------------------------------------------------------------------------------------------------

  /** Notes the origins that have something due. @returns whether there may be more of them */
  async function look(now: number): Promise<boolean> {
    const origins = await listDueOrigins(db, now, DUE_ROWS);
    for (const origin of origins) waiting.add(origin);
    if (origins.length < DUE_ROWS) return false;
    // The oldest rows may all be of origins that are busy. Others are found by going from origin to origin, a stretch at
    // a time.
    const { due, last } = await walkDueOrigins(db, walkFrom, now, ORIGINS);
    for (const origin of due) waiting.add(origin);
    walkFrom = last ?? "";
    return last !== null;
  }

  function park(deliveries: readonly HeldDelivery[]): void {
    const since = performance.now();
    for (const { id, origin } of deliveries) {
      const own = parked.get(origin);
      if (own) own.push({ id, since });
      else parked.set(origin, [{ id, since }]);
    }
  }

  /**
   * Lets parked rows fall due that have stood too long, for other processes to take, and those whose origin has older ones
   * to send first.
   */
  async function unparkLate(): Promise<void> {
    const late: string[] = [];
    for (const [origin, own] of parked) {
      const isLate = performance.now() - own[0]!.since > PARKED_MS;
      if (!isLate && !waiting.has(origin) && !fresh.has(origin)) continue;
      parked.delete(origin);
      fresh.add(origin);
      late.push(...idsOf(own));
    }
    if (late.length > 0) await letFallDue(db, late);
  }

  function admitParked(max: number): Admitted[] {
    const admitted: Admitted[] = [];
    const rest: [string, { id: string; since: number }[]][] = [];
    for (const [origin, own] of parked) {
      if (admitted.length >= max) break;
      const slots = takeSlots(origin, true, Math.min(own.length, max - admitted.length));
      if (slots.length === 0) continue;
      parked.delete(origin);
      for (const [i, { id }] of own.splice(0, slots.length).entries()) admitted.push({ id, slot: slots[i]! });
      if (own.length > 0) rest.push([origin, own]);
    }
    // After the others' turn.
    for (const [origin, own] of rest) parked.set(origin, own);
    return admitted;
  }

  /** Takes slots for origins that have something due, in their order, and looks for what to fill them with. */
  async function admitDue(now: number, max: number): Promise<Admitted[]> {
    const slots = new Map<string, Slot[]>();
    let free = max;
    for (const origin of byTurns(fresh, waiting)) {
      if (free <= 0) break;
      const own = takeSlots(origin, fresh.has(origin), free);
      if (own.length === 0) continue;
      fresh.delete(origin);
      waiting.delete(origin);
      slots.set(origin, own);
      free -= own.length;
    }
    const admitted: Admitted[] = [];
    try {
      const wanted = [...slots].map(([origin, { length }]) => ({ origin, count: length }));
      for (const { id, origin } of await listDueOf(db, wanted, now)) {
        const slot = slots.get(origin)?.pop();
        if (slot) admitted.push({ id, slot });
        // As many as were asked for: there may be more, after the others' turn.
        if (slots.get(origin)?.length === 0) waiting.add(origin);
      }
    } finally {
      for (const slot of [...slots.values()].flat()) lanes.leave(slot);
    }
    return admitted;
  }

  function takeSlots(origin: string, isFresh: boolean, max: number): Slot[] {
    const taken: Slot[] = [];
    while (taken.length < max) {
      const slot = lanes.enter(origin, isFresh);
      if (!slot) break;
      taken.push(slot);
    }
    return taken;
  }

  /** One turn. @returns for how long there is nothing to do, in milliseconds */
  async function turn(): Promise<number> {
    const now = db.now();
    if (now - lapsedLookedAt >= LAPSED_EVERY_MS) await recoverLapsed(now);

    const isLooking = mustLook || performance.now() >= lookAt;
    mustLook = false;
    const hasMore = isLooking && (await look(now));

    park(released.splice(0));
    await unparkLate();
    const room = Math.max(0, Math.min(CLAIM_MAX, RUNNING_MAX - running.size));
    const held = admitParked(room);
    const due = await orLeave(held, () => admitDue(now, room - held.length));
    const begun = await begin(held, due);

    if (isLooking) {
      pauseMs = hasMore || begun > 0 ? BUSY_MS : Math.min(pauseMs * 2, IDLE_MS);
      lookAt = performance.now() + (hasMore || isAnyWaiting() ? pauseMs : await untilNextDue(pauseMs));
    }
    return released.length > 0 ? 0 : lookAt - performance.now();
  }

  const isAnyWaiting = () => waiting.size + fresh.size + parked.size > 0;

  async function untilNextDue(pause: number): Promise<number> {
    const next = await findNextDue(db);
    if (next === null) return pause;
    const wait = next - db.now();
    return wait <= 0 ? BUSY_MS : Math.min(wait, pause);
  }

  /** Takes what was admitted under a lease and begins it; others may have been faster. @returns how many it began */
  async function begin(held: readonly Admitted[], due: readonly Admitted[]): Promise<number> {
    const slots = new Map([...held, ...due].map(({ id, slot }) => [id, slot]));
    if (isStopping) {
      for (const slot of slots.values()) lanes.leave(slot);
      return 0;
    }
    if (slots.size === 0) return 0;
    const claimed = await orLeave([...held, ...due], () =>
      claimDeliveries(db, { held: idsOf(held), due: idsOf(due) }, { owner, until: db.now() + leaseMs }),
    );
    let begun = 0;
    for (const { body, ...row } of claimed) {
      const slot = slots.get(row.id);
      if (!slot) continue;
      slots.delete(row.id);
      run(row, body, slot);
      begun++;
    }
    for (const slot of slots.values()) lanes.leave(slot);
    return begun;
  }

  /** Gives the slots back when `step` fails. */
  async function orLeave<T>(admitted: readonly Admitted[], step: () => Promise<T>): Promise<T> {
    try {
      return await step();
    } catch (error) {
      for (const { slot } of admitted) lanes.leave(slot);
      throw error;
    }
  }

  const toAttempt = (row: ClaimedDelivery): Attempt => ({ ...row, lease_owner: owner });

  // --- An attempt --------------------------------------------------------------------------------------------------

  function run(row: ClaimedDelivery, body: string | null, slot: Slot): void {
    const controller = new AbortController();
    const done = attempt(row, body, slot, controller)
      .catch((error: unknown) => log.error({ err: error, delivery_id: row.id }, "An attempt could not be ended"))
      .finally(() => {
        running.delete(done);
        if (isAnyWaiting()) wake();
      });
    running.set(done, controller);
  }

  async function attempt(
    row: ClaimedDelivery,
    body: string | null,
    slot: Slot,
    controller: AbortController,
  ): Promise<void> {
    const started_at = db.now();
    const startedAt = performance.now();
    const { id, kind, task_id, destination, origin, cycle } = row;
    const delivery = { id, kind, task_id, destination, origin, cycle, attempt: row.attempt_count + 1, body };
    const outcome = await send(delivery, controller);
    if (outcome === GIVEN_UP) {
      lanes.leave(slot);
      return writeGiveBack(toAttempt(row));
    }
    const duration_ms = Math.round(performance.now() - startedAt);
    // The next attempt need not wait until this one is written down.
    lanes.leave(slot, { duration_ms, isAnswered: outcome.ok || outcome.status_code !== null });
    if (isAnyWaiting()) wake();
    metrics.deliveryAttempts.inc({ outcome: outcome.ok ? "succeeded" : "failed", lane: slot.lane });
    await write(row, toAttempt(row), outcome, { started_at, duration_ms });
  }

  async function send(delivery: DueDelivery, controller: AbortController): Promise<Outcome | typeof GIVEN_UP> {
    const { signal } = controller;
    const limit = leaseMs * (1 - WRITE_SHARE);
    const timer = setTimeout(() => controller.abort(new Error("The attempt took too long.")), limit);
    try {
      const outcome = await Promise.race([kindOf(delivery.kind).send(delivery, signal), whenAborted(signal)]);
      return !outcome.ok && signal.reason === GIVEN_UP ? GIVEN_UP : outcome;
    } catch (error) {
      if (signal.reason === GIVEN_UP) return GIVEN_UP;
      return failure(signal.aborted ? "timeout" : "internal", error instanceof Error ? error.message : String(error));
    } finally {
      clearTimeout(timer);
    }
  }

  const kindOf = (name: string): Kind => (Object.hasOwn(kinds, name) ? kinds[name]! : unknownKind);

  // --- Outcomes ----------------------------------------------------------------------------------------------------

  /** Writes an outcome, for as long as its lease may last; after that the attempt is somebody else's. */
  async function write(
    row: ClaimedDelivery,
    attempt: Attempt,
    outcome: Outcome,
    times: Pick<EndedAttempt, "started_at" | "duration_ms">,
  ): Promise<void> {
    const ended = conclude(row, outcome, times);
    const also = whatCommitsToo(row, outcome, ended);
    const giveUpAt = performance.now() + leaseMs * WRITE_SHARE;
    for (let pause = BUSY_MS; ; pause *= 2) {
      try {
        const isCounted = await (also ? writeWith(also, attempt, ended) : outcomes.add({ attempt, ended }));
        if (isCounted && ended.status === "ABANDONED") metrics.deliveriesAbandoned.inc();
        return;
      } catch (error) {
        log.error({ err: error, delivery_id: row.id }, "The outcome of an attempt could not be written");
        if (performance.now() + pause > giveUpAt) return;
        // Whatever the receiver said that cannot be stored: the attempt counts without it.
        ended.response_excerpt = null;
        await delay(pause);
      }
    }
  }

  function conclude(
    { kind, attempt_count }: ClaimedDelivery,
    outcome: Outcome,
    times: Pick<EndedAttempt, "started_at" | "duration_ms">,
  ): EndedAttempt {
    const ended_at = Math.max(db.now(), times.started_at);
    const { status_code, response_excerpt } = outcome;
    const common = { ...times, ended_at, status_code, response_excerpt };
    if (outcome.ok) return { ...common, status: "SUCCEEDED", next_attempt_at: null, error: null };
    const next = outcome.is_final ? null : kindOf(kind).nextAttemptAt(attempt_count + 1, new Date(ended_at), random());
    const earliest = ended_at + (outcome.wait_ms ?? 0);
    return {
      ...common,
      status: next === null ? "ABANDONED" : "FAILED",
      next_attempt_at: next === null ? null : Math.max(next.getTime(), earliest),
      error: `${outcome.error}: ${outcome.message}`,
    };
  }

  /** What the kind has to say about the end of a delivery; null where it has not ended, or there is nothing to say. */
  function whatCommitsToo(
    { id, kind: name, task_id, destination, attempt_count }: ClaimedDelivery,
    outcome: Outcome,
    { status, error }: EndedAttempt,
  ): ((tx: Tx) => Promise<void>) | null {
    const kind = kindOf(name);
    const delivery = { id, task_id, destination, attempts: attempt_count + 1 };
    if (status === "ABANDONED") return (tx) => kind.onAbandoned(tx, { ...delivery, last_error: error ?? "" });
    if (!outcome.ok || outcome.is_needless || !kind.onSucceeded) return null;
    return (tx) => kind.onSucceeded!(tx, delivery);
  }

  async function writeWith(also: (tx: Tx) => Promise<void>, attempt: Attempt, ended: EndedAttempt): Promise<boolean> {
    try {
      await db.write(async (tx) => {
        await also(tx);
        if (!(await recordOutcome(tx, attempt, ended))) throw new Outdated();
      });
      return true;
    } catch (error) {
      if (error instanceof Outdated) return false;
      throw error;
    }
  }

  async function writeGiveBack(attempt: Attempt): Promise<void> {
    try {
      await giveBack(db, attempt);
    } catch (error) {
      log.error({ err: error, delivery_id: attempt.id }, "An attempt could not be given back; its lease will lapse");
    }
  }

  /** Attempts whose process was lost are made again, at once; the fourth loss of the same attempt is its failure. */
  async function recoverLapsed(now: number): Promise<void> {
    // Where there is one process at a time, whatever is leased when it starts was left by an earlier one.
    const isStart = !db.hints.isShared && lapsedLookedAt === Number.NEGATIVE_INFINITY;
    const lapsedBy = isStart ? Number.MAX_SAFE_INTEGER : now;
    let freed: number;
    do {
      freed = await freeLapsed(db, lapsedBy, REPEATS_MAX, LAPSED_ROWS);
      if (freed > 0) mustLook = true;
    } while (freed === LAPSED_ROWS);
    for (const row of await listLost(db, lapsedBy, REPEATS_MAX, LAPSED_ROWS)) {
      const outcome = failure("worker_lost", "Every process that made this attempt ended before it did.");
      await write(row, row, outcome, { started_at: Math.min(row.lease_until - leaseMs, now), duration_ms: leaseMs });
    }
    lapsedLookedAt = now;
  }

  // --- The loop ----------------------------------------------------------------------------------------------------

  function wake(): void {
    isWoken = true;
    wakeUp?.();
  }

  async function loop(): Promise<void> {
    while (!isStopping) {
      isWoken = false;
      try {
        const pause = await turn();
        if (!isWoken && !isStopping && pause > 0) await sleep(pause);
      } catch (error) {
        log.error({ err: error }, "Looking for deliveries failed; trying again");
        mustLook = true;
        if (!isStopping) await sleep(ERROR_MS);
      }
    }
  }

  /** Until it is woken, or for `ms`. */
  async function sleep(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    wakeUp = null;
  }

  const unlisten = db.hints.listen((hint) => {
    if (hint !== DELIVERIES_HINT) return;
    mustLook = true;
    wake();
  });

  return {
    start: () => {
      isRunning = true;
      looping = loop();
    },
    turn: async () => {
      mustLook = true;
      await turn();
    },
    settle: async () => {
      while (running.size > 0) await Promise.all(running.keys());
    },
    release: (deliveries) => {
      if (!isRunning || isStopping) return; // they fall due by themselves
      released.push(...deliveries);
      wake();
    },
    stop: async () => {
      isStopping = true;
      unlisten();
      wake();
      await looping;
      const timer = setTimeout(() => {
        for (const controller of running.values()) controller.abort(GIVEN_UP);
      }, drainMs);
      while (running.size > 0) await Promise.all(running.keys());
      clearTimeout(timer);
    },
    inFlight: lanes.inFlight,
  };
}

/** The lease of an attempt is no longer the row's; what was to commit with its outcome is taken back. */
class Outdated extends Error {}

/** A row that another release wrote. */
const unknownKind: Kind = {
  send: async ({ kind }) => failure("unknown_kind", `This release knows no deliveries of the kind "${kind}".`),
  nextAttemptAt: (attempts, endedAt) => (attempts < 10 ? new Date(endedAt.getTime() + 10 * MINUTE) : null),
  onAbandoned: async () => {},
};

function failure(error: string, message: string): Outcome {
  return { ok: false, error, message, status_code: null, response_excerpt: null };
}

/** One of each in turn, those of `second` that are in `first` left out. */
function* byTurns(first: ReadonlySet<string>, second: ReadonlySet<string>): Generator<string> {
  const rest = second.values();
  for (const one of first) {
    yield one;
    for (let next = rest.next(); !next.done; next = rest.next()) {
      if (first.has(next.value)) continue;
      yield next.value;
      break;
    }
  }
  for (const one of rest) if (!first.has(one)) yield one;
}

function idsOf(rows: readonly { id: string }[]): string[] {
  return rows.map(({ id }) => id);
}

/** Rejects with the reason once the signal is aborted. */
function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
}
