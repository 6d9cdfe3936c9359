import assert from "node:assert/strict";
import { test } from "node:test";
import { createRandom, type Random } from "../../prove/random.ts";
import { SEED } from "../../test/support/seed.ts";
import { count, votesOf, type Vote, type Voter } from "./count.ts";
import type { Policy } from "./policy.ts";

const TIMES = 2000;

function policyOf(random: Random): Policy {
  const groups = random.int(4);
  return {
    need: Math.max(1, groups) + random.int(3),
    from: null,
    veto: random.pick(["any", "none"]),
    exclude: [],
    blind: false,
    one_of_each: Array.from({ length: groups }, (_, i) => ({ role: `role-${i}` })),
  };
}

const voterOf = (random: Random, i: number, groups: number): Voter => ({
  user_id: `person-${i}`,
  groups: Array.from({ length: groups }, (_, group) => group).filter(() => random.chance(0.4)),
});

/** Whether each of the groups can have a person of its own, by trying all. */
function covers(groups: number, people: readonly Voter[]): boolean {
  if (groups === 0) return true;
  return people.some(
    (person, i) =>
      person.groups.includes(groups - 1) &&
      covers(
        groups - 1,
        people.filter((_, at) => at !== i),
      ),
  );
}

void test("a round is counted as the contract says, also where people belong to several groups", () => {
  const random = createRandom(SEED);
  const states = { open: 0, reached: 0, lost: 0 };
  for (let i = 0; i < TIMES; i++) {
    const policy = policyOf(random);
    const { need, veto, one_of_each } = policy;
    const people = Array.from({ length: random.int(7) }, (_, at) => voterOf(random, at, one_of_each.length));
    const voted = people.slice(0, random.int(people.length + 1));
    const others = random.chance(0.2) ? null : people.slice(voted.length);
    const votes = voted.map((voter): Vote => ({
      ...voter,
      round: 1,
      decision: random.pick(["approve", "approve", "edit", "reject", "respond"]),
      withdrawn_at: null,
    }));
    const approving = votes.filter(({ decision }) => decision === "approve" || decision === "edit");
    const isEnough = (some: readonly Voter[]) => some.length >= need && covers(one_of_each.length, some);
    const isAgainst = approving.length < votes.length;
    const isLost = isAgainst && (veto === "any" || (others !== null && !isEnough([...approving, ...others])));
    const counted = count(policy, 1, votes, others);
    const expected = isLost ? "lost" : isEnough(approving) ? "reached" : "open";
    assert.equal(counted.state, expected, JSON.stringify({ policy, votes, others }));
    assert.equal(counted.standing.have, approving.length);
    assert.equal(counted.standing.waiting_for.length === 0, covers(one_of_each.length, approving));
    states[counted.state]++;
  }
  for (const [state, times] of Object.entries(states)) assert.ok(times > TIMES / 50, `${state}: ${times}`);
});

void test("of a person's votes in a round, the last one counts unless it was taken back", () => {
  const vote = (
    user_id: string,
    round: number,
    decision: Vote["decision"],
    withdrawn_at: number | null = null,
  ): Vote => ({
    user_id,
    round,
    decision,
    groups: [],
    withdrawn_at,
  });
  const votes = [
    vote("ada", 1, "approve"),
    vote("ben", 1, "approve"),
    vote("ada", 1, "reject"),
    vote("cy", 1, "approve", 5),
    vote("ben", 2, "edit"),
  ];
  const counted = (round: number) => votesOf(votes, round).map(({ user_id, decision }) => `${user_id} ${decision}`);
  assert.deepEqual([1, 2, 3].map(counted), [["ben approve", "ada reject"], ["ben edit"], []]);
});
