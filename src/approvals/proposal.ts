import { isSame } from "../../form/plan/same.ts";
import { decisionsIn } from "../actions/decision.ts";
import { invalid } from "../errors.ts";
import { isJsonObject, parseJson, type JsonObject, type JsonText } from "../lib/json.ts";
import { isFor, isHidden, votesOf, type Standing, type Stance, type Vote } from "./count.ts";
import type { StoredVote } from "./store.ts";

/** What a task has of its approvals. */
interface Approved {
  /** JSON of a `Standing`; null: one person decides. */
  approvals: JsonText | null;
  votes: readonly Pick<StoredVote, "round" | "decision" | "response">[];
}

/** Returns the round in which several people approve; 1 if one person decides. */
export function roundOf({ approvals }: Pick<Approved, "approvals">): number {
  return parseJson<Standing>(approvals)?.round ?? 1;
}

/** Returns the stored answer that is up for approval; null: the actions as they were asked for. */
export function proposalOf(task: Approved): JsonObject | null {
  return proposalIn(task, roundOf(task));
}

function proposalIn(task: Approved, round: number): JsonObject | null {
  const first = beginningOf(task.votes, round);
  return first === undefined ? null : (JSON.parse(first.response) as JsonObject);
}

/**
 * Returns the edit that began a round; undefined if it began with the task or a revision. Its author may have taken it back since:
 * what the round is about stays.
 */
function beginningOf<V extends Begun>(votes: readonly V[], round: number): V | undefined {
  return votes.find((vote) => vote.round === round && vote.decision === "edit");
}

type Begun = Pick<StoredVote, "round" | "decision">;

/** Returns the edit that began the present round; undefined in the first, or if people must not know of it. */
export function authorOf<V extends Begun>(
  task: Pick<Approved, "approvals"> & { ended_at: number | null; votes: readonly V[] },
): V | undefined {
  return isHidden(task) ? undefined : beginningOf(task.votes, roundOf(task));
}

/** Returns whether the present round began with an edit of a person. Others begin with the task or a revision. */
export function beganWithEdit(task: Approved): boolean {
  return beginningOf(task.votes, roundOf(task)) !== undefined;
}

/**
 * Returns what people review: the payload with the arguments that are up for approval in place of the original ones.
 * @param task.payload - JSON of the payload as it was asked for
 */
export function payloadOf(task: Approved & { payload: JsonText }): JsonText {
  return payloadIn(task, roundOf(task));
}

/** Returns a task with what people review now in place of what was asked for. */
export function inRound<T extends Approved & { payload: JsonText }>(task: T): T {
  return task.approvals === null ? task : { ...task, payload: payloadOf(task) };
}

/** Returns what people review in a round that has begun. */
export function payloadIn(task: Approved & { payload: JsonText }, round: number): JsonText {
  const proposal = proposalIn(task, round);
  if (proposal === null) return task.payload;
  const decisions = decisionsIn(proposal);
  const payload = JSON.parse(task.payload) as JsonObject;
  if (proposal["decisions"] === undefined) return JSON.stringify(decisions[0]!.args ?? payload);
  const actions = payload["actions"] as JsonObject[];
  return JSON.stringify({
    actions: actions.map((action, i) =>
      isJsonObject(decisions[i]?.args) ? { ...action, args: decisions[i].args } : action,
    ),
  });
}

/**
 * Returns what an answer means for a round.
 *
 * @param answer - as it is stored
 * @param proposal - the answer that the round is about; null: the actions as they were asked for
 * @throws ServiceError VALIDATION_FAILED if it would run some of several actions and not the others
 */
export function stanceOf(answer: JsonObject, proposal: JsonObject | null): Stance {
  const decisions = decisionsIn(answer);
  const running = decisions.filter(isFor);
  if (running.length === 0) return decisions.every(({ decision }) => decision === "respond") ? "respond" : "reject";
  // Others would have to agree to the same choice, and would not see why.
  if (running.length < decisions.length)
    throw invalid(
      "/response/decisions",
      "Several people must approve these actions: decide to run all of them, or none.",
    );
  const proposed = proposal === null ? [] : decisionsIn(proposal);
  const isAsProposed = decisions.every(({ decision, args }, i) => {
    const one = proposed[i] ?? { decision: "approve" as const };
    return decision === one.decision && (one.args === undefined || isSame(args, one.args));
  });
  return isAsProposed ? "approve" : "edit";
}

/**
 * Returns whether the person has decided the same in this round. An edit that is sent again, because its answer was lost, is an
 * approval of the round that it began.
 */
export function isRepeatedVote<V extends Vote & Pick<StoredVote, "response">>({
  votes,
  vote,
}: {
  votes: readonly V[];
  vote: Pick<V, "user_id" | "round" | "decision" | "response">;
}): boolean {
  const last = votesOf(votes, vote.round).find(({ user_id }) => user_id === vote.user_id);
  return (
    last !== undefined && isFor(last) === isFor(vote) && isSame(JSON.parse(last.response), JSON.parse(vote.response))
  );
}
