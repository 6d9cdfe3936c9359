import { sql, type RawBuilder, type SelectQueryBuilder, type SqlBool } from "kysely";
import type { Logger } from "pino";
import type { Policy } from "../approvals/policy.ts";
import { beyondHome } from "../db/beyond-home.ts";
import type { Reader, Tx, Db } from "../db/database.ts";
import type { Schema } from "../db/schema.ts";
import { parseJson } from "../lib/json.ts";
import { emailKey } from "../lib/text.ts";
import { MINUTE } from "../lib/time.ts";
import { isInProject } from "../people/caller.ts";
import { LEFT } from "../people/memberships.ts";
import { toPerson } from "../people/sign-in.ts";
import { DEPARTED } from "../people/users.ts";
import { findUser, type User } from "../people/store.ts";
import { routingIn } from "./assign-to.ts";
import { reassign } from "./assignment.ts";
import { addCandidates, deleteCandidates, isAmong, listCandidates, namesOf } from "./candidates.ts";
import { SYSTEM } from "./decide.ts";
import { notifyDelegate } from "./delegation.ts";
import { isTerminal, NO_CLAIM, OPEN_STATUSES } from "./lifecycle.ts";
import type { Notifier } from "./notices.ts";
import { parseNotify } from "./notify.ts";
import { assignmentIn, NOT_DELEGATED } from "./routed.ts";
import { recordRoundRobin, route } from "./routing.ts";
import { routeToVoters } from "./voters.ts";
import { findRequest, findTaskForUpdate, type Task } from "./store.ts";
import { isAssignee } from "./access.ts";
import { startSweep, type Sweep } from "./sweep.ts";

/*
 * Open tasks of a person who was deactivated, or who left the project, are routed again, as their creation asked, to people
 * who are still there. This runs after the transaction of the departure, because it may concern thousands of tasks.
 */

/** Maximum number of tasks that one run reroutes, each in its own transaction. */
const BATCH = 100;
/** Interval of the search for tasks that were left behind, for example because a process ended. */
const LOOK_EVERY_MS = 5 * MINUTE;

/**
 * Reroutes up to `limit` open tasks of departed people and returns how many. Several processes may do this at once.
 */
export async function reofferTasksOfDeparted(
  { db, notifier }: { db: Db; notifier: Notifier },
  limit = BATCH,
): Promise<number> {
  let count = 0;
  for (const { task_id, user_id } of await listLeftBehind(db, limit)) {
    const isDone = await db.write(async (tx) => {
      const task = await findTaskForUpdate(tx, task_id);
      const user = await findUser(tx, user_id);
      // The person may have come back, or the task closed.
      if (task === null || isTerminal(task.status) || user === null || !hasLeft(user, task)) return false;
      return reoffer(tx, notifier, task, user);
    });
    if (isDone) count++;
  }
  return count;
}

/** Reroutes tasks when people are deactivated, until it is stopped. */
export function startDepartures(ctx: { db: Db; log: Logger; notifier: Notifier }): Sweep {
  let lookedAt = Number.NEGATIVE_INFINITY;
  let mustLook = false;
  const sweep = startSweep(ctx, {
    name: "departures",
    batch: BATCH,
    run: async () => {
      if (!mustLook && ctx.db.now() - lookedAt < LOOK_EVERY_MS) return 0;
      mustLook = false;
      const done = await reofferTasksOfDeparted(ctx);
      if (done === BATCH) mustLook = true;
      else lookedAt = ctx.db.now();
      return done;
    },
    next: async () => null,
    onError: "Giving the tasks of deactivated people to others failed; trying again",
  });
  const unlisten = ctx.db.hints.listen((hint) => {
    if (hint !== DEPARTED) return;
    mustLook = true;
    sweep.wake();
  });
  return {
    wake: sweep.wake,
    stop: async () => {
      unlisten();
      await sweep.stop();
    },
  };
}

interface LeftBehind {
  task_id: string;
  user_id: string;
}

function hasLeft(user: User, { project }: Task): boolean {
  return !user.active || !isInProject(toPerson(user), project);
}

/** Lists open tasks that are assigned or offered to departed people, by their id or their address. */
async function listLeftBehind(reader: Reader, limit: number): Promise<LeftBehind[]> {
  const deactivated = reader.query
    .selectFrom("users")
    .select(["id", "email_key", sql<string | null>`cast(null as text)`.as("project")])
    .where("active", "=", 0);
  const left = reader.query
    .selectFrom("users")
    .innerJoin("project_members", "project_members.user_id", "users.id")
    .select(["users.id", "users.email_key", "project_members.project"])
    .where("users.active", "=", 1)
    .where("users.is_operator", "=", 0)
    .where("project_members.role", "=", LEFT);
  const found = await listLeftBehindBy(reader, deactivated, sql<SqlBool>`gone.project is null`, limit);
  if (found.length === limit) return found;
  const isOfProject = sql<SqlBool>`tasks.project = gone.project`;
  return [...found, ...(await listLeftBehindBy(reader, left, isOfProject, limit - found.length))];
}

