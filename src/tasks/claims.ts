import type { Logger } from "pino";
import type { Policy } from "../approvals/policy.ts";
import type { Tx, Db } from "../db/database.ts";
import { enqueueNew } from "../deliveries/store.ts";
import { toldOf } from "../escalation/ladder.ts";
import type { Subscriptions } from "../subscriptions/known.ts";
import { invalid, ServiceError } from "../errors.ts";
import { parseJson } from "../lib/json.ts";
import { MINUTE } from "../lib/time.ts";
import { isEmailAddress } from "../lib/text.ts";
import { isInProject, isOperatorOf, personOf, type Caller, type Person } from "../people/caller.ts";
import { toPerson } from "../people/sign-in.ts";
import { findUser, findUserByEmail } from "../people/store.ts";
import { isAssignee, requireMay, requireMayWith } from "./access.ts";
import { actorOf } from "./attribution.ts";
import { isSamePerson, notifyAssignee, reassign } from "./assignment.ts";
import { deleteCandidates, isAmong, listCandidates } from "./candidates.ts";
import { dueTasks, sweepTasks } from "./due-tasks.ts";
import { isTerminal, NO_CLAIM, type Assignment } from "./lifecycle.ts";
import type { Notifier } from "./notices.ts";
import { parseNotify } from "./notify.ts";
import { SYSTEM, type Actor } from "./decide.ts";
import { NOT_DELEGATED } from "./routed.ts";
import type { AssignTaskBody } from "./schema.ts";
import {
  findNextClaimEnd,
  getTaskWithDocuments,
  lockTask,
  type RoutingColumns,
  type Task,
  type TaskWithDocuments,
} from "./store.ts";
import { startSweep, type Sweep } from "./sweep.ts";
import { claimedEvent } from "./task-event.ts";
import { requireTaskId } from "./tasks.ts";

interface Ctx {
  db: Db;
}

/** A claim that is not renewed ends after this. */
const CLAIM_MS = 10 * MINUTE;
/** Claims that one transaction ends, at most. */
const LAPSED_AT_ONCE = 100;

/**
 * Claims a task for ten minutes, or renews the claim. Claiming assigns the task to a candidate. A claim keeps others from
 * starting, but not from answering. (wire: claim)
 *
 * @param force - takes over the claim of another person; for operators
 * @throws ServiceError CLAIM_NEEDS_A_PERSON, TASK_NOT_FOUND, FORBIDDEN, TASK_ALREADY_TERMINAL, TASK_ALREADY_CLAIMED
 */
export async function claimTask(
  ctx: Ctx & { subscriptions: Subscriptions },
  caller: Caller,
  id: string,
  force: boolean,
): Promise<TaskWithDocuments> {
  requireMay(caller, "claim");
  const user = personOf(caller);
  if (user === null && caller.kind !== "agent") throw new ServiceError("CLAIM_NEEDS_A_PERSON");
  await ctx.subscriptions.refresh();
  return ctx.db.write(async (tx) => {
    const task = await lockOpenTask(tx, caller, "claim", id);
    if (force && user !== null && !isOperatorOf(caller, task.project))
      throw new ServiceError("FORBIDDEN", { message: "Only operators take over a claim." });
    // An agent gets here for a task that it may claim, and there is none.
    if (user === null) throw new ServiceError("CLAIM_NEEDS_A_PERSON");
    const now = tx.now();
    const holder = holderOf(task, now);
    const isRenewal = holder !== null && isHolder(user, task);
    if (holder !== null && !isRenewal && !force) throw new ServiceError("TASK_ALREADY_CLAIMED");
    const candidates = isAssignee(user, task) ? [] : await listCandidates(tx, id);
    // Several people decide beside each other. A claim takes the task from none of them.
    const isTaken = task.approvals === null && isAmong(candidates, user);
    const after = await reassign(tx, task, {
      set: {
        claimed_by_user_id: user.id,
        claimed_by_email: user.email,
        claim_expires_at: now + CLAIM_MS,
        ...(isTaken && { assigned_to_user_id: user.id, assigned_to_email: user.email }),
      },
      actor: actorOf(caller),
      audit: isRenewal ? null : { action: "claimed", extra: holder === null ? null : { taken_from: holder } },
      // A task that was on offer is in one list only now.
      inboxes: isTaken ? candidates : [],
    });
    if (!isRenewal)
      for (const delivery of ctx.subscriptions.deliveriesOf(claimedEvent(after))) await enqueueNew(tx, delivery);
    return after;
  });
}

