import type { AuditEntryRecord } from "../../src/tasks/schema.ts";
import type { WebhookDelivery, WholeWebhookDelivery } from "../../src/deliveries/schema.ts";
import type { CallerName } from "./callers.ts";
import { eventOf, type Orders } from "./stops.ts";

/** Returns the time of a monotonic clock in epoch milliseconds, so that the order of events is certain. */
export const now = (): number => performance.timeOrigin + performance.now();

/** One run of a service process, from its start to its end. */
export interface Incarnation {
  name: string;
  url: string;
  /** When the process had certainly ended; null while it runs. */
  deadAt: number | null;
}

/** Entries of a trail that tell of no end. */
export const BEFORE_END: ReadonlySet<string> = new Set(["created", "assigned", "escalated"]);

export type CallName =
  | "create"
  | "complete"
  | "cancel"
  | "delete"
  | "read"
  | "poll"
  | "trail"
  | "owed"
  | "list"
  | "callback"
  | "stop"
  | "resume";

/** One call and its answer, or one callback, as seen by the client or the receiver. */
export interface Event {
  call: CallName;
  /** Unique; an answer or a reason carries it, so that stored data shows which call wrote it. */
  number: number;
  who: string;
  /** Whose token the call had. */
  by: CallerName;
  /** Null for callbacks: the sending process is unknown. */
  to: Incarnation | null;
  startedAt: number;
  /** When the answer arrived, or it was certain that none would come; null while the call is open. */
  endedAt: number | null;
  /** Null if no answer arrived. */
  status: number | null;
  error_code?: string;
  /** For a creation: which body was sent. */
  version?: number;
  /** For a poll: the longest wait it asked for. */
  seconds?: number;
  /** The client aborted the call. */
  isAborted?: boolean;
  seen?: Seen;
}

/** The part of a task that an answer or a callback shows. */
export interface Seen {
  id: string;
  /** Null if the answer does not show it. */
  task: {
    status: string;
    /** Which body the record matches: -1 if it matches no body that was sent, null if the record is not shown. */
    version: number | null;
    /** The fields that never change. */
    birth: string | null;
    updated_at: string | null;
    /** Everything about the end of the task, as one string; null while it is open. */
    end: string | null;
  } | null;
  is_replay?: boolean;
  is_mismatch?: boolean;
  trail?: AuditEntryRecord[];
  /** Notifications that could not be sent, because this service has no channel. */
  untold?: number;
  owed?: WebhookDelivery[];
  delivery?: WholeWebhookDelivery;
}

/** The end of a task, in the same form whatever answer shows it. */
export interface End {
  status: string;
  response: unknown;
  completed_at: string | null;
  timed_out_at: string | null;
  completed_by_email: string | null;
  completed_via_channel: string | null;
  cancelled_at: string | null;
  cancel_reason: string | null;
}

export function endOf(task: End): string | null {
  if (task.status === "created") return null;
  const { status, response, completed_at, timed_out_at, completed_by_email, completed_via_channel } = task;
  const { cancelled_at, cancel_reason } = task;
  return JSON.stringify({
    status,
    response,
    completed_at,
    timed_out_at,
    completed_by_email,
    completed_via_channel,
    cancelled_at,
    cancel_reason,
  });
}

/** A callback as received. */
export interface Post {
  arrivedAt: number;
  /** When the receiver answered or closed the connection; null before that. */
  endedAt: number | null;
  outcome: "ok" | "error" | "cut";
  /** Whether it arrived on a reused connection. If that is cut, a sender may repeat the request on a new one. */
  isReused: boolean;
  body: string;
  /** Problems of this callback alone, such as its signature. */
  problems: string[];
}

