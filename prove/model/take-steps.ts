/** What the steps of tasks do when they are due. */
import { move, NOTHING, SYSTEM } from "./moves.ts";
import { nextStep, type TaskStep } from "./steps.ts";
import { deadlineOf, isTerminal, type Task, type World } from "./world.ts";

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
