import type { Policy } from "../approvals/policy.ts";
import type { Db, Tx } from "../db/database.ts";
import { createShardBatcher } from "../db/shards.ts";
import { ServiceError } from "../errors.ts";
import { parseJson } from "../lib/json.ts";
import { addCandidates } from "./candidates.ts";
import { notifyDelegate } from "./delegation.ts";
import { routedEntry } from "./new-task.ts";
import type { Notice, Notifier } from "./notices.ts";
import { assignmentIn } from "./routed.ts";
import { addTask, addTasks, type NewTask } from "./new-task-store.ts";
import { STEPS_HINT } from "./move.ts";
import { createOlderKeys } from "./older-keys.ts";
import type { Recipients } from "./read-request.ts";
import { recordRoundRobin, route } from "./routing.ts";
import { isStepSoon } from "./steps.ts";
import { requireEnough, routeToVoters } from "./voters.ts";
import { addAuditEntry } from "./store.ts";

/** What else is done in the transaction of a new task, which is the task's own then. What these throw is thrown. */
export interface WithTask {
  /** Is called first. */
  check: ((tx: Tx) => Promise<void>) | null;
  /** Is called last, if the task was written. */
  also: ((tx: Tx) => Promise<void>) | null;
  /** Runs the transaction of a task that is not written in a group, perhaps after others. Default: at once. */
  inTurn?: InTurn;
}

export type InTurn = <T>(write: () => Promise<T>) => Promise<T>;

/** Writes a new task and returns it as written; null if its idempotency key is taken. */
export type TaskCreator = (task: NewTask, recipients: Recipients | null, more: WithTask) => Promise<NewTask | null>;

/** The hint that is published when tasks were created. */
export const CREATED_HINT = "created";
/** Minimum time between two of these hints. */
const ANNOUNCE_EVERY_MS = 200;

/** Maximum size of a group, and number of groups in flight. */
const GROUPS = { items: 64, under_way: 2 };
/** Maximum JSON length of a task that is written in a group. */
const GROUPED_CHARACTERS_MAX = 16_384;

/** Writes creations of the same event-loop turn in groups. */
export function createTaskCreator(db: Db, notifier: Notifier): TaskCreator {
  const batcher = createShardBatcher<NewTask, boolean>(
    db,
    ({ task }) => task.home,
    GROUPS,
    async (tasks) => {
      const added = await addTasks(db, tasks);
      return tasks.map(({ task }) => added.has(task.id));
    },
    (error) => !(error instanceof ServiceError),
  );
  const olderKeys = createOlderKeys(db);
  const tell = createTeller(() => db.hints.publish([CREATED_HINT]));
  return async (rows, recipients, more) => {
    const written = await write(rows, recipients, more);
    if (written !== null) tell();
    if (written !== null && isStepSoon(written.task)) db.hints.publish([STEPS_HINT]);
    return written;
  };

  async function write(
    rows: NewTask,
    recipients: Recipients | null,
    { check, also, inTurn = atOnce }: WithTask,
  ): Promise<NewTask | null> {
    if (olderKeys !== null && (await olderKeys.has(rows.task))) return null;
    if (recipients !== null || check !== null || also !== null)
      return inTurn(async () =>
        db.write(async (tx) => {
          await check?.(tx);
          const written =
            recipients !== null ? await addRouted(tx, rows, recipients, notifier) : await addOne(tx, rows);
          if (written !== null) await also?.(tx);
          return written;
        }),
      );
    // Large tasks would delay the others: on SQLite the event loop, on PostgreSQL the driver, which writes arrays slowly.
    const isLarge = rows.task.listed_length + rows.task.schemas_length > GROUPED_CHARACTERS_MAX;
    // Labels are rows of their own.
    const isAlone = isLarge || rows.task.labels !== null;
    const isAdded = await (isAlone ? inTurn(async () => db.write((tx) => addTask(tx, rows))) : batcher.add(rows));
    return isAdded ? rows : null;
  }
}

async function atOnce<T>(write: () => Promise<T>): Promise<T> {
  return write();
}

async function addOne(tx: Tx, rows: NewTask): Promise<NewTask | null> {
  return (await addTask(tx, rows)) ? rows : null;
}

/** Calls `tell` at once, and then at most once per `ANNOUNCE_EVERY_MS`. */
function createTeller(tell: () => void): () => void {
  let timer: NodeJS.Timeout | null = null;
  let isDue = false;
  return function tellInTime() {
    isDue = timer !== null;
    if (isDue) return;
    tell();
    timer = setTimeout(() => {
      timer = null;
      if (isDue) tellInTime();
    }, ANNOUNCE_EVERY_MS);
    timer.unref();
  };
}

/**
 * Routes a task, writes it and enqueues its notices, in one transaction.
 */
async function addRouted(
  tx: Tx,
  rows: NewTask,
  { routing, notify }: Recipients,
  notifier: Notifier,
): Promise<NewTask | null> {
  const policy = parseJson<Policy>(rows.documents.approval_policy);
  const matched = await route(tx, { task: rows.task, policy }, routing, notify, notifier);
  const routed = await routeToVoters(tx, rows.task, policy, matched);
  const task = { ...rows.task, ...assignmentIn(routed), audit_seq: routed.decision === null ? 1 : 2 };
  if (!(await addTask(tx, { ...rows, task }))) return null;
  // After the key: a request that is sent again is answered, even if people have left since.
  requireEnough(policy, matched, routed);
  await recordRoundRobin(tx, routed);
  await addCandidates(tx, task.id, routed.candidates);
  const entry = routedEntry(rows, routed);
  if (entry !== null) await addAuditEntry(tx, entry);
  const notice: Notice = { task_id: task.id, project: task.project, purpose: "decision", at: task.created_at };
  await notifier.enqueue(tx, notice, notify);
  await notifier.inBrowsers.enqueue(tx, notice, [task.assigned_to_user_id, ...routed.candidates]);
  await notifyDelegate(tx, notifier, task, routed, notify);
  return { ...rows, task };
}
