import { DELIVERIES_HINT, type NewDelivery, newDelivery } from "../deliveries/store.ts";
import type { RevisedDocuments } from "../conversation/versions.ts";
import type { Db, Reader, Tx } from "../db/database.ts";
import { originOf } from "../outbound/outbound-url.ts";
import { emailKey } from "../lib/text.ts";
import type { Subscriptions } from "../subscriptions/known.ts";
import { decide, type Actor, type Decision } from "./decide.ts";
import type { StoredVote } from "../approvals/store.ts";
import { isRepeatedVote } from "../approvals/proposal.ts";
import { afterBallot, votesAfter } from "./approving.ts";
import { isTerminal, type Ballot, type TaskEvent } from "./lifecycle.ts";
import { addMoves } from "./move-store.ts";
import type { Mover } from "./mover.ts";
import { afterRevision } from "./revised.ts";
import type { Notifier } from "./notices.ts";
import { parseNotify } from "./notify.ts";
import { outcomeOf } from "./outcome.ts";
import { movedEvent } from "./task-event.ts";
import { findRequest, getTaskWithDocuments, lockTask, votesFor, type Task } from "./store.ts";

/** The hint that the deadline of a task has changed, and may be the next one. */
export const DEADLINE_HINT = "deadline";
/** The hint that a step may be due sooner than the next look. */
export const STEPS_HINT = "steps";

/**
 * Maximum number of tasks that the service moves in one transaction. On SQLite it is one turn of the event loop, so that it
 * may take a few milliseconds.
 */
export const MOVES_AT_ONCE = { sqlite: 40, postgres: 100, citus: 100 };

/** Everything that a change of a task's status writes. */
export interface Move extends Decision {
  /** The callback, if it is one of the effects and the task has a `callback_url`, and the events for subscribers. */
  outgoing: readonly NewDelivery[];
  /** What people have decided, this change included, if several must approve. */
  votes: readonly StoredVote[];
}

export interface MoveContext {
  db: Db;
  notifier: Pick<Notifier, "enqueue" | "enqueueFor" | "inBrowsers">;
  subscriptions: Subscriptions;
  mover: Mover;
}

/**
 * Changes the status of a task; every change goes through here. The row, the audit entry, the answer and the deliveries
 * commit together. Waiters are notified after the commit. (spec: States and transitions)
 *
 * @param before - the task as read before; later changes win
 * @param what - the event, or a function that returns it for the current task and throws if it is not allowed. It is called
 *   again if the task has changed
 * @returns the task after the change, with what people have decided, and with what it asks if it was revised since `before`:
 *   nothing may be read after the commit, because a read that fails would have to say that nothing was written
 * @throws ServiceError TASK_NOT_FOUND, and what `transition` and `what` throw
 */
export async function moveTask(
  { db, notifier, subscriptions, mover }: MoveContext,
  before: Task,
  what: TaskEvent | ((reader: Reader, task: Task) => Promise<TaskEvent>),
  actor: Actor,
): Promise<Task & { votes: readonly StoredVote[] } & Partial<RevisedDocuments>> {
  const eventOf = typeof what === "function" ? what : async () => what;
  const event = await eventOf(db, before);
  const refreshing = subscriptions.refresh();
  if (refreshing !== null) await refreshing;
  // Lock, read, write and commit are a round trip each on PostgreSQL. A conditional write that applies only to an unchanged
  // task needs one. If it fails, the transaction below runs.
  if (event.type !== "refused" && event.type !== "revised" && !isBallot(event)) {
    const move = planMove(before, event, actor, db.now(), await votesFor(db, before), subscriptions);
    if (await mover(move)) {
      for (const { startAfterResponse } of move.outgoing) startAfterResponse?.();
      db.hints.publish(hintsOf(move));
      return { ...move.after, votes: move.votes };
    }
  }
  return db.write(async (tx) => {
    const locked = await lockTask(tx, before.id);
    const votes = await votesFor(tx, locked);
    const documents = locked.version === before.version ? {} : await documentsOf(tx, before.id);
    const eventNow = await eventOf(tx, locked);
    // Somebody has just set the same deadline, or the same person decided the same.
    if (isRepeated(locked, eventNow, tx.now())) return { ...locked, ...documents, votes };
    // The clock is read under the lock.
    const move = planMove(locked, eventNow, actor, tx.now(), votes, subscriptions);
    await writeMoves(tx, [move]);
    if (move.effects.includes("sent_back")) await enqueueSentBack(tx, notifier, move);
    if (isBallot(move.event)) await afterBallot(tx, notifier, move, move.event.ballot);
    if (move.event.type === "revised") await afterRevision(tx, notifier, move, move.event.revision);
    return { ...move.after, ...documents, votes: move.votes };
  });
}

