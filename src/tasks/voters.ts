import { withoutExcluded, type AskedTask } from "../approvals/eligible.ts";
import type { Policy } from "../approvals/policy.ts";
import type { Tx } from "../db/database.ts";
import { invalid } from "../errors.ts";
import { offered, type Routed } from "./routed.ts";

/** Offers a task that several people must approve only to those whose decision counts, as far as that is known now. */
export async function routeToVoters(tx: Tx, task: AskedTask, policy: Policy | null, routed: Routed): Promise<Routed> {
  if (policy === null || routed.candidates.length === 0) return routed;
  const candidates = await withoutExcluded(tx, task, policy, routed.candidates);
  return candidates.length === routed.candidates.length ? routed : offered(candidates);
}

/**
 * Refuses a new task that can never be approved: `from` matches people, but fewer of them may decide than must approve.
 * Where it matches no one, operators decide.
 *
 * @param matched - as it was before people who may not decide were left out
 * @throws ServiceError VALIDATION_FAILED
 */
export function requireEnough(policy: Policy | null, matched: Routed, { candidates }: Routed): void {
  if (policy?.from == null || matched.candidates.length === 0 || candidates.length >= policy.need) return;
  const count = candidates.length;
  const people = count === 0 ? "No one" : count === 1 ? "Only one person" : `Only ${count} people`;
  throw invalid("/approvals/need", `${people} of \`from\` may decide this.`);
}