/** Everything known about one idempotency key of one asker. */
export interface Subject {
  n: number;
  asker: CallerName;
  /** Other askers have tasks with the same key. */
  key: string;
  /** Null until an answer shows it. */
  id: string | null;
  hasCallback: boolean;
  isRedacted: boolean;
  events: Event[];
  /** Calls of agents that did not ask for it, which must change and show nothing. */
  foreign: Event[];
  posts: Post[];
  /** A client asked to delete it; its key is not used again. */
  isDeleted: boolean;
}

export interface History {
  /** Lower numbers belong to an earlier history. */
  firstNumber: number;
  subjects: Map<number, Subject>;
  /** By `nameOfKey`. */
  byKey: Map<string, Subject>;
  /** Changed since the last check. */
  touched: Set<Subject>;
  /** When processes ended, and when database servers were killed and were back, in order. */
  deaths: number[];
  orders: Orders;
}

export function createHistory(firstNumber: number): History {
  return { firstNumber, subjects: new Map(), byKey: new Map(), touched: new Set(), deaths: [], orders: new Map() };
}

export function nameOfKey(asker: CallerName, key: string): string {
  return `${asker} ${key}`;
}

/** Returns the events of one task in order, as text for a reader. */
export function tell(subject: Subject, since: number, orders: Orders): string {
  const { n, asker, key, id, events, foreign, posts, hasCallback } = subject;
  const time = (at: number | null) => (at === null ? "..." : (at - since).toFixed(1));
  const lines = [
    ...[...events, ...foreign, ...(orders.get(asker) ?? []).map(eventOf)].map((event) => ({
      at: event.startedAt,
      text: `${time(event.startedAt)} to ${time(event.endedAt)}  ${describe(event)}`,
    })),
    ...posts.map(({ arrivedAt, endedAt, outcome, body, problems }) => ({
      at: arrivedAt,
      text: `${time(arrivedAt)} to ${time(endedAt)}  the receiver gets a callback, answers "${outcome}"${problems.length > 0 ? ` (${problems.join("; ")})` : ""}: ${cut(body)}`,
    })),
  ].toSorted((a, b) => a.at - b.at);
  const head = `key ${JSON.stringify(key)} of ${asker} (number ${n}${hasCallback ? ", with callback" : ""}), id ${id ?? "unknown"}; times in ms since the first start`;
  return [head, ...lines.map(({ text }) => `    ${text}`)].join("\n");
}

function describe({ call, number, who, by, to, status, error_code, version, seconds, isAborted, seen }: Event): string {
  const how = [version === undefined ? "" : `version ${version}`, seconds === undefined ? "" : `${seconds} s`].filter(
    Boolean,
  );
  const answer = isAborted
    ? "hung up"
    : status === null
      ? "no answer"
      : [
          status,
          error_code,
          seen?.is_replay === undefined ? "" : seen.is_replay ? "replay" : "new",
          seen?.is_mismatch ? "mismatch" : "",
        ]
          .filter(Boolean)
          .join(" ");
  const { task, trail, owed, delivery } = seen ?? {};
  const shown = [
    task ? `${task.version === null ? "" : `version ${task.version} `}${task.end ?? task.status}` : "",
    trail ? trail.map(({ action, created_at }) => `${action} ${created_at}`).join(", ") : "",
    owed
      ? `${owed.length} deliveries: ${owed.map((row) => `${row.status} ${row.attempt_count}, next ${row.next_attempt_at}`).join("; ")}`
      : "",
    delivery
      ? delivery.attempts
          .map(
            (one) =>
              `attempt ${one.attempt} ${one.outcome} ${one.started_at} +${one.duration_ms} ms ${one.error ?? ""}`,
          )
          .join("; ")
      : "",
  ].filter(Boolean);
  const about = how.length > 0 ? ` (${how.join(", ")})` : "";
  return `${who} as ${by} -> ${to ? to.name : "?"}  ${call} #${number}${about}: ${answer}${shown.length > 0 ? `; ${cut(shown.join("; "))}` : ""}`;
}

function cut(text: string): string {
  return text.length > 400 ? `${text.slice(0, 400)}... (${text.length} characters)` : text;
}
