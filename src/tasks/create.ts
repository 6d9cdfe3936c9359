import type { DataKey } from "../db/data-key.ts";
import type { Db, Reader, Tx } from "../db/database.ts";
import { homeOfKey } from "../db/home.ts";
import type { TaskCreator } from "./creator.ts";
import { ownerOf } from "../approvals/eligible.ts";
import { ANSWERED, type Policy } from "../approvals/policy.ts";
import { invalid, ServiceError } from "../errors.ts";
import { newId } from "../lib/ids.ts";
import type { Caller } from "../people/caller.ts";
import { isOperatorOf } from "../people/caller.ts";
import { projectForNew } from "../people/projects.ts";
import { enqueueEntries, placeEntries, sealEntries, type PlacedEntry } from "../resume/entries.ts";
import { enqueueNew } from "../deliveries/store.ts";
import type { Subscriptions } from "../subscriptions/known.ts";
import { mayWith, requireMay } from "./access.ts";
import type { Admission, Place } from "./admission.ts";
import { requireRecipientsAllowed } from "./allowed-recipients.ts";
import { askerOf } from "./asker.ts";
import { actorOf } from "./attribution.ts";
import { newTask, type PlacedEscalation } from "./new-task.ts";
import type { NewTask } from "./new-task-store.ts";
import { readRequest, type CheckedRequest, type CheckContext } from "./read-request.ts";
import { findReplay, type Replay } from "./replay.ts";
import type { CreateTaskBody } from "./schema.ts";
import { placedEscalation } from "./steps.ts";
import { createdEvent } from "./task-event.ts";
import { findTask, toTask } from "./store.ts";

export interface Created extends Replay {
  /** The key already belonged to this task. Nothing was written. */
  isReplay: boolean;
}

/** A checked request, with what depends on its project. */
type PlacedRequest = CheckedRequest & { project: string; placed: PlacedEscalation; entries: readonly PlacedEntry[] };

/** The context of task creation. */
export interface CreationContext extends CheckContext {
  db: Db;
  dataKey: DataKey;
  subscriptions: Subscriptions;
  admission: Admission;
  taskCreator: TaskCreator;
}

/**
 * Creates a task, or returns the one that has the idempotency key. This holds as long as the task exists, and for concurrent
 * calls. (spec: Create a task)
 *
 * @param body - the request as it came
 * @param problem - what the route's schema found wrong with `body`. A replay succeeds all the same, so that it survives
 *   stricter rules of a later version
 * @throws ServiceError AGENT_SCOPE_MISSING, AGENT_LIMIT, RECIPIENT_NOT_ALLOWED, PROJECT_ARCHIVED, MALFORMED_REQUEST,
 *   VALIDATION_FAILED,
 *   RESPONSE_SCHEMA_NOT_OBJECT, VERIFIER_CONFIG_INVALID, VERIFIER_PROVIDER_UNKNOWN
 */
export async function createTask(
  ctx: CreationContext,
  caller: Caller,
  body: unknown,
  problem: Error | null,
): Promise<Created> {
  requireMay(caller, "create");
  const admitted = await admitRequest(ctx, caller, body, problem);
  return "task" in admitted ? admitted : storeAdmitted(ctx, caller, admitted);
}

/** A request that was checked and has a place within the limits of its caller. */
export interface AdmittedRequest {
  body: unknown;
  request: PlacedRequest;
  /** It has to be left: `storeAdmitted` does that. */
  place: Place;
}

/**
 * Checks a request, and takes a place for its task.
 * @returns what can be stored; or the task that has the key, if the request is refused
 * @throws as `createTask`
 */
export async function admitRequest(
  ctx: CreationContext,
  caller: Caller,
  body: unknown,
  problem: Error | null,
): Promise<AdmittedRequest | Created> {
  try {
    if (problem) throw problem;
    const project = await projectForNew(ctx.db, caller, (body as CreateTaskBody).project);
    const checked = await readRequest(ctx, body as CreateTaskBody);
    const placed = await placedEscalation(ctx.db, project, checked);
    let request: PlacedRequest = {
      ...checked,
      project,
      placed,
      ...(await placedResume(ctx, caller, project, checked)),
    };
    if (request.policy !== null)
      request = { ...request, ...(await placedPolicy(ctx.db, caller, request, request.policy)) };
    if (caller.kind === "agent")
      await requireRecipientsAllowed(ctx, caller.recipients, request.recipients, request.asked.recipients);
    return { body, request, place: await ctx.admission.admit(caller) };
  } catch (error) {
    return replayOr(ctx, caller, body, error);
  }
}

/** Stores the task of a request that was admitted, or returns the one that has its key. @throws ServiceError AGENT_LIMIT */
export async function storeAdmitted(
  ctx: CreationContext,
  caller: Caller,
  { body, request, place }: AdmittedRequest,
): Promise<Created> {
  let isStored = false;
  try {
    const created = await store(ctx, request, caller, body, place);
    isStored = !created.isReplay;
    return created;
  } catch (error) {
    if (!isLimit(error)) throw error;
    return await replayOr(ctx, caller, body, error);
  } finally {
    place.leave(isStored);
  }
}

