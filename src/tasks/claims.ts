import type { Context } from "../context.ts";
import type { Tx } from "../db/database.ts";
import { invalid, ServiceError } from "../errors.ts";
import { showAnew } from "../deliveries/places.ts";
import { MINUTE } from "../lib/time.ts";
import { isEmailAddress } from "../lib/text.ts";
import { isOperator, personOf, type Caller, type Person } from "../people/caller.ts";
import { findUser, findUserByEmail } from "../people/store.ts";
import { actorOf, isAssignee, requireMay, requireMayWith } from "./access.ts";
import { deleteCandidates, inboxHint, isCandidate, listCandidates } from "./candidates.ts";
import { isTerminal } from "./lifecycle.ts";
import type { AssignTaskBody } from "./schema.ts";
import {
  addAuditEntry,
  getWholeTask,
  lockTask,
  setRouting,
  type RoutingColumns,
  type Task,
  type WholeTask,
} from "./store.ts";
import { requireTaskId } from "./tasks.ts";

type Ctx = Pick<Context, "db">;

/** A claim that is not renewed is over after this. */
const CLAIM_MS = 10 * MINUTE;

/**
 * Says that somebody is working on a task, for ten minutes; once more renews it. A candidate's claim assigns the task. A
 * claim keeps others from starting, and never from answering. (wire: claim)
 *
 * @param force - takes over the claim of somebody else; for operators
 * @throws ServiceError CLAIM_NEEDS_A_PERSON, TASK_NOT_FOUND, FORBIDDEN, TASK_ALREADY_TERMINAL, TASK_ALREADY_CLAIMED
 */
export async function claimTask(ctx: Ctx, caller: Caller, id: string, force: boolean): Promise<WholeTask> {
  requireMay(caller, "claim");
  const user = personOf(caller);
  if (user === null) throw new ServiceError("CLAIM_NEEDS_A_PERSON");
  if (force && !isOperator(caller))
    throw new ServiceError("FORBIDDEN", { message: "Only operators take over a claim." });
  return ctx.db.write(async (tx) => {
    const task = await lockOpenTask(tx, caller, "claim", id);
    const now = tx.now();
    const holder = holderOf(task, now);
    const isRenewal = holder !== null && isHolder(user, task);
    if (holder !== null && !isRenewal && !force) throw new ServiceError("TASK_ALREADY_CLAIMED");
    const isTaken = !isAssignee(user, task) && (await isCandidate(tx, id, user));
    return reroute(tx, caller, task, {
      set: {
        claimed_by_user_id: user.id,
        claimed_by_email: user.email,
        claim_expires_at: now + CLAIM_MS,
        ...(isTaken && { assigned_to_user_id: user.id, assigned_to_email: user.email }),
      },
      audit: isRenewal ? null : { action: "claimed", extra: holder === null ? null : { taken_from: holder } },
      // A task that was on offer is in one list only now.
      inboxes: isTaken ? await listCandidates(tx, id) : [],
    });
  });
}

/**
 * Ends a claim; what a candidate had taken is on offer again. Without a claim nothing changes. (wire: release)
 * @throws ServiceError TASK_NOT_FOUND, FORBIDDEN, TASK_ALREADY_TERMINAL
 */
export async function releaseTask(ctx: Ctx, caller: Caller, id: string): Promise<WholeTask> {
  requireMay(caller, "release");
  return ctx.db.write(async (tx) => {
    const task = await lockOpenTask(tx, caller, "release", id);
    if (task.claim_expires_at === null) return task;
    const user = personOf(caller);
    const isOwn = user !== null && isHolder(user, task);
    if (!isOwn && !isOperator(caller))
      throw new ServiceError("FORBIDDEN", { message: "Somebody else claimed this task." });
    const candidates = await listCandidates(tx, id);
    return reroute(tx, caller, task, {
      set: {
        ...NO_CLAIM,
        ...(candidates.length > 0 && { assigned_to_user_id: null, assigned_to_email: null }),
      },
      audit: { action: "released", extra: isOwn ? null : { taken_from: task.claimed_by_email } },
      inboxes: candidates,
    });
  });
}

/**
 * Gives a task to one person, or with null to nobody; an offer to others ends, and so does the claim of anybody else.
 * (wire: assign)
 *
 * @throws ServiceError TASK_NOT_FOUND, FORBIDDEN, TASK_ALREADY_TERMINAL, MALFORMED_REQUEST, VALIDATION_FAILED
 */
