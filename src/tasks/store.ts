import { sql } from "kysely";
import { readStatement, writeStatement, type Db, type Dialect, type Reader, type Tx } from "../db/database.ts";
import { addOwed, insertOwed } from "../deliveries/store.ts";
import type { AuditEntryRow, TaskDocumentsRow, TaskRow } from "../db/schema.ts";
import { ServiceError } from "../errors.ts";
import { newId } from "../lib/ids.ts";
import { SECOND } from "../lib/time.ts";
import { deleteCandidates } from "./candidates.ts";
import type { TaskEvent, TaskStatus, VerifierResult } from "./lifecycle.ts";
import type { Move } from "./move.ts";

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

/** Makes a task of a row, and takes the row over: copying its columns would cost more than reading them. */
export function toTask<Row extends TaskRow>(row: Row): Omit<Row, keyof Task> & Task {
  const { verifier_result, redact_payload } = row;
  return Object.assign(row as Omit<Row, keyof Task>, {
    verifier_result: parseJson<VerifierResult>(verifier_result),
    redact_payload: redact_payload === 1,
  }) as Omit<Row, keyof Task> & Task;
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

/** Who has a task. */
export type RoutingColumns = Pick<
  TaskRow,
  "assigned_to_user_id" | "assigned_to_email" | "claimed_by_user_id" | "claimed_by_email" | "claim_expires_at"
>;

/** The caller holds the task's lock. */
export async function setRouting(
  tx: Tx,
  task: RoutingColumns & Pick<TaskRow, "id" | "audit_seq" | "updated_at">,
): Promise<void> {
  const { assigned_to_user_id, assigned_to_email, claimed_by_user_id, claimed_by_email, claim_expires_at } = task;
  const set = { assigned_to_user_id, assigned_to_email, claimed_by_user_id, claimed_by_email, claim_expires_at };
  await tx.query
    .updateTable("tasks")
    .set({ ...set, audit_seq: task.audit_seq, updated_at: task.updated_at })
    .where("id", "=", task.id)
    .execute();
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

const insertResponse = writeStatement<{ task_id: string; response: string }>((query, param) =>
  query.insertInto("task_responses").values({ task_id: param("task_id"), response: param("response") }),
);

/** Keeps an answer that the verifier refused; `task` is the task after the refusal. */
async function addVerificationAttempt(
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
  await tx.run(insertAuditEntry, toAuditRow(entry));
}

function toAuditRow(entry: AuditEntry): AuditEntryRow {
  return { ...entry, id: newId("aud", entry.created_at), extra: entry.extra && JSON.stringify(entry.extra) };
}

/** An offer that nobody can take up any more is out of the way of those that can be. */
const closeOffer = writeStatement<{ task_id: string }>((query, param) =>
  query
    .updateTable("task_candidates")
    .set({ is_open: 0 })
    .where("task_id", "=", param("task_id"))
    .where("is_open", "=", 1),
);

/** Writes moves of tasks whose locks `tx` holds. */
export async function addMoves(tx: Tx, moves: readonly Move[]): Promise<void> {
  if (tx.dialect === "postgres") {
    await addMovesAtOnce(tx, moves);
  } else {
    for (const { after, response, audit, owed } of moves) {
      await tx.run(updateTask, toChangedColumns(after));
      if (response !== null) await tx.run(insertResponse, { task_id: after.id, response });
      await tx.run(insertAuditEntry, toAuditRow(audit));
      if (owed !== null) await addOwed(tx, owed);
      if (after.ended_at !== null) await tx.run(closeOffer, { task_id: after.id });
    }
  }
  for (const { after, event } of moves) if (event.type === "refused") await addVerificationAttempt(tx, after, event);
}

function toChangedColumns(task: Task): ChangedColumns {
  return {
    id: task.id,
    status: task.status,
    verification_attempt: task.verification_attempt,
    verifier_result: task.verifier_result && JSON.stringify(task.verifier_result),
    audit_seq: task.audit_seq,
    listed_length: task.listed_length,
    updated_at: task.updated_at,
    ended_at: task.ended_at,
    completed_at: task.completed_at,
    timed_out_at: task.timed_out_at,
    completed_by_email: task.completed_by_email,
    completed_by_user_id: task.completed_by_user_id,
    completed_via_channel: task.completed_via_channel,
  };
}

/**
 * In one statement; a row that is not as it was before its move is left alone, with all that would come with it. Each
 * record is read from its JSON once: joined as it is read, it would be read again for every row that was written.
 */
const writeMoves = writeStatement<{ moves: string }, { id: string }>((query, param) => ({
  compile: () =>
    sql<{ id: string }>`
      with moves as (
        select * from json_to_recordset(${param("moves")}::json) as moves (before_seq bigint, "after" json, audit json,
          owed json, response text)
      ), changed as (
        select before_seq, response, c.* from moves, json_to_record(moves."after") as c (id text, status text,
          verification_attempt bigint, verifier_result text, audit_seq bigint, listed_length bigint, updated_at bigint,
          ended_at bigint, completed_at bigint, timed_out_at bigint, completed_by_email text, completed_by_user_id text,
          completed_via_channel text)
      ), written as (
        update tasks t set status = c.status, verification_attempt = c.verification_attempt,
          verifier_result = c.verifier_result, audit_seq = c.audit_seq, listed_length = c.listed_length,
          updated_at = c.updated_at, ended_at = c.ended_at, completed_at = c.completed_at, timed_out_at = c.timed_out_at,
          completed_by_email = c.completed_by_email, completed_by_user_id = c.completed_by_user_id,
          completed_via_channel = c.completed_via_channel
        from changed c where t.id = c.id and t.audit_seq = c.before_seq
        returning t.id, t.ended_at
      ), offers as (
        update task_candidates o set is_open = 0 from written
        where o.task_id = written.id and o.is_open = 1 and written.ended_at is not null
      ), responses as (
        insert into task_responses (task_id, response)
        select c.id, c.response from changed c join written on written.id = c.id where c.response is not null
      ), audits as materialized (
        select a.* from moves, json_to_record(moves.audit) as a (task_id text, seq bigint, id text, action text,
          from_status text, to_status text, actor_type text, actor_email text, channel text, verifier_reason text,
          embed_sub text, extra text, created_at bigint)
      ), entries as (
        insert into audit_entries (task_id, seq, id, action, from_status, to_status, actor_type, actor_email, channel,
          verifier_reason, embed_sub, extra, created_at)
        select a.* from audits a join written on written.id = a.task_id
      ), debts as materialized (
        select o.* from moves, json_to_record(moves.owed) as o (id text, kind text, task_id text, destination text,
          origin text, body text, next_attempt_at bigint, created_at bigint)
      ), owed as (
        select o.* from debts o join written on written.id = o.task_id
      ), ${insertOwed(sql`owed`)}
      select id from written`.compile(query),
}));

/**
 * Writes moves on PostgreSQL, each only where its task is still as it was read: every move counts `audit_seq` up.
 * @returns those that were written
 */
export async function addMovesAtOnce(
  writer: { run: Tx["run"] } | { writeOne: Db["writeOne"] },
  moves: readonly Move[],
): Promise<Move[]> {
  const rows = moves.map(({ before, after, audit, owed, response }) => ({
    before_seq: before.audit_seq,
    after: toChangedColumns(after),
    audit: toAuditRow(audit),
    owed: owed?.row ?? {},
    response,
  }));
  const params = { moves: JSON.stringify(rows) };
  const written =
    "writeOne" in writer ? await writer.writeOne(writeMoves, params) : await writer.run(writeMoves, params);
  const ids = new Set(written.map(({ id }) => id));
  return moves.filter(({ after }) => ids.has(after.id));
}

export async function listAuditEntries(reader: Reader, taskId: string): Promise<AuditEntryRow[]> {
  return reader.query.selectFrom("audit_entries").selectAll().where("task_id", "=", taskId).orderBy("seq").execute();
}

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
    const started = performance.now();
    const written = await db.writeOne(insertTasks, rows).catch(async (error: unknown) => {
      const isUnknown = error instanceof ServiceError && error.code === "COMMIT_UNKNOWN";
      if (!isUnknown || performance.now() - started > AGAIN_WITHIN_MS) throw error;
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

/** A connection that broke at once is worth another try; whoever waited for a silent one has waited long enough. */
const AGAIN_WITHIN_MS = 1 * SECOND;

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

/** Deletes a task and all that was written about it. */
export async function deleteTask(tx: Tx, id: string): Promise<void> {
  await tx.query.deleteFrom("audit_entries").where("task_id", "=", id).execute();
  await tx.query.deleteFrom("verification_attempts").where("task_id", "=", id).execute();
  await tx.query.deleteFrom("task_responses").where("task_id", "=", id).execute();
  await tx.query.deleteFrom("task_documents").where("task_id", "=", id).execute();
  await deleteCandidates(tx, id);
  await tx.query.deleteFrom("tasks").where("id", "=", id).execute();
}

const selectDue = writeStatement<{ now: number; limit: number }, TaskRow>((query, param, dialect: Dialect) => {
  const select = query
    .selectFrom("tasks")
    .selectAll()
    .where("ended_at", "is", null)
    .where("timeout_at", "<=", param("now"))
    .orderBy("timeout_at")
    .orderBy("id")
    .limit(param("limit"));
  return dialect === "postgres" ? select.forUpdate().skipLocked() : select;
});

/** Open tasks whose time has run out, held until `tx` ends; those that somebody else holds are left out. */
export async function lockDueTasks(tx: Tx, now: number, limit: number): Promise<Task[]> {
  return (await tx.run(selectDue, { now, limit })).map(toTask);
}

const selectNextDeadline = readStatement<object, { timeout_at: number }>((query) =>
  query.selectFrom("tasks").select("timeout_at").where("ended_at", "is", null).orderBy("timeout_at").limit(1),
);

/** The earliest deadline of an open task, epoch milliseconds. */
export async function findNextDeadline(reader: Reader): Promise<number | null> {
  const [row] = await reader.run(selectNextDeadline, {});
  return row?.timeout_at ?? null;
}
