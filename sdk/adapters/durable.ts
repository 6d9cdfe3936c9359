import type { Callback } from "../callbacks.ts";
import { answerOf, ENDS, type Client, type Question } from "../client.ts";
import { AnswerRefusedError, ApiError, HumanTaskError, NoAnswerError } from "../errors.ts";
import type { AnswerOf, AnySchema } from "../schemas.ts";
import type { TaskOutcome } from "../shapes.ts";

// What the adapters of frameworks with durable runs share. Some of it runs in sandboxes: nothing here has an effect of its own.

/** What became of a question, as a value. */
export type Outcome<Answer> = Answered<Answer> | Unanswered;

export interface Answered<Answer> {
  status: "completed";
  taskId: string;
  answer: Answer;
}

export interface Unanswered {
  /** `refused`: somebody answered, and the schema given here does not take it, by a rule that JSON Schema cannot say. */
  status: NoAnswerError["status"] | "refused";
  taskId: string;
  /** For a person to read. */
  reason: string;
}

/** A question of a run: its key is made of the run, so that whatever is tried again finds it. */
export type RunQuestion<R extends AnySchema, P extends AnySchema> = Omit<
  Question<R, P>,
  "idempotencyKey" | "occasion" | "callbackUrl"
>;

export function hasEnded({ status }: { status: TaskOutcome["status"] }): boolean {
  return ENDS.has(status);
}

/** @param ended - what has become of a task that `hasEnded` */
export async function outcomeOf<R extends AnySchema>(ended: TaskOutcome, schema: R): Promise<Outcome<AnswerOf<R>>> {
  const taskId = ended.task_id;
  try {
    return { status: "completed", taskId, answer: await answerOf(ended, schema) };
  } catch (error) {
    if (error instanceof NoAnswerError) return { status: error.status, taskId, reason: error.message };
    if (error instanceof AnswerRefusedError) return { status: "refused", taskId, reason: error.message };
    throw error;
  }
}

/**
 * What has become of a task that should have ended: waits a little where it has not, since clocks differ.
 * @throws HumanTaskError STILL_OPEN, ApiError, UnreachableError
 */
export async function readEnd(client: Client, taskId: string, signal?: AbortSignal): Promise<TaskOutcome> {
  const outcome = await client.poll(taskId, { signal });
  if (hasEnded(outcome)) return outcome;
  throw new HumanTaskError("STILL_OPEN", `The task is open (${taskId}).`, { taskId });
}

/** Keys are no longer than this. (spec: Create a task) */
const MAX_KEY = 255;

/**
 * The key of a question of a run. It stands in the callback, which is signed, and says there whose question it was.
 * @throws HumanTaskError RUN_ID_TOO_LONG
 */
export function keyOfRun(framework: string, parts: readonly string[]): string {
  const key = `${framework}:${parts.map((part) => encodeURIComponent(part)).join("/")}`;
  if (key.length > MAX_KEY)
    throw new HumanTaskError(
      "RUN_ID_TOO_LONG",
      `The ids of a run stand in the keys of its questions, which have ${MAX_KEY} characters at the most: "${key}".`,
    );
  return key;
}

/** The parts of `keyOfRun`; null where the question is none of this framework's, or its key was made otherwise. */
export function runOf(framework: string, { idempotency_key }: Callback): string[] | null {
  const [kind, rest, ...more] = idempotency_key.split(":");
  if (kind !== framework || rest === undefined || more.length > 0) return null;
  try {
    return rest.split("/").map((part) => decodeURIComponent(part));
  } catch {
    return null;
  }
}

/** Whether trying again is no use: the question itself is wrong. */
export function isFinal(error: unknown): boolean {
  if (error instanceof ApiError) return [400, 409, 413, 422].includes(error.status);
  return error instanceof HumanTaskError && ["OTHER_QUESTION", "NO_JSON_SCHEMA"].includes(error.code);
}
