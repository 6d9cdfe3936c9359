import type { TestMistake } from "./mistake.ts";

/** The mistakes found in a test. */
export interface Mistakes {
  /** In the order of their discovery. */
  readonly all: readonly TestMistake[];
  /** Returns the mistake in the rules for a task. */
  of(taskId: string): TestMistake | undefined;
  add(taskId: string, mistake: TestMistake): void;
  /** Throws if there is a mistake, because then the results of the test do not count. @throws TestMistake */
  requireNone(): void;
  /** Waits for work, and rejects with the first mistake, whatever the result. */
  checked<T>(work: Promise<T>): Promise<T>;
}

export function createMistakes(): Mistakes {
  const all: TestMistake[] = [];
  const byTask = new Map<string, TestMistake>();
  const requireNone = (): void => {
    if (all[0] !== undefined) throw all[0];
  };
  return {
    all,
    requireNone,
    of: (taskId) => byTask.get(taskId),
    add: (taskId, mistake) => {
      all.push(mistake);
      byTask.set(taskId, mistake);
    },
    checked: async (work) => {
      const [done] = await Promise.allSettled([work]);
      requireNone();
      if (done.status === "rejected") throw done.reason;
      return done.value;
    },
  };
}
