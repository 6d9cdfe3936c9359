import { beyondHome } from "../db/beyond-home.ts";
import type { Column } from "../db/columns.ts";
import { readStatement, writeStatement, type Reader, type ReadQueries, type Tx } from "../db/database.ts";
import { homeOf, homeOfKey, located, ofTask, type Located, type OfTask } from "../db/home.ts";
import { isOneOf, locationsFor, type Ids } from "../db/ids.ts";
import { forUpdate } from "../db/locks.ts";
import { insertRow } from "../db/rows.ts";
import type { AuditEntryRow, TaskDocumentsRow, TaskRow } from "../db/schema.ts";
import { ServiceError } from "../errors.ts";
import { newId } from "../lib/ids.ts";
import { listVotes, type StoredVote } from "../approvals/store.ts";
import { toldOf, type Told } from "../escalation/ladder.ts";
import type { ResumedRow } from "../resume/record.ts";
import { resumedFor } from "../resume/resumed.ts";
import { parseJson, type JsonObject } from "../lib/json.ts";
import { deleteCandidates } from "./candidates.ts";
import { fallbackOf } from "./fallback.ts";
import type { GivenAnswer, TaskStatus, VerifierResult } from "./lifecycle.ts";
import type { DelegationColumns } from "./routed.ts";
import { findOlderTask } from "./older-keys.ts";
import { decisionInAnswer } from "./decision-in-answer.ts";
import { isEditedIn } from "./edited.ts";

/** A task without its documents. Times are epoch milliseconds. */
export interface Task extends Omit<TaskRow, "status" | "verifier_result" | "redact_payload"> {
  status: TaskStatus;
  verifier_result: VerifierResult | null;
  redact_payload: boolean;
}

/** The JSON documents of a task's creation. Most of them are only passed on. */
export type TaskDocuments = Omit<TaskDocumentsRow, "task_id" | "home">;

/** A task with everything that its record shows. */
export interface TaskWithDocuments extends Task, TaskDocuments {
  /** As JSON. */
  response: string | null;
  /** The answer that the verifier refused last, as JSON; null if the task is not sent back. */
  rejected_response: string | null;
  /** What people decided, if several must approve. */
  votes: readonly StoredVote[];
  /** Where its entries of `resume` stand. */
  resumed: readonly ResumedRow[];
}

/** Turns a row into a task. Reuses the row object, because copying its columns costs more than reading them. */
export function toTask<Row extends TaskRow>(row: Row): Omit<Row, keyof Task> & Task {
  const { verifier_result, redact_payload } = row;
  return Object.assign(row as Omit<Row, keyof Task>, {
    verifier_result: parseJson<VerifierResult>(verifier_result),
    redact_payload: redact_payload === 1,
  }) as Omit<Row, keyof Task> & Task;
}

const selectTaskForUpdate = writeStatement<Located, TaskRow>((query, param, dialect) =>
  forUpdate(
    dialect,
    query.selectFrom("tasks").selectAll().where("id", "=", param("id")).where("home", "=", param("home")),
  ),
);

type WithDocumentsRow = TaskRow & TaskDocuments & Pick<TaskWithDocuments, "response" | "rejected_response">;

const withDocuments = (query: ReadQueries) =>
  query
    .selectFrom("tasks")
    .innerJoin("task_documents", (join) =>
      join.onRef("task_documents.task_id", "=", "tasks.id").onRef("task_documents.home", "=", "tasks.home"),
    )
    .leftJoin("task_responses", (join) =>
      join.onRef("task_responses.task_id", "=", "tasks.id").onRef("task_responses.home", "=", "tasks.home"),
    )
    .leftJoin("verification_attempts", (join) =>
      join
        .onRef("verification_attempts.task_id", "=", "tasks.id")
        .onRef("verification_attempts.home", "=", "tasks.home")
        .onRef("verification_attempts.attempt", "=", "tasks.verification_attempt")
        .on("tasks.status", "=", "rejected"),
    )
    .selectAll("tasks")
    .select([
      "task_documents.payload",
      "task_documents.payload_schema",
      "task_documents.response_schema",
      "task_documents.form_definition",
      "task_documents.assign_to",
      "task_documents.notify",
      "task_documents.verifier_config",
      "task_documents.action",
      "task_documents.listed_action",
      "task_documents.approval_policy",
      "task_documents.escalation",
      "task_documents.on_timeout",
      "task_documents.resume",
      "task_documents.callback_events",
      "task_documents.locale",
      "task_responses.response",
      "verification_attempts.response as rejected_response",
    ]);

