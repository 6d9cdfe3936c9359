import {
  ApiError,
  HumanTaskError,
  type AnswerOf,
  type AnySchema,
  type Client,
  type Question,
  type TaskOutcome,
} from "@human-task-service/client";
import { answerOf } from "@human-task-service/client/adapter";
import { hasEnded, outcomeFrom, type Outcome } from "./outcome.ts";

// Shared code of the adapters for frameworks with durable runs. Some of it runs in sandboxes, so nothing here has side
// effects.

/** A question of a run. Its key contains the run, so that a retry finds it. */
export type RunQuestion<R extends AnySchema, P extends AnySchema> = Omit<
  Question<R, P>,
  "idempotencyKey" | "occasion" | "callbackUrl" | "resume"
>;

/** Returns the outcome of a task that has ended. @param ended - a task state for which `hasEnded` is true */
export async function outcomeOfEnded<R extends AnySchema>(
  ended: TaskOutcome,
  schema: R | undefined,
): Promise<Outcome<AnswerOf<R>>> {
  return outcomeFrom(ended.task_id, async () => answerOf(ended, schema));
}

/**
 * Returns the outcome of a task that should be closed. Waits a little if it is not, because clocks differ.
 * @throws HumanTaskError STILL_OPEN, ApiError, UnreachableError
 */
export async function readEnd(client: Client, taskId: string, signal?: AbortSignal): Promise<TaskOutcome> {
  const outcome = await client.poll(taskId, { signal });
  if (hasEnded(outcome)) return outcome;
  throw new HumanTaskError("STILL_OPEN", `The task is open (${taskId}).`, { taskId });
}

/** Returns whether a retry is useless because the question itself is wrong. */
export function isFinal(error: unknown): boolean {
  if (error instanceof ApiError) return [400, 409, 413, 422].includes(error.status);
  return error instanceof HumanTaskError && ["OTHER_QUESTION", "NO_JSON_SCHEMA"].includes(error.code);
}
