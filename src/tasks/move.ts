import { DELIVERIES_HINT, owe, type Owed } from "../deliveries/store.ts";
import type { Db, Reader, Tx } from "../db/database.ts";
import { originOf } from "../outbound/outbound-url.ts";
import { decide, type Actor, type Decision } from "./decide.ts";
import type { TaskEvent } from "./lifecycle.ts";
import { outcomeOf } from "./outcome.ts";
import { addMoves, addMovesIfUnchanged } from "./move-store.ts";
import { lockTask, type Task } from "./store.ts";

/** Everything that a change of a task's status writes. */
export interface Move extends Decision {
  owed: Owed | null;
}

/**
 * Every change of a task's status goes through here: the row, its audit entry, the answer, and all that is then owed
 * commit together, and whoever waits is told after that. (spec: States and transitions)
 *
 * @param before - the task as it was read just now; what has happened to it since wins
 * @param what - what happens; or a function that says it of the task as it is then, and throws where it may not happen.
 *   It is asked again when the task has changed
 * @param alongside - writes what else commits with it
 * @returns the task as it is now
 * @throws ServiceError TASK_NOT_FOUND, and what `transition` and `what` throw
 */
export async function moveTask(
  db: Db,
  before: Task,
  what: TaskEvent | ((reader: Reader, task: Task) => Promise<TaskEvent>),
  actor: Actor,
  alongside?: (tx: Tx, after: Task) => Promise<void>,
): Promise<Task> {
  const eventOf = typeof what === "function" ? what : async () => what;
  const event = await eventOf(db, before);
  // Locking, reading, writing and committing are a round trip each on PostgreSQL. A write that holds only while the task is as
  // it was read does the same; whoever is overtaken takes the long way.
  if (event.type !== "refused" && !alongside) {
    const move = planMove(before, event, actor, db.now());
    const [written] = await addMovesIfUnchanged(db, [move]);
    if (written !== undefined) {
      move.owed?.hold?.();
      db.hints.publish(hintsOf(move));
      return move.after;
    }
  }
  return db.write(async (tx) => {
    const locked = await lockTask(tx, before.id);
    const eventNow = await eventOf(tx, locked);
    // The clock is read under the lock.
    const move = planMove(locked, eventNow, actor, tx.now());
    await writeMoves(tx, [move]);
    await alongside?.(tx, move.after);
    return move.after;
  });
}

/** The same for many tasks that `tx` holds the locks of. */
export async function moveLocked(tx: Tx, tasks: readonly Task[], event: TaskEvent, actor: Actor): Promise<void> {
  const now = tx.now();
  await writeMoves(
    tx,
    tasks.map((task) => planMove(task, event, actor, now)),
  );
}

async function writeMoves(tx: Tx, moves: readonly Move[]): Promise<void> {
  await addMoves(tx, moves);
  for (const move of moves) {
    if (move.owed?.hold) tx.afterCommit(move.owed.hold);
    for (const hint of hintsOf(move)) tx.hint(hint);
  }
}

function hintsOf({ after, owed }: Move): string[] {
  const task = `task:${after.id}`;
  return owed !== null && owed.hold === null ? [task, DELIVERIES_HINT] : [task];
}

function planMove(before: Task, event: TaskEvent, actor: Actor, clock: number): Move {
  const decision = decide(before, event, actor, clock);
  const { after, response } = decision;
  const owed =
    after.ended_at === null || after.callback_url === null
      ? null
      : owe({
          kind: "callback",
          task_id: after.id,
          destination: after.callback_url,
          origin: originOf(after.callback_url),
          body: outcomeOf(after, response),
          due_at: after.ended_at,
        });
  return { ...decision, owed };
}
