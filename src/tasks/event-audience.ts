import type { Db } from "../db/database.ts";
import { located } from "../db/home.ts";
import { isOneOf, locationsFor } from "../db/ids.ts";
import { isInProject, isOperator, isOperatorOf, type Caller } from "../people/caller.ts";
import { canSee, isAssignee } from "./access.ts";
import { namesOf } from "./candidates.ts";
import type { ListedTask } from "./new-tasks.ts";

/** Returns the people that each task is offered to. Reads nothing if every caller sees every task. */
export async function offersOf(
  db: Db,
  ids: readonly string[],
  callers: readonly Caller[],
): Promise<Map<string, Set<string>>> {
  const offers = new Map<string, Set<string>>();
  if (ids.length === 0 || callers.every(isOperator)) return offers;
  const rows = await db.query
    .selectFrom("task_candidates")
    .select(["task_id", "person"])
    .where(isOneOf(db.dialect, ["task_id", "home"], locationsFor(db, ids.map(located))))
    .execute();
  for (const { task_id, person } of rows) offers.set(task_id, (offers.get(task_id) ?? new Set()).add(person));
  return offers;
}

/** @param offered - the people to whom the task is offered */
export function isShown(caller: Caller, task: ListedTask, offered: ReadonlySet<string> | undefined): boolean {
  if (isOperatorOf(caller, task.project)) return true;
  if (caller.kind === "agent") return canSee(caller, task);
  if (caller.kind !== "user" || !isInProject(caller.user, task.project)) return false;
  return isAssignee(caller.user, task) || namesOf(caller.user).some((name) => offered?.has(name));
}
