import type { Db } from "../db/database.ts";
import type { Logger } from "pino";
import type { Subscriptions } from "../subscriptions/known.ts";
import { SYSTEM } from "./decide.ts";
import { DEADLINE_HINT, MOVES_AT_ONCE, moveLocked } from "./move.ts";
import { dueTasks, sweepTasks } from "./due-tasks.ts";
import { findFallbacks, findNextDeadline } from "./store.ts";
import { startSweep, type Sweep } from "./sweep.ts";

interface Ctx {
  db: Db;
  subscriptions: Subscriptions;
}

/** Open tasks past their deadline, those first that have waited longest. */
const DUE = dueTasks(
  "due tasks",
  (tasks, param) => tasks.where("ended_at", "is", null).where("timeout_at", "<=", param("now")),
  (tasks) => tasks.orderBy("timeout_at").orderBy("id"),
);

/**
 * Times out up to `limit` tasks past their deadline and returns how many. Several processes may do this at once; each
 * task times out once. One with a declared answer is completed with it. (spec: States and transitions, `timeout_seconds`
 * elapses; beyond the spec: In time)
 */
export async function timeOutDueTasks({ db, subscriptions }: Ctx, limit = MOVES_AT_ONCE[db.dialect]): Promise<number> {
  await subscriptions.refresh();
  return sweepTasks(db, DUE, { limit }, async (tx, lock) => {
    const due = await lock();
    const fallbacks = await findFallbacks(tx, due);
    await moveLocked(
      tx,
      due,
      ({ id }) => {
        const fallback = fallbacks.get(id);
        return fallback === undefined ? { type: "timed_out" } : { type: "fallback", ...fallback };
      },
      SYSTEM,
      subscriptions,
    );
    return due.length;
  });
}

/**
 * Times out due tasks until it is stopped. The shortest timeout of a new task is a minute, so these are found in time. A
 * deadline that is moved may be nearer.
 */
export function startDeadlines(ctx: Ctx & { log: Logger }): Sweep {
  const sweep = startSweep(ctx, {
    name: "deadlines",
    batch: MOVES_AT_ONCE[ctx.db.dialect],
    run: () => timeOutDueTasks(ctx),
    next: () => findNextDeadline(ctx.db),
    onError: "Ending overdue tasks failed; trying again",
  });
  const unlisten = ctx.db.hints.listen((hint) => {
    if (hint === DEADLINE_HINT) sweep.wake();
  });
  return {
    wake: sweep.wake,
    stop: async () => {
      unlisten();
      await sweep.stop();
    },
  };
}
