import { needsOwnPage } from "./action.ts";
import type { BatchTask } from "./tasks.ts";

/** Tasks that the same form answers. */
export interface Kind {
  readonly key: string;
  readonly tasks: readonly BatchTask[];
}

/** Returns the tasks in groups that the same form answers, the largest group first. */
export function kindsOf(tasks: readonly BatchTask[]): readonly Kind[] {
  const kinds = Map.groupBy(tasks, kindKey);
  return [...kinds].map(([key, tasks]) => ({ key, tasks })).toSorted((a, b) => b.tasks.length - a.tasks.length);
}

/** Returns a text that is the same for tasks that the same form answers, about the same action. The order of keys does not count. */
function kindKey(task: BatchTask): string {
  const { response_schema, form_definition, action } = task;
  const about = action === null ? null : [action.name, action.risk];
  return JSON.stringify([response_schema, form_definition ?? null, about, needsOwnPage(task)], (_, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}
