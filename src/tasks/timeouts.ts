import type { Db } from "../db/database.ts";
import type { Logger } from "pino";
import { moveLocked } from "./move.ts";
import { findNextDeadline, lockDueTasks } from "./store.ts";
import { startSweep, type Sweep } from "./sweep.ts";

/** Tasks ended in one transaction, at most. */
const BATCH = 100;

/**
 * Ends every task whose time has run out, up to `limit` of them, and says how many. Any number of processes may do this
 * at once: each task ends once. (spec: States and transitions, `timeout_seconds` elapses)
 */
export async function timeOutDueTasks({ db }: { db: Db }, limit = BATCH): Promise<number> {
  return db.write(async (tx) => {
    const due = await lockDueTasks(tx, tx.now(), limit);
    await moveLocked(tx, due, { type: "timed_out" }, { type: "system", email: null });
    return due.length;
  });
}

/** Keeps an eye on the deadlines until it is stopped. New tasks live for a minute at least, so no look misses one. */
export function startDeadlines(ctx: { db: Db; log: Logger }): Sweep {
  return startSweep(ctx, {
    batch: BATCH,
    run: () => timeOutDueTasks(ctx),
    next: () => findNextDeadline(ctx.db),
    onError: "Ending overdue tasks failed; trying again",
  });
}
