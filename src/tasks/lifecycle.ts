import { count, isFor, votesOf, type Count, type Voter } from "../approvals/count.ts";
import type { Policy } from "../approvals/policy.ts";
import type { StoredVote } from "../approvals/store.ts";
import type { Comment } from "../conversation/store.ts";
import type { RevisedDocuments, VersionDocuments } from "../conversation/versions.ts";
import type { LadderColumns } from "../escalation/ladder.ts";
import { invalid, ServiceError } from "../errors.ts";
import type { JsonObject } from "../lib/json.ts";
import { toDecisionColumns, type ShortDecision } from "./short-decision.ts";

export const TASK_STATUSES = [
  "created",
  "rejected",
  "completed",
  "timed_out",
  "cancelled",
  "verification_exhausted",
] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

export const OPEN_STATUSES = ["created", "rejected"] as const satisfies readonly TaskStatus[];
export const TERMINAL_STATUSES = [
  "completed",
  "timed_out",
  "cancelled",
  "verification_exhausted",
] as const satisfies readonly TaskStatus[];
export type TerminalStatus = (typeof TERMINAL_STATUSES)[number];

export function isTerminal(status: TaskStatus): status is TerminalStatus {
  return (TERMINAL_STATUSES as readonly TaskStatus[]).includes(status);
}

/**
 * What decided a task: a person of the directory, somebody who is known only by an email or a chat account, somebody that an
 * embedding product vouches for, the token of an agent, or the admin token.
 */
export const DECIDER_KINDS = ["person", "recipient", "embed", "agent", "admin"] as const;
export type DeciderKind = (typeof DECIDER_KINDS)[number];
/** `host`: the person who uses an agent, whose answer its host hands in. Records show the agent's token, and `at_host`. */
export type StoredDeciderKind = DeciderKind | "host";

/** The person who answered, as the record names them. */
export interface Completer {
  /** What vouches for them. */
  kind: StoredDeciderKind;
  /** Of the person, if the directory knows it, or of the token. */
  name: string | null;
  email: string | null;
  user_id: string | null;
  /** Their account in a channel that vouches for its members. Some people are known only by it. */
  account: { team_id: string; user_id: string } | null;
  channel: string | null;
  /** The embedding product's own id of the person, not verified. (spec: Embed tokens) */
  embed_sub: string | null;
}

/** The state that a verdict is about. If the task changed since, the verdict does not count. */
export interface VerdictGuard {
  status: TaskStatus;
  verification_attempt: number;
  version: number;
}

/** The assignee of a task; both are null if it is unassigned. */
export interface Assignment {
  assigned_to_user_id: string | null;
  assigned_to_email: string | null;
}

/** The claim columns of a task that is not claimed. */
export const NO_CLAIM = { claimed_by_user_id: null, claimed_by_email: null, claim_expires_at: null };

/** The decision of one person about a task that several must approve. */
export interface Ballot {
  policy: Policy;
  /** What people decided before, in all rounds. */
  votes: readonly StoredVote[];
  vote: Omit<StoredVote, "seq" | "created_at">;
  /** Votes that counted in this round, of people whose decision does not count any more. They are not among `votes`. */
  excluded: readonly StoredVote[];
  /** Who may still decide, besides this person; null where that does not matter. */
  others: readonly Voter[] | null;
}

/** A new deadline, `timeout_seconds` after the creation. */
interface Deadline {
  timeout_seconds: number;
  /** Epoch milliseconds. */
  timeout_at: number;
  steps: LadderColumns;
}

/** What the next version of a task asks. (beyond: Talk before deciding) */
export interface Revision {
  /** The version that it replaces. */
  of: number;
  /** What changes of its documents. Earlier ones are kept as a version. */
  documents: RevisedDocuments;
  /** What they were. */
  before: VersionDocuments;
  /** JSON of the `Standing` with which the approvals begin again; null: one person decides. */
  approvals: string | null;
  /** Characters that the documents have more than before: those that lists read, and those of the schemas. */
  growth: { listed: number; schemas: number };
  /** The line about what it asks now. */
  facts: string | null;
  /** What the asker says of it; its text may be empty. */
  comment: Omit<Comment, "seq" | "answers_seq" | "created_at" | "id">;
}

/** Something that happens to a task. */
export type TaskEvent =
  /** The answer is valid and, where there is a verifier, passed it (`verdict`). */
  | {
      type: "accepted";
      response: JsonObject;
      by: Completer;
      /** The new assignee; null keeps the assignment. */
      assigns: Assignment | null;
      verdict: { reason: string | null; guard: VerdictGuard } | null;
      /** What it decides, in short. */
      decision?: ShortDecision | null;
      /** Whether it changes what was proposed; null: nothing was. */
      edited?: boolean | null;
      /** Where several people must approve. */
      ballot?: Ballot;
    }
  /** The verifier refused the answer. */
  | { type: "refused"; response: JsonObject; by: Completer; reason: string; max_attempts: number; guard: VerdictGuard }
  /** `email`: of the operator; null where the admin token cancels. */
  | { type: "cancelled"; reason: string | null; email: string | null }
  /** The deadline moves, later or earlier. */
  | ({ type: "extended" } & Deadline)
  /** The asker changed what the task asks. */
  | { type: "revised"; revision: Revision; deadline: Deadline | null }
  | { type: "timed_out" }
  /** No one has answered in time, and the request says what counts then. */
  | { type: "fallback"; response: JsonObject; decision?: ShortDecision | null; edited?: boolean | null };

