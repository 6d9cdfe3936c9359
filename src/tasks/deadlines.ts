import type { Context } from "../context.ts";
import { SECOND } from "../lib/time.ts";
import { moveLocked } from "./move.ts";
import { findNextDeadline, lockDueTasks } from "./store.ts";

/** Tasks ended in one transaction, at most. */
const BATCH = 100;
/** New tasks live for a minute at least, so looking this often misses no deadline. */
const LOOK_EVERY_MS = 10 * SECOND;
/** Where a due task is held by somebody else; also the least time between two looks. */
const LEFT_OVER_MS = 50;
/** After an error. */
const AGAIN_MS = 1 * SECOND;

/**
 * Ends every task whose time has run out, up to `limit` of them, and says how many. Any number of processes may do this
 * at once: each task ends once. (spec: States and transitions, `timeout_seconds` elapses)
 */
export async function timeOutDueTasks({ db }: Pick<Context, "db">, limit = BATCH): Promise<number> {
  return db.write(async (tx) => {
    const due = await lockDueTasks(tx, tx.now(), limit);
    await moveLocked(tx, due, { type: "timed_out" }, { type: "system", email: null });
    return due.length;
  });
}

/** Keeps an eye on the deadlines until it is stopped: a timer at the earliest one, looked up again every ten seconds. */
export function startDeadlines(ctx: Pick<Context, "db" | "log">): { stop(): Promise<void> } {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  let running: Promise<void> = Promise.resolve();

  async function sweep(): Promise<void> {
    let wait = LOOK_EVERY_MS;
    try {
      // One batch a turn: whoever else wants to write gets in between.
      let ended = BATCH;
      while (!isStopped && ended === BATCH) ended = await timeOutDueTasks(ctx);
      const next = await findNextDeadline(ctx.db);
      // What is due and was left over is being ended by somebody else.
      if (next !== null) wait = Math.min(Math.max(next - ctx.db.now(), LEFT_OVER_MS), LOOK_EVERY_MS);
    } catch (error) {
      ctx.log.error({ err: error }, "Ending overdue tasks failed; trying again");
      wait = AGAIN_MS;
    }
    if (!isStopped) {
      timer = setTimeout(() => {
        running = sweep();
      }, wait);
    }
  }

  running = sweep();
  return {
    stop: async () => {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
