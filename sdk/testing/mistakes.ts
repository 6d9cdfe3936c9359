import type { TestMistake } from "./mistake.ts";

/** The mistakes of a test that were found. */
export interface Mistakes {
  /** In the order in which they were found. */
  readonly all: readonly TestMistake[];
  /** The mistake in what the test says of a task. */
  of(taskId: string): TestMistake | undefined;
  add(taskId: string, mistake: TestMistake): void;
  /** Nothing that comes of a test with a mistake counts. @throws TestMistake */
  requireNone(): void;
  /** Waits for work, and rejects with the first mistake whatever came of it. */
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