/** An answer that fits its schema, and who gave it. */
export type GivenAnswer = Pick<Extract<TaskEvent, { type: "accepted" }>, "response" | "by" | "decision" | "edited">;
export type AnswerEvent = Extract<TaskEvent, { type: "accepted" | "refused" }>;

/** The state that decides which events a task accepts. Times are epoch milliseconds. */
export interface TaskState {
  status: TaskStatus;
  verification_attempt: number;
  timeout_at: number;
  version: number;
}

/**
 * Deliveries that are enqueued with a change of status. Messages that show the task are refreshed with every change and
 * need no effect.
 *
 * - callback: the outcome, to the task's `callback_url`.
 * - sent_back: a notice to the person whose answer was rejected.
 * - new_round: a notice to the people whose approvals no longer count, because the arguments were changed.
 * - revised: a notice to everyone who was told of the task, because it asks something else now.
 */
export type Effect = "callback" | "sent_back" | "new_round" | "revised";

/** The result of an event: the new status, the columns it sets, its effects, and the name of its audit entry. */
export interface Change {
  status: TaskStatus;
  set: {
    verification_attempt?: number;
    verifier_result?: VerifierResult;
    completed_at?: number;
    timed_out_at?: number;
    completed_by_email?: string | null;
    completed_by_user_id?: string | null;
    completed_via_channel?: string | null;
    decided_by_kind?: StoredDeciderKind;
    decided_by_name?: string | null;
    cancelled_by?: string | null;
    cancel_reason?: string | null;
    timeout_seconds?: number;
    timeout_at?: number;
    /** JSON of a `Standing`. */
    approvals?: string | null;
    version?: number;
    waiting_on?: "people";
    facts?: string | null;
    decision?: string | null;
    decision_tone?: string | null;
    edited?: number | null;
  } & Partial<Assignment & LadderColumns>;
  effects: readonly Effect[];
  audit: TaskStatus | "verified" | "extended" | "approved" | "declined" | "revised";
}

/** The channel of an answer that its request gave for the case that no one does. */
export const FALLBACK = "fallback";
/** The channel of an answer that the host of an agent handed in. */
export const AT_HOST = "mcp";

const ENDED: readonly Effect[] = ["callback"];

/** Rounds of a task that several people must approve. After that, people approve or reject what is there. */
export const ROUNDS_MAX = 100;
/** Decisions of one person about one task, those that were taken back included. Each is read with the task. */
export const DECISIONS_MAX = 100;
/** Revisions of one task. */
export const REVISIONS_MAX = 20;

/** The latest verdict. `attempt` is the number of rejections when it was reached, itself included. */
export interface VerifierResult {
  passed: boolean;
  reason: string | null;
  attempt: number;
}

/**
 * Returns the change that `event` makes to `task`. Each row of the table is one case. (spec: States and transitions)
 *
 * @param now - the moment it happens, epoch milliseconds; becomes `completed_at` or `timed_out_at`
 * @throws ServiceError TASK_ALREADY_TERMINAL if the task is closed, or for an answer or a new deadline at or after the
 *   deadline even if the timeout is not stored yet; TASK_CHANGED if another verdict came first; TASK_REVISED if it was about an earlier version; TOO_MANY_ROUNDS,
 *   TOO_MANY_DECISIONS, TOO_MANY_REVISIONS; VALIDATION_FAILED for a new deadline that has passed
 */
