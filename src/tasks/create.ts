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
  /** The key was bound to this task before; nothing was written. */
  isReplay: boolean;
}

/** What creating a task needs. */
export interface CreationContext extends CheckContext {
  db: Db;
  taskCreator: TaskCreator;
}

/**
 * Creates a task, or finds the one that the idempotency key is bound to, for the life of that task and under any number
 * of calls at once. (spec: Create a task)
 *
 * @param body - as it came; `problem` says what its shape lacks. A replay is answered whatever is wrong with it, so that it
 *   survives rules that have become stricter since.
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
  // The insertion finds out whether the key is taken. It may be freed by a deletion, and taken again, before the winner is read.
  for (let attempt = 0; attempt < 5; attempt++) {
    const rows = newTask(request, actorOf(caller), ctx.db.now(), newId);
    const written = await ctx.taskCreator(rows, request.recipients);
    if (written !== null) {
      const task = toTask({ ...written.task, ...request.documents, response: null });
      return { task, isReplay: false, isMismatch: false };
    }
    const bound = await findReplay(ctx.db, body);
    // Where the answer to the commit was lost and the writing repeated, the task that is found is this very one.
    if (bound) return { ...bound, isReplay: bound.task.id !== rows.task.id };
  }
  throw new ServiceError("OVERLOADED");
}
