/** What operators do with agents and projects in the model: stop and resume, archive and bring back. */
import { ADMIN, AGENTS, FORBIDDEN, type AgentName, type Caller, type ProjectSlug } from "./callers.ts";
import { cancelTask } from "./moves.ts";
import { isTerminal, type Answer, type ArchiveAction, type StopAction, type Task, type World } from "./world.ts";

/** `cancel_reason` of a task that was cancelled with its agent. */
export const STOPPED_REASON = "The agent was stopped.";

/** Stops an agent. Its tasks are cancelled in a second step: `cancelTasksOf`. */
export function stop({ agents, now }: World, { by, agent, cancelsTasks }: StopAction): Answer {
  if (by !== ADMIN) return { ...FORBIDDEN };
  const state = agents[agent];
  state.stopped ??= now;
  state.cancelsTasks ||= cancelsTasks;
  return { status: 200, body: { disabled_at: iso(state.stopped) } };
}

/** Lets an agent go on. Tasks that are still open stay open. */
export function resume({ agents }: World, by: Caller, agent: AgentName): Answer {
  if (by !== ADMIN) return { ...FORBIDDEN };
  Object.assign(agents[agent], { stopped: null, cancelsTasks: false });
  return { status: 200, body: { disabled_at: null } };
}

/** Returns the open tasks that have to be cancelled with their agent. */
export function tasksToCancel({ agents, tasks }: World, agent: AgentName): Task[] {
  if (!agents[agent].cancelsTasks) return [];
  return tasks.filter((task) => task.asker === agent && !isTerminal(task));
}

/** @param skipped - names of tasks that another call holds, so that the sweep has to cancel them later */
export function cancelTasksOf(world: World, agent: AgentName, skipped: ReadonlySet<string> = new Set()): Task[] {
  const tasks = tasksToCancel(world, agent).filter(({ name }) => !skipped.has(name));
  for (const task of tasks) cancelTask(world, task, STOPPED_REASON, { actor: "system", agent: null });
  return tasks;
}

/** Cancels what is left of the tasks of every stopped agent. */
export function sweepStopped(world: World): Answer {
  for (const agent of Object.keys(world.agents) as AgentName[])
    for (const task of cancelTasksOf(world, agent))
      // No caller waits for an answer.
      if (task.delivery) task.delivery.due = world.now;
  return { status: 200 };
}

export function readAgent({ agents, tasks }: World, by: Caller, agent: AgentName): Answer {
  if (by !== ADMIN) return { ...FORBIDDEN };
  const { project, scopes } = AGENTS[agent];
  const open_tasks = tasks.filter((task) => task.asker === agent && !isTerminal(task)).length;
  return { status: 200, body: { project, scopes: [...scopes], disabled_at: iso(agents[agent].stopped), open_tasks } };
}

export function archive({ archived, now }: World, action: ArchiveAction): Answer {
  const { by, project } = action;
  if (by !== ADMIN) return AGENTS[by].project === project ? { ...FORBIDDEN } : { ...NO_PROJECT };
  if (action.archived) archived[project] ??= now;
  else delete archived[project];
  return projectRecord(archived[project]);
}

export function readProject({ archived }: World, by: Caller, project: ProjectSlug): Answer {
  if (by !== ADMIN && AGENTS[by].project !== project) return { ...NO_PROJECT };
  return projectRecord(archived[project]);
}

export const NO_PROJECT = { status: 404, code: "PROJECT_NOT_FOUND" } as const;

function projectRecord(archived: number | undefined): Answer {
  return { status: 200, body: { archived_at: iso(archived ?? null) } };
}

function iso(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
