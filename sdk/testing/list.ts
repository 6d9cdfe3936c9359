import { invalid } from "../../src/errors.ts";
import { emailKey } from "../../src/lib/text.ts";
import { searchedLabel, searchedLabels, type Priority } from "../../src/tasks/labels.ts";
import { isTerminal, type TaskStatus } from "../../src/tasks/lifecycle.ts";
import { listingFields } from "../../src/tasks/listing.ts";
import { toListed } from "../../src/tasks/record.ts";
import { readSearch, type SearchedState, type SearchTerm } from "../../src/tasks/search-terms.ts";
import type { TaskWithDocuments } from "../../src/tasks/store.ts";
import type { ListedTask, ListQuery } from "../shapes.ts";
import { ADMIN, type Tasks } from "./tasks.ts";

const PAGE_ROWS = 50;

/** Returns a page of a list. @returns `next`: the cursor of the next page; null on the last one @throws ServiceError */
export function listTasks(tasks: Tasks, query: ListQuery): { rows: ListedTask[]; next: string | null } {
  const { sort, cursor, include, limit = PAGE_ROWS, offset = 0 } = query;
  const compare = sort === "deadline" ? soonestFirst : newestFirst;
  const after = cursor === undefined ? null : decodeCursor(cursor);
  const rest = Array.from(tasks.stored.values(), ({ task }) => task)
    .filter((task) => isMeant(task, query))
    .toSorted(compare)
    .filter((task) => after === null || compare(after, task) < 0)
    .slice(offset);
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  return {
    rows: page.map((task) => toRow(task, include === "schemas")),
    next: last !== undefined && rest.length > page.length ? btoa(JSON.stringify([last.timeout_at, last.id])) : null,
  };
}

function isMeant(task: TaskWithDocuments, query: ListQuery): boolean {
  const { status, terminal, unassigned, assigned_to, q, label, priority, key_prefix } = query;
  const email = task.assigned_to_email;
  return (
    (status === undefined || status.includes(task.status)) &&
    (terminal === undefined || isTerminal(task.status) === terminal) &&
    (unassigned === undefined || (email === null) === unassigned) &&
    (assigned_to === undefined || (email !== null && emailKey(email) === emailKey(assigned_to))) &&
    (q === undefined || isFound(task, q)) &&
    (label === undefined || label.every((one) => hasLabel(task, one))) &&
    (priority === undefined || priorityOf(task) === priority) &&
    (key_prefix === undefined || task.idempotency_key.startsWith(key_prefix))
  );
}

function isFound(task: TaskWithDocuments, q: string): boolean {
  return task.idempotency_key === q.trim() || readSearch(q).every((term) => holds(task, term));
}

function holds(task: TaskWithDocuments, term: SearchTerm): boolean {
  const { assigned_to_email, completed_by_email, cancelled_by } = task;
  const isIn = (texts: readonly (string | null)[], text: string) =>
    texts.some((one) => one?.toLowerCase().includes(text.toLowerCase()));
  const people = [assigned_to_email, completed_by_email, cancelled_by];
  switch (term.kind) {
    case "text": {
      const { labels } = listingFields(task);
      return isIn([task.task, task.facts, ...labels, ...people], term.text) || task.idempotency_key === term.text;
    }
    case "by":
      return isIn(people, term.text);
    case "from":
      // The only caller is the admin token.
      return false;
    case "label":
      return hasLabel(task, term.text);
    case "is":
      return isInState(task, term.state);
  }
}

const STATUSES: Partial<Record<SearchedState, TaskStatus>> = {
  waiting: "created",
  "sent-back": "rejected",
  completed: "completed",
  "timed-out": "timed_out",
  cancelled: "cancelled",
  "failed-checks": "verification_exhausted",
};

function isInState(task: TaskWithDocuments, state: SearchedState): boolean {
  switch (state) {
    case "open":
    case "closed":
      return isTerminal(task.status) === (state === "closed");
    case "unassigned":
      return task.assigned_to_email === null;
    case "mine":
      return false;
    case "urgent":
    case "high":
    case "low":
      return priorityOf(task) === state;
    default:
      return task.status === STATUSES[state];
  }
}

function hasLabel(task: TaskWithDocuments, label: string): boolean {
  return searchedLabels(task).includes(searchedLabel(label));
}

/** What people see of it: a step may have marked it as urgent. */
function priorityOf(task: TaskWithDocuments): Priority {
  return task.urgent === 1 ? "urgent" : listingFields(task).priority;
}

/** The place of a task in a list. */
type Position = Pick<TaskWithDocuments, "id" | "timeout_at">;

function newestFirst(a: Position, b: Position): number {
  return a.id < b.id ? 1 : a.id > b.id ? -1 : 0;
}

function soonestFirst(a: Position, b: Position): number {
  return a.timeout_at - b.timeout_at || newestFirst(b, a);
}

/** @throws ServiceError VALIDATION_FAILED */
function decodeCursor(cursor: string): Position {
  try {
    const [timeout_at, id] = JSON.parse(atob(cursor)) as unknown[];
    if (typeof timeout_at === "number" && typeof id === "string") return { timeout_at, id };
  } catch {
    // The text is not a cursor; the error below says so.
  }
  throw invalid("/query/cursor", "Invalid cursor. Take it from the `Link` header unchanged.");
}

function toRow(task: TaskWithDocuments, withSchemas: boolean): ListedTask {
  const { payload_schema: _, response_schema: __, form_definition: ___, ...rest } = task;
  return JSON.parse(toListed(task, withSchemas ? task : rest, ADMIN)) as ListedTask;
}