export async function assignTask(ctx: Ctx, caller: Caller, id: string, body: AssignTaskBody): Promise<WholeTask> {
  requireMay(caller, "assign");
  return ctx.db.write(async (tx) => {
    const to = await readAssignee(tx, body);
    const task = await lockOpenTask(tx, caller, "assign", id);
    const candidates = await listCandidates(tx, id);
    await deleteCandidates(tx, id);
    return reroute(tx, caller, task, {
      set: { ...to, ...(task.claimed_by_user_id !== to.assigned_to_user_id && NO_CLAIM) },
      audit: { action: "assigned", extra: { by: "operator", ...to } },
      inboxes: [...candidates, task.assigned_to_user_id ?? "", to.assigned_to_user_id ?? ""].filter(Boolean),
    });
  });
}

const NO_CLAIM = { claimed_by_user_id: null, claimed_by_email: null, claim_expires_at: null };

/**
 * Reads a task that is still open, holds it, and asks whether the caller may. All that the answer shows is read before
 * anything is written: a read that fails after the commit would have to say that nothing was.
 */
async function lockOpenTask(
  tx: Tx,
  caller: Caller,
  action: "claim" | "release" | "assign",
  id: string,
): Promise<WholeTask> {
  requireTaskId(id);
  const task = await lockTask(tx, id);
  await requireMayWith(tx, caller, action, task);
  if (isTerminal(task.status) || tx.now() >= task.timeout_at) throw new ServiceError("TASK_ALREADY_TERMINAL");
  return getWholeTask(tx, id);
}

/** Who is working on a task, for the record; null when nobody is, or not any more. */
function holderOf(task: Task, now: number): string | null {
  if (task.claim_expires_at === null || task.claim_expires_at <= now) return null;
  return task.claimed_by_email ?? task.claimed_by_user_id;
}

function isHolder({ id }: Person, task: Task): boolean {
  return task.claimed_by_user_id === id;
}

/** Writes who has a task, with its audit entry, and tells those whose lists change by it. @returns the task as it is then */
async function reroute(
  tx: Tx,
  caller: Caller,
  task: WholeTask,
  change: {
    set: Partial<RoutingColumns>;
    audit: { action: string; extra: object | null } | null;
    inboxes: readonly string[];
  },
): Promise<WholeTask> {
  const now = Math.max(tx.now(), task.updated_at);
  const actor = actorOf(caller);
  const { audit } = change;
  const after = { ...task, ...change.set, audit_seq: task.audit_seq + (audit === null ? 0 : 1), updated_at: now };
  await setRouting(tx, after);
  if (audit !== null)
    await addAuditEntry(tx, {
      task_id: task.id,
      seq: task.audit_seq,
      action: audit.action,
      from_status: task.status,
      to_status: task.status,
      actor_type: actor.type,
      actor_email: actor.email,
      channel: null,
      verifier_reason: null,
      embed_sub: null,
      extra: task.redact_payload ? null : audit.extra,
      created_at: now,
    });
  await showAnew(tx, task.id);
  tx.hint(`task:${task.id}`);
  for (const person of new Set(change.inboxes)) tx.hint(inboxHint(person));
  return after;
}

/** Whom an operator names; an address may be one that the directory does not know yet. */
async function readAssignee(
  tx: Tx,
  { user_id, email }: AssignTaskBody,
): Promise<Pick<RoutingColumns, "assigned_to_user_id" | "assigned_to_email">> {
  if (user_id === undefined && email === undefined)
    throw new ServiceError("MALFORMED_REQUEST", {
      details: [
        { path: "/user_id", message: "Is missing, and so is `email`; null assigns to nobody.", keyword: "required" },
      ],
    });
  if (user_id != null && email != null) throw invalid("/email", "Must not stand beside `user_id`.");
  if (user_id != null) {
    const user = await findUser(tx, user_id);
    if (!user?.active) throw invalid("/user_id", "Is not an active user.");
    return { assigned_to_user_id: user.id, assigned_to_email: user.email };
  }
  if (email == null) return { assigned_to_user_id: null, assigned_to_email: null };
  if (!isEmailAddress(email)) throw invalid("/email", "Must be an e-mail address.");
  const user = await findUserByEmail(tx, email);
  return { assigned_to_user_id: user?.active ? user.id : null, assigned_to_email: email };
}