/** Returns what the current version of a task asks. */
async function documentsOf(tx: Tx, id: string): Promise<RevisedDocuments> {
  const { payload, payload_schema, response_schema, form_definition, action, listed_action } =
    await getTaskWithDocuments(tx, id);
  return { payload, payload_schema, response_schema, form_definition, action, listed_action };
}

/** Returns whether an event would change nothing of an open task: it has this deadline, or the person has decided the same. */
function isRepeated({ status, timeout_at }: Task, event: TaskEvent, now: number): boolean {
  if (isTerminal(status) || now >= timeout_at) return false;
  if (isBallot(event)) return isRepeatedVote(event.ballot);
  return event.type === "extended" && event.timeout_at === timeout_at;
}

type BallotEvent = Extract<TaskEvent, { type: "accepted" }> & { ballot: Ballot };

function isBallot(event: TaskEvent): event is BallotEvent {
  return event.type === "accepted" && event.ballot !== undefined;
}

/** Moves many tasks whose locks `tx` holds. @param subscriptions - up to date */
export async function moveLocked(
  tx: Tx,
  tasks: readonly Task[],
  what: TaskEvent | ((task: Task) => TaskEvent),
  actor: Actor,
  subscriptions: Subscriptions,
): Promise<void> {
  const eventOf = typeof what === "function" ? what : () => what;
  const now = tx.now();
  const moves: Move[] = [];
  for (const task of tasks)
    moves.push(planMove(task, eventOf(task), actor, now, await votesFor(tx, task), subscriptions));
  await writeMoves(tx, moves);
}

async function writeMoves(tx: Tx, moves: readonly Move[]): Promise<void> {
  await addMoves(tx, moves);
  for (const move of moves) {
    for (const { startAfterResponse } of move.outgoing) if (startAfterResponse) tx.afterCommit(startAfterResponse);
    for (const hint of hintsOf(move)) tx.hint(hint);
  }
}

/** Notifies the person whose answer was rejected, if `notify` names their address. */
async function enqueueSentBack(
  tx: Tx,
  notifier: Pick<Notifier, "enqueue" | "enqueueFor" | "inBrowsers">,
  { event, after }: Move,
): Promise<void> {
  const email = "by" in event ? event.by.email : null;
  if (email === null) return;
  const notify = parseNotify((await findRequest(tx, after.id))?.notify ?? null);
  const to = notify.filter(({ target }) => emailKey(target) === emailKey(email));
  if (to.length > 0)
    await notifier.enqueue(
      tx,
      { task_id: after.id, project: after.project, purpose: "sent_back", at: after.updated_at },
      to,
    );
}

function hintsOf({ event, after, outgoing }: Move): string[] {
  const hints = [`task:${after.id}`];
  if (outgoing.some(({ startAfterResponse }) => startAfterResponse === null)) hints.push(DELIVERIES_HINT);
  if (event.type === "extended" || (event.type === "revised" && event.deadline !== null))
    hints.push(DEADLINE_HINT, STEPS_HINT);
  return hints;
}

/** @param votes - what people decided before */
function planMove(
  before: Task,
  event: TaskEvent,
  actor: Actor,
  clock: number,
  votes: readonly StoredVote[],
  subscriptions: Subscriptions,
): Move {
  const decision = decide(before, event, actor, clock);
  const { after, effects, response, audit } = decision;
  const all = isBallot(event) ? votesAfter(votes, event.ballot, audit) : votes;
  const happened = movedEvent(decision, all);
  const outgoing = happened === null ? [] : subscriptions.deliveriesOf(happened);
  if (effects.includes("callback") && after.callback_url !== null)
    outgoing.unshift(
      newDelivery({
        kind: "callback",
        task_id: after.id,
        destination: after.callback_url,
        origin: originOf(after.callback_url),
        body: outcomeOf(after, response, all),
        due_at: after.updated_at,
      }),
    );
  return { ...decision, outgoing, votes: all };
}
