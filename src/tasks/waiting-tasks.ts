import type { PollUntil } from "./schema.ts";

/** Makes a waiter read the task again. */
export type Wake = () => void;

/** While hints from other processes arrive, each waiting task is checked once in this many rounds. */
export const ROUNDS_WHILE_HEALTHY = 10;

/** A task that a poll waits for. */
interface Waited {
  answers: Map<Wake, PollUntil>;
  /** The round in which it is checked. It does not change when other waiters come or leave. */
  slot: number;
}

/** The tasks that polls of this process wait for. */
export interface WaitingTasks {
  has(id: string): boolean;
  /** @returns a function that unregisters `answer` */
  register(id: string, until: PollUntil, answer: Wake): () => void;
  wake(id: string): void;
  /** Returns the ids to check in a round; null for all ids. */
  idsOf(round: number | null): string[];
  /** Returns whether a poll waits for a question to the asker of this task as well. */
  isAttentive(id: string): boolean;
}

export function createWaitingTasks(): WaitingTasks {
  const waiting = new Map<string, Waited>();
  let nextSlot = 0;
  return {
    has: (id) => waiting.has(id),
    register: (id, until, answer) => {
      const waited = waiting.get(id) ?? { answers: new Map(), slot: nextSlot++ % ROUNDS_WHILE_HEALTHY };
      waiting.set(id, waited);
      const { answers } = waited;
      answers.set(answer, until);
      return () => {
        answers.delete(answer);
        if (answers.size === 0 && waiting.get(id) === waited) waiting.delete(id);
      };
    },
    wake: (id) => {
      for (const answer of waiting.get(id)?.answers.keys() ?? []) answer();
    },
    idsOf: (round) => [...waiting].flatMap(([id, { slot }]) => (round === null || slot === round ? [id] : [])),
    isAttentive: (id) => [...(waiting.get(id)?.answers.values() ?? [])].includes("attention"),
  };
}
