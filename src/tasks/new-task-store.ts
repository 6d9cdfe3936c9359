import { sql } from "kysely";
import { beyondHome } from "../db/beyond-home.ts";
import { sendingAgain, writeBulk, type BulkWrite } from "../db/bulk.ts";
import { columnsOf, type Column, type Table } from "../db/columns.ts";
import { writeStatement, type Db, type Tx } from "../db/database.ts";
import { ofTask } from "../db/home.ts";
import { insertRow, list, names, toInserted, toList } from "../db/rows.ts";
import type { AuditEntryRow, TaskDocumentsRow, TaskRow } from "../db/schema.ts";
import { searchedLabels } from "./labels.ts";
import { insertAuditEntry } from "./store.ts";

/** All rows of a new task, ready to be written. */
export interface NewTask {
  task: TaskRow;
  documents: TaskDocumentsRow;
  audit: AuditEntryRow & { extra: null };
}

/** Columns that a new task may have; the others are null. */
const NEW_TASK = [
  "id",
  "home",
  "project",
  "idempotency_key",
  "status",
  "task",
  "timeout_seconds",
  "timeout_at",
  "redact_payload",
  "verification_attempt",
  "callback_url",
  "listed_length",
  "schemas_length",
  "audit_seq",
  "created_at",
  "updated_at",
  "asked_by_kind",
  "asked_by_id",
  "asked_by_name",
  "on_behalf_of",
  "approvals",
  "ladder",
  "next_step_at",
  "urgent",
  "version",
  "priority",
  "labels",
  "facts",
  "question",
] as const satisfies Column<"tasks">[];

/** Columns of a new task with an assignment. */
const ROUTED_TASK = [
  ...NEW_TASK,
  "assigned_to_user_id",
  "assigned_to_email",
  "delegated_from_user_id",
  "delegated_from_email",
  "delegated_until",
] as const;

const FIRST_ENTRY = [
  "task_id",
  "home",
  "seq",
  "id",
  "action",
  "to_status",
  "actor_type",
  "actor_email",
  "created_at",
  "agent_id",
  "agent_name",
] as const satisfies Column<"audit_entries">[];

/** The conflict is one of the idempotency key: ids are new. Named without its columns, it holds for spread tables as well. */
const insertTask = insertRow("tasks", ROUTED_TASK, { ignoreConflict: [], returning: ["id"] });
const insertDocuments = insertRow("task_documents");

/** @returns false when the idempotency key is taken; then nothing was written */
export async function addTask(tx: Tx, { task, documents, audit }: NewTask): Promise<boolean> {
  const inserted = await tx.run(insertTask, task);
  if (inserted.length === 0) return false;
  await tx.run(insertDocuments, documents);
  await tx.run(insertAuditEntry, audit);
  const labels = searchedLabels(task);
  if (labels.length > 0) {
    const rows = labels.map((label) => toInserted(tx.dialect, "task_labels", { label, ...ofTask(task.id) }));
    await tx.query.insertInto("task_labels").values(rows).execute();
  }
  return true;
}

/**
 * Writes many new tasks without routing and without labels in one statement.
 * @returns the ids that were written. The keys of the others are taken, perhaps by these very tasks: a statement is sent
 *   again if its result was lost
 */
export async function addTasks(db: Db, tasks: readonly NewTask[]): Promise<Set<string>> {
  const added = await (db.dialect === "citus"
    ? sendingAgain(async () => db.write(async (tx) => addAllOfShard(tx, tasks)))
    : writeBulk(db, insertTasks, tasks));
  return new Set(added.map(({ id }) => id));
}

/** On Citus: one statement for each table, with the rows of one shard. Everything is in the transaction of that shard. */
async function addAllOfShard(tx: Tx, tasks: readonly NewTask[]): Promise<{ id: string }[]> {
  const [first, ...others] = tasks;
  if (first === undefined) return [];
  if (others.length === 0) return (await addTask(tx, first)) ? [{ id: first.task.id }] : [];
  const added = await tx.query
    .insertInto("tasks")
    .values(inOrder(tasks).map(({ task }) => pick(task, NEW_TASK)))
    .onConflict((conflict) => conflict.doNothing())
    .returning("id")
    .execute();
  const ids = new Set(added.map(({ id }) => id));
  const written = tasks.filter(({ task }) => ids.has(task.id));
  if (written.length === 0) return [];
  await tx.query
    .insertInto("task_documents")
    .values(written.map(({ documents }) => documents))
    .execute();
  await tx.query
    .insertInto("audit_entries")
    .values(written.map(({ audit }) => pick(audit, FIRST_ENTRY)))
    .execute();
  return added;
}

function pick<T, K extends keyof T>(row: T, names: readonly K[]): Pick<T, K> {
  return Object.fromEntries(names.map((name) => [name, row[name]])) as Pick<T, K>;
}

/** The table and the columns of each part of a `NewTask`. */
const PARTS = {
  task: { table: "tasks", columns: NEW_TASK },
  documents: { table: "task_documents", columns: columnsOf("task_documents") },
  audit: { table: "audit_entries", columns: FIRST_ENTRY },
} as const satisfies Record<keyof NewTask, { table: Table; columns: readonly string[] }>;

const insertTasks: BulkWrite<readonly NewTask[], { id: string }> = {
  // Arrays, because one JSON document costs the database twice as much as it saves here.
  atOnce: writeStatement<Record<string, unknown>, { id: string }>((query, param) => {
    const lists = (part: keyof NewTask) => {
      const { table, columns } = PARTS[part];
      return sql.join(columns.map((name) => list(table, name as never, param(`${part}.${name}`))));
    };
    const rows = (part: keyof NewTask) => {
      const columns = names(PARTS[part].columns);
      return sql`select rows.* from unnest(${lists(part)}) as rows (${columns}) join added on added.id = rows.task_id`;
    };
    return {
      compile: () =>
        sql<{ id: string }>`
          with added as (
            insert into tasks (${names(NEW_TASK)}) select * from unnest(${lists("task")})
            on conflict do nothing returning id
          ), documents as (
            insert into task_documents (${names(PARTS.documents.columns)}) ${rows("documents")}
          ), entries as (
            insert into audit_entries (${names(FIRST_ENTRY)}) ${rows("audit")}
          )
          select id from added ${beyondHome("new tasks in one statement")}`.compile(query),
    };
  }),
  toParams: toLists,
  inSteps: async (tx, tasks) => {
    const added: { id: string }[] = [];
    for (const task of tasks) if (await addTask(tx, task)) added.push({ id: task.task.id });
    return added;
  },
  // Rows whose key is taken are skipped.
  isRepeatable: true,
};

function placeOf({ task }: NewTask): string {
  return `${task.idempotency_key}\0${task.asked_by_id}`;
}

/** Sorts by the unique key, so that two such statements cannot deadlock. */
function inOrder(tasks: readonly NewTask[]): NewTask[] {
  return tasks.toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
}

/** Returns one list per column. */
function toLists(tasks: readonly NewTask[]): Record<string, unknown> {
  const sorted = inOrder(tasks);
  const lists: Record<string, unknown> = {};
  for (const part of ["task", "documents", "audit"] as const) {
    const { table, columns } = PARTS[part];
    for (const name of columns) {
      const values = sorted.map(
        (one) => (one[part] as unknown as Record<string, string | number | null>)[name] ?? null,
      );
      lists[`${part}.${name}`] = toList(table, name as never, values);
    }
  }
  return lists;
}
