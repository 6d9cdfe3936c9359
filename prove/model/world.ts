/** The data of the model: the calls that it knows, the tasks, and its answers. */
import type { Request } from "./requests.ts";

export const SECOND = 1_000;
export const TERMINAL: readonly Status[] = ["completed", "timed_out", "cancelled", "verification_exhausted"];

export type Status = "created" | "rejected" | "completed" | "timed_out" | "cancelled" | "verification_exhausted";

export type Action =
  | { type: "create"; key: string; request: Request }
  | { type: "complete"; task: number; approved: boolean | string; email: string | null; channel: string | null }
  | { type: "cancel"; task: number; reason: string | null }
  | { type: "extend"; task: number; timeout_seconds: number }
  | { type: "delete"; task: number }
  | { type: "read" | "poll" | "audit"; task: number }
  | { type: "list"; filter: ListFilter; limit: number }
  | { type: "counts" }
  | { type: "stats"; days: number }
  | { type: "deliveries"; task: number }
  | { type: "redeliver"; task: number }
  | { type: "redeliver all"; status: DeliveryStatus }
  | { type: "time out" };

export interface ListFilter {
  status?: Status[];
  terminal?: boolean;
  unassigned?: boolean;
  assigned_to?: string;
  q?: string;
  sort?: "deadline";
}

export interface Entry {
  action: string;
  from: Status | null;
  to: Status | null;
  actor: "agent" | "system";
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

export interface Task {
  name: string;
  key: string;
  request: Request;
  /** The current one; `request` has the first. */
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
  /** The reason of the cancellation. */
  reason: string | null;
  audit: Entry[];
  delivery: Delivery | null;
}

/** The whole state. */
export interface World {
  now: number;
  tasks: Task[];
  /** The audit entries that remain of deleted tasks. */
  gone: { name: string; entry: Entry }[];
  /** How many tasks were ever created. */
  named: number;
}

export interface Answer {
  status: number;
  code?: string;
  replayed?: string;
  mismatch?: string | null;
  body?: unknown;
  /** The order of rows; those with equal times may come in either order. */
  order?: "created" | "deadline";
}

export function emptyWorld(now: number): World {
  return { now, tasks: [], gone: [], named: 0 };
}

export function isTerminal(task: Task): boolean {
  return TERMINAL.includes(task.status);
}

export function deadlineOf(task: Task): number {
  return task.created + task.timeout_seconds * SECOND;
}
