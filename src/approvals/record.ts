import { parseJson, type JsonText } from "../lib/json.ts";
import { isoTime } from "../lib/time.ts";
import { votesOf, type Standing } from "./count.ts";
import type { ApprovalRecord, Approvals, ApprovalsSummary } from "./schema.ts";
import type { StoredVote } from "./store.ts";

/**
 * Returns where the approvals of a task stand, as one reader sees it; null if one person decides.
 *
 * @param stored - the column of the task
 * @param reader - id of the person who reads; null: somebody who has not decided
 * @param hasEnded - nothing is hidden then
 */
export function toApprovals(
  stored: JsonText | null,
  votes: readonly StoredVote[],
  { reader, hasEnded }: { reader: string | null; hasEnded: boolean },
): Approvals | null {
  const standing = parseJson<Standing>(stored);
  if (standing === null) return null;
  const isHidden = standing.blind && !hasEnded;
  const counted = votesOf(votes, standing.round);
  return {
    ...standing,
    have: isHidden ? null : standing.have,
    waiting_for: isHidden ? [] : [...standing.waiting_for],
    decisions: (isHidden ? counted.filter(({ user_id }) => user_id === reader) : counted).map(toDecision),
  };
}

/** Returns the same for a row of a list. */
export function toApprovalsSummary(stored: JsonText | null, hasEnded: boolean): ApprovalsSummary | null {
  const standing = parseJson<Standing>(stored);
  if (standing === null) return null;
  const { need, have, round, blind } = standing;
  return { need, have: blind && !hasEnded ? null : have, round };
}

function toDecision({ user_id, email, name, decision, created_at, channel }: StoredVote): ApprovalRecord {
  return { by: { user_id, email, name }, decision, at: isoTime(created_at), channel };
}
