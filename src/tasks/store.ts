import { sql } from "kysely";
import { readStatement, writeStatement, type Dialect, type Reader, type Tx } from "../db/database.ts";
import type { AuditEntryRow, TaskDocumentsRow, TaskRow } from "../db/schema.ts";
import { ServiceError } from "../errors.ts";
import { newId } from "../lib/ids.ts";
import type { TaskEvent, TaskStatus, VerifierResult } from "./lifecycle.ts";

/** A task without its documents: what its life is decided on. Times are epoch milliseconds. */
export interface Task extends Omit<TaskRow, "status" | "verifier_result" | "redact_payload"> {
  status: TaskStatus;
  verifier_result: VerifierResult | null;
  redact_payload: boolean;
}

/** What a task was created with, as JSON: most of it is only passed on. */
export type TaskDocuments = Omit<TaskDocumentsRow, "task_id">;

/** A task with all that its record shows. */
export interface WholeTask extends Task, TaskDocuments {
  /** As JSON. */
  response: string | null;
}

export function toTask<Row extends TaskRow>(row: Row): Omit<Row, keyof Task> & Task {
  return {
    ...row,
    status: row.status as TaskStatus,
    verifier_result: parseJson<VerifierResult>(row.verifier_result),
    redact_payload: row.redact_payload === 1,
  };
}

export function parseJson<T>(text: string | null): T | null {
  return text === null ? null : (JSON.parse(text) as T);
}

const selectTaskForUpdate = writeStatement<{ id: string }, TaskRow>((query, param, dialect) => {
  const select = query.selectFrom("tasks").selectAll().where("id", "=", param("id"));
  // SQLite has one writer, and this is it.
  return dialect === "postgres" ? select.forUpdate() : select;
});

const selectWholeTask = readStatement<{ id: string }, TaskRow & TaskDocuments & { response: string | null }>(
  (query, param) =>
    query
      .selectFrom("tasks")
      .innerJoin("task_documents", "task_documents.task_id", "tasks.id")
      .leftJoin("task_responses", "task_responses.task_id", "tasks.id")
      .selectAll("tasks")
      .select([
        "task_documents.payload",
        "task_documents.payload_schema",
        "task_documents.response_schema",
        "task_documents.form_definition",
        "task_documents.assign_to",
        "task_documents.notify",
        "task_documents.verifier_config",
        "task_responses.response",
      ])
      .where("tasks.id", "=", param("id")),
);

const selectIdByKey = readStatement<{ idempotency_key: string }, { id: string }>((query, param) =>
  query.selectFrom("tasks").select("id").where("idempotency_key", "=", param("idempotency_key")),
);

export async function findWholeTask(reader: Reader, id: string): Promise<WholeTask | null> {
  const [row] = await reader.run(selectWholeTask, { id });
  return row ? toTask(row) : null;
}

/** @throws ServiceError TASK_NOT_FOUND */
export async function getWholeTask(reader: Reader, id: string): Promise<WholeTask> {
  const task = await findWholeTask(reader, id);
  if (!task) throw new ServiceError("TASK_NOT_FOUND");
  return task;
}

export async function findTaskIdByKey(reader: Reader, idempotency_key: string): Promise<string | null> {
  const [row] = await reader.run(selectIdByKey, { idempotency_key });
  return row?.id ?? null;
}

/**
 * Reads a task and holds it until `tx` ends: whoever else wants to move it waits here.
 * @throws ServiceError TASK_NOT_FOUND
 */
export async function lockTask(tx: Tx, id: string): Promise<Task> {
  const task = await findTaskForUpdate(tx, id);
  if (!task) throw new ServiceError("TASK_NOT_FOUND");
  return task;
}

/** Like `lockTask`, for whom it is no error that the task is gone. */
export async function findTaskForUpdate(tx: Tx, id: string): Promise<Task | null> {
  const [row] = await tx.run(selectTaskForUpdate, { id });
  return row ? toTask(row) : null;
}

/** Counts an audit entry that belongs to no transition; the caller holds the task's lock. */
export async function setAuditSeq(tx: Tx, id: string, audit_seq: number): Promise<void> {
  await tx.query.updateTable("tasks").set({ audit_seq }).where("id", "=", id).execute();
}

type ChangedColumns = Pick<
  TaskRow,
  | "id"
  | "status"
  | "verification_attempt"
  | "verifier_result"
  | "audit_seq"
  | "listed_length"
  | "updated_at"
  | "ended_at"
  | "completed_at"
  | "timed_out_at"
  | "completed_by_email"
  | "completed_by_user_id"
  | "completed_via_channel"
