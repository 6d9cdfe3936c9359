import type { Db, Tx } from "../db/database.ts";
import { ofTask } from "../db/home.ts";
import { insertRow } from "../db/rows.ts";
import { invalid, ServiceError } from "../errors.ts";
import { parseTime } from "../lib/time.ts";
import type { Caller, Person } from "../people/caller.ts";
import { isAssignee, requireMay } from "./access.ts";
import { lockOpenTask } from "./claims.ts";
import type { SnoozeTaskBody } from "./schema.ts";
import { deleteSnoozes, readSnoozed, SNOOZED_MAX } from "./snooze-store.ts";
import type { TaskWithDocuments } from "./store.ts";

interface Ctx {
  db: Db;
}

const insertSnooze = insertRow("task_snoozes");

/**
 * Hides an open task from the person's own lists until a time. It comes back sooner when it is revised, assigned to them, or
 * a comment names them. Others see it as before, and its deadline and its steps stay.
 *
 * @throws ServiceError FORBIDDEN, TASK_NOT_FOUND, TASK_ALREADY_TERMINAL, VALIDATION_FAILED
 */
export async function snoozeTask({ db }: Ctx, caller: Caller, id: string, body: SnoozeTaskBody) {
  requireMay(caller, "snooze");
  const until = parseTime(body.until);
  if (until === null)
    throw invalid("/until", "Must be a time with an offset, such as 2026-01-31T12:00:00Z (RFC 3339).");
  const all = caller.kind === "user" ? await readSnoozed(db, caller.user, db.now()) : [];
  const others = all.filter(({ task_id }) => task_id !== id);
  if (others.length >= SNOOZED_MAX)
    throw invalid("/until", `You have snoozed ${SNOOZED_MAX} tasks, which is the maximum. Wake one up first.`);
  return db.write(async (tx): Promise<TaskWithDocuments> => {
    const { task, person } = await lockForPerson(tx, caller, id);
    if (until <= tx.now()) throw invalid("/until", "Must be in the future.");
    if (until > task.timeout_at) throw invalid("/until", "Must not be after the deadline of the task.");
    await deleteSnoozes(tx, id, [person.id]);
    await tx.run(insertSnooze, {
      ...ofTask(id),
      user_id: person.id,
      until,
      version: task.version,
      was_mine: isAssignee(person, task) ? 1 : 0,
    });
    tx.hint(`task:${id}`);
    return task;
  });
}

/**
 * Brings a task back into the person's lists. One that is not snoozed stays as it is.
 * @throws ServiceError FORBIDDEN, TASK_NOT_FOUND, TASK_ALREADY_TERMINAL
 */
export async function wakeTask({ db }: Ctx, caller: Caller, id: string): Promise<TaskWithDocuments> {
  requireMay(caller, "snooze");
  return db.write(async (tx) => {
    const { task, person } = await lockForPerson(tx, caller, id);
    await deleteSnoozes(tx, id, [person.id]);
    tx.hint(`task:${id}`);
    return task;
  });
}

/** Agents are refused here for tasks that they see. @throws ServiceError FORBIDDEN, TASK_NOT_FOUND, TASK_ALREADY_TERMINAL */
async function lockForPerson(tx: Tx, caller: Caller, id: string): Promise<{ task: TaskWithDocuments; person: Person }> {
  if (caller.kind !== "user" && caller.kind !== "agent")
    throw new ServiceError("FORBIDDEN", { message: "Sign in to snooze tasks." });
  const task = await lockOpenTask(tx, caller, "snooze", id);
  if (caller.kind !== "user") throw new ServiceError("FORBIDDEN");
  return { task, person: caller.user };
}
