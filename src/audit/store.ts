import { sql } from "kysely";
import { beyondHome } from "../db/beyond-home.ts";
import type { Reader } from "../db/database.ts";
import type { AuditEntryRow, TaskRow } from "../db/schema.ts";
import { lowestId } from "../lib/ids.ts";
import { SECOND } from "../lib/time.ts";
import { isOfProjects } from "../tasks/in-projects.ts";

/** The time in an id is that of the entry, or up to a second later. */
const AHEAD_MS = 2 * SECOND;

export interface EntryFilter {
  what: readonly string[] | null;
  /** The email of a person, or the id of an agent. */
  actor: { email: string } | { agent: string } | null;
  task: { id: string; home: number } | null;
  /** null: all, also of deleted tasks. */
  projects: readonly string[] | null;
  /** Epoch milliseconds: inclusive, and exclusive. */
  from: number;
  until: number;
}

/** An entry, and its task as far as it is still there. */
export type EntryOfTask = AuditEntryRow & {
  [Column in "task" | "project" | "approvals" | "ended_at" | "cancel_reason"]: TaskRow[Column] | null;
};

/** Lists entries of all tasks, newest first, whose ids are lower than `before`. Goes along audit_entries_by_id. */
export async function listEntries(
  reader: Reader,
  { what, actor, task, projects, from, until }: EntryFilter,
  before: string | null,
  limit: number,
): Promise<EntryOfTask[]> {
  let select = reader.query
    .selectFrom("audit_entries as a")
    .leftJoin("tasks", (join) => join.onRef("tasks.id", "=", "a.task_id").onRef("tasks.home", "=", "a.home"))
    .where("a.id", ">=", lowestId("aud", Math.max(from, 0)))
    .where("a.id", "<", lowestId("aud", until + AHEAD_MS))
    .where("a.created_at", ">=", from)
    .where("a.created_at", "<", until)
    .modifyEnd(beyondHome("audit trail of all tasks"));
  if (before !== null) select = select.where("a.id", "<", before);
  if (what !== null) select = select.where("a.action", "in", what);
  if (task !== null) select = select.where("a.task_id", "=", task.id).where("a.home", "=", task.home);
  if (actor !== null)
    select =
      "agent" in actor
        ? select.where("a.agent_id", "=", actor.agent)
        : select.where(sql<boolean>`lower(a.actor_email) = lower(${actor.email})`);
  if (projects !== null) select = select.where(isOfProjects(projects));
  return select
    .selectAll("a")
    .select(["tasks.task", "tasks.project", "tasks.approvals", "tasks.ended_at", "tasks.cancel_reason"])
    .orderBy("a.id", "desc")
    .limit(limit)
    .execute();
}
