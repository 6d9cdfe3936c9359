/** What is due, and when to ask the database again. */
import type { Db } from "../../db/database.ts";
import { SECOND } from "../../lib/time.ts";
import { findNextDue, listDueOrigins, walkDueOrigins } from "../claim.ts";
import { recallKnownDue, recallOrigins } from "./findings.ts";
import type { Lanes } from "./lanes.ts";
import { hasWaiting, type Queue } from "./queue.ts";

export interface LookState {
  /** Whether the next turn looks, whatever the time is. */
  mustLook: boolean;
  /** When a turn looks in any case, by `performance.now()`. */
  lookAt: number;
  /** The longest wait until the next look; doubles while nothing is found. */
  pauseMs: number;
  /** Whether the origins that are known to answer were looked for, which happens once. */
  hasLookedForKnown: boolean;
  /** The origin after which the walk over all origins continues. */
  walkFrom: string;
}

interface Looking {
  db: Db;
  lanes: Lanes;
  look: LookState;
  queue: Queue;
}

/** The waits between looks: the shortest, and the longest. A look on Citus asks every shard. */
const PAUSES = {
  sqlite: { shortest: 50, longest: 1 * SECOND },
  postgres: { shortest: 50, longest: 1 * SECOND },
  citus: { shortest: 200, longest: 4 * SECOND },
} as const;
/** The most deliveries that one look reads in the order of their time, and the most origins that it walks. */
const DUE_ROWS = 128;
const ORIGINS = 128;

export function createLookState(): LookState {
  return { mustLook: true, lookAt: 0, pauseMs: 0, hasLookedForKnown: false, walkFrom: "" };
}

/** Tells whether it is time to look, and takes note that this turn does. */
export function takeLook(look: LookState): boolean {
  const isTime = look.mustLook || performance.now() >= look.lookAt;
  look.mustLook = false;
  return isTime;
}

/** Adds the origins that have due deliveries to the queue. @returns whether there may be more of them */
export async function lookForDue(looking: Looking, now: number): Promise<boolean> {
  const found = await looking.db.lookAlone("deliveries", async () => ({ hasMore: await findDue(looking, now) }));
  return found?.hasMore ?? false;
}

async function findDue({ db, lanes, look, queue }: Looking, now: number): Promise<boolean> {
  if (!look.hasLookedForKnown) {
    // After a start, the origins that are known to answer go first.
    for (const origin of await recallKnownDue({ db, lanes }, now)) queue.waiting.add(origin);
    look.hasLookedForKnown = true;
  }
  const origins = await listDueOrigins(db, now, DUE_ROWS);
  await addWaiting(origins);
  if (origins.length < DUE_ROWS) return false;
  // The oldest deliveries may all belong to origins that are busy. A walk from origin to origin finds the others; each look
  // continues it for a stretch.
  const { due, last } = await walkDueOrigins(db, look.walkFrom, now, ORIGINS);
  await addWaiting(due);
  look.walkFrom = last ?? "";
  return last !== null;

  async function addWaiting(found: readonly string[]): Promise<void> {
    await recallOrigins({ db, lanes }, found);
    for (const origin of found) queue.waiting.add(origin);
  }
}

/** Sets the time of the next look after one that found `hasMore` and led to `begun` attempts. */
export async function scheduleNextLook(
  { db, look, queue }: Looking,
  { hasMore, begun }: { hasMore: boolean; begun: number },
): Promise<void> {
  const { shortest, longest } = PAUSES[db.dialect];
  look.pauseMs = hasMore || begun > 0 ? shortest : Math.min(Math.max(look.pauseMs * 2, shortest), longest);
  const lookedAt = performance.now();
  look.lookAt = lookedAt + (hasMore || hasWaiting(queue) ? look.pauseMs : await untilNextDue(db, look.pauseMs));
}

async function untilNextDue(db: Db, pauseMs: number): Promise<number> {
  const next = await findNextDue(db);
  if (next === null) return pauseMs;
  const wait = next - db.now();
  return wait <= 0 ? PAUSES[db.dialect].shortest : Math.min(wait, pauseMs);
}