type Departed = SelectQueryBuilder<Schema, never, { id: string; email_key: string | null; project: string | null }>;

/**
 * @param departed - a query of its own, because Citus joins no ordinary table with those of tasks
 * @param where - which of their tasks
 */
async function listLeftBehindBy(
  reader: Reader,
  departed: Departed,
  where: RawBuilder<SqlBool>,
  limit: number,
): Promise<LeftBehind[]> {
  const gone = reader.query.selectFrom(departed.as("gone"));
  const byId = gone
    .innerJoin("tasks", "tasks.assigned_to_user_id", "gone.id")
    .where("tasks.status", "in", OPEN_STATUSES)
    .where(where);
  const byAddress = gone
    .innerJoin("tasks", (join) => join.on(sql`lower(tasks.assigned_to_email)`, "=", sql`gone.email_key`))
    .where("tasks.assigned_to_email", "is not", null)
    .where("tasks.assigned_to_user_id", "is", null)
    .where("tasks.status", "in", OPEN_STATUSES)
    .where(where);
  const offered = (name: "gone.id" | "gone.email_key") =>
    gone
      .innerJoin("task_candidates", "task_candidates.person", name)
      .innerJoin("tasks", (join) =>
        join.onRef("tasks.id", "=", "task_candidates.task_id").onRef("tasks.home", "=", "task_candidates.home"),
      )
      .where("task_candidates.is_open", "=", 1)
      .where(where)
      .select(["task_candidates.task_id as task_id", "gone.id as user_id"]);
  return byId
    .select(["tasks.id as task_id", "gone.id as user_id"])
    .union(byAddress.select(["tasks.id as task_id", "gone.id as user_id"]))
    .union(offered("gone.id"))
    .union(offered("gone.email_key"))
    .limit(limit)
    .modifyEnd(beyondHome("tasks of departed people"))
    .execute();
}

/** Removes `user` from a task, and routes it again if no one else is left. @returns false if `user` had no part in it */
async function reoffer(tx: Tx, notifier: Notifier, task: Task, user: User): Promise<boolean> {
  const person = { id: user.id, email: user.email };
  const candidates = await listCandidates(tx, task.id);
  const others = candidates.filter((name) => !namesOf(person).includes(name));
  const isOffered = isAmong(candidates, person);
  const isTheirs = isAssignee(person, task);
  if (!isOffered && !isTheirs) return false;

  const set = {
    ...(task.claimed_by_user_id === user.id && NO_CLAIM),
    ...(isTheirs && { assigned_to_user_id: null, assigned_to_email: null, ...NOT_DELEGATED }),
  };
  const extra = { reason: user.active ? "left_project" : "deactivated", taken_from: user.email ?? user.id };
  const change = { actor: SYSTEM, inboxes: candidates };
  const isSomebodyElses = !isTheirs && (task.assigned_to_user_id !== null || task.assigned_to_email !== null);
  if (isOffered) {
    await deleteCandidates(tx, task.id, namesOf(person));
  }
  if (others.length > 0 || isSomebodyElses) {
    // It is still offered to others, or another candidate has it.
    const audit = isTheirs ? { action: "released", extra } : null;
    await reassign(tx, task, { ...change, set, audit });
    return true;
  }
  const request = await findRequest(tx, task.id);
  const notify = parseNotify(request?.notify ?? null);
  const policy = parseJson<Policy>(request?.approval_policy ?? null);
  const matched = await route(tx, { task, policy }, request && routingIn(request), notify, notifier);
  const routed = await routeToVoters(tx, task, policy, matched);
  const { assigned_to_user_id, assigned_to_email, decision } = routed;
  await addCandidates(tx, task.id, routed.candidates);
  await recordRoundRobin(tx, routed);
  const after = await reassign(tx, task, {
    ...change,
    set: { ...set, ...assignmentIn(routed) },
    audit: {
      action: decision?.action ?? "released",
      extra: { ...(!task.redact_payload && decision?.extra), ...extra },
    },
    inboxes: [...candidates, ...routed.candidates, assigned_to_user_id, emailKey(assigned_to_email ?? "")].filter(
      (name) => name !== null && name !== "",
    ) as string[],
  });
  await notifyDelegate(tx, notifier, after, routed, notify);
  const notice = { task_id: task.id, project: task.project, purpose: "assigned", at: after.updated_at } as const;
  await notifier.inBrowsers.enqueue(tx, notice, [assigned_to_user_id, ...routed.candidates]);
  return true;
}
