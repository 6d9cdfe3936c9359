import type { Entries } from "../../../form/plan/entries.ts";
import type { Task } from "../api.ts";

type Approved = Pick<Task, "approvals">;

/** The entry that says which round the others are about. No field has such a name. */
const ROUND = "~round";

/** Returns the round of decisions by several people; 1 if one person decides. */
export function roundOf({ approvals }: Approved): number {
  return approvals?.round ?? 1;
}

/** Returns entries that say which round they are about. */
export function withRound(task: Approved, entries: Entries): Entries {
  return task.approvals === null ? entries : { ...entries, [ROUND]: [String(roundOf(task))] };
}

/** Returns earlier entries for the round that is open now. Finished decisions of a list count only in the round they were made in. */
export function undecided(task: Approved, entries: Entries): Entries {
  if ((entries[ROUND]?.[0] ?? "1") === String(roundOf(task))) return entries;
  return Object.fromEntries(Object.entries(entries).filter(([name]) => !name.endsWith("~done")));
}
