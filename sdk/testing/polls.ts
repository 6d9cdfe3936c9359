import type { Waiter } from "./activity.ts";
import type { Timeline } from "./timeline.ts";

/** The waits for the end of tasks. */
export interface Polls {
  /**
   * Resolves once the task has ended or is deleted, or the time is over.
   * @param ms - null means no limit
   * @param isAttentive - also resolves once a question is asked
   * @throws the reason of `signal`, or the error of `cut`
   */
  hold(id: string, ms: number | null, signal: AbortSignal, who: Waiter, isAttentive: boolean): Promise<void>;
  answer(id: string): void;
  /** Resolves those that are attentive. */
  alert(id: string): void;
  /** Rejects all of them. */
  cut(error: Error): void;
}

export function createPolls(timeline: Timeline): Polls {
  const held = new Map<string, Set<PromiseWithResolvers<void> & { isAttentive: boolean }>>();
  return {
    hold: async (id, ms, signal, who, isAttentive) => {
      const poll = { ...Promise.withResolvers<void>(), isAttentive };
      const polls = held.get(id) ?? new Set();
      held.set(id, polls.add(poll));
      const stopWaiting = timeline.wait(who);
      const forget = ms === null ? null : timeline.at(timeline.now() + ms, poll.resolve, true);
      const abort = (): void => poll.reject(signal.reason);
      signal.addEventListener("abort", abort, { once: true });
      try {
        await poll.promise;
      } finally {
        signal.removeEventListener("abort", abort);
        forget?.();
        stopWaiting();
        polls.delete(poll);
      }
    },
    answer: (id) => {
      for (const { resolve } of held.get(id) ?? []) resolve();
    },
    alert: (id) => {
      for (const { resolve, isAttentive } of held.get(id) ?? []) if (isAttentive) resolve();
    },
    cut: (error) => {
      for (const polls of held.values()) for (const { reject } of polls) reject(error);
    },
  };
}
