import { toAnswerColumns, toAuditExtra } from "../people/accounts.ts";
import type { Standing } from "../approvals/count.ts";
import type { StoredVote } from "../approvals/store.ts";
import { jsonTextOf, keysOf } from "../lib/lazy-json.ts";
import { FALLBACK, isTerminal, NO_CLAIM, transition, type Change, type Effect, type TaskEvent } from "./lifecycle.ts";
import type { AuditEntry, Task } from "./store.ts";

/** The actor of an audit entry. For a verdict it is the person who answered, not the verifier. */
export interface Actor {
  type: "system" | "human" | "agent";
  email: string | null;
  /** The agent whose token was used; null for any other caller. */
  agent: { id: string; name: string } | null;
}

export const SYSTEM: Actor = { type: "system", email: null, agent: null };

/** The columns of an audit entry that name its actor. */
export function actorColumns({ type, email, agent }: Actor) {
  return {
    actor_type: type,
    actor_email: email,
    agent_id: agent?.id ?? null,
    agent_name: agent?.name ?? null,
  };
}

/** A change of a task's status: the rows that it writes. */
export interface Decision {
  before: Task;
  after: Task;
  event: TaskEvent;
  /** The accepted answer, as JSON. */
  response: string | null;
  audit: AuditEntry;
  /** Deliveries to enqueue with it. */
  effects: readonly Effect[];
}

/**
 * Returns the rows that `event` writes for `before`, by the rules of `transition`.
 *
 * @param clock - epoch milliseconds
 * @throws ServiceError as `transition` does
 */
export function decide(before: Task, event: TaskEvent, actor: Actor, clock: number): Decision {
  // Clocks of replicas may differ a little. A task never goes back in time.
  const now = Math.max(clock, before.updated_at);
  const change = transition(before, event, now);
  const accepted = event.type === "accepted" && change.status === "completed" ? event : null;
  const answer = event.type === "fallback" ? event : accepted;
  const response = answer && jsonTextOf(answer.response);
  const after: Task = {
    ...before,
    ...change.set,
    ...(accepted && toAnswerColumns(accepted.by.account)),
    status: change.status,
    updated_at: now,
    audit_seq: before.audit_seq + 1,
    listed_length:
      before.listed_length +
      (response?.length ?? 0) +
      (change.set.cancel_reason?.length ?? 0) +
      (event.type === "revised" ? event.revision.growth.listed : 0),
    schemas_length: before.schemas_length + (event.type === "revised" ? event.revision.growth.schemas : 0),
    ended_at: isTerminal(change.status) ? now : null,
    // A closed task has no claim.
    ...(isTerminal(change.status) && NO_CLAIM),
    ...(isTerminal(change.status) && { next_step_at: null }),
  };
  const audit: AuditEntry = {
    task_id: before.id,
    seq: before.audit_seq,
    action: change.audit,
    from_status: before.status,
    to_status: after.status,
    ...actorColumns(actor),
    channel: "by" in event ? event.by.channel : event.type === "fallback" ? FALLBACK : null,
    embed_sub: "by" in event ? event.by.embed_sub : null,
    verifier_reason: event.type === "refused" ? event.reason : null,
    extra: extraOf(event, before, change),
    created_at: now,
  };
  return { before, after, event, response, audit, effects: change.effects };
}

function deadlinesOf({ timeout_seconds }: { timeout_seconds: number }, before: Task): object {
  return { timeout_seconds, previous_timeout_seconds: before.timeout_seconds };
}

function tallyIn(approvals: string): object {
  const { have, need, round } = JSON.parse(approvals) as Standing;
  return { have, need, ...(round > 1 && { round }) };
}

/** Names the people whose earlier votes were found not to count any more. */
export function notCounted(votes: readonly Pick<StoredVote, "email" | "user_id">[] = []): object {
  return votes.length > 0 ? { not_counted: votes.map(({ email, user_id }) => email ?? user_id) } : {};
}

/**
 * Returns further details for the trail. It has the keys of an answer but not its values, because readers of the trail may
 * not be allowed to read the answer. A redacted task has no keys either.
 */
function extraOf(event: TaskEvent, before: Task, { set }: Change): object | null {
  switch (event.type) {
    case "accepted":
    case "refused": {
      const { account, email } = event.by;
      const extra = {
        ...(!before.redact_payload && { response_keys: keysOf(event.response) }),
        ...(email === null && account && toAuditExtra(account)),
        ...(event.by.kind === "host" && { at_host: true }),
        ...(set.approvals != null && tallyIn(set.approvals)),
        ...(event.type === "accepted" && notCounted(event.ballot?.excluded)),
      };
      return Object.keys(extra).length === 0 ? null : extra;
    }
    case "cancelled":
      return event.reason === null ? null : { reason: event.reason };
    case "extended":
      return deadlinesOf(event, before);
    case "revised":
      return { version: set.version, ...(event.deadline && deadlinesOf(event.deadline, before)) };
    case "timed_out":
      return null;
    case "fallback":
      return before.redact_payload ? null : { response_keys: keysOf(event.response) };
  }
}
