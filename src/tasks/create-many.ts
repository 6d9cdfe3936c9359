import { setImmediate as nextTurn } from "node:timers/promises";
import { ServiceError } from "../errors.ts";
import { isJsonObject } from "../lib/json.ts";
import type { Caller } from "../people/caller.ts";
import { requireMay } from "./access.ts";
import {
  admitRequest,
  isLimit,
  storeAdmitted,
  type AdmittedRequest,
  type Created,
  type CreationContext,
} from "./create.ts";
import type { InTurn } from "./creator.ts";

/** Maximum number of tasks that are checked before they are stored together. */
const GROUP = 64;
/**
 * Maximum number of transactions at a time, for tasks that need one of their own. SQLite commits those that wait together. On
 * PostgreSQL each has a connection, and other requests need some as well.
 */
const TRANSACTIONS = { sqlite: GROUP, postgres: 4, citus: 4 } as const;
/** Time for checking and answering, per turn of the event loop. */
const WORKING_MS = 5;

/** What became of one task: an error is one that repeating the request does not change. */
export type Outcome = Created | ServiceError;

/**
 * Creates many tasks, each as `createTask` does: one that is refused does not hinder the others. Of two with the same key, the
 * second is a replay of the first.
 *
 * @param how.check - returns what the schema of a creation finds wrong with a body
 * @param how.answer - gets the outcome of each, in no order, as soon as it is known
 * @returns the results of `answer`, in the order of `bodies`
 * @throws ServiceError AGENT_SCOPE_MISSING, FORBIDDEN; DATABASE_UNAVAILABLE, COMMIT_UNKNOWN, OVERLOADED, after which some of the
 *   tasks may be stored: the whole request can be repeated
 */
export async function createTasks<T>(
  ctx: CreationContext,
  caller: Caller,
  bodies: readonly unknown[],
  { check, answer }: { check: (body: unknown) => Error | null; answer: (outcome: Outcome) => Promise<T> },
): Promise<T[]> {
  requireMay(caller, "create");
  const results: T[] = [];
  const pace = createPace();
  /** Requests that are checked and not stored. */
  const waiting = new Map<number, AdmittedRequest>();
  const on = inGroup(ctx, storeWaiting);
  /** The service cannot go on for now. */
  let outage: ServiceError | null = null;
  let isAnyStored = false;

  async function settle(i: number, outcome: Outcome): Promise<void> {
    const isError = outcome instanceof ServiceError;
    isAnyStored ||= !isError && !outcome.isReplay;
    if (isError && outcome.status === 503) outage ??= outcome;
    else results[i] = await answer(outcome);
    await pace();
  }

  async function storeWaiting(): Promise<void> {
    const some = [...waiting];
    waiting.clear();
    const outcomes = await Promise.all(some.map(async ([, one]) => outcomeOf(storeAdmitted(on, caller, one))));
    for (const [n, [i]] of some.entries()) await settle(i, outcomes[n]!);
  }

  for (const [i, body] of bodies.entries()) {
    const key = keyOf(body);
    if (key !== null && waiting.values().some((one) => keyOf(one.body) === key)) await storeWaiting();
    const admitted = await outcomeOf(admitRequest(on, caller, body, check(body)));
    if (admitted instanceof ServiceError || "task" in admitted) await settle(i, admitted);
    else {
      // Near a limit, tasks are counted one after the other, so that the first ones get the places.
      const isAlone = admitted.place.check !== null;
      if (isAlone) await storeWaiting();
      waiting.set(i, admitted);
      if (isAlone || waiting.size === GROUP) await storeWaiting();
      else await pace();
    }
    if (outage !== null) break;
  }
  // What was checked is stored, also if nothing can be checked any more.
  await storeWaiting();
  if (outage !== null) throw asOfAll(outage, isAnyStored);
  return results;
}

/** Callers take DATABASE_UNAVAILABLE as "nothing was stored". */
function asOfAll(outage: ServiceError, isAnyStored: boolean): ServiceError {
  return isAnyStored && outage.code === "DATABASE_UNAVAILABLE"
    ? new ServiceError("COMMIT_UNKNOWN", { cause: outage })
    : outage;
}

/** Returns the context for creations that share it. */
function inGroup(ctx: CreationContext, storeWaiting: () => Promise<void>): CreationContext {
  const inTurn = atMost(TRANSACTIONS[ctx.db.dialect]);
  let lastReplay: Promise<unknown> = Promise.resolve();
  return {
    ...ctx,
    admission: {
      ...ctx.admission,
      admit: async (caller) => {
        try {
          return await ctx.admission.admit(caller);
        } catch (error) {
          if (!isLimit(error)) throw error;
          // Replays among those that wait give their places back.
          await storeWaiting();
          return ctx.admission.admit(caller);
        }
      },
    },
    taskCreator: async (rows, recipients, more) => {
      const written = await ctx.taskCreator(rows, recipients, { ...more, inTurn });
      // Comparing a request with the task that has its key takes a while, so each has a turn of its own.
      if (written === null) await (lastReplay = lastReplay.then(async () => nextTurn()));
      return written;
    },
  };
}

async function outcomeOf<T>(work: Promise<T>): Promise<T | ServiceError> {
  try {
    return await work;
  } catch (error) {
    return error instanceof ServiceError ? error : new ServiceError("INTERNAL", { cause: error });
  }
}

function keyOf(body: unknown): string | null {
  const key = isJsonObject(body) ? body["idempotency_key"] : null;
  return typeof key === "string" ? key : null;
}

/** Returns a function that waits for the next turn of the event loop when this one was long. */
function createPace(): () => Promise<void> {
  let began = performance.now();
  return async () => {
    if (performance.now() - began < WORKING_MS) return;
    await nextTurn();
    began = performance.now();
  };
}

/** Returns a function that runs at most `max` at a time, in the order of its calls. */
function atMost(max: number): InTurn {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (write) => {
    if (running >= max) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      return await write();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };
}