export function transition(task: TaskState, event: TaskEvent, now: number): Change {
  if (isTerminal(task.status)) throw new ServiceError("TASK_ALREADY_TERMINAL");

  switch (event.type) {
    case "accepted": {
      requireInTime(task, now);
      const { verdict, by, ballot } = event;
      if (verdict) requireUnchanged(task, verdict.guard);
      if (ballot) requireWithinLimits(ballot);
      const counted = ballot && countBallot(ballot);
      if (ballot && counted && (counted.state === "open" || isLostByApproval(ballot, counted)))
        return openChange(task, ballot, counted);
      return {
        status: "completed",
        set: {
          ...(counted && { approvals: JSON.stringify(counted.standing) }),
          completed_at: now,
          completed_by_email: by.email,
          completed_by_user_id: by.user_id,
          completed_via_channel: by.channel,
          decided_by_kind: by.kind,
          decided_by_name: by.name,
          ...toDecisionColumns(event),
          ...event.assigns,
          ...(verdict && {
            verifier_result: { passed: true, reason: verdict.reason, attempt: task.verification_attempt },
          }),
        },
        effects: ENDED,
        audit: verdict ? "verified" : "completed",
      };
    }
    case "refused": {
      requireInTime(task, now);
      requireUnchanged(task, event.guard);
      const attempt = task.verification_attempt + 1;
      const status = attempt < event.max_attempts ? "rejected" : "verification_exhausted";
      return {
        status,
        set: { verification_attempt: attempt, verifier_result: { passed: false, reason: event.reason, attempt } },
        effects: isTerminal(status) ? ENDED : ["sent_back"],
        audit: status,
      };
    }
    case "cancelled":
      return {
        status: "cancelled",
        set: { cancelled_by: event.email, cancel_reason: event.reason },
        effects: ENDED,
        audit: "cancelled",
      };
    case "extended": {
      if (now >= task.timeout_at) throw new ServiceError("TASK_ALREADY_TERMINAL");
      if (event.timeout_at <= now)
        throw invalid("/timeout_seconds", "Counts from the creation of the task. This deadline has passed already.");
      return { status: task.status, set: setOf(event), effects: [], audit: "extended" };
    }
    case "revised": {
      requireInTime(task, now);
      const { revision, deadline } = event;
      requireVersion(task, revision.of);
      if (task.version > REVISIONS_MAX) throw new ServiceError("TOO_MANY_REVISIONS");
      return {
        status: task.status,
        set: {
          version: task.version + 1,
          waiting_on: "people",
          facts: revision.facts,
          ...(revision.approvals !== null && { approvals: revision.approvals }),
          ...(deadline !== null && setOf(deadline)),
        },
        effects: ["revised"],
        audit: "revised",
      };
    }
    case "timed_out":
      if (now < task.timeout_at) throw new RangeError("the task's time has not run out");
      return { status: "timed_out", set: { timed_out_at: now }, effects: ENDED, audit: "timed_out" };
    case "fallback":
      if (now < task.timeout_at) throw new RangeError("the task's time has not run out");
      return {
        status: "completed",
        set: { completed_at: now, completed_via_channel: FALLBACK, ...toDecisionColumns(event) },
        effects: ENDED,
        audit: "completed",
      };
  }
}

function setOf({ timeout_seconds, timeout_at, steps }: Deadline) {
  return { timeout_seconds, timeout_at, ...steps };
}

/** @throws ServiceError TASK_REVISED, with the current version; VALIDATION_FAILED for a version that never was */
export function requireVersion({ version }: Pick<TaskState, "version">, about: number): void {
  if (about > version) throw invalid("/version", `The task has no version ${about}. The current one is ${version}.`);
  if (about < version)
    throw new ServiceError("TASK_REVISED", {
      version,
      details: [{ path: "/version", message: `The current version is ${version}.` }],
    });
}

/** @throws ServiceError TOO_MANY_ROUNDS, TOO_MANY_DECISIONS */
function requireWithinLimits({ votes, vote }: Ballot): void {
  // Revisions begin rounds as well.
  if (vote.decision === "edit" && vote.round > ROUNDS_MAX) throw new ServiceError("TOO_MANY_ROUNDS");
  const own = votes.filter(({ user_id }) => user_id === vote.user_id);
  if (own.length >= DECISIONS_MAX) throw new ServiceError("TOO_MANY_DECISIONS");
}

/** Counts a round with the decision of one more person. */
export function countBallot({ policy, votes, vote, others }: Ballot): Count {
  const before = votesOf(votes, vote.round).filter(({ user_id }) => user_id !== vote.user_id);
  return count(policy, vote.round, [...before, vote], others);
}

/**
 * Returns whether a person approves what cannot be reached any more, because people have left or are excluded since somebody
 * rejected it. The answer of this person must not end the task: it says to run the action.
 */
function isLostByApproval({ vote }: Ballot, { state }: Count): boolean {
  return state === "lost" && isFor(vote);
}

/** The change of a decision that does not end the task. */
function openChange({ status }: TaskState, { vote }: Ballot, { standing }: Count): Change {
  return {
    status,
    set: { approvals: JSON.stringify(standing) },
    effects: vote.decision === "edit" ? ["new_round"] : [],
    audit: isFor(vote) ? "approved" : "declined",
  };
}

/** Returns whether a verifier checks answers to a task. Never if the payload is redacted. */
export function isVerified(task: { verifier_config: string | null; redact_payload: boolean }): boolean {
  return task.verifier_config !== null && !task.redact_payload;
}

/**
 * The event that a verifier's verdict makes of an answer.
 *
 * @param guard - the task as it was when the verifier was asked
 * @param max_attempts - rejections that end the task
 */
export function eventOfVerdict(
  answer: GivenAnswer,
  { passed, reason }: { passed: boolean; reason: string },
  guard: VerdictGuard,
  max_attempts: number,
): AnswerEvent {
  return passed
    ? { type: "accepted", assigns: null, ...answer, verdict: { reason, guard } }
    : { type: "refused", ...answer, reason, max_attempts, guard };
}

function requireInTime(task: TaskState, now: number): void {
  if (now >= task.timeout_at)
    throw new ServiceError("TASK_ALREADY_TERMINAL", { message: "The task's time ran out before this answer arrived." });
}

function requireUnchanged(task: TaskState, guard: VerdictGuard): void {
  requireVersion(task, guard.version);
  if (task.status !== guard.status || task.verification_attempt !== guard.verification_attempt)
    throw new ServiceError("TASK_CHANGED");
}
