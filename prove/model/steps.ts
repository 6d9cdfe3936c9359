/** The steps of a task: what happens while no one answers, and when. */
import { deadlineOf, SECOND, type Task } from "./world.ts";

/** A step of a request. */
export type StepRequest = { after: number | { fraction: number } } & (
  | { do: "raise" | "remind" }
  | { do: "assign"; to: { email: string } }
);

/** A step of a task. Times are epoch milliseconds. */
export interface TaskStep {
  request: StepRequest;
  at: number;
  done: number | null;
}

export function stepsOf(steps: readonly StepRequest[], span: { created: number; timeout_seconds: number }): TaskStep[] {
  return steps.map((request) => ({ request, at: dueAt(request, span), done: null }));
}

function dueAt(
  { after }: StepRequest,
  { created, timeout_seconds }: Pick<Task, "created" | "timeout_seconds">,
): number {
  return created + (typeof after === "number" ? after * SECOND : Math.floor(timeout_seconds * SECOND * after.fraction));
}

/** Moves the steps that have not happened with the deadline. */
export function moveSteps(task: Task): void {
  for (const step of task.steps) if (step.done === null) step.at = dueAt(step.request, task);
  task.isOver = false;
}

/** The next step, if any. */
export function nextStep(task: Task): TaskStep | null {
  const left = task.steps.filter(({ at, done }) => done === null && at < deadlineOf(task));
  return left.reduce<TaskStep | null>((first, one) => (first === null || one.at < first.at ? one : first), null);
}
