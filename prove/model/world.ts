/** The data of the model: the calls that it knows, the tasks, and its answers. */
import { AGENT_NAMES, type AgentName, type Caller, type ProjectSlug, type Speaker } from "./callers.ts";
import type { TaskStep } from "./steps.ts";
import type { Request } from "./requests.ts";

export const SECOND = 1_000;
export const TERMINAL: readonly Status[] = ["completed", "timed_out", "cancelled", "verification_exhausted"];

export type Status = "created" | "rejected" | "completed" | "timed_out" | "cancelled" | "verification_exhausted";

/** Routes that need no model of their own: agents get a refusal there, or change nothing. */
export type OtherRoute = "attempts" | "claim" | "release" | "assign" | "embed";

export type Action =
  | { type: "create"; by: Caller; key: string; request: Request }
  | CompleteAction
  | { type: "cancel"; by: Caller; task: number; reason: string | null }
  | { type: "extend"; by: Caller; task: number; timeout_seconds: number }
  | { type: "delete"; by: Caller; task: number }
  | CommentAction
  | ReviseAction
  | { type: "read" | "poll" | "audit" | "comments" | "versions"; by: Caller; task: number }
  | { type: "other route"; by: AgentName; task: number; route: OtherRoute }
  | { type: "list"; by: Caller; filter: ListFilter; limit: number }
  | { type: "counts"; by: Caller; project: ProjectSlug | null }
  | { type: "stats"; by: Caller; days: number; project: ProjectSlug | null }
  | { type: "deliveries"; by: Caller; task: number }
  | { type: "redeliver"; by: Caller; task: number }
  | { type: "redeliver all"; by: Caller; status: DeliveryStatus }
  | { type: "time out" }
  | { type: "take steps" }
  | StopAction
  | { type: "resume"; by: Caller; agent: AgentName }
  | { type: "read agent"; by: Caller; agent: AgentName }
  | { type: "sweep stopped agents" }
  | ArchiveAction
  | { type: "read project"; by: Caller; project: ProjectSlug };

export interface CompleteAction {
  type: "complete";
  by: Caller;
  task: number;
  approved: boolean | string;
  email: string | null;
  channel: string | null;
  /** The version that it is about; null: it does not say. Drawn as a distance to the current version. */
  version: number | null;
}

export interface CommentAction {
  type: "comment";
  by: Speaker;
  task: number;
  kind: "comment" | "question";
  text: string;
  /** The number of the comment that it answers; null: it does not say. Drawn as one of those about the task. */
  replyTo: number | null;
  key: string | null;
}

export interface ReviseAction {
  type: "revise";
  by: Caller;
  task: number;
  /** What the payload says now. Text does not fit its schema. */
  amount: number | string;
  note: string | null;
  extend_seconds: number | null;
  /** As that of an answer. */
  version: number | null;
  key: string | null;
}

export interface StopAction {
  type: "stop";
  by: Caller;
  agent: AgentName;
  cancelsTasks: boolean;
}

export interface ArchiveAction {
  type: "archive";
  by: Caller;
  project: ProjectSlug;
  /** false: brings it back. */
  archived: boolean;
}

export interface ListFilter {
  status?: Status[];
  terminal?: boolean;
  unassigned?: boolean;
  assigned_to?: string;
  q?: string;
  label?: string[];
  priority?: "normal" | "high" | "urgent";
  sort?: "deadline" | "ended";
  decision?: "Yes" | "No";
  project?: ProjectSlug;
  /** "me" is the agent that calls. */
  agent?: AgentName | "me";
  /** A key of the agent in `agent`, or of the caller. */
  key?: string;
}

export interface Entry {
  action: string;
  from: Status | null;
  to: Status | null;
  actor: "agent" | "human" | "system";
  /** The agent that did it; null for the admin token and the service. */
  agent: AgentName | null;
  email: string | null;
  channel: string | null;
  reason: string | null;
  extra: object | null;
  at: number;
}

