import { sql } from "kysely";
import type { Logger } from "pino";
import type { Db, Tx } from "../db/database.ts";
import { forUpdate } from "../db/locks.ts";
import type { Subscriptions } from "../subscriptions/known.ts";
import { SYSTEM, type Actor } from "../tasks/decide.ts";
import { dueTasks, sweepTasks } from "../tasks/due-tasks.ts";
import { MOVES_AT_ONCE, moveLocked } from "../tasks/move.ts";
import { startSweep, type Sweep } from "../tasks/sweep.ts";
import { countOpenTasks } from "./store.ts";

export interface CancelContext {
  db: Db;
  subscriptions: Subscriptions;
}

const REASON = "The agent was stopped.";

const OPEN = dueTasks<{ agent: string }>("open tasks of a stopped agent", (tasks, param) =>
  tasks
    .where("asked_by_id", "=", param("agent"))
    // The index has the tasks of agents alone.
    .where(sql<boolean>`asked_by_kind = 'agent'`)
    .where("ended_at", "is", null),
);

/** Batches of one request, at most. The sweep does the rest. */
const BATCHES_MAX = 100;

/**
 * Cancels the open tasks of a stopped agent, some in each transaction, until none is left or the agent may go on.
 * Tasks that another transaction has locked are left.
 */
export async function cancelOpenTasksOf({ db, subscriptions }: CancelContext, agent: string): Promise<void> {
  await subscriptions.refresh();
  const limit = MOVES_AT_ONCE[db.dialect];
  for (let batch = 0; batch < BATCHES_MAX; batch++) {
    const count = await sweepTasks(db, OPEN, { agent, limit }, async (tx, lock) => {
      const by = await cancellerOf(tx, agent);
      if (by === null) return 0;
      const open = await lock();
      await moveLocked(tx, open, { type: "cancelled", reason: REASON, email: by.email }, by, subscriptions);
      return open.length;
    });
    if (count < limit) return;
  }
}

/**
 * Returns in whose name the open tasks of an agent are to be cancelled, and keeps it so until `tx` ends; null: they are not.
 * A token that stopped the agent has no name.
 */
async function cancellerOf(tx: Tx, id: string): Promise<Actor | null> {
  const select = tx.query
    .selectFrom("agents")
    .select(["disabled_at", "cancels_until", "stopped_by"])
    .where("id", "=", id);
  const agent = await forUpdate(tx.dialect, select).executeTakeFirst();
  if (agent === undefined || agent.disabled_at === null || agent.cancels_until === null) return null;
  return agent.stopped_by === null ? SYSTEM : { type: "human", email: agent.stopped_by, agent: null };
}

/** Cancels what is left: tasks that were being created when their agent was stopped, and those that a process left behind. */
export function startCancelling(ctx: CancelContext & { log: Logger }): Sweep {
  const { db } = ctx;
  return startSweep(ctx, {
    name: "tasks of stopped agents",
    batch: Number.POSITIVE_INFINITY,
    run: async () => {
      const stopped = await db.query
        .selectFrom("agents")
        .select(["id", "cancels_until"])
        .where("cancels_until", "is not", null)
        .execute();
      for (const { id, cancels_until } of stopped) {
        const isOver = cancels_until! <= db.now();
        await cancelOpenTasksOf(ctx, id);
        if (isOver && ((await countOpenTasks(db, [id])).get(id) ?? 0) === 0)
          await endCancelling(db, id, cancels_until!);
      }
      return 0;
    },
    next: async () => null,
    onError: "Cancelling the tasks of stopped agents failed; trying again",
  });
}

async function endCancelling(db: Db, id: string, cancels_until: number): Promise<void> {
  await db.write(async (tx) => {
    await tx.query
      .updateTable("agents")
      .set({ cancels_until: null })
      .where("id", "=", id)
      .where("cancels_until", "=", cancels_until)
      .execute();
  });
}
