import { parseJson, type JsonText } from "../lib/json.ts";
import type { Group, Policy } from "./policy.ts";

/** What a decision means for a round: for what the round is about, or against it. An edit begins a round, and is for it. */
export const STANCES = ["approve", "edit", "reject", "respond"] as const;
export type Stance = (typeof STANCES)[number];

/** What one person decided. */
export interface Vote {
  user_id: string;
  round: number;
  decision: Stance;
  /** Which of `one_of_each` the person belongs to, by number. */
  groups: readonly number[];
  withdrawn_at: number | null;
}

/** Somebody who may still approve. */
export type Voter = Pick<Vote, "user_id" | "groups">;

/** Where the approvals of a task stand. It is stored with the task, so that lists know it. */
export interface Standing extends Pick<Policy, "need" | "blind" | "veto"> {
  /** People who have approved what this round is about. */
  have: number;
  /** 1, 2, ... */
  round: number;
  /** Those of `one_of_each` that no person of their own has approved for. */
  waiting_for: readonly Group[];
}

/** What a round has come to. `lost`: it cannot be approved any more. */
export interface Count {
  state: "open" | "reached" | "lost";
  standing: Standing;
}

/** Returns where the approvals of a new task stand. */
export function firstStanding({ need, blind, veto, one_of_each }: Policy): Standing {
  return { need, have: 0, round: 1, blind, veto, waiting_for: one_of_each };
}

/** Returns where the approvals of a task stand once it is revised: they begin again. */
export function standingOfRevised({ round, ...standing }: Standing, { one_of_each }: Policy): Standing {
  return { ...standing, have: 0, round: round + 1, waiting_for: one_of_each };
}

/** Returns whether what people decide about a task is hidden: it is blind, and open. */
export function isHidden({ approvals, ended_at }: { approvals: JsonText | null; ended_at: number | null }): boolean {
  return ended_at === null && parseJson<Standing>(approvals)?.blind === true;
}

export function isFor({ decision }: Pick<Vote, "decision">): boolean {
  return decision === "approve" || decision === "edit";
}

/**
 * Returns the votes that count in a round: the last one of each person, unless it was taken back.
 * @param votes - in their order
 */
export function votesOf<V extends Vote>(votes: readonly V[], round: number): V[] {
  const last = new Map<string, V>();
  for (const vote of votes)
    if (vote.round === round) {
      // Moves it to the end: the order is that of the decisions that count.
      last.delete(vote.user_id);
      last.set(vote.user_id, vote);
    }
  return [...last.values()].filter(({ withdrawn_at }) => withdrawn_at === null);
}

/**
 * Counts a round.
 *
 * @param votes - those that count in it
 * @param others - everyone who may still decide; null where one rejection ends the round
 */
export function count(policy: Policy, round: number, votes: readonly Vote[], others: readonly Voter[] | null): Count {
  const { need, blind, veto, one_of_each } = policy;
  const approving = votes.filter(isFor);
  const isRejected =
    approving.length < votes.length &&
    (veto === "any" || (others !== null && !canReach(policy, [...approving, ...others])));
  const seats = seat(one_of_each, approving);
  const waiting_for = one_of_each.filter((_, group) => !seats.has(group));
  return {
    state: isRejected ? "lost" : canReach(policy, approving) ? "reached" : "open",
    standing: { need, have: approving.length, round, blind, veto, waiting_for },
  };
}

/** Returns whether it is enough if these people approve: in number, and for each group that needs a person of its own. */
export function canReach(
  { need, one_of_each }: Pick<Policy, "need" | "one_of_each">,
  people: readonly Voter[],
): boolean {
  return people.length >= need && seat(one_of_each, people).size === one_of_each.length;
}

/** Gives as many groups as possible a person of their own, by augmenting paths: people may belong to several groups. */
function seat({ length }: readonly Group[], people: readonly Voter[]): Map<number, Voter> {
  const seats = new Map<number, Voter>();
  const place = (person: Voter, tried: Set<number>): boolean =>
    person.groups.some((group) => {
      if (group >= length || tried.has(group)) return false;
      tried.add(group);
      const sitting = seats.get(group);
      if (sitting !== undefined && !place(sitting, tried)) return false;
      seats.set(group, person);
      return true;
    });
  for (const person of people) place(person, new Set());
  return seats;
}
