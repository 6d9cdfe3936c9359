import type { Clock } from "./clock.ts";
import { PATIENCE_MS, type Send } from "./connection.ts";
import { ENDS } from "./outcome.ts";
import type { Reply, Revision } from "./question.ts";
import { addComment, cancelTask, isEnded, isGone, pollTask, reviseTask, type Timing } from "./requests.ts";
import type { Comment, TaskOutcome } from "./shapes.ts";

export const POLL_SECONDS = 25;
/** The pause between polls that end at once, as those of a stopping service do. */
const POLL_PAUSE_MS = 500;
/** Time limit for cancelling a task that is no longer needed. */
const WITHDRAW_MS = 10_000;

/** Returns the reply to a question; null or undefined: it is left to someone else. */
export type Replying = (question: Comment) => Promise<Reply>;

/** Polls until a task has ended, and replies to questions. @param timeoutAt - the deadline in its record */
export async function untilEnded(
  send: Send,
  clock: Clock,
  id: string,
  timeoutAt: string,
  signal: AbortSignal | undefined,
  reply?: Replying,
): Promise<TaskOutcome> {
  const left = new Set<string>();
  let isAttentive = reply !== undefined;
  for (;;) {
    const asked = clock.now();
    const until = Math.max(Date.parse(timeoutAt), asked) + PATIENCE_MS;
    const outcome = await pollTask(send, id, POLL_SECONDS, { signal, until, isAttentive });
    // A proxy in front of the service may have responded instead.
    if (ENDS.has(outcome.status) && outcome.task_id === id) return outcome;
    if (reply !== undefined) {
      // A service of an earlier release has none.
      const { questions = [] } = outcome as Partial<TaskOutcome>;
      for (const question of questions) {
        if (left.has(question.id)) continue;
        const said = await reply(question);
        if (said == null) left.add(question.id);
        else await answerQuestion(send, id, question, said, { signal, until });
      }
      // A question that is left to others would end each poll at once.
      isAttentive = !questions.some((question) => left.has(question.id));
    }
    if (clock.now() - asked < POLL_PAUSE_MS) await clock.sleep(POLL_PAUSE_MS * (1 + Math.random()), signal);
  }
}

/** Sends a reply: once, also if the program starts again before it knows. Does nothing if the task is closed by now. */
async function answerQuestion(
  send: Send,
  id: string,
  { id: reply_to }: Comment,
  said: string | Revision,
  more: Timing,
): Promise<void> {
  try {
    if (typeof said === "string") await addComment(send, id, { text: said, reply_to, idempotency_key: reply_to }, more);
    else await reviseTask(send, id, said, reply_to, more);
  } catch (error) {
    if (!isEnded(error) && !isGone(error)) throw error;
  }
}

/** Cancels a task that is no longer needed. @returns whether it is closed or deleted */
export async function withdraw(send: Send, clock: Clock, id: string): Promise<boolean> {
  try {
    await cancelTask(send, id, "No longer needed.", { until: clock.now() + WITHDRAW_MS });
    return true;
  } catch (error) {
    return isEnded(error) || isGone(error);
  }
}