/**
 * Ends a claim; what a candidate had taken is on offer again. Without a claim nothing changes. (wire: release)
 * @throws ServiceError TASK_NOT_FOUND, FORBIDDEN, TASK_ALREADY_TERMINAL
 */
export async function releaseTask(ctx: Ctx, caller: Caller, id: string): Promise<TaskWithDocuments> {
  requireMay(caller, "release");
  return ctx.db.write(async (tx) => {
    const task = await lockOpenTask(tx, caller, "release", id);
    if (task.claim_expires_at === null) return task;
    const user = personOf(caller);
    const isOwn = user !== null && isHolder(user, task);
    if (!isOwn && !isOperatorOf(caller, task.project))
      throw new ServiceError("FORBIDDEN", { message: "Someone else claimed this task." });
    return endClaim(tx, task, actorOf(caller), isOwn ? null : { taken_from: task.claimed_by_email });
  });
}

/**
 * Assigns a task to one person, or unassigns it with null. Ends offers to others, and the claim of any other person. A new
 * assignee is notified, unless they assigned it to themselves. (wire: assign)
 *
 * @throws ServiceError TASK_NOT_FOUND, FORBIDDEN, TASK_ALREADY_TERMINAL, MALFORMED_REQUEST, VALIDATION_FAILED
 */
export async function assignTask(
  ctx: Ctx & { notifier: Notifier },
  caller: Caller,
  id: string,
  body: AssignTaskBody,
): Promise<TaskWithDocuments> {
  requireMay(caller, "assign");
  return ctx.db.write(async (tx) => {
    requireTaskId(id);
    const { project, ...asked } = await lockTask(tx, id);
    await requireMayWith(tx, caller, "assign", { ...asked, project });
    const to = await readAssignee(tx, body, project);
    const task = await lockOpenTask(tx, caller, "assign", id);
    if (parseJson<Policy>(task.approval_policy)?.from != null)
      throw invalid(
        "",
        "Several people must approve this task, and its request says who. It cannot be assigned to one of them.",
      );
    const candidates = await listCandidates(tx, id);
    await deleteCandidates(tx, id);
    const after = await reassign(tx, task, {
      set: { ...to, ...NOT_DELEGATED, ...(task.claimed_by_user_id !== to.assigned_to_user_id && NO_CLAIM) },
      actor: actorOf(caller),
      // As at creation: the trail of a redacted task does not name the assignee.
      audit: { action: "assigned", extra: task.redact_payload ? null : { by: "operator", ...to } },
      inboxes: [...candidates, task.assigned_to_user_id ?? "", to.assigned_to_user_id ?? ""].filter(Boolean),
    });
    if (!isSamePerson(task, to) && !isOwnAssignment(caller, to)) {
      const notice = { task_id: id, project, purpose: "assigned", at: after.updated_at } as const;
      await notifyAssignee(tx, ctx.notifier, notice, after, parseNotify(toldOf(after)));
    }
    return after;
  });
}

function isOwnAssignment(caller: Caller, to: Assignment): boolean {
  const person = personOf(caller);
  return person !== null && isAssignee(person, to);
}

/** Ends a claim; a task that a candidate had taken is on offer again. */
async function endClaim<T extends Task>(tx: Tx, task: T, actor: Actor, extra: object | null): Promise<T> {
  const candidates = task.approvals === null ? await listCandidates(tx, task.id) : [];
  return reassign(tx, task, {
    set: { ...NO_CLAIM, ...(candidates.length > 0 && { assigned_to_user_id: null, assigned_to_email: null }) },
    actor,
    audit: { action: "released", extra },
    inboxes: candidates,
  });
}

