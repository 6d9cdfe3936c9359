import { isFor, votesOf, type Standing, type Voter } from "../approvals/count.ts";
import { groupsOf, votersAmong, votesOfExcluded } from "../approvals/eligible.ts";
import type { Policy } from "../approvals/policy.ts";
import { isRepeatedVote, proposalOf, stanceOf } from "../approvals/proposal.ts";
import { addVote, listVotes, withdrawVotes, type StoredVote } from "../approvals/store.ts";
import type { Reader, Tx } from "../db/database.ts";
import { ServiceError } from "../errors.ts";
import { findUser } from "../people/store.ts";
import { inboxHint, listCandidates, namesOf, setOffersOpen } from "./candidates.ts";
import type { Decision } from "./decide.ts";
import type { Ballot, Completer, GivenAnswer } from "./lifecycle.ts";
import type { Notifier } from "./notices.ts";
import { parseNotify } from "./notify.ts";
import { findRequest, type AuditEntry, type Task } from "./store.ts";

/*
 * Decisions of several people about one task. Whose decision counts is asked in access.ts, and what the decisions come to in
 * lifecycle.ts. Everything here runs under the task's lock.
 */

/**
 * Returns the decision of one person, for the lifecycle to count.
 *
 * @param task - as it is now
 * @param round - the one that the person saw; null: any
 * @throws ServiceError TASK_CHANGED if another round has begun
 */
export async function ballotOf(
  reader: Reader,
  task: Task,
  policy: Policy,
  { response, by }: GivenAnswer,
  round: number | null,
): Promise<Ballot> {
  const standing = JSON.parse(task.approvals!) as Standing;
  const all = await listVotes(reader, task.id);
  const decision = stanceOf(response, proposalOf({ approvals: task.approvals, votes: all }));
  const { user_id, email, name, channel } = requireKnown(by);
  const vote = {
    user_id,
    email,
    name,
    channel,
    round: decision === "edit" ? standing.round + 1 : standing.round,
    decision,
    response: JSON.stringify(response),
    groups: await groupsOf(reader, user_id, policy),
    withdrawn_at: null,
  };
  const excluded = await votesOfExcluded(reader, task, policy, votesOf(all, vote.round));
  const votes = all.filter((one) => !excluded.includes(one));
  const ballot = { policy, votes, vote, excluded, others: await othersFor(reader, task, policy, votes, vote) };
  // An edit that is sent again, because its answer was lost, names the round before its own.
  if (round !== null && round !== standing.round && !isRepeatedVote(ballot)) throw anotherRound();
  return ballot;
}

/** @throws ServiceError TASK_CHANGED */
export function anotherRound(): ServiceError {
  return new ServiceError("TASK_CHANGED", {
    message: "Someone changed the arguments in the meantime, so this answer was about other ones. Look at them again.",
  });
}

function requireKnown({ user_id, ...by }: Completer): Completer & { user_id: string } {
  if (user_id === null) throw new ServiceError("NEEDS_A_PERSON");
  return { ...by, user_id };
}

/** Returns who else may still decide in the round of a vote. They are only asked for where they matter. */
async function othersFor(
  reader: Reader,
  task: Task,
  policy: Policy,
  votes: readonly StoredVote[],
  vote: Ballot["vote"],
): Promise<Voter[] | null> {
  if (policy.veto === "any") return null;
  const decided = new Set(votesOf(votes, vote.round).map(({ user_id }) => user_id)).add(vote.user_id);
  const { assigned_to_user_id, assigned_to_email } = task;
  const names = [...(await listCandidates(reader, task.id)), assigned_to_user_id, assigned_to_email];
  const voters = await votersAmong(
    reader,
    task,
    policy,
    names.filter((name) => name !== null),
  );
  return voters.filter(({ user_id }) => !decided.has(user_id));
}

/** The audit entry of a vote, whose number and time it has. */
type EntryOfVote = Pick<AuditEntry, "seq" | "created_at">;

/** Returns the votes of a task after one more. Those that do not count any more are taken back. */
export function votesAfter(
  votes: readonly StoredVote[],
  { vote, excluded }: Ballot,
  { seq, created_at }: EntryOfVote,
): StoredVote[] {
  const taken = new Set(excluded.map((one) => one.seq));
  const before = votes.map((one) => (taken.has(one.seq) ? { ...one, withdrawn_at: created_at } : one));
  return [...before, { ...vote, seq, created_at }];
}

/** Stores a vote, and takes back those that do not count any more. */
export async function storeVote(
  tx: Tx,
  task_id: string,
  { vote, excluded }: Ballot,
  { seq, created_at }: EntryOfVote,
): Promise<void> {
  await addVote(tx, task_id, { ...vote, seq, created_at });
  await withdrawVotes(
    tx,
    task_id,
    excluded.map((one) => one.seq),
    created_at,
  );
}

/** Takes a task that a person has decided from their inbox. An edit brings it back to those who approved before, and tells them. */
export async function afterBallot(
  tx: Tx,
  notifier: Pick<Notifier, "enqueueFor" | "inBrowsers">,
  { after, effects }: Pick<Decision, "after" | "effects">,
  { votes, vote }: Ballot,
): Promise<void> {
  if (after.ended_at !== null) return;
  const isNewRound = effects.includes("new_round");
  const names = await listCandidates(tx, after.id);
  const own = namesOf({ id: vote.user_id, email: vote.email });
  if (isNewRound) await setOffersOpen(tx, after.id, names, true);
  await setOffersOpen(tx, after.id, own, false);
  for (const name of isNewRound ? names : own) tx.hint(inboxHint(name));
  if (!isNewRound) return;
  const notify = parseNotify((await findRequest(tx, after.id))?.notify ?? null);
  const notice = { task_id: after.id, project: after.project, purpose: "new_round", at: after.updated_at } as const;
  for (const { user_id, email } of votesOf(votes, vote.round - 1).filter(isFor)) {
    const user = user_id === vote.user_id ? null : await findUser(tx, user_id);
    if (user === null) continue;
    await notifier.enqueueFor(tx, notice, { user, email: user.email ?? email, name: user_id }, notify);
    await notifier.inBrowsers.enqueue(tx, notice, [user_id]);
  }
}