>;

const updateTask = writeStatement<ChangedColumns>((query, param) =>
  query
    .updateTable("tasks")
    .set({
      status: param("status"),
      verification_attempt: param("verification_attempt"),
      verifier_result: param("verifier_result"),
      audit_seq: param("audit_seq"),
      listed_length: param("listed_length"),
      updated_at: param("updated_at"),
      ended_at: param("ended_at"),
      completed_at: param("completed_at"),
      timed_out_at: param("timed_out_at"),
      completed_by_email: param("completed_by_email"),
      completed_by_user_id: param("completed_by_user_id"),
      completed_via_channel: param("completed_via_channel"),
    })
    .where("id", "=", param("id")),
);

/** Writes what a transition changed; the caller holds the task's lock. */
export async function saveChange(tx: Tx, task: Task): Promise<void> {
  await tx.run(updateTask, { ...task, verifier_result: task.verifier_result && JSON.stringify(task.verifier_result) });
}

const insertResponse = writeStatement<{ task_id: string; response: string }>((query, param) =>
  query.insertInto("task_responses").values({ task_id: param("task_id"), response: param("response") }),
);

/** @param response - as JSON */
export async function addResponse(tx: Tx, taskId: string, response: string): Promise<void> {
  await tx.run(insertResponse, { task_id: taskId, response });
}

/** Keeps an answer that the verifier refused; `task` is the task after the refusal. */
export async function addVerificationAttempt(
  tx: Tx,
  task: Task,
  refused: Extract<TaskEvent, { type: "refused" }>,
): Promise<void> {
  await tx.query
    .insertInto("verification_attempts")
    .values({
      task_id: task.id,
      attempt: task.verification_attempt,
      id: newId("atm", task.updated_at),
      response: JSON.stringify(refused.response),
      reason: refused.reason,
      actor_email: refused.by.email,
      channel: refused.by.channel,
      created_at: task.updated_at,
    })
    .execute();
}

export interface AuditEntry extends Omit<AuditEntryRow, "id" | "extra"> {
  extra: object | null;
}

const insertAuditEntry = writeStatement<AuditEntryRow>((query, param) =>
  query.insertInto("audit_entries").values({
    task_id: param("task_id"),
    seq: param("seq"),
    id: param("id"),
    action: param("action"),
    from_status: param("from_status"),
    to_status: param("to_status"),
    actor_type: param("actor_type"),
    actor_email: param("actor_email"),
    channel: param("channel"),
    verifier_reason: param("verifier_reason"),
    embed_sub: param("embed_sub"),
    extra: param("extra"),
    created_at: param("created_at"),
  }),
);

export async function addAuditEntry(tx: Tx, entry: AuditEntry): Promise<void> {
  await tx.run(insertAuditEntry, {
    ...entry,
    id: newId("aud", entry.created_at),
    extra: entry.extra && JSON.stringify(entry.extra),
  });
}

export async function listAuditEntries(reader: Reader, taskId: string): Promise<AuditEntryRow[]> {
  return reader.query.selectFrom("audit_entries").selectAll().where("task_id", "=", taskId).orderBy("seq").execute();
}

