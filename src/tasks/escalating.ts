import type { Logger } from "pino";
import type { Policy } from "../approvals/policy.ts";
import type { Db, Tx } from "../db/database.ts";
import { DELIVERIES_HINT } from "../deliveries/store.ts";
import { clockworkFor } from "../escalation/clockwork.ts";
import { dueAt, dueRungs, ladderColumns, ladderOf, stepsOf, toldOf, type Step } from "../escalation/ladder.ts";
import type { StepKind } from "../escalation/schema.ts";
import { findNextStep } from "../escalation/store.ts";
import { parseJson } from "../lib/json.ts";
import { emailKey } from "../lib/text.ts";
import { isSamePerson, notifyAssignee } from "./assignment.ts";
import { addCandidates, deleteCandidates, inboxHint, listCandidates } from "./candidates.ts";
import { dueTasks, sweepTasks } from "./due-tasks.ts";
import { entryBeside } from "./entries.ts";
import { addSteps, findSteppedDocuments, type Stepped, type SteppedDocuments } from "./escalating-store.ts";
import { NO_CLAIM } from "./lifecycle.ts";
import { STEPS_HINT } from "./move.ts";
import type { Notice, Notifier, Purpose } from "./notices.ts";
import { parseNotify } from "./notify.ts";
import { asOffer, assignmentIn, NOBODY } from "./routed.ts";
import { recordRoundRobin, route } from "./routing.ts";
import { routingOfStep } from "./steps.ts";
import type { AuditEntry, Task } from "./store.ts";
import { startSweep, type Sweep } from "./sweep.ts";
import { routeToVoters } from "./voters.ts";

/*
 * The steps of a task: what happens while no one answers. A step only writes to this database, so it is not an attempt that
 * may fail: its record, what it changes and the messages that it owes are written in one transaction, under the lock of the
 * task. So it happens at most once, whatever crashes, and not at all once the task is closed. Messages are deliveries.
 */

interface Ctx {
  db: Db;
  notifier: Notifier;
}

/** Tasks whose steps happen in one transaction, at most. On SQLite it is one turn of the event loop. */
const BATCH = { sqlite: 25, postgres: 50, citus: 50 };

const DUE = dueTasks(
  "due steps",
  (tasks, param) => tasks.where("next_step_at", "is not", null).where("next_step_at", "<=", param("now")),
  (tasks) => tasks.orderBy("next_step_at").orderBy("id"),
);

/**
 * Lets the steps happen that are due, of up to `limit` tasks, and returns of how many. Several processes may do this at once.
 * (beyond the spec: In time)
 */
export async function takeDueSteps(ctx: Ctx, limit = BATCH[ctx.db.dialect]): Promise<number> {
  return sweepTasks(ctx.db, DUE, { limit }, async (tx, lock) => {
    const due = await lock();
    if (due.length === 0) return 0;
    const documents = await findSteppedDocuments(tx, due);
    const stepped: Walked[] = [];
    for (const task of due) stepped.push(await takeSteps(ctx, tx, task, documents.get(task.id)!));
    await addSteps(tx, stepped);
    for (const { after, owed } of stepped) {
      for (const owe of owed) await owe();
      tx.hint(`task:${after.id}`);
    }
    tx.hint(DELIVERIES_HINT);
    return due.length;
  });
}

/** Lets the steps happen as they become due, until it is stopped. */
export function startEscalation(ctx: Ctx & { log: Logger }): Sweep {
  const sweep = startSweep(ctx, {
    name: "steps",
    batch: BATCH[ctx.db.dialect],
    run: () => takeDueSteps(ctx),
    next: () => findNextStep(ctx.db),
    onError: "Reminding people of tasks failed; trying again",
  });
  const unlisten = ctx.db.hints.listen((hint) => {
    if (hint === STEPS_HINT) sweep.wake();
  });
  return {
    wake: sweep.wake,
    stop: async () => {
      unlisten();
      await sweep.stop();
    },
  };
}

/** One task on its way through its steps. */
interface Walk {
  tx: Tx;
  notifier: Notifier;
  /** As the steps have left it so far. They change it. */
  task: Task;
  documents: SteppedDocuments;
  /** Epoch milliseconds. */
  now: number;
  /** Messages, which are written after the steps: one that cannot be sent has an entry in the trail as well. */
  owed: (() => Promise<void>)[];
  hasReminded: boolean;
}

