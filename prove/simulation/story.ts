/** What is observed in a run. All times are epoch milliseconds of virtual time, unless they are stored by the service. */
import type { WholeWebhookDelivery } from "../../src/deliveries/schema.ts";
import type { ErrorCode } from "../../src/errors.ts";
import type { AuditEntryRecord, TaskRecord } from "../../src/tasks/schema.ts";
import type { Arrival } from "./listeners.ts";
import type { PlannedTask } from "./plans.ts";

/** A request, and its answer. */
export interface Asked {
  task: number;
  action: "create" | "complete" | "cancel" | "delete" | "redeliver" | "extend" | "withdraw" | "revise";
  /** Who asks, by number; null: the admin token. */
  person: number | null;
  sentAt: number;
  answeredAt: number;
  /** Null if no answer arrived; then the request may have succeeded. */
  answer: "done" | ErrorCode | null;
  response?: object;
  /** The round that the person has seen; null: they do not say. */
  round?: number | null;
  /** The version that the person has seen; null: they do not say. */
  version?: number | null;
  /** What a revision asks. */
  payload?: object;
}

/** The row of a delivery in the database from this moment on. */
export interface Stand {
  at: number;
  status: string;
  cycle: number;
  attempt_count: number;
  next_attempt_at: number | null;
  last_attempt_at: number | null;
  last_error: string | null;
  lease_owner: string | null;
  lease_until: number | null;
}

/** One attempt as a process made it. */
export interface Flight {
  process: string;
  delivery: string;
  /** The receiver's origin. */
  origin: string;
  cycle: number;
  attempt: number;
  begunAt: number;
  /** The row when the attempt began, and whether this process had the lease. */
  stand: Stand | null;
  isLeased: boolean;
  endedAt: number | null;
  /** The callback that the receiver got; null if it got none. */
  got: { body: string; isSigned: boolean; at: number } | null;
  /** The outcome that the process saw. */
  result: "ok" | "failed" | "given up" | "lost" | null;
  status_code: number | null;
  /** The same attempt still belonged to another process, or to an earlier lease of this one. */
  isOverlapping: boolean;
}

/** A time span that excuses lateness. */
export interface Trouble {
  from: number;
  to: number;
}

/** From `at` on, the clock of the service is ahead of virtual time by `by` milliseconds. */
export interface Shift {
  at: number;
  by: number;
}

/** What a person saw of a task. */
export interface Glimpse {
  task: number;
  person: number;
  status: TaskRecord["status"];
  approvals: NonNullable<TaskRecord["approvals"]>;
}

/** A message that the service owes to people. */
export interface Note {
  destination: string;
  purpose: string;
  status: string;
}

/** What the service owes to those who wait for a task, or hear of it. */
export interface Owed {
  id: string;
  kind: string;
  status: string;
  body: string;
  /** How many attempts have failed. */
  failures: number;
}

/** An entry of the trail, with its number. */
export type Entry = AuditEntryRecord & { seq: number };

export interface StoryTask extends PlannedTask {
  id: string | null;
  record: TaskRecord | null;
  audit: Entry[];
  delivery: WholeWebhookDelivery | null;
  notes: Note[];
  owed: Owed[];
  /** When the entries of the trail were first seen in the database, by their numbers. */
  seen: ReadonlyMap<number, number>;
}

/** Everything observed in a run. */
export interface Story {
  log: string[];
  isAtRest: boolean;
  /** When the run begins. */
  start: number;
  tasks: StoryTask[];
  asked: Asked[];
  flights: Flight[];
  /** By delivery id. */
  stands: Map<string, Stand[]>;
  taskOf: Map<string, number>;
  troubles: Trouble[];
  /** Lease owners whose process was asked to stop, and so may return their attempts. */
  stopped: Set<string>;
  /** In their order. The first one is at the start. */
  shifts: Shift[];
  glimpses: Glimpse[];
  /** What reached the engine and the listener, in its order. */
  arrivals: Arrival[];
  /** Errors that no caller should get. */
  unexpected: string[];
}
