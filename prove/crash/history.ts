import type { AuditEntryRecord } from "../../src/tasks/schema.ts";
import type { WebhookDelivery, WholeWebhookDelivery } from "../../src/deliveries/schema.ts";

/** Epoch milliseconds of a clock that never steps, so that what came before what is certain. */
export const now = (): number => performance.timeOrigin + performance.now();

/** One start of one of the service's processes, up to its end. */
export interface Incarnation {
  name: string;
  url: string;
  /** When its end was certain; null while it lives. */
  deadAt: number | null;
}

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
  | "callback";

/** One call and its answer, or one callback, as whoever made or got it knows it. */
export interface Event {
  call: CallName;
  /** Its own; an answer or a reason carries it, so that what is stored tells which call it came from. */
  number: number;
  who: string;
  /** Null for callbacks: who sent one is not known. */
  to: Incarnation | null;
  startedAt: number;
  /** When its answer was there, or that there would be none; null while it is open. */
  endedAt: number | null;
  /** Null: no answer came. */
  status: number | null;
  error_code?: string;
  /** Of a creation: which body was sent. */
  version?: number;
  /** Of a poll: for how long it was to wait. */
  seconds?: number;
  /** The one who asked hung up. */
  isAborted?: boolean;
  seen?: Seen;
}

/** What an answer or a callback says of a task. */
export interface Seen {
  id: string;
  /** Null where it does not show. */
  task: {
    status: string;
    /** Which body the record repeats: -1 none that was ever sent, null where the record is not shown. */
    version: number | null;
    /** What never changes. */
    birth: string | null;
    updated_at: string | null;
    /** All that tells how it ended, in one text; null while it is open. */
    end: string | null;
  } | null;
  is_replay?: boolean;
  is_mismatch?: boolean;
  trail?: AuditEntryRecord[];
  /** Messages that could not be sent, as there is no way to anybody here. */
  untold?: number;
  owed?: WebhookDelivery[];
  delivery?: WholeWebhookDelivery;
}

/** How the end of a task reads, whoever tells of it. */
export interface End {
  status: string;
  response: unknown;
  completed_at: string | null;
  timed_out_at: string | null;
  completed_by_email: string | null;
  completed_via_channel: string | null;
}

export function endOf({
  status,
  response,
  completed_at,
  timed_out_at,
  completed_by_email,
  completed_via_channel,
}: End): string | null {
  if (status === "created") return null;
  return JSON.stringify({ status, response, completed_at, timed_out_at, completed_by_email, completed_via_channel });
}

/** A callback as it came. */
export interface Post {
  arrivedAt: number;
  /** When the receiver had answered or hung up; null while it has not. */
  endedAt: number | null;
  outcome: "ok" | "error" | "cut";
  /** It came over a connection that had served before; then a sender may take a cut for an old connection's end, and repeat. */
  isReused: boolean;
  body: string;
  /** What is wrong with it by itself, such as its signature. */
  problems: string[];
}

/** All that is known of one idempotency key. */
export interface Subject {
  n: number;
  key: string;
  /** Null until an answer told it. */
  id: string | null;
  hasCallback: boolean;
  isRedacted: boolean;
  events: Event[];
  posts: Post[];
  /** Somebody asked to delete it; its key is not used again. */
  isDeleted: boolean;
}

export interface History {
  /** Lower numbers belong to an earlier one. */
  firstNumber: number;
  subjects: Map<number, Subject>;
  byKey: Map<string, Subject>;
  /** Touched since it was last judged. */
  touched: Set<Subject>;
  /** Ends of processes, in their order. */
  deaths: number[];
}

export function createHistory(firstNumber: number): History {
  return { firstNumber, subjects: new Map(), byKey: new Map(), touched: new Set(), deaths: [] };
}

/** The story of one task in the order in which it went, for a reader. */
export function tell({ n, key, id, events, posts, hasCallback }: Subject, since: number): string {
  const time = (at: number | null) => (at === null ? "..." : (at - since).toFixed(1));
  const lines = [
    ...events.map((event) => ({
      at: event.startedAt,
      text: `${time(event.startedAt)} to ${time(event.endedAt)}  ${describe(event)}`,
    })),
    ...posts.map(({ arrivedAt, endedAt, outcome, body, problems }) => ({
      at: arrivedAt,
      text: `${time(arrivedAt)} to ${time(endedAt)}  the receiver gets a callback, answers "${outcome}"${problems.length > 0 ? ` (${problems.join("; ")})` : ""}: ${cut(body)}`,
    })),
  ].toSorted((a, b) => a.at - b.at);
  const head = `key ${JSON.stringify(key)} (number ${n}${hasCallback ? ", with callback" : ""}), id ${id ?? "unknown"}; times in ms since the first start`;
  return [head, ...lines.map(({ text }) => `    ${text}`)].join("\n");
}

function describe({ call, number, who, to, status, error_code, version, seconds, isAborted, seen }: Event): string {
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
  return `${who} -> ${to ? to.name : "?"}  ${call} #${number}${about}: ${answer}${shown.length > 0 ? `; ${cut(shown.join("; "))}` : ""}`;
}

function cut(text: string): string {
  return text.length > 400 ? `${text.slice(0, 400)}... (${text.length} characters)` : text;
}