async function takeSteps({ notifier }: Ctx, tx: Tx, task: Task, documents: SteppedDocuments): Promise<Walked> {
  const clock = tx.now();
  const now = Math.max(clock, task.updated_at);
  const owed: Walk["owed"] = [];
  // Past its deadline, a task is as good as closed.
  if (clock >= task.timeout_at) return { after: { ...task, next_step_at: null }, entries: [], owed };
  const walk: Walk = { tx, notifier, task: { ...task }, documents, now, owed, hasReminded: false };
  const steps = stepsOf(documents.escalation);
  const rungs = [...ladderOf(task.ladder)!];
  const due = dueRungs(rungs, { now: clock, timeout_at: task.timeout_at });
  const clockwork = await clockworkFor(tx, task.project, steps);
  const entries: AuditEntry[] = [];
  for (const i of due) {
    const step = steps[i]!;
    // Its calendar may have been changed since, or deleted in the moment in which the task was created.
    const isCounted = step.calendar !== null && clockwork.has(step.calendar);
    const at = isCounted ? dueAt(step, task, clockwork) : rungs[i]!.at;
    rungs[i] = { ...rungs[i]!, at };
    if (at > clock) continue;
    const extra = await EFFECTS[step.do](walk, step);
    const said = { action: "escalated", channel: null, extra: { step: i + 1, do: step.do, ...extra } };
    entries.push(entryBeside(walk.task, said, now));
    rungs[i] = { ...rungs[i], done_at: now };
    Object.assign(walk.task, { audit_seq: walk.task.audit_seq + 1, updated_at: now, ladder: JSON.stringify(rungs) });
  }
  return { after: { ...walk.task, ...ladderColumns(rungs, task.timeout_at) }, entries, owed };
}

type Walked = Stepped & Pick<Walk, "owed">;

function noticeOf({ task, now }: Walk, purpose: Purpose): Notice {
  return { task_id: task.id, project: task.project, purpose, at: now };
}

/** Returns who was told so far. */
function toldIn({ task, documents }: Walk): string | null {
  return toldOf({ ...documents, ladder: task.ladder });
}

/** What each step does. @returns further details for the trail */
const EFFECTS: Readonly<Record<StepKind, (walk: Walk, step: Step) => Promise<object>>> = {
  remind: async (walk) => {
    // Reminders that became due while the service was down are one.
    if (walk.hasReminded) return {};
    walk.hasReminded = true;
    const { tx, notifier } = walk;
    const notice = noticeOf(walk, "reminder");
    const told = parseNotify(toldIn(walk));
    // As it is at this step: a later one may give it to another person.
    const task = { ...walk.task };
    walk.owed.push(async () => {
      await notifier.enqueue(tx, notice, told);
      await notifier.inBrowsers.enqueue(tx, notice, await listCandidates(tx, task.id));
      await notifyAssignee(tx, notifier, notice, task, told, told);
    });
    return {};
  },
  notify: async (walk, { to }) => {
    const told = new Set(parseJson<string[]>(toldIn(walk)));
    const others = (to as string[]).filter((entry) => !told.has(entry));
    const notice = noticeOf(walk, "decision");
    walk.owed.push(() => walk.notifier.enqueue(walk.tx, notice, parseNotify(JSON.stringify(others))));
    return {};
  },
  offer: async (walk, step) => {
    const { tx, notifier, task, documents, now } = walk;
    const policy = parseJson<Policy>(documents.approval_policy);
    const matched = asOffer(await route(tx, { task, policy }, routingOfStep(step, ""), [], notifier));
    const { candidates } = await routeToVoters(tx, task, policy, matched);
    if (candidates.length === 0) return { unmatched: true };
    const before = await listCandidates(tx, task.id);
    const assignee = task.assigned_to_user_id ?? (task.assigned_to_email && emailKey(task.assigned_to_email));
    const all = new Set([...before, ...(assignee === null ? [] : [assignee]), ...candidates]);
    await addCandidates(tx, task.id, [...all.difference(new Set(before))]);
    // Whoever works on it keeps it while they do. After that it is on offer to all.
    const isHeld = task.claim_expires_at !== null && task.claim_expires_at > now;
    if (!isHeld) Object.assign(task, assignmentIn(NOBODY));
    for (const name of all) tx.hint(inboxHint(name));
    const notice = noticeOf(walk, "decision");
    walk.owed.push(() => notifier.inBrowsers.enqueue(tx, notice, all.difference(new Set(before))));
    return task.redact_payload ? {} : { candidates };
  },
  assign: async (walk, step) => {
    const { tx, notifier, task, documents } = walk;
    const policy = parseJson<Policy>(documents.approval_policy);
    const routed = await route(tx, { task, policy }, routingOfStep(step, ""), [], notifier);
    const to = assignmentIn(routed);
    const { assigned_to_user_id, assigned_to_email } = to;
    if (assigned_to_user_id === null && assigned_to_email === null) return { unmatched: true };
    await recordRoundRobin(tx, routed);
    for (const name of [...(await listCandidates(tx, task.id)), task.assigned_to_user_id, assigned_to_user_id])
      if (name !== null) tx.hint(inboxHint(name));
    await deleteCandidates(tx, task.id);
    const isNew = !isSamePerson(task, to);
    Object.assign(task, to, task.claimed_by_user_id !== assigned_to_user_id && NO_CLAIM);
    const notice = noticeOf(walk, "assigned");
    const told = parseNotify(toldIn(walk));
    if (isNew) walk.owed.push(() => notifyAssignee(tx, notifier, notice, to, told));
    return task.redact_payload ? {} : routed.decision!.extra!;
  },
  raise: async ({ task }) => {
    task.urgent = 1;
    return {};
  },
};
