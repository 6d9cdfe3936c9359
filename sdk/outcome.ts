import { AnswerRefusedError, NoAnswerError } from "./errors.ts";
import { answerIn, isStandard, YES_OR_NO, type AnswerOf, type AnySchema } from "./schemas.ts";
import type { TaskOutcome } from "./shapes.ts";

/** The terminal statuses. A task with any other status can still be answered. */
export const ENDS: ReadonlySet<string> = new Set(["completed", "timed_out", "cancelled", "verification_exhausted"]);

/**
 * Returns the answer of a task that has ended, after checking it against the schema of its question.
 * @param given - the schema as the question had it
 * @throws NoAnswerError, AnswerRefusedError
 */
export async function answerOf<S extends AnySchema>(outcome: TaskOutcome, given: S | undefined): Promise<AnswerOf<S>> {
  const { task_id, status, response } = outcome;
  if (status !== "completed") throw new NoAnswerError(outcome);
  const schema: AnySchema = given ?? YES_OR_NO;
  const answer = answerIn(response!, schema);
  if (!isStandard(schema)) return answer as AnswerOf<S>;
  const checked = await schema["~standard"].validate(answer);
  if (checked.issues !== undefined) throw new AnswerRefusedError(task_id, answer, checked.issues);
  return checked.value as AnswerOf<S>;
}
