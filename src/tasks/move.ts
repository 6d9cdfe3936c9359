import { DELIVERIES_HINT, type NewDelivery, newDelivery } from "../deliveries/store.ts";
import type { Db, Reader, Tx } from "../db/database.ts";
import { originOf } from "../outbound/outbound-url.ts";
import { emailKey } from "../lib/text.ts";
import { toAnswerColumns, toAuditExtra } from "../people/accounts.ts";
import { isTerminal, transition, type Effect, type TaskEvent } from "./lifecycle.ts";
import type { Notifier } from "./notices.ts";
import { parseNotify } from "./notify.ts";
import { outcomeOf } from "./outcome.ts";
import { addMoves, addMovesIfUnchanged } from "./move-store.ts";
import { findRequest, lockTask, NO_CLAIM, type AuditEntry, type Task } from "./store.ts";

/** Who makes something happen, for the audit trail. */
export interface Actor {
  type: "system" | "human" | "agent";
  email: string | null;
}

/** Everything that a change of a task's status writes. */
export interface Move {
  before: Task;
  after: Task;
  event: TaskEvent;
  /** The accepted answer, as JSON. */
  response: string | null;
  audit: AuditEntry;
  effects: readonly Effect[];
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
    const move = decide(before, event, actor, db.now());
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
    const move = decide(locked, eventNow, actor, tx.now());
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
    tasks.map((task) => decide(task, event, actor, now)),
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

function decide(before: Task, event: TaskEvent, actor: Actor, clock: number): Move {
  // The clocks of replicas may differ a little; a task never goes back in time.
  const now = Math.max(clock, before.updated_at);
  const change = transition(before, event, now);
  const response = event.type === "accepted" ? JSON.stringify(event.response) : null;
  const after: Task = {
    ...before,
    ...change.set,
    ...(event.type === "accepted" && toAnswerColumns(event.by.account)),
    status: change.status,
    updated_at: now,
    audit_seq: before.audit_seq + 1,
    listed_length: before.listed_length + (response?.length ?? 0) + (change.set.cancel_reason?.length ?? 0),
    ended_at: isTerminal(change.status) ? now : null,
    // Nobody is working on a task that has ended.
    ...(isTerminal(change.status) && NO_CLAIM),
  };
  const audit: AuditEntry = {
    task_id: before.id,
    seq: before.audit_seq,
    action: change.audit,
    from_status: before.status,
    to_status: after.status,
    actor_type: actor.type,
    actor_email: actor.email,
    channel: "by" in event ? event.by.channel : null,
    embed_sub: "by" in event ? event.by.embed_sub : null,
    verifier_reason: event.type === "refused" ? event.reason : null,
    extra: extraOf(event, before.redact_payload),
    created_at: now,
  };
  const owed =
    !change.effects.includes("callback") || after.callback_url === null
      ? null
      : newDelivery({
          kind: "callback",
          task_id: after.id,
          destination: after.callback_url,
          origin: originOf(after.callback_url),
          body: outcomeOf(after, response),
          due_at: now,
        });
  return { before, after, event, response, audit, effects: change.effects, owed };
}

/**
 * What else the trail says. Of an answer only its keys: the trail is read by people who may not read the answer. Of a
 * redacted task not even those.
 */
function extraOf(event: TaskEvent, isRedacted: boolean): object | null {
  switch (event.type) {
    case "accepted":
    case "refused": {
      const { account, email } = event.by;
      const extra = {
        ...(!isRedacted && { response_keys: Object.keys(event.response) }),
        ...(email === null && account && toAuditExtra(account)),
      };
      return Object.keys(extra).length === 0 ? null : extra;
    }
    case "cancelled":
      return event.reason === null ? null : { reason: event.reason };
    case "timed_out":
      return null;
  }
}
