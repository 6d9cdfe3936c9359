import type { TaskRecord } from "../shapes.ts";
import { TestMistake } from "./mistake.ts";
import { getTask, type Tasks } from "./tasks.ts";

/** The asked questions, in order. */
export interface Questions {
  /** Returns their current tasks, and the last state of deleted ones. */
  all(): readonly TaskRecord[];
  /** @throws TestMistake when nothing was asked */
  last(): TaskRecord;
  add(id: string): void;
  /** Keeps the record of a task that is about to be deleted. */
  keep(record: TaskRecord): void;
  /** Resolves once `count` questions were asked. */
  until(count: number): Promise<void>;
}

export function createQuestions(tasks: Tasks): Questions {
  const asked: string[] = [];
  const deleted = new Map<string, TaskRecord>();
  const untilNext = new Set<() => void>();
  const recordOf = (id: string) => deleted.get(id) ?? getTask(tasks, id);
  return {
    all: () => asked.map(recordOf),
    last: () => {
      const last = asked.at(-1);
      if (last === undefined) throw new TestMistake("Nothing was asked yet.");
      return recordOf(last);
    },
    add: (id) => {
      asked.push(id);
      for (const resolve of untilNext) resolve();
      untilNext.clear();
    },
    keep: (record) => void deleted.set(record.id, record),
    until: async (count) => {
      while (asked.length < count) {
        const { promise, resolve } = Promise.withResolvers<void>();
        untilNext.add(resolve);
        await promise;
      }
    },
  };
}
