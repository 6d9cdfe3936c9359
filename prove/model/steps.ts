/** What happens to a task while no one answers: its steps, and the answer that counts at its deadline. */
import { NOTHING, SYSTEM, end, move } from "./moves.ts";
import { deadlineOf, isTerminal, SECOND, type Task, type World } from "./world.ts";

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

/** Lets the steps happen that are due. @returns of how many tasks */
export function takeSteps(world: World): number {
  const due = world.tasks.filter((task) => {
    const next = isTerminal(task) || task.isOver ? null : nextStep(task);
    return next !== null && next.at <= world.now;
  });
  for (const task of due) {
    // Once its time is up, nothing happens any more.
    if (world.now >= deadlineOf(task)) task.isOver = true;
    else for (const step of inOrder(task, world.now)) take(world, task, step);
  }
  return due.length;
}

function inOrder(task: Task, now: number): TaskStep[] {
  return task.steps
    .filter(({ at, done }) => done === null && at <= now && at < deadlineOf(task))
    .toSorted((a, b) => a.at - b.at);
}

function take(world: World, task: Task, step: TaskStep): void {
  const { request } = step;
  step.done = world.now;
  const extra: Record<string, unknown> = { step: task.steps.indexOf(step) + 1, do: request.do };
  if (request.do === "raise") task.isUrgent = true;
  if (request.do === "assign") {
    task.assignee = request.to.email;
    // No user has an address here.
    if (!task.request.redact)
      Object.assign(extra, { by: "email", assigned_to_user_id: null, assigned_to_email: task.assignee });
  }
  move(world, task, task.status, { ...NOTHING, ...SYSTEM, action: "escalated", extra });
}

/** Completes a task with the answer that its request gives for the deadline. */
export function fallBack(world: World, task: Task, approved: boolean): void {
  const response = { approved };
  Object.assign(task, { response, channel: "fallback" });
  const extra = task.request.redact ? null : { response_keys: Object.keys(response) };
  end(world, task, "completed", { ...NOTHING, ...SYSTEM, action: "completed", channel: "fallback", extra });
}
