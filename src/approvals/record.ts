import { parseJson, type JsonText } from "../lib/json.ts";
import { isoTime } from "../lib/time.ts";
import { isHidden, votesOf, type Standing } from "./count.ts";
import { authorOf } from "./proposal.ts";
import type { ApprovalRecord, Approvals, ApprovalsSummary, Voter } from "./schema.ts";
import type { RecordedVote } from "./store.ts";

/** What a task has of its approvals. */
interface Approved {
  /** JSON of a `Standing`; null: one person decides. */
  approvals: JsonText | null;
  /** Epoch milliseconds; null while the task is open. */
  ended_at: number | null;
}

/**
 * Returns where the approvals of a task stand, as one reader sees it; null if one person decides.
 *
 * @param votes - those of the present round, perhaps with those before
 * @param reader - id of the person who reads; null: somebody who has not decided
 */
export function toApprovals(task: Approved, votes: readonly RecordedVote[], reader: string | null): Approvals | null {
  const standing = parseJson<Standing>(task.approvals);
  if (standing === null) return null;
  const hides = isHidden(task);
  const counted = votesOf(votes, standing.round);
  const author = authorOf({ ...task, votes });
  return {
    ...standing,
    have: hides ? null : standing.have,
    waiting_for: hides ? [] : [...standing.waiting_for],
    changed_by: author === undefined ? null : toVoter(author),
    decisions: (hides ? counted.filter(({ user_id }) => user_id === reader) : counted).map(toDecision),
  };
}

/** Returns the same for a row of a list. */
export function toApprovalsSummary(task: Approved): ApprovalsSummary | null {
  const standing = parseJson<Standing>(task.approvals);
  if (standing === null) return null;
  const { need, have, round } = standing;
  return { need, have: isHidden(task) ? null : have, round };
}

function toDecision(vote: RecordedVote): ApprovalRecord {
  return { by: toVoter(vote), decision: vote.decision, at: isoTime(vote.created_at), channel: vote.channel };
}

function toVoter({ user_id, email, name }: RecordedVote): Voter {
  return { user_id, email, name };
}
