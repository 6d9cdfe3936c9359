import { count, votesOf, type Standing } from "../approvals/count.ts";
import { listVotes, withdrawVotes } from "../approvals/store.ts";
import { votesOfExcluded } from "../approvals/eligible.ts";
import type { Policy } from "../approvals/policy.ts";
import type { Db } from "../db/database.ts";
import { ServiceError } from "../errors.ts";
import { personOf, type Caller } from "../people/caller.ts";
import { requireMay, requireMayWith } from "./access.ts";
import { reassign } from "./assignment.ts";
import { actorOf } from "./attribution.ts";
import { namesOf, setOffersOpen } from "./candidates.ts";
import { notCounted } from "./decide.ts";
import { isTerminal } from "./lifecycle.ts";
import { getTaskWithDocuments, lockTask, setApprovals, type TaskWithDocuments } from "./store.ts";
import { requireTaskId } from "./tasks.ts";

/**
 * Takes back what the caller decided about an open task that several people must approve. The task is in their inbox again.
 * A round that they began with an edit stays: others may have approved it.
 *
 * @throws ServiceError TASK_NOT_FOUND, FORBIDDEN, TASK_ALREADY_TERMINAL, APPROVAL_NOT_FOUND
 */
export async function withdrawDecision(ctx: { db: Db }, caller: Caller, id: string): Promise<TaskWithDocuments> {
  requireMay(caller, "withdraw");
  requireTaskId(id);
  return ctx.db.write(async (tx) => {
    await lockTask(tx, id);
    const task = await getTaskWithDocuments(tx, id);
    await requireMayWith(tx, caller, "withdraw", task);
    if (isTerminal(task.status) || tx.now() >= task.timeout_at) throw new ServiceError("TASK_ALREADY_TERMINAL");
    const person = personOf(caller);
    if (task.approvals === null || person === null) throw new ServiceError("APPROVAL_NOT_FOUND");
    const { round } = JSON.parse(task.approvals) as Standing;
    const counted = votesOf(task.votes, round);
    const own = counted.find(({ user_id }) => user_id === person.id);
    if (own === undefined) throw new ServiceError("APPROVAL_NOT_FOUND");

    const policy = JSON.parse(task.approval_policy!) as Policy;
    const others = counted.filter((vote) => vote !== own);
    const excluded = await votesOfExcluded(tx, task, policy, others);
    await withdrawVotes(
      tx,
      id,
      [own, ...excluded].map(({ seq }) => seq),
      tx.now(),
    );
    const still = others.filter((vote) => !excluded.includes(vote));
    const { standing } = count(policy, round, still, null);
    const approvals = JSON.stringify(standing);
    await setApprovals(tx, id, approvals);
    const names = namesOf(person);
    await setOffersOpen(tx, id, names, true);
    const { have, need } = standing;
    const after = await reassign(
      tx,
      { ...task, approvals },
      {
        set: {},
        actor: actorOf(caller),
        audit: { action: "withdrawn", extra: { have, need, ...(round > 1 && { round }), ...notCounted(excluded) } },
        inboxes: names,
      },
    );
    return { ...after, votes: await listVotes(tx, id) };
  });
}
