import { DELIVERIES_HINT, type NewDelivery, newDelivery } from "../deliveries/store.ts";
import type { Db, Reader, Tx } from "../db/database.ts";
import { originOf } from "../outbound/outbound-url.ts";
import { emailKey } from "../lib/text.ts";
import { decide, type Actor, type Decision } from "./decide.ts";
import type { TaskEvent } from "./lifecycle.ts";
import { addMoves, addMovesIfUnchanged } from "./move-store.ts";
import type { Notifier } from "./notices.ts";
import { parseNotify } from "./notify.ts";
import { outcomeOf } from "./outcome.ts";
import { findRequest, lockTask, type Task } from "./store.ts";

/** Everything that a change of a task's status writes. */
export interface Move extends Decision {
  /** The callback, where it is one of the effects and the task has a URL for it. */
  owed: NewDelivery | null;
}

/**
 * Every change of a task's status goes through here: the row, its audit entry, the answer, and everything that the change
 * enqueues commit together, and those who wait are told after that. (spec: States and transitions)
 *
 * @param before - the task as it was read just now; what has happened to it since wins
 * @param what - what happens; or a function that says it of the task as it is then, and throws where it may not happen.
 *   It is asked again when the task has changed
 * @returns the task as it is now
 * @throws ServiceError TASK_NOT_FOUND, and what `transition` and `what` throw
 */
export async function moveTask(
  { db, notifier }: { db: Db; notifier: Pick<Notifier, "enqueue"> },
  before: Task,
  what: TaskEvent | ((reader: Reader, task: Task) => Promise<TaskEvent>),
  actor: Actor,
): Promise<Task> {
  const eventOf = typeof what === "function" ? what : async () => what;
  const event = await eventOf(db, before);
  // Locking, reading, writing and committing are a round trip each on PostgreSQL. A write that holds only while the task is as
  // it was read does the same; whoever is overtaken takes the long way.
  if (event.type !== "refused") {
    const move = planMove(before, event, actor, db.now());
    const [written] = await addMovesIfUnchanged(db, [move]);
    if (written !== undefined) {
      move.owed?.startAfterResponse?.();
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
    if (move.effects.includes("sent_back")) await enqueueSentBack(tx, notifier, move);
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
    if (move.owed?.startAfterResponse) tx.afterCommit(move.owed.startAfterResponse);
    for (const hint of hintsOf(move)) tx.hint(hint);
  }
}

/** Tells the person whose answer was refused, where `notify` names their address. */
async function enqueueSentBack(tx: Tx, notifier: Pick<Notifier, "enqueue">, { event, after }: Move): Promise<void> {
  const email = "by" in event ? event.by.email : null;
  if (email === null) return;
  const notify = parseNotify((await findRequest(tx, after.id))?.notify ?? null);
  const to = notify.filter(({ target }) => emailKey(target) === emailKey(email));
  if (to.length > 0) await notifier.enqueue(tx, { task_id: after.id, purpose: "sent_back", at: after.updated_at }, to);
}

function hintsOf({ after, owed }: Move): string[] {
  const task = `task:${after.id}`;
  return owed !== null && owed.startAfterResponse === null ? [task, DELIVERIES_HINT] : [task];
}

function planMove(before: Task, event: TaskEvent, actor: Actor, clock: number): Move {
  const decision = decide(before, event, actor, clock);
  const { after, effects, response } = decision;
  const owed =
    !effects.includes("callback") || after.callback_url === null
      ? null
      : newDelivery({
          kind: "callback",
          task_id: after.id,
          destination: after.callback_url,
          origin: originOf(after.callback_url),
          body: outcomeOf(after, response),
          due_at: after.updated_at,
        });
  return { ...decision, owed };
}
