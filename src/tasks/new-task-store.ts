import { sql } from "kysely";
import { writeStatement, type Db, type Tx } from "../db/database.ts";
import { isSilence } from "../db/postgres-errors.ts";
import type { AuditEntryRow, TaskDocumentsRow, TaskRow } from "../db/schema.ts";
import { ServiceError } from "../errors.ts";
import { insertAuditEntry } from "./store.ts";

/** All rows of a new task, ready to be written. */
export interface NewTask {
  task: TaskRow;
  documents: TaskDocumentsRow;
  audit: AuditEntryRow & { extra: null };
}

const insertTask = writeStatement<TaskRow, { id: string }>((query, param) =>
  query
    .insertInto("tasks")
    .values({
      id: param("id"),
      idempotency_key: param("idempotency_key"),
      status: param("status"),
      task: param("task"),
      timeout_seconds: param("timeout_seconds"),
      timeout_at: param("timeout_at"),
      redact_payload: param("redact_payload"),
      verification_attempt: param("verification_attempt"),
      assigned_to_user_id: param("assigned_to_user_id"),
      assigned_to_email: param("assigned_to_email"),
      callback_url: param("callback_url"),
      listed_length: param("listed_length"),
      schemas_length: param("schemas_length"),
      audit_seq: param("audit_seq"),
      created_at: param("created_at"),
      updated_at: param("updated_at"),
    })
    .onConflict((conflict) => conflict.column("idempotency_key").doNothing())
    .returning("id"),
);

const insertDocuments = writeStatement<TaskDocumentsRow>((query, param) =>
  query.insertInto("task_documents").values({
    task_id: param("task_id"),
    payload: param("payload"),
    payload_schema: param("payload_schema"),
    response_schema: param("response_schema"),
    form_definition: param("form_definition"),
    assign_to: param("assign_to"),
    notify: param("notify"),
    verifier_config: param("verifier_config"),
  }),
);

/** @returns false when the idempotency key is taken; then nothing was written */
export async function addTask(tx: Tx, { task, documents, audit }: NewTask): Promise<boolean> {
  const inserted = await tx.run(insertTask, task);
  if (inserted.length === 0) return false;
  await tx.run(insertDocuments, documents);
  await tx.run(insertAuditEntry, audit);
  return true;
}

/**
 * Writes many new tasks, all of them or none.
 * @returns the ids that were written; the others' keys are taken, perhaps by these very tasks: a statement whose answer
 *   was lost is sent once more
 */
export async function addTasks(db: Db, tasks: readonly NewTask[]): Promise<Set<string>> {
  if (db.dialect === "postgres") {
    const rows = toNewRows(tasks);
    const written = await db.writeOne(insertTasks, rows).catch(async (error: unknown) => {
      const isUnknown = error instanceof ServiceError && error.code === "COMMIT_UNKNOWN";
      // Whoever waited for a silent connection has waited long enough.
      if (!isUnknown || isSilence(error.cause)) throw error;
      // Whatever becomes of the second one, of the first nobody knows.
      return db.writeOne(insertTasks, rows).catch(() => Promise.reject(error));
    });
    return new Set(written.map(({ id }) => id));
  }
  return db.write(async (tx) => {
    const added = new Set<string>();
    for (const task of tasks) if (await addTask(tx, task)) added.add(task.task.id);
    return added;
  });
}

/** Columns of new rows, and what is in them. Columns that are missing are null. */
const NEW_TASK = {
  id: "text",
  idempotency_key: "text",
  status: "text",
  task: "text",
  timeout_seconds: "bigint",
  timeout_at: "bigint",
  redact_payload: "bigint",
  verification_attempt: "bigint",
  callback_url: "text",
  listed_length: "bigint",
  schemas_length: "bigint",
  audit_seq: "bigint",
  created_at: "bigint",
  updated_at: "bigint",
} as const satisfies Partial<Record<keyof TaskRow, string>>;
const NEW_DOCUMENTS = {
  task_id: "text",
  payload: "json",
  payload_schema: "json",
  response_schema: "json",
  form_definition: "json",
  assign_to: "json",
  notify: "json",
  verifier_config: "json",
} as const satisfies Partial<Record<keyof TaskDocumentsRow, string>>;
const NEW_ENTRY = {
  task_id: "text",
  seq: "bigint",
  id: "text",
  action: "text",
  to_status: "text",
  actor_type: "text",
  actor_email: "text",
  created_at: "bigint",
} as const satisfies Partial<Record<keyof AuditEntryRow, string>>;

type NewRows = Record<string, unknown>;

/** A list for each column; sorted by idempotency key, so that two such statements wait for each other instead of deadlocking. */
function toNewRows(tasks: readonly NewTask[]): NewRows {
  const sorted = tasks.toSorted((a, b) => (a.task.idempotency_key < b.task.idempotency_key ? -1 : 1));
  const rows: NewRows = {};
  for (const part of ["task", "documents", "audit"] as const) {
    const columns = { task: NEW_TASK, documents: NEW_DOCUMENTS, audit: NEW_ENTRY }[part];
    for (const [name, type] of Object.entries(columns))
      rows[`${part}.${name}`] = toList(
        type,
        sorted.map((one) => (one[part] as unknown as Record<string, string | number | null>)[name] ?? null),
      );
  }
  return rows;
}

/** Never stand in JSON as we write it. */
const BETWEEN = "\u001f";
const NOTHING = "\u001e";

/** A column as one parameter. The driver would escape each element of an array by itself, which most of ours do not need. */
function toList(type: string, values: (string | number | null)[]): unknown {
  switch (type) {
    case "bigint":
      return `{${values.join(",")}}`;
    case "json":
      return values.map((value) => value ?? NOTHING).join(BETWEEN);
    default:
      return values;
  }
}

/**
 * In one statement, which on PostgreSQL costs half of one transaction each. As arrays: the same rows as one JSON cost the
 * database twice as much as they save here.
 */
const insertTasks = writeStatement<NewRows, { id: string }>((query, param) => {
  const names = (columns: object) => sql.join(Object.keys(columns).map((name) => sql.ref(name)));
  const list = (value: unknown, type: string) =>
    type === "json"
      ? sql`string_to_array(${value}, ${sql.lit(BETWEEN)}, ${sql.lit(NOTHING)})`
      : sql`${value}::${sql.raw(type)}[]`;
  const lists = (part: string, columns: Record<string, string>) =>
    sql.join(Object.entries(columns).map(([name, type]) => list(param(`${part}.${name}`), type)));
  const rows = (part: string, columns: Record<string, string>) =>
    sql`select rows.* from unnest(${lists(part, columns)}) as rows (${names(columns)}) join added on added.id = rows.task_id`;
  return {
    compile: () =>
      sql<{ id: string }>`
        with added as (
          insert into tasks (${names(NEW_TASK)}) select * from unnest(${lists("task", NEW_TASK)})
          on conflict (idempotency_key) do nothing returning id
        ), documents as (
          insert into task_documents (${names(NEW_DOCUMENTS)}) ${rows("documents", NEW_DOCUMENTS)}
        ), entries as (
          insert into audit_entries (${names(NEW_ENTRY)}) ${rows("audit", NEW_ENTRY)}
        )
        select id from added`.compile(query),
  };
});