export type DeliveryStatus = "PENDING" | "SUCCEEDED" | "FAILED" | "ABANDONED";
interface Attempt {
  cycle: number;
  attempt: number;
  outcome: "succeeded" | "failed";
  status_code: number | null;
  started_at: number;
}
export interface Delivery {
  hook: string;
  body: object;
  status: DeliveryStatus;
  cycle: number;
  count: number;
  due: number | null;
  last: { at: number; status_code: number | null } | null;
  attempts: Attempt[];
  created: number;
}

/** What somebody said about a task. */
export interface Said {
  /** null: a revision, whose id no answer shows. */
  name: string | null;
  by: Speaker;
  kind: "comment" | "question" | "revision";
  text: string;
  key: string | null;
  /** Its place in the trail. */
  seq: number;
  /** Of the asker: questions up to this place are answered. */
  answers: number | null;
  /** Of a revision: the version that it made. */
  version: number | null;
  at: number;
  /** It was said after the deadline or the end, when no one waits for it. */
  isLate: boolean;
}

export interface Task {
  name: string;
  asker: Caller;
  /** Each asker has keys of their own. */
  key: string;
  project: string;
  request: Request;
  /** Counts from the creation. An extension changes it; `request` has the first value. */
  timeout_seconds: number;
  status: Status;
  response: object | null;
  /** The answer that the verifier sent back last. A record has it while the task is `rejected`. */
  refused: object | null;
  verdict: { passed: boolean; reason: string; attempt: number } | null;
  rejections: number;
  created: number;
  updated: number;
  ended: number | null;
  email: string | null;
  channel: string | null;
  /** Whose token completed it. */
  decider: Caller | null;
  /** The reason of the cancellation. */
  reason: string | null;
  /** The address that it is assigned to. */
  assignee: string | null;
  steps: TaskStep[];
  isUrgent: boolean;
  /** A look at its steps came after its deadline. */
  isOver: boolean;
  /** What its payload says in each version. The last one is the current one. */
  amounts: number[];
  /** What was said about it, oldest first. */
  said: Said[];
  audit: Entry[];
  delivery: Delivery | null;
}

export interface AgentState {
  /** When it was stopped, epoch milliseconds; null while it may call the service. */
  stopped: number | null;
  /** The stop also cancels its open tasks. */
  cancelsTasks: boolean;
}

/** The whole state. */
export interface World {
  now: number;
  agents: Record<AgentName, AgentState>;
  /** When each archived project was archived, epoch milliseconds. */
  archived: Partial<Record<ProjectSlug, number>>;
  tasks: Task[];
  /** The audit entries that remain of deleted tasks. */
  gone: { name: string; entry: Entry }[];
  /** How many tasks were created in this run. The next one is called `task <named>`. */
  named: number;
  /** How many comments were added in this run. The next one is called `comment <commented>`. */
  commented: number;
}

export interface Answer {
  status: number;
  code?: string;
  replayed?: string;
  mismatch?: string | null;
  body?: unknown;
  /** The order of rows; those with equal times may come in either order. */
  order?: "created" | "deadline" | "ended";
}

export function emptyWorld(now: number): World {
  const state = (): AgentState => ({ stopped: null, cancelsTasks: false });
  const agents = Object.fromEntries(AGENT_NAMES.map((name) => [name, state()])) as Record<AgentName, AgentState>;
  return { now, agents, archived: {}, tasks: [], gone: [], named: 0, commented: 0 };
}

export function versionOf({ amounts }: Task): number {
  return amounts.length;
}

/** Returns the questions that the asker has not answered, oldest first. Those of a closed task have no one who could. */
export function openQuestions(task: Task): Said[] {
  const said = task.said.filter(({ isLate }) => !isLate);
  const answered = Math.max(-1, ...said.map(({ answers }) => answers ?? -1));
  return said.filter(({ kind, seq }) => kind === "question" && seq > answered);
}

export function isTerminal(task: Task): boolean {
  return TERMINAL.includes(task.status);
}

export function isAnswerable({ now }: World, task: Task): boolean {
  return !isTerminal(task) && now < deadlineOf(task);
}

export function deadlineOf(task: Task): number {
  return task.created + task.timeout_seconds * SECOND;
}
