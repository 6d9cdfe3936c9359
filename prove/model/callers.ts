/** Who calls the service in the model, and what the contract allows each of them. (docs/agents.md, docs/projects.md) */
import type { Answer, Task, World } from "./world.ts";

type Scope = "ask" | "read" | "answer" | "embed";

export const ADMIN = "admin";
export const DEFAULT_PROJECT = "default";
export const PROJECTS = ["refunds", "ships"] as const;
export type ProjectSlug = (typeof PROJECTS)[number];

/**
 * Two agents in each project: one that has its own tasks only, and one that reads all tasks of the project. The host of the
 * first is trusted.
 */
export const AGENTS = {
  "refund-bot": { project: "refunds", scopes: ["ask"], host_answers: true },
  "refund-watcher": { project: "refunds", scopes: ["ask", "read"] },
  "ship-bot": { project: "ships", scopes: ["ask", "answer", "embed"] },
  "ship-desk": { project: "ships", scopes: ["ask", "read", "answer"] },
} as const satisfies Record<string, { project: ProjectSlug; scopes: readonly Scope[]; host_answers?: boolean }>;
export type AgentName = keyof typeof AGENTS;
export const AGENT_NAMES = Object.keys(AGENTS) as AgentName[];

export type Caller = typeof ADMIN | AgentName;

/** A person of the directory, who is an operator, and writes comments. */
export const PERSON = "person";
export const PERSON_EMAIL = "operator@example.com";
/** Who writes comments. */
export type Speaker = Caller | typeof PERSON;

/** Actions that agents may never do with a task. */
type OperatorAction = "delete" | "claim" | "release" | "assign";
type TaskAction =
  | ("read" | "comments" | "versions" | "poll" | "audit" | "attempts")
  | ("comment" | "cancel" | "extend" | "revise" | "complete")
  | OperatorAction;

const NOT_FOUND = { status: 404, code: "TASK_NOT_FOUND" } as const;
export const FORBIDDEN = { status: 403, code: "FORBIDDEN" } as const;
const SCOPE_MISSING = { status: 403, code: "AGENT_SCOPE_MISSING" } as const;

export function has(agent: AgentName, scope: Scope): boolean {
  return (AGENTS[agent].scopes as readonly Scope[]).includes(scope);
}

/** Returns whether the task exists for a caller. */
export function isVisible(by: Caller, { asker, project }: Pick<Task, "asker" | "project">): boolean {
  return by === ADMIN || by === asker || (has(by, "read") && AGENTS[by].project === project);
}

/** Returns whether a caller is the agent of a task, and its host is trusted with answers. */
export function isHostOf(by: Caller, { asker }: Pick<Task, "asker">): boolean {
  return by !== ADMIN && by === asker && "host_answers" in AGENTS[by];
}

/** Returns whether a task names no one, now or in a step, and is not confidential. */
export function isForAnyone({ request, assignee }: Task): boolean {
  const { email, redact, steps } = request;
  return email === null && assignee === null && !redact && !(steps ?? []).some((step) => "to" in step);
}

/** Returns the refusal of an action with a task; null if it is allowed. */
export function refusalOf(by: Speaker, action: TaskAction, task: Task): Answer | null {
  if (by === ADMIN || by === PERSON) return null;
  if (!isVisible(by, task)) return { ...NOT_FOUND };
  switch (action) {
    case "read":
    case "comments":
    case "versions":
    case "poll":
    case "audit":
    case "attempts":
      return null;
    case "comment":
      return by === task.asker || has(by, "answer") ? null : { ...FORBIDDEN };
    case "cancel":
    case "extend":
    case "revise":
      return by === task.asker ? null : { ...FORBIDDEN };
    case "complete":
      if (has(by, "answer")) return null;
      if (!isHostOf(by, task)) return { ...SCOPE_MISSING };
      return isForAnyone(task) ? null : { status: 403, code: "HOST_MAY_NOT_ANSWER" };
    default:
      return { ...FORBIDDEN };
  }
}

/** Returns the status with which the service must answer a caller whose agent is stopped; null if it is not. */
export function stoppedAnswer({ agents }: World, by: Speaker): Answer | null {
  return by === ADMIN || by === PERSON || agents[by].stopped === null ? null : { status: 401, code: "AGENT_DISABLED" };
}

/** Returns the answer to an agent that asks for an embed token of a task. Nobody but its asker may show it. */
export function embedAnswer(by: AgentName, task: Task | undefined, isOpen: (task: Task) => boolean): Answer {
  if (!has(by, "embed")) return { ...SCOPE_MISSING };
  if (task?.asker !== by) return { ...NOT_FOUND };
  return isOpen(task) ? { status: 200 } : { status: 409, code: "TASK_ALREADY_TERMINAL" };
}

/** Returns who asked, as records show it. */
export function askedBy(asker: Caller) {
  const asked_by =
    asker === ADMIN ? { kind: "admin", id: null, name: ADMIN } : { kind: "agent", id: asker, name: asker };
  return { asked_by, on_behalf_of: null };
}
