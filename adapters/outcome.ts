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

/** The outcome of a question as a value, for agents, graphs and models. */
export type Outcome<Answer> = Answered<Answer> | Unanswered;

export interface Answered<Answer> {
  status: "completed";
  taskId: string;
  answer: Answer;
}

export interface Unanswered {
  /** `refused`: a person answered, but the answer breaks a rule of the schema that JSON Schema cannot express. */
  status: NoAnswerError["status"] | "refused";
  taskId: string;
  /** For a person or a model to read. */
  reason: string;
}

/** There is no answer yet. The task is open, and the same question finds it again. */
export interface Pending {
  status: "pending";
  taskId: string;
  /** URL of the task for people who sign in. */
  url: string;
  reason: string;
}

/** Returns the outcome of a question that has ended. @throws ApiError, UnreachableError, the reason of `signal` */
export async function outcomeOf<Answer>(asked: Asked<Answer>, signal?: AbortSignal): Promise<Outcome<Answer>> {
  return outcomeFrom(asked.id, async () => asked.answer({ signal }));
}

/** Returns the outcome of a task that `answer` waits for. @throws errors of `answer` that are not outcomes */
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
 * Asks and waits, at most `waitSeconds` if given.
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
    const reason = "No answer yet, and nothing was decided. Repeat the call to wait again.";
    return { status: "pending", taskId: asked.id, url: asked.url, reason };
  }
}

/** Returns whether the task was still open when it was asked. */
export function isOpen({ record }: Asked<unknown>): boolean {
  return !hasEnded(record);
}