const selectTaskWithDocuments = readStatement<Located, WithDocumentsRow>((query, param) =>
  withDocuments(query).where("tasks.id", "=", param("id")).where("tasks.home", "=", param("home")),
);

const selectTasksWithDocuments = readStatement<{ ids: Ids; homes: unknown }, WithDocumentsRow>(
  (query, param, dialect) =>
    withDocuments(query).where(
      isOneOf(dialect, ["tasks.id", "tasks.home"], { ids: param("ids"), homes: param("homes") }),
    ),
);

/** A key of one asker. */
export type KeyOfAsker = Pick<TaskRow, "idempotency_key" | "asked_by_id">;

const selectIdByKey = readStatement<KeyOfAsker, { id: string }>((query, param) =>
  query
    .selectFrom("tasks")
    .select("id")
    .where("idempotency_key", "=", param("idempotency_key"))
    .where("asked_by_id", "=", param("asked_by_id"))
    .modifyEnd(beyondHome("task of a key")),
);

export async function findTaskWithDocuments(reader: Reader, id: string): Promise<TaskWithDocuments | null> {
  const [row] = await reader.run(selectTaskWithDocuments, located(id));
  return row === undefined ? null : withVotes(reader, row);
}

/** Returns those of the tasks that exist, by their ids. */
export async function findTasksWithDocuments(
  reader: Reader,
  ids: readonly string[],
): Promise<Map<string, TaskWithDocuments>> {
  const rows = await reader.run(selectTasksWithDocuments, locationsFor(reader, ids.map(located)));
  return new Map(await Promise.all(rows.map(async (row) => [row.id, await withVotes(reader, row)] as const)));
}

async function withVotes(reader: Reader, row: WithDocumentsRow): Promise<TaskWithDocuments> {
  const task = Object.assign(toTask(row), { votes: await votesFor(reader, row), resumed: NONE_RESUMED });
  return row.resume === null ? task : { ...task, resumed: await resumedFor(reader, row) };
}

const NONE_RESUMED: readonly ResumedRow[] = [];

/** Returns what people decided about a task; nothing is read unless several must approve. */
export async function votesFor(
  reader: Reader,
  { id, approvals }: Pick<TaskRow, "id" | "approvals">,
): Promise<StoredVote[]> {
  return approvals === null ? [] : listVotes(reader, id);
}

/** @throws ServiceError TASK_NOT_FOUND */
export async function getTaskWithDocuments(reader: Reader, id: string): Promise<TaskWithDocuments> {
  const task = await findTaskWithDocuments(reader, id);
  if (!task) throw new ServiceError("TASK_NOT_FOUND");
  return task;
}

const selectRefused = readStatement<OfTask & { attempt: number }, { response: string }>((query, param) =>
  query
    .selectFrom("verification_attempts")
    .select("response")
    .where("task_id", "=", param("task_id"))
    .where("home", "=", param("home"))
    .where("attempt", "=", param("attempt")),
);

/** Returns the answer that the verifier rejected last, as JSON; null unless the task is `rejected`. */
export async function findRefusedResponse(
  reader: Reader,
  { id, status, verification_attempt: attempt }: Pick<Task, "id" | "status" | "verification_attempt">,
): Promise<string | null> {
  if (status !== "rejected") return null;
  const [row] = await reader.run(selectRefused, { ...ofTask(id), attempt });
  return row?.response ?? null;
}

const selectRequest = readStatement<OfTask, Asked & Told>((query, param) =>
  query
    .selectFrom("task_documents")
    .innerJoin("tasks", (join) =>
      join.onRef("tasks.id", "=", "task_documents.task_id").onRef("tasks.home", "=", "task_documents.home"),
    )
    .select(["assign_to", "notify", "approval_policy", "escalation", "tasks.ladder"])
    .where("task_documents.task_id", "=", param("task_id"))
    .where("task_documents.home", "=", param("home")),
);

