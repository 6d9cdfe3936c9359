import { sql } from "kysely";
import { beyondHome } from "../db/beyond-home.ts";
import type { Db, Reader } from "../db/database.ts";
import { isOneOf, locationsFor } from "../db/ids.ts";
import { isoTime } from "../lib/time.ts";
import { requireOperator, type Caller } from "../people/caller.ts";
import { routingIn } from "./assign-to.ts";
import { GROUP_KINDS, type GroupKind, type UserGroup, type UserGroups } from "./schema.ts";

/** Waiting tasks that are looked at: those with the first deadlines. */
export const WAITING_MAX = 2_000;
/** Groups that are listed. A service with more has put something else into these fields. */
const GROUPS_MAX = 500;

/**
 * Returns the roles, access levels and pools that people have or waiting tasks ask for, with how many people each has and how
 * many open tasks wait for it without an assignee.
 *
 * @throws ServiceError FORBIDDEN
 */
export async function readUserGroups({ db }: { db: Db }, caller: Caller): Promise<UserGroups> {
  requireOperator(caller);
  const groups = new Map<string, UserGroup>();
  const groupOf = (kind: GroupKind, name: string): UserGroup => {
    const key = `${kind} ${name}`;
    const group = groups.get(key) ?? { kind, name, people: 0, away: 0, waiting: 0, oldest: null };
    groups.set(key, group);
    return group;
  };
  const now = db.now();
  for (const kind of GROUP_KINDS)
    for (const { name, people, away } of await peopleBy(db.heavy, kind, now))
      Object.assign(groupOf(kind, name!), { people, away });

  const waiting = await waitingTasks(db.heavy);
  const counted = waiting.slice(0, WAITING_MAX);
  const asked = await askedBy(db.heavy, counted);
  for (const { id, created_at } of counted.toSorted((a, b) => a.created_at - b.created_at)) {
    const documents = asked.get(id);
    const routing = documents === undefined ? null : routingIn(documents);
    if (routing === null || !("pool" in routing)) continue;
    for (const kind of GROUP_KINDS) {
      const name = routing[kind];
      if (name === null) continue;
      const group = groupOf(kind, name);
      group.waiting++;
      group.oldest ??= { task_id: id, created_at: isoTime(created_at) };
    }
  }
  const sorted = [...groups.values()].toSorted(
    (a, b) => GROUP_KINDS.indexOf(a.kind) - GROUP_KINDS.indexOf(b.kind) || (a.name < b.name ? -1 : 1),
  );
  return { groups: sorted.slice(0, GROUPS_MAX), all_counted: waiting.length <= WAITING_MAX };
}

async function peopleBy(reader: Reader, kind: GroupKind, now: number) {
  const isAway = sql<number>`sum(case when absent_from <= ${now} and absent_until > ${now} then 1 else 0 end)`;
  return reader.query
    .selectFrom("users")
    .select([`${kind} as name`, sql<number>`count(*)`.as("people"), isAway.as("away")])
    .where("active", "=", 1)
    .where(kind, "is not", null)
    .groupBy(kind)
    .orderBy(kind)
    .limit(GROUPS_MAX)
    .execute();
}

/** Open tasks without an assignee, along the index of open tasks; one more than is counted. */
async function waitingTasks(reader: Reader) {
  return reader.query
    .selectFrom("tasks")
    .select(["id", "home", "created_at"])
    .where("ended_at", "is", null)
    .where("assigned_to_user_id", "is", null)
    .where("assigned_to_email", "is", null)
    .orderBy("timeout_at")
    .orderBy("id")
    .limit(WAITING_MAX + 1)
    .modifyEnd(beyondHome("counts and statistics"))
    .execute();
}

async function askedBy(reader: Reader, tasks: readonly { id: string; home: number }[]) {
  if (tasks.length === 0) return new Map<string, never>();
  const rows = await reader.query
    .selectFrom("task_documents")
    .select(["task_id", "assign_to", "approval_policy"])
    .where(isOneOf(reader.dialect, ["task_id", "home"], locationsFor(reader, tasks)))
    .execute();
  return new Map(rows.map(({ task_id, ...documents }) => [task_id, documents]));
}
