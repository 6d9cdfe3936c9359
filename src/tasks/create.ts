import type { Db } from "../db/database.ts";
import type { TaskCreator } from "./creator.ts";
import { ServiceError } from "../errors.ts";
import { newId } from "../lib/ids.ts";
import type { Caller } from "../people/caller.ts";
import { requireMay } from "./access.ts";
import { actorOf } from "./attribution.ts";
import { newTask } from "./new-task.ts";
import { readRequest, type CheckedRequest, type CheckContext } from "./read-request.ts";
import { findReplay, type Replay } from "./replay.ts";
import type { CreateTaskBody } from "./schema.ts";
import { toTask } from "./store.ts";

export interface Created extends Replay {
  /** The key already belonged to this task. Nothing was written. */
  isReplay: boolean;
}

/** The context of task creation. */
export interface CreationContext extends CheckContext {
  db: Db;
  taskCreator: TaskCreator;
}

/**
 * Creates a task, or returns the one that has the idempotency key. This holds as long as the task exists, and for concurrent
 * calls. (spec: Create a task)
 *
 * @param body - the request as it came
 * @param problem - what the route's schema found wrong with `body`. A replay succeeds all the same, so that it survives
 *   stricter rules of a later version
 * @throws ServiceError MALFORMED_REQUEST, VALIDATION_FAILED, RESPONSE_SCHEMA_NOT_OBJECT, VERIFIER_CONFIG_INVALID,
 *   VERIFIER_PROVIDER_UNKNOWN
 */
export async function createTask(
  ctx: CreationContext,
  caller: Caller,
  body: unknown,
  problem: Error | null,
): Promise<Created> {
  requireMay(caller, "create");
  let request: CheckedRequest;
  try {
    if (problem) throw problem;
    request = await readRequest(ctx, body as CreateTaskBody);
  } catch (error) {
    const bound = await findReplay(ctx.db, body);
    if (bound) return { ...bound, isReplay: true };
    throw error;
  }
  // The insert shows whether the key is taken. A deletion may free the key, and another task take it, before the winner is read.
  for (let attempt = 0; attempt < 5; attempt++) {
    const rows = newTask(request, actorOf(caller), ctx.db.now(), newId);
    const written = await ctx.taskCreator(rows, request.recipients);
    if (written !== null) {
      const task = toTask({ ...written.task, ...request.documents, response: null, rejected_response: null });
      return { task, isReplay: false, isMismatch: false };
    }
    const bound = await findReplay(ctx.db, body);
    // If the result of the commit was lost and the write was repeated, the task found is this one.
    if (bound) return { ...bound, isReplay: bound.task.id !== rows.task.id };
  }
  throw new ServiceError("OVERLOADED");
}