/** The people that a task's creation names. */
export type Asked = Pick<TaskDocuments, "assign_to" | "notify" | "approval_policy">;

/** Returns whom the creation of a task names, and whom its steps have told since; null if the task is gone. */
export async function findRequest(reader: Reader, task_id: string): Promise<Asked | null> {
  const [row] = await reader.run(selectRequest, ofTask(task_id));
  return row ? { ...row, notify: toldOf(row) } : null;
}

const selectListedAction = readStatement<OfTask, Pick<TaskDocuments, "listed_action">>((query, param) =>
  query
    .selectFrom("task_documents")
    .select("listed_action")
    .where("task_id", "=", param("task_id"))
    .where("home", "=", param("home")),
);

/** Returns what lists say of a task's actions, as JSON; null if it is not about actions, or gone. */
export async function findListedAction(reader: Reader, task_id: string): Promise<string | null> {
  const [row] = await reader.run(selectListedAction, ofTask(task_id));
  return row?.listed_action ?? null;
}

/** The same on Citus, where only the tasks of this home are asked. */
const selectIdByKeyAtHome = readStatement<KeyOfAsker & { home: number }, { id: string }>((query, param) =>
  query
    .selectFrom("tasks")
    .select("id")
    .where("idempotency_key", "=", param("idempotency_key"))
    .where("asked_by_id", "=", param("asked_by_id"))
    .where("home", "=", param("home")),
);

export async function findTaskIdByKey(reader: Reader, key: KeyOfAsker): Promise<string | null> {
  if (reader.dialect !== "citus") return (await reader.run(selectIdByKey, key))[0]?.id ?? null;
  const home = homeOfKey(key.asked_by_id, key.idempotency_key);
  const [row] = await reader.run(selectIdByKeyAtHome, { ...key, home });
  return row?.id ?? findOlderTask(reader, key);
}

/**
 * Reads a task and locks it until `tx` ends. Other moves of the task wait here.
 * @throws ServiceError TASK_NOT_FOUND
 */
export async function lockTask(tx: Tx, id: string): Promise<Task> {
  const task = await findTaskForUpdate(tx, id);
  if (!task) throw new ServiceError("TASK_NOT_FOUND");
  return task;
}

export async function findTask(reader: Reader, id: string): Promise<Task | null> {
  const row = await reader.query
    .selectFrom("tasks")
    .selectAll()
    .where("id", "=", id)
    .where("home", "=", homeOf(id))
    .executeTakeFirst();
  return row ? toTask(row) : null;
}

/** Like `lockTask`, but returns null when the task is gone. */
export async function findTaskForUpdate(tx: Tx, id: string): Promise<Task | null> {
  const [row] = await tx.run(selectTaskForUpdate, located(id));
  return row ? toTask(row) : null;
}

/** Counts an audit entry that belongs to no transition; the caller holds the task's lock. */
export async function setAuditSeq(tx: Tx, id: string, audit_seq: number): Promise<void> {
  await tx.query.updateTable("tasks").set({ audit_seq }).where("id", "=", id).where("home", "=", homeOf(id)).execute();
}

/** Stores where the approvals of a task stand; the caller holds its lock. @param approvals - JSON of a `Standing` */
export async function setApprovals(tx: Tx, id: string, approvals: string): Promise<void> {
  await tx.query.updateTable("tasks").set({ approvals }).where("id", "=", id).where("home", "=", homeOf(id)).execute();
}

/** The assignment and claim columns of a task. */
export const ROUTING = [
  "assigned_to_user_id",
  "assigned_to_email",
  "claimed_by_user_id",
  "claimed_by_email",
  "claim_expires_at",
] as const satisfies Column<"tasks">[];
/** And whom the assignee stands in for, which no move changes. */
export type RoutingColumns = Pick<TaskRow, (typeof ROUTING)[number]> & DelegationColumns;