/** All rows of a new task, ready to be written. */
export interface NewTask {
  task: TaskRow;
  documents: TaskDocumentsRow;
  audit: AuditEntryRow;
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
 * @returns the ids that were written; the others' keys are taken
 */
export async function addTasks(tx: Tx, tasks: readonly NewTask[]): Promise<Set<string>> {
  if (tx.dialect === "postgres") return addTasksAtOnce(tx, tasks);
  const added = new Set<string>();
  for (const task of tasks) if (await addTask(tx, task)) added.add(task.task.id);
  return added;
}

/**
 * In one statement, which on PostgreSQL costs half of one transaction each. Rows are sorted by idempotency key, so that
 * two such statements wait for each other instead of deadlocking.
 */
async function addTasksAtOnce(tx: Tx, tasks: readonly NewTask[]): Promise<Set<string>> {
  const sorted = tasks.toSorted((a, b) => (a.task.idempotency_key < b.task.idempotency_key ? -1 : 1));
  const { rows } = await sql<{ id: string }>`
    with new_tasks as (
      insert into tasks (id, idempotency_key, status, task, timeout_seconds, timeout_at, redact_payload,
        verification_attempt, assigned_to_email, callback_url, listed_length, schemas_length, audit_seq, created_at, updated_at)
      select * from unnest(
        ${column(sorted, (t) => t.task.id)}::text[], ${column(sorted, (t) => t.task.idempotency_key)}::text[],
        ${column(sorted, (t) => t.task.status)}::text[], ${column(sorted, (t) => t.task.task)}::text[],
        ${column(sorted, (t) => t.task.timeout_seconds)}::bigint[], ${column(sorted, (t) => t.task.timeout_at)}::bigint[],
        ${column(sorted, (t) => t.task.redact_payload)}::bigint[], ${column(sorted, (t) => t.task.verification_attempt)}::bigint[],
        ${column(sorted, (t) => t.task.assigned_to_email)}::text[], ${column(sorted, (t) => t.task.callback_url)}::text[],
        ${column(sorted, (t) => t.task.listed_length)}::bigint[], ${column(sorted, (t) => t.task.schemas_length)}::bigint[], ${column(sorted, (t) => t.task.audit_seq)}::bigint[],
        ${column(sorted, (t) => t.task.created_at)}::bigint[], ${column(sorted, (t) => t.task.updated_at)}::bigint[])
      on conflict (idempotency_key) do nothing
      returning id
    ), new_documents as (
      insert into task_documents (task_id, payload, payload_schema, response_schema, form_definition, assign_to, notify, verifier_config)
      select d.* from unnest(
        ${column(sorted, (t) => t.documents.task_id)}::text[], ${column(sorted, (t) => t.documents.payload)}::text[],
        ${column(sorted, (t) => t.documents.payload_schema)}::text[], ${column(sorted, (t) => t.documents.response_schema)}::text[],
        ${column(sorted, (t) => t.documents.form_definition)}::text[], ${column(sorted, (t) => t.documents.assign_to)}::text[],
        ${column(sorted, (t) => t.documents.notify)}::text[], ${column(sorted, (t) => t.documents.verifier_config)}::text[])
        as d (task_id, payload, payload_schema, response_schema, form_definition, assign_to, notify, verifier_config)
      join new_tasks on new_tasks.id = d.task_id
    ), new_entries as (
      insert into audit_entries (task_id, seq, id, action, to_status, actor_type, created_at)
      select a.* from unnest(
        ${column(sorted, (t) => t.audit.task_id)}::text[], ${column(sorted, (t) => t.audit.seq)}::bigint[],
        ${column(sorted, (t) => t.audit.id)}::text[], ${column(sorted, (t) => t.audit.action)}::text[],
        ${column(sorted, (t) => t.audit.to_status)}::text[], ${column(sorted, (t) => t.audit.actor_type)}::text[],
        ${column(sorted, (t) => t.audit.created_at)}::bigint[])
        as a (task_id, seq, id, action, to_status, actor_type, created_at)
      join new_tasks on new_tasks.id = a.task_id
    )
    select id from new_tasks`.execute(tx.query);
  return new Set(rows.map((row) => row.id));
}

function column<T>(rows: readonly NewTask[], value: (row: NewTask) => T): T[] {
  return rows.map(value);
}

/** Deletes a task and all that was written about it. */
export async function deleteTask(tx: Tx, id: string): Promise<void> {
  await tx.query.deleteFrom("audit_entries").where("task_id", "=", id).execute();
  await tx.query.deleteFrom("verification_attempts").where("task_id", "=", id).execute();
  await tx.query.deleteFrom("task_responses").where("task_id", "=", id).execute();
  await tx.query.deleteFrom("task_documents").where("task_id", "=", id).execute();
  await tx.query.deleteFrom("tasks").where("id", "=", id).execute();
}

const selectDue = writeStatement<{ now: number; limit: number }, { id: string }>((query, param, dialect: Dialect) => {
  const select = query
    .selectFrom("tasks")
    .select("id")
    .where("ended_at", "is", null)
    .where("timeout_at", "<=", param("now"))
    .orderBy("timeout_at")
    .orderBy("id")
    .limit(param("limit"));
  return dialect === "postgres" ? select.forUpdate().skipLocked() : select;
});

/** Open tasks whose time has run out, held until `tx` ends; those that somebody else holds are left out. */
export async function lockDueTasks(tx: Tx, now: number, limit: number): Promise<string[]> {
  const rows = await tx.run(selectDue, { now, limit });
  return rows.map((row) => row.id).toSorted();
}

const selectNextDeadline = readStatement<object, { timeout_at: number }>((query) =>
  query.selectFrom("tasks").select("timeout_at").where("ended_at", "is", null).orderBy("timeout_at").limit(1),
);

/** The earliest deadline of an open task, epoch milliseconds. */
export async function findNextDeadline(reader: Reader): Promise<number | null> {
  const [row] = await reader.run(selectNextDeadline, {});
  return row?.timeout_at ?? null;
}
