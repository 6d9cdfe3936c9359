import { expressionBuilder, sql, type Expression, type RawBuilder, type SqlBool } from "kysely";
import type { Reader } from "../db/database.ts";
import { idsFor, isAmong, isSelected } from "../db/ids.ts";
import type { Schema } from "../db/schema.ts";
import { contains } from "../db/texts.ts";
import type { Person } from "../people/caller.ts";
import { PRIORITIES, searchedLabel, type Priority } from "./labels.ts";
import { readSearch, type SearchedState, type SearchTerm } from "./search-terms.ts";

/** Who searches. */
export interface Searcher {
  /** null for a token. */
  me: Person | null;
  /** The ids of the tasks that they have snoozed. */
  snoozed: readonly string[];
}

export function matches(reader: Reader, q: string, searcher: Searcher): Expression<SqlBool> {
  const where = expressionBuilder<Schema, "tasks">();
  const terms = readSearch(q);
  if (terms.length === 0) return sql<SqlBool>`1 = 1`;
  return where.or([
    where.and(terms.map((term) => holds(reader, term, searcher))),
    // Keys may have blanks and colons.
    sql<SqlBool>`tasks.idempotency_key = ${q.trim()}`,
  ]);
}

function holds(reader: Reader, term: SearchTerm, searcher: Searcher): Expression<SqlBool> {
  switch (term.kind) {
    case "text":
      return mentions(reader, term.text);
    case "from":
      return isAskedBy(reader, term.text);
    case "by":
      return isBy(reader, term.text);
    case "label":
      return hasLabel(reader, term.text);
    case "is":
      return isInState(reader, term.state, searcher);
  }
}

/** Whether a list shows this text of a task: in its title, its facts, its labels, its key, or the names of its people. */
function mentions(reader: Reader, text: string): Expression<SqlBool> {
  return expressionBuilder<Schema, "tasks">().or([
    contains(reader, "tasks.task", text),
    contains(reader, "tasks.facts", text),
    // A text of nothing else would be found in the JSON around the labels.
    ...(/^[[\],]+$/.test(text) ? [] : [contains(reader, "tasks.labels", JSON.stringify(text).slice(1, -1))]),
    sql<boolean>`tasks.idempotency_key = ${text}`,
    isAskedBy(reader, text),
    isBy(reader, text),
  ]);
}

function isAskedBy(reader: Reader, name: string): Expression<SqlBool> {
  return sql<SqlBool>`(tasks.asked_by_kind <> 'admin' and ${contains(reader, "tasks.asked_by_name", name)})`;
}

/** Whether a task is assigned to a person, or was closed by them. */
function isBy(reader: Reader, person: string): Expression<SqlBool> {
  const named = reader.query
    .selectFrom("users")
    .select("users.id")
    .where(contains(reader, "users.display_name", person));
  return expressionBuilder<Schema, "tasks">().or([
    contains(reader, "tasks.assigned_to_email", person),
    contains(reader, "tasks.completed_by_email", person),
    contains(reader, "tasks.cancelled_by", person),
    sql<boolean>`tasks.assigned_to_user_id in (${named})`,
    sql<boolean>`tasks.completed_by_user_id in (${named})`,
  ]);
}

/** Returns whether a search names the tasks that the person has snoozed. All others leave them out. */
export function isForSnoozed(q: string): boolean {
  return readSearch(q).some((term) => term.kind === "is" && term.state === "snoozed");
}

/** Whether a task has a label, in upper or lower case. */
export function hasLabel(reader: Reader, label: string): Expression<SqlBool> {
  return isSelected(reader.dialect, ["tasks.id", "tasks.home"], (withHome) =>
    reader.query
      .selectFrom("task_labels")
      .select(withHome ? ["task_labels.task_id", "task_labels.home"] : ["task_labels.task_id"])
      .where("task_labels.label", "=", searchedLabel(label)),
  );
}

/** Whether people see a task with this priority: a step may have marked it as urgent. */
export function hasPriority(priority: Priority): RawBuilder<SqlBool> {
  if (priority === "urgent") return sql<SqlBool>`tasks.urgent = 1`;
  return sql<SqlBool>`(tasks.priority = ${PRIORITIES.indexOf(priority)} and tasks.urgent = 0)`;
}

const STATES: Record<Exclude<SearchedState, "mine" | "snoozed">, RawBuilder<SqlBool>> = {
  open: sql`tasks.ended_at is null`,
  closed: sql`tasks.ended_at is not null`,
  waiting: sql`tasks.status = 'created'`,
  "sent-back": sql`tasks.status = 'rejected'`,
  completed: sql`tasks.status = 'completed'`,
  "timed-out": sql`tasks.status = 'timed_out'`,
  cancelled: sql`tasks.status = 'cancelled'`,
  "failed-checks": sql`tasks.status = 'verification_exhausted'`,
  urgent: hasPriority("urgent"),
  high: hasPriority("high"),
  low: hasPriority("low"),
  unassigned: sql`(tasks.assigned_to_email is null and tasks.assigned_to_user_id is null)`,
};

function isInState(reader: Reader, state: SearchedState, { me, snoozed }: Searcher): Expression<SqlBool> {
  if (state === "snoozed") return isAmong(reader.dialect, "tasks.id", idsFor(reader, snoozed));
  if (state !== "mine") return STATES[state];
  return me === null ? sql<SqlBool>`1 = 0` : isOf(me);
}

/** Whether a task is assigned to a person. */
export function isOf({ id, email }: Person): RawBuilder<SqlBool> {
  return sql<SqlBool>`(assigned_to_user_id = ${id}
    or (assigned_to_user_id is null and lower(assigned_to_email) = lower(${email ?? ""})))`;
}