/** The caller holds the task's lock. */
export async function setRouting(
  tx: Tx,
  task: RoutingColumns & Pick<TaskRow, "id" | "audit_seq" | "updated_at">,
): Promise<void> {
  const { assigned_to_user_id, assigned_to_email, claimed_by_user_id, claimed_by_email, claim_expires_at } = task;
  const { delegated_from_user_id, delegated_from_email, delegated_until } = task;
  const set = {
    assigned_to_user_id,
    assigned_to_email,
    claimed_by_user_id,
    claimed_by_email,
    claim_expires_at,
    delegated_from_user_id,
    delegated_from_email,
    delegated_until,
  };
  await tx.query
    .updateTable("tasks")
    .set({ ...set, audit_seq: task.audit_seq, updated_at: task.updated_at })
    .where("id", "=", task.id)
    .where("home", "=", homeOf(task.id))
    .execute();
}

export interface AuditEntry extends Omit<AuditEntryRow, "id" | "home" | "extra"> {
  extra: object | null;
}

export const insertAuditEntry = insertRow("audit_entries");

export async function addAuditEntry(tx: Tx, entry: AuditEntry): Promise<void> {
  await tx.run(insertAuditEntry, toAuditRow(entry));
}

export function toAuditRow(entry: AuditEntry): AuditEntryRow {
  const { task_id, created_at, extra } = entry;
  return { ...entry, home: homeOf(task_id), id: newId("aud", created_at), extra: extra && JSON.stringify(extra) };
}

export async function listAuditEntries(reader: Reader, taskId: string): Promise<AuditEntryRow[]> {
  return reader.query
    .selectFrom("audit_entries")
    .selectAll()
    .where("task_id", "=", taskId)
    .where("home", "=", homeOf(taskId))
    .orderBy("seq")
    .execute();
}

/** Deletes a task with its documents and its audit trail. */
export async function deleteTask(tx: Tx, id: string): Promise<void> {
  const home = homeOf(id);
  const tables = [
    "audit_entries",
    "task_approvals",
    "task_comments",
    "task_versions",
    "task_labels",
    "task_snoozes",
    "task_texts",
    "verification_attempts",
    "task_responses",
    "task_documents",
  ] as const;
  for (const table of tables)
    await tx.query.deleteFrom(table).where("task_id", "=", id).where("home", "=", home).execute();
  await deleteCandidates(tx, id);
  await tx.query.deleteFrom("tasks").where("id", "=", id).where("home", "=", home).execute();
}

/** Returns the answers that count if no one has answered, by the ids of their tasks. */
export async function findFallbacks(
  reader: Reader,
  tasks: readonly Located[],
): Promise<Map<string, Pick<GivenAnswer, "response" | "decision" | "edited">>> {
  if (tasks.length === 0) return new Map();
  const rows = await reader.query
    .selectFrom("task_documents")
    .select(["task_id", "on_timeout", "action", "payload", "payload_schema", "response_schema", "form_definition"])
    .where(isOneOf(reader.dialect, ["task_id", "home"], locationsFor(reader, tasks)))
    .where("on_timeout", "is not", null)
    .execute();
  return new Map(
    rows.map(({ task_id, on_timeout, ...task }) => {
      const response = fallbackOf(JSON.parse(on_timeout!) as JsonObject, task);
      const decision = decisionInAnswer(task, response, null);
      return [task_id, { response, decision, edited: isEditedIn(task, response) }];
    }),
  );
}

const selectNextDeadline = readStatement<object, { timeout_at: number }>((query) =>
  query
    .selectFrom("tasks")
    .select("timeout_at")
    .where("ended_at", "is", null)
    .orderBy("timeout_at")
    .limit(1)
    .modifyEnd(beyondHome("next deadline")),
);

/** The earliest deadline of an open task, epoch milliseconds. */
export async function findNextDeadline(reader: Reader): Promise<number | null> {
  const [row] = await reader.run(selectNextDeadline, {});
  return row?.timeout_at ?? null;
}

const selectNextClaimEnd = readStatement<object, { claim_expires_at: number | null }>((query) =>
  query
    .selectFrom("tasks")
    .select("claim_expires_at")
    .where("claim_expires_at", "is not", null)
    .orderBy("claim_expires_at")
    .limit(1)
    .modifyEnd(beyondHome("next end of a claim")),
);

/** When the next claim ends, epoch milliseconds. */
export async function findNextClaimEnd(reader: Reader): Promise<number | null> {
  const [row] = await reader.run(selectNextClaimEnd, {});
  return row?.claim_expires_at ?? null;
}
