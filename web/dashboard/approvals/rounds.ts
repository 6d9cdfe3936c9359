import type { Entries } from "../../../form/plan/entries.ts";
import type { Task } from "../api.ts";

type Approved = Pick<Task, "approvals">;
type Asked = Pick<Task, "approvals" | "version">;

/** The entry that says which round the others are about. No field has such a name. */
const ROUND = "~round";

/** Returns the round of decisions by several people; 1 if one person decides. */
export function roundOf({ approvals }: Approved): number {
  return approvals?.round ?? 1;
}

/** The entry that says which version of the task the others are about; without one, the first. */
const VERSION = "~version";

/** Returns entries that say which round and version they are about. */
export function withRound(task: Asked, entries: Entries): Entries {
  return {
    ...entries,
    ...(task.approvals !== null && { [ROUND]: [String(roundOf(task))] }),
    ...(task.version > 1 && { [VERSION]: [String(task.version)] }),
  };
}

/** Returns the version that entries are about. */
export function versionIn(entries: Entries): number {
  return Number(entries[VERSION]?.[0] ?? 1);
}

/**
 * Returns earlier entries for what is open now. Finished decisions of a list count only in the round and the version they were made
 * in. In another version, an action may allow other decisions, so none is chosen.
 */
export function undecided(task: Asked, entries: Entries): Entries {
  const isSameRound = (entries[ROUND]?.[0] ?? "1") === String(roundOf(task));
  const isSameVersion = versionIn(entries) === task.version;
  if (isSameRound && isSameVersion) return entries;
  const kept = Object.entries(entries).filter(([name]) => {
    return !name.endsWith("~done") && (isSameVersion || !/^(\/decisions\/\d+)?\/decision$/.test(name));
  });
  return Object.fromEntries(kept);
}
