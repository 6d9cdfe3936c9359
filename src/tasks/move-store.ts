import { sql } from "kysely";
import { writeStatement, type Db, type Tx } from "../db/database.ts";
import type { TaskRow } from "../db/schema.ts";
import { showAnew, shownAnew } from "../deliveries/places.ts";
import { addOwed, insertOwed } from "../deliveries/store.ts";
import { newId } from "../lib/ids.ts";
import type { TaskEvent } from "./lifecycle.ts";
import type { Move } from "./move.ts";
import { insertAuditEntry, toAuditRow, type RoutingColumns, type Task } from "./store.ts";

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
  | "completed_by_slack_team_id"
  | "completed_by_slack_user_id"
  | "completed_via_channel"
  | "cancelled_by"
  | "cancel_reason"
  | keyof RoutingColumns
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
      completed_by_slack_team_id: param("completed_by_slack_team_id"),
      completed_by_slack_user_id: param("completed_by_slack_user_id"),
      completed_via_channel: param("completed_via_channel"),
      cancelled_by: param("cancelled_by"),
      cancel_reason: param("cancel_reason"),
      assigned_to_user_id: param("assigned_to_user_id"),
      assigned_to_email: param("assigned_to_email"),
      claimed_by_user_id: param("claimed_by_user_id"),
      claimed_by_email: param("claimed_by_email"),
      claim_expires_at: param("claim_expires_at"),
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
      await showAnew(tx, after.id);
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
    completed_by_slack_team_id: task.completed_by_slack_team_id,
    completed_by_slack_user_id: task.completed_by_slack_user_id,
    completed_via_channel: task.completed_via_channel,
    cancelled_by: task.cancelled_by,
    cancel_reason: task.cancel_reason,
    assigned_to_user_id: task.assigned_to_user_id,
    assigned_to_email: task.assigned_to_email,
    claimed_by_user_id: task.claimed_by_user_id,
    claimed_by_email: task.claimed_by_email,
    claim_expires_at: task.claim_expires_at,
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
          completed_by_slack_team_id text, completed_by_slack_user_id text, completed_via_channel text,
          cancelled_by text, cancel_reason text, assigned_to_user_id text, assigned_to_email text,
          claimed_by_user_id text, claimed_by_email text, claim_expires_at bigint)
      ), written as (
        update tasks t set status = c.status, verification_attempt = c.verification_attempt,
          verifier_result = c.verifier_result, audit_seq = c.audit_seq, listed_length = c.listed_length,
          updated_at = c.updated_at, ended_at = c.ended_at, completed_at = c.completed_at, timed_out_at = c.timed_out_at,
          completed_by_email = c.completed_by_email, completed_by_user_id = c.completed_by_user_id,
          completed_by_slack_team_id = c.completed_by_slack_team_id,
          completed_by_slack_user_id = c.completed_by_slack_user_id, completed_via_channel = c.completed_via_channel,
          cancelled_by = c.cancelled_by, cancel_reason = c.cancel_reason,
          assigned_to_user_id = c.assigned_to_user_id, assigned_to_email = c.assigned_to_email,
          claimed_by_user_id = c.claimed_by_user_id, claimed_by_email = c.claimed_by_email,
          claim_expires_at = c.claim_expires_at
        from changed c where t.id = c.id and t.audit_seq = c.before_seq
        returning t.id, t.ended_at, t.updated_at
      ), ${shownAnew(sql`written`)}, offers as (
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
