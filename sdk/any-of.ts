import { ApiError, HumanTaskError } from "./errors.ts";
import { bodyOf, type Abortable, type Asked, type Question } from "./question.ts";
import type { AnySchema } from "./schemas.ts";

/** The first answer to one of several questions. */
export interface FirstAnswer<Answer> {
  answer: Answer;
  /** Index of the answered question. */
  index: number;
  id: string;
  /** Ids of tasks that could not be cancelled because the service was unavailable. */
  leftOpen: readonly string[];
}

/**
 * Asks several questions at once. The first answer counts, and the other tasks are cancelled.
 *
 * @param ask - asks one of them
 * @param withdraw - cancels a task; returns false if it could not
 * @throws HumanTaskError SAME_QUESTION; AggregateError with the outcome of each question if none is answered
 */
export async function firstAnswer<R extends AnySchema, P extends AnySchema, Answer>(
  questions: readonly Question<R, P>[],
  signal: AbortSignal | undefined,
  ask: (question: Question<R, P> & Abortable) => Promise<Asked<Answer>>,
  withdraw: (id: string) => Promise<boolean>,
): Promise<FirstAnswer<Answer>> {
  const keys = await Promise.all(questions.map(async (question) => (await bodyOf(question)).idempotency_key));
  if (new Set(keys).size < keys.length)
    throw new HumanTaskError(
      "SAME_QUESTION",
      "Two questions are the same. Tell them apart with idempotencyKey or occasion.",
    );
  const asking = await Promise.allSettled(questions.map(async (question) => ask({ ...question, signal })));
  const asked = asking.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  const failed = asking.find((one) => one.status === "rejected");
  if (failed !== undefined) {
    // After an abort, or if the service is unavailable, all questions are asked again. Tasks that existed before must
    // not be withdrawn.
    const fresh = failed.reason instanceof ApiError ? asked.filter(({ isReplay }) => !isReplay) : [];
    await Promise.all(fresh.map(async ({ id }) => withdraw(id)));
    throw failed.reason;
  }
  const losers = new AbortController();
  const waiting = signal === undefined ? losers.signal : AbortSignal.any([signal, losers.signal]);
  try {
    const first = await Promise.any(
      asked.map(async ({ id, answer }, index) => ({ index, id, answer: await answer({ signal: waiting }) })),
    );
    losers.abort();
    const others = asked.filter(({ id }) => id !== first.id);
    const isGone = await Promise.all(others.map(async ({ id }) => withdraw(id)));
    return { ...first, leftOpen: others.filter((_, i) => !isGone[i]).map(({ id }) => id) };
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}
