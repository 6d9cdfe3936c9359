import type { Clock } from "./clock.ts";
import { PATIENCE_MS, type Send } from "./connection.ts";
import { ENDS } from "./outcome.ts";
import { cancelTask, isEnded, isGone, pollTask } from "./requests.ts";
import type { TaskOutcome } from "./shapes.ts";

export const POLL_SECONDS = 25;
/** The pause between polls that end at once, as those of a stopping service do. */
const POLL_PAUSE_MS = 500;
/** Time limit for cancelling a task that is no longer needed. */
const WITHDRAW_MS = 10_000;

/** Polls until a task has ended. @param timeoutAt - the deadline in its record */
export async function untilEnded(
  send: Send,
  clock: Clock,
  id: string,
  timeoutAt: string,
  signal: AbortSignal | undefined,
): Promise<TaskOutcome> {
  for (;;) {
    const asked = clock.now();
    const until = Math.max(Date.parse(timeoutAt), asked) + PATIENCE_MS;
    const outcome = await pollTask(send, id, POLL_SECONDS, { signal, until });
    // A proxy in front of the service may have responded instead.
    if (ENDS.has(outcome.status) && outcome.task_id === id) return outcome;
    if (clock.now() - asked < POLL_PAUSE_MS) await clock.sleep(POLL_PAUSE_MS * (1 + Math.random()), signal);
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
