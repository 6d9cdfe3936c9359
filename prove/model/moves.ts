/** How a task changes in the model: its status, its trail and its callback. */
import { ADMIN, PERSON, type Speaker } from "./callers.ts";
import { polled } from "./views.ts";
import { deadlineOf, isTerminal, SECOND, type Entry, type Status, type Task, type World } from "./world.ts";

/** How long a callback waits for the answer to the request that caused it. */
export const HOLD = 5 * SECOND;

/** Who changed a task, as its trail shows it. */
export type Actor = Pick<Entry, "actor" | "agent">;

/** The fields of an entry that most changes leave empty. */
export const NOTHING = { email: null, channel: null, reason: null, extra: null } as const;
export const SYSTEM: Actor = { actor: "system", agent: null };

/** Returns the caller in the form of an audit entry. */
export function actorOf(by: Speaker): Actor {
  if (by === PERSON) return { actor: "human", agent: null };
  return { actor: "agent", agent: by === ADMIN ? null : by };
}

/** Changes the status of a task, and adds the entry to its trail. */
export function move(world: World, task: Task, status: Status, entry: Omit<Entry, "from" | "to" | "at">): void {
  task.audit.push({ ...entry, from: task.status, to: status, at: world.now });
  task.status = status;
  task.updated = world.now;
}

/** Ends a task. Its callback is queued, if it has one. */
export function end(world: World, task: Task, status: Status, entry: Omit<Entry, "from" | "to" | "at">): void {
  move(world, task, status, entry);
  task.ended = world.now;
  const { hook } = task.request;
  if (hook === null) return;
  const { verifier_result: _verdict, waiting_on: _open, version: _current, questions: _none, ...body } = polled(task);
  const fresh = { status: "PENDING", cycle: 1, count: 0, due: world.now + HOLD, last: null, attempts: [] } as const;
  task.delivery = { hook, body, ...fresh, attempts: [], created: world.now };
}

export function cancelTask(world: World, task: Task, reason: string | null, by: Actor): void {
  task.reason = reason;
  end(world, task, "cancelled", { ...NOTHING, ...by, action: "cancelled", extra: reason === null ? null : { reason } });
}

/** Completes a task with the answer that its request gives for the deadline. */
function fallBack(world: World, task: Task, approved: boolean): void {
  const response = { approved };
  Object.assign(task, { response, channel: "fallback" });
  const extra = task.request.redact ? null : { response_keys: Object.keys(response) };
  end(world, task, "completed", { ...NOTHING, ...SYSTEM, action: "completed", channel: "fallback", extra });
}

/** Ends every overdue task. @returns how many */
export function timeOut(world: World): number {
  const due = world.tasks.filter((task) => !isTerminal(task) && deadlineOf(task) <= world.now);
  for (const task of due) {
    const { fallback } = task.request;
    if (fallback !== null) fallBack(world, task, fallback);
    else end(world, task, "timed_out", { ...NOTHING, ...SYSTEM, action: "timed_out" });
    // No caller waits for an answer.
    if (task.delivery) task.delivery.due = world.now;
  }
  return due.length;
}
