import { parentPort } from "node:worker_threads";
import type { FromThread, ToThread } from "./worker-calls.ts";

/**
 * Answers the calls that `createWorkerCalls` sends to this thread. The thread's module calls this once, after it has
 * loaded its imports.
 *
 * @param answer - gets a signal that is aborted when the caller no longer waits
 */
export function answerCalls<Question, Answer>(
  answer: (question: Question, signal: AbortSignal) => Answer | Promise<Answer>,
): void {
  const port = parentPort;
  if (port === null) throw new Error("This module runs as a worker thread.");
  const pending = new Map<number, AbortController>();
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker thread, not a window
  const send = (message: FromThread<Answer>): void => port.postMessage(message);

  async function answerOne(id: number, question: Question): Promise<void> {
    const call = new AbortController();
    pending.set(id, call);
    try {
      send({ id, answer: await answer(question, call.signal) });
    } catch (error) {
      send({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    } finally {
      pending.delete(id);
    }
  }

  port.on("message", (message: ToThread<Question>) => {
    if ("abort" in message) pending.get(message.id)?.abort();
    else void answerOne(message.id, message.question);
  });
  send("ready");
}