/** Returns the task that the key is bound to. It is neither checked nor limited. @throws `error` if there is none */
async function replayOr(ctx: CreationContext, caller: Caller, body: unknown, error: unknown): Promise<Created> {
  const bound = await findReplay(ctx.db, askerOf(caller).asked_by_id, body);
  if (bound) {
    requireMayKnow(caller, bound);
    return { ...bound, isReplay: true };
  }
  if (isLimit(error)) await ctx.admission.recordRefusal(caller);
  throw error;
}

/** Returns what is resumed when the task ends. @throws ServiceError MALFORMED_REQUEST, VALIDATION_FAILED */
async function placedResume(
  { db, config }: CreationContext,
  caller: Caller,
  project: string,
  { body, documents }: CheckedRequest,
): Promise<Pick<PlacedRequest, "entries" | "documents">> {
  const asked = body.resume ?? [];
  if (asked.length === 0) return { entries: [], documents };
  const policy = { allowPrivate: config.callbacks.allowPrivate };
  const entries = await placeEntries(db, { caller, project, policy }, asked);
  const resume = JSON.stringify(entries.map(({ stored }) => stored));
  return { entries, documents: { ...documents, resume } };
}

/** Returns who must approve, with what only the directory knows. @throws ServiceError VALIDATION_FAILED */
async function placedPolicy(
  reader: Reader,
  caller: Caller,
  { documents }: CheckedRequest,
  asked: Policy,
): Promise<Pick<CheckedRequest, "documents" | "policy">> {
  await requireKnownTasks(reader, caller, asked);
  if (caller.kind !== "agent" || !asked.exclude.includes("asker")) return { documents, policy: asked };
  const policy = { ...asked, owner_user_id: await ownerOf(reader, caller.id) };
  return { documents: { ...documents, approval_policy: JSON.stringify(policy) }, policy };
}

/** The answers of a task exclude people only if the caller knows that task. @throws ServiceError VALIDATION_FAILED */
async function requireKnownTasks(reader: Reader, caller: Caller, { exclude }: Policy): Promise<void> {
  for (const [i, name] of exclude.entries()) {
    if (!name.startsWith(ANSWERED)) continue;
    const task = await findTask(reader, name.slice(ANSWERED.length));
    if (task === null || !(await mayWith(reader, caller, "read", task)))
      throw invalid(`/approvals/exclude/${i}`, "No task has this id.");
  }
}

/** A person may have lost the project of a task that they created. @throws ServiceError FORBIDDEN */
function requireMayKnow(caller: Caller, { task }: Replay): void {
  if (caller.kind === "user" && !isOperatorOf(caller, task.project)) throw new ServiceError("FORBIDDEN");
}

/** Returns whether a limit of the asker refused a task. */
export function isLimit(error: unknown): boolean {
  return error instanceof ServiceError && error.code === "AGENT_LIMIT";
}

async function store(
  ctx: CreationContext,
  request: PlacedRequest,
  caller: Caller,
  body: unknown,
  place: Place,
): Promise<Created> {
  const asker = askerOf(caller);
  const home = homeOfKey(asker.asked_by_id, request.body.idempotency_key);
  // The insert shows whether the key is taken. A deletion may free the key, and another task take it, before the winner is read.
  for (let attempt = 0; attempt < 5; attempt++) {
    const rows = newTask(request, asker, actorOf(caller), { now: ctx.db.now(), home }, newId);
    const also = await withTask(ctx, rows, request.entries);
    const written = await ctx.taskCreator(rows, request.recipients, { check: place.check, also });
    if (written !== null) {
      const task = toTask({
        ...written.task,
        ...written.documents,
        response: null,
        rejected_response: null,
        votes: [],
        resumed: [],
      });
      return { task, isReplay: false, isMismatch: false };
    }
    const bound = await findReplay(ctx.db, asker.asked_by_id, body);
    if (bound) requireMayKnow(caller, bound);
    // If the result of the commit was lost and the write was repeated, the task found is this one.
    if (bound) return { ...bound, isReplay: bound.task.id !== rows.task.id };
  }
  throw new ServiceError("OVERLOADED");
}

/** Returns what writes the deliveries of a new task: what it resumes when it ends, and events for subscribers. null: there are none. */
async function withTask(
  { dataKey, subscriptions }: CreationContext,
  rows: NewTask,
  entries: readonly PlacedEntry[],
): Promise<((tx: Tx) => Promise<void>) | null> {
  const { id } = rows.task;
  const refreshing = subscriptions.refresh();
  if (refreshing !== null) await refreshing;
  const events = subscriptions.deliveriesOf(createdEvent(rows));
  if (entries.length === 0 && events.length === 0) return null;
  const bodies = await sealEntries(dataKey, id, entries);
  return async (tx) => {
    await enqueueEntries(tx, id, entries, bodies);
    for (const event of events) await enqueueNew(tx, event);
  };
}
