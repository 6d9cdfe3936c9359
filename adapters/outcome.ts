import {
  AnswerRefusedError,
  NoAnswerError,
  type AnswerOf,
  type AnySchema,
  type Asked,
  type Client,
  type Question,
  type TaskOutcome,
} from "@human-task-service/client";
import { ENDS } from "@human-task-service/client/adapter";

/** What became of a question, as a value: agents and graphs decide by it, and models read it. */
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
  /** For a person or a model to read. */
  reason: string;
}

/** Nobody has answered yet. The task is open, and the same question finds it again. */
export interface Pending {
  status: "pending";
  taskId: string;
  /** Where a person who signs in answers it. */
  url: string;
  reason: string;
}

/** A question that has an end: its outcome. @throws ApiError, UnreachableError, the reason of `signal` */
export async function outcomeOf<Answer>(asked: Asked<Answer>, signal?: AbortSignal): Promise<Outcome<Answer>> {
  return outcomeFrom(asked.id, async () => asked.answer({ signal }));
}

/** What becomes of a task whose answer is awaited by `answer`. @throws what `answer` throws, but for what an outcome says */
export async function outcomeFrom<Answer>(taskId: string, answer: () => Promise<Answer>): Promise<Outcome<Answer>> {
  try {
    return { status: "completed", taskId, answer: await answer() };
  } catch (error) {
    if (error instanceof NoAnswerError) return { status: error.status, taskId, reason: error.message };
    if (error instanceof AnswerRefusedError) return { status: "refused", taskId, reason: error.message };
    throw error;
  }
}

export function hasEnded({ status }: { status: TaskOutcome["status"] }): boolean {
  return ENDS.has(status);
}

/**
 * Asks and waits, for `waitSeconds` at the most where that is given.
 * @throws ApiError, UnreachableError, the reason of `signal`
 */
export async function askAndWait<R extends AnySchema, P extends AnySchema>(
  client: Client,
  question: Question<R, P>,
  waitSeconds: number | undefined,
  signal: AbortSignal | undefined,
): Promise<Outcome<AnswerOf<R>> | Pending> {
  const asked = await client.ask<R, P>({ ...question, signal });
  if (waitSeconds === undefined) return outcomeOf(asked, signal);
  const over = AbortSignal.timeout(waitSeconds * 1000);
  try {
    return await outcomeOf(asked, signal === undefined ? over : AbortSignal.any([signal, over]));
  } catch (error) {
    if (error !== over.reason || signal?.aborted === true) throw error;
    const reason =
      "Nobody has answered yet, and nothing was decided. The same call again goes on waiting for the answer.";
    return { status: "pending", taskId: asked.id, url: asked.url, reason };
  }
}

/** Whether somebody can still answer it, as far as was known when it was asked. */
export function isOpen({ record }: Asked<unknown>): boolean {
  return !hasEnded(record);
}
