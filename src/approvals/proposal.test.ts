import assert from "node:assert/strict";
import { test } from "node:test";
import { proposalOf } from "./proposal.ts";

void test("a round that an edit began is about the edit, and one that a revision began about what is asked", () => {
  const approvals = JSON.stringify({ round: 2 });
  const vote = (decision: "approve" | "edit" | "reject") => ({
    round: 2,
    decision,
    response: `{"decision":"${decision}"}`,
  });
  assert.deepEqual(proposalOf({ approvals, votes: [vote("edit"), vote("approve")] }), { decision: "edit" });
  assert.equal(proposalOf({ approvals, votes: [vote("reject"), vote("approve")] }), null);
});
