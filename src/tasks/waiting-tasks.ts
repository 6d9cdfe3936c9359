/** What makes a waiter read the task and answer. */
export type Wake = () => void;

/** With hints from other processes arriving, each waiting task is looked at once in this many rounds. */
export const ROUNDS_WHILE_HEALTHY = 10;

/** A task that a poll waits for. */
interface Waited {
  answers: Set<Wake>;
  /** In which of the rounds it is looked at. It stays the same when other waiters come or leave. */
  slot: number;
}

/** The tasks that polls of this process wait for. */
export interface WaitingTasks {
  has(id: string): boolean;
  /** @returns a function that takes `answer` back */
  register(id: string, answer: Wake): () => void;
  wake(id: string): void;
  /** The ids that are looked at in a round; null: all ids. */
  idsOf(round: number | null): string[];
}

export function createWaitingTasks(): WaitingTasks {
  const waiting = new Map<string, Waited>();
  let nextSlot = 0;
  return {
    has: (id) => waiting.has(id),
    register: (id, answer) => {
      const waited = waiting.get(id) ?? { answers: new Set(), slot: nextSlot++ % ROUNDS_WHILE_HEALTHY };
      waiting.set(id, waited);
      const { answers } = waited;
      answers.add(answer);
      return () => {
        answers.delete(answer);
        if (answers.size === 0 && waiting.get(id) === waited) waiting.delete(id);
      };
    },
    wake: (id) => {
      for (const answer of waiting.get(id)?.answers ?? []) answer();
    },
    idsOf: (round) => [...waiting].flatMap(([id, { slot }]) => (round === null || slot === round ? [id] : [])),
  };
}