const LAPSED = dueTasks(
  "lapsed claims",
  (tasks, param) => tasks.where("claim_expires_at", "is not", null).where("claim_expires_at", "<=", param("now")),
  (tasks) => tasks.orderBy("claim_expires_at"),
);

/**
 * Ends claims whose time has run out, up to `limit` of them, and says how many. (wire: claim)
 * Any number of processes may do this at once.
 */
export async function endLapsedClaims({ db }: Ctx, limit = LAPSED_AT_ONCE): Promise<number> {
  return sweepTasks(db, LAPSED, { limit }, async (tx, lock) => {
    const lapsed = await lock();
    for (const task of lapsed)
      await endClaim(tx, task, SYSTEM, { reason: "expired", taken_from: task.claimed_by_email });
    return lapsed.length;
  });
}

/** Ends claims as their time runs out, until it is stopped. */
export function startClaimExpiry(ctx: { db: Db; log: Logger }): Sweep {
  return startSweep(ctx, {
    name: "claims",
    batch: LAPSED_AT_ONCE,
    run: () => endLapsedClaims(ctx),
    next: () => findNextClaimEnd(ctx.db),
    onError: "Ending claims failed; trying again",
  });
}

/**
 * Reads a task that is still open, holds it, and asks whether the caller may. All that the answer shows is read before
 * anything is written: a read that fails after the commit would have to say that nothing was.
 */
export async function lockOpenTask(
  tx: Tx,
  caller: Caller,
  action: "claim" | "release" | "assign" | "snooze",
  id: string,
): Promise<TaskWithDocuments> {
  requireTaskId(id);
  const task = await lockTask(tx, id);
  await requireMayWith(tx, caller, action, task);
  if (isTerminal(task.status) || tx.now() >= task.timeout_at) throw new ServiceError("TASK_ALREADY_TERMINAL");
  return getTaskWithDocuments(tx, id);
}

/** Returns the email of the current claim holder; null if the task is unclaimed or the claim has expired. */
function holderOf(task: Task, now: number): string | null {
  if (task.claim_expires_at === null || task.claim_expires_at <= now) return null;
  return task.claimed_by_email ?? task.claimed_by_user_id;
}

function isHolder({ id }: Person, task: Task): boolean {
  return task.claimed_by_user_id === id;
}

/** Returns the person that an operator names, who is in the project. An email may not be in the directory yet. */
async function readAssignee(
  tx: Tx,
  { user_id, email }: AssignTaskBody,
  project: string,
): Promise<Pick<RoutingColumns, "assigned_to_user_id" | "assigned_to_email">> {
  if (user_id === undefined && email === undefined)
    throw new ServiceError("MALFORMED_REQUEST", {
      details: [
        { path: "/user_id", message: "Enter `user_id` or `email`. null unassigns the task.", keyword: "required" },
      ],
    });
  if (user_id != null && email != null) throw invalid("/email", "Can't be combined with `user_id`.");
  if (user_id != null) {
    const user = await findUser(tx, user_id);
    if (!user?.active) throw invalid("/user_id", "This user is not active.");
    if (!isInProject(toPerson(user), project)) throw invalid("/user_id", "This user is not a member of the project.");
    return { assigned_to_user_id: user.id, assigned_to_email: user.email };
  }
  if (email == null) return { assigned_to_user_id: null, assigned_to_email: null };
  if (!isEmailAddress(email)) throw invalid("/email", "Must be an email address.");
  const user = await findUserByEmail(tx, email);
  if (user?.active === false) throw invalid("/email", "The user with this address was deactivated.");
  if (user !== null && !isInProject(toPerson(user), project))
    throw invalid("/email", "The user with this address is not a member of the project.");
  return { assigned_to_user_id: user?.id ?? null, assigned_to_email: email };
}
