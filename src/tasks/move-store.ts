import { sql } from "kysely";
import { beyondHome } from "../db/beyond-home.ts";
import { writeBulk, writeBulkIn, type BulkWrite } from "../db/bulk.ts";
import { columnsOf, type Column } from "../db/columns.ts";
import { writeStatement, type Db, type Tx } from "../db/database.ts";
import { ofTask, type OfTask } from "../db/home.ts";
import { assignments, definitions, insertRow, names, updateRow } from "../db/rows.ts";
import type { TaskRow } from "../db/schema.ts";
import { scheduleRefresh, refreshCte } from "../deliveries/live-messages.ts";
import { DELIVERIES_HINT, enqueueCte, insertDelivery, newDeliveryColumns } from "../deliveries/store.ts";
import { newId } from "../lib/ids.ts";
import { ANSWER_ACCOUNT_COLUMNS } from "../people/accounts.ts";
import { storeVote } from "./approving.ts";
import type { TaskEvent } from "./lifecycle.ts";
import type { Move } from "./move.ts";
import { insertAuditEntry, toAuditRow, ROUTING, type Task } from "./store.ts";

/** Columns of a task that a move may change. */
const CHANGED = [
  "status",
  "verification_attempt",
  "verifier_result",
  "audit_seq",
  "listed_length",
  "updated_at",
  "ended_at",
  "completed_at",
  "timed_out_at",
  "completed_by_email",
  "completed_by_user_id",
  ...ANSWER_ACCOUNT_COLUMNS,
  "completed_via_channel",
  "decided_by_kind",
  "decided_by_name",
  "approvals",
  "cancelled_by",
  "cancel_reason",
  "decision",
  "decision_tone",
  "edited",
  "timeout_seconds",
  "timeout_at",
  "ladder",
  "next_step_at",
  ...ROUTING,
] as const satisfies Column<"tasks">[];

/** The task's key, and the columns after the move. */
const MOVED = ["id", "home", ...CHANGED] as const;

const updateTask = updateRow("tasks", {
  set: CHANGED,
  where: { id: "id", home: "home", audit_seq: "before_seq" },
  returning: ["id"],
});
const insertResponse = insertRow("task_responses");
const insertVerificationAttempt = insertRow("verification_attempts");

/** Stores an answer that the verifier rejected. @param task - the task after the rejection */
async function addVerificationAttempt(
  tx: Tx,
  task: Task,
  refused: Extract<TaskEvent, { type: "refused" }>,
): Promise<void> {
  await tx.run(insertVerificationAttempt, {
    ...ofTask(task.id),
    attempt: task.verification_attempt,
    id: newId("atm", task.updated_at),
    response: JSON.stringify(refused.response),
    reason: refused.reason,
    actor_email: refused.by.email,
    channel: refused.by.channel,
    created_at: task.updated_at,
  });
}

/** Closes the offer of a task that is closed, so that queries for open offers skip it. */
const closeOffer = writeStatement<OfTask>((query, param) =>
  query
    .updateTable("task_candidates")
    .set({ is_open: 0 })
    .where("task_id", "=", param("task_id"))
    .where("home", "=", param("home"))
    .where("is_open", "=", 1),
);

/**
 * Writes moves in their own transaction, each only if its task did not change since it was read (every move increments
 * `audit_seq`). Not for rejected answers, nor for decisions of one of several people.
 * @returns the moves that were written
 */
export async function addMovesIfUnchanged(db: Db, moves: readonly Move[]): Promise<Move[]> {
  const written = await writeBulk(db, writeMoves, moves);
  if (written.some(({ has_deliveries }) => has_deliveries)) db.hints.publish([DELIVERIES_HINT]);
  const ids = new Set(written.map(({ id }) => id));
  return moves.filter(({ after }) => ids.has(after.id));
}

/** Writes moves of tasks whose locks `tx` holds. The decision of one of several people is stored with its move. */
export async function addMoves(tx: Tx, moves: readonly Move[]): Promise<void> {
  const written = await writeBulkIn(tx, writeMoves, moves);
  if (written.some(({ has_deliveries }) => has_deliveries)) tx.hint(DELIVERIES_HINT);
  for (const { after, event, audit } of moves) {
    if (event.type === "refused") await addVerificationAttempt(tx, after, event);
    if (event.type === "accepted" && event.ballot !== undefined) await storeVote(tx, after.id, event.ballot, audit);
  }
}

function toMovedColumns(task: Task): Pick<TaskRow, (typeof MOVED)[number]> {
  const { verifier_result } = task;
  const columns = Object.fromEntries(MOVED.map((name) => [name, task[name]])) as Pick<Task, (typeof MOVED)[number]>;
  return { ...columns, verifier_result: verifier_result && JSON.stringify(verifier_result) };
}

interface WrittenMove {
  id: string;
  /** Deliveries that waited for the change are due, and nothing has told the engines yet. */
  has_deliveries: boolean;
}

/**
 * Skips a row that changed since it was read, together with its audit entry and delivery. On PostgreSQL, each record is
 * parsed from its JSON once; a direct join would parse it again for every written row.
 */
const writeMoves: BulkWrite<readonly Move[], WrittenMove> = {
  atOnce: writeStatement<{ moves: string }, WrittenMove>((query, param) => ({
    compile: () =>
      sql<WrittenMove>`
        with moves as (
          select * from json_to_recordset(${param("moves")}::json) as moves (before_seq bigint, "after" json, audit json,
            outgoing json, response text)
        ), changed as (
          select before_seq, response, c.* from moves, json_to_record(moves."after") as c (${definitions("tasks", MOVED)})
        ), written as (
          update tasks t set ${assignments(CHANGED, "c")}
          from changed c where t.id = c.id and t.home = c.home and t.audit_seq = c.before_seq
          returning t.id, t.home, t.ended_at, t.updated_at
        ), ${refreshCte(sql`written`)}, offers as (
          update task_candidates o set is_open = 0 from written
          where o.task_id = written.id and o.home = written.home and o.is_open = 1 and written.ended_at is not null
        ), responses as (
          insert into task_responses (task_id, home, response)
          select c.id, c.home, c.response from changed c join written on written.id = c.id where c.response is not null
        ), audits as materialized (
          select a.* from moves, json_to_record(moves.audit) as a (${definitions("audit_entries")})
        ), entries as (
          insert into audit_entries (${names(columnsOf("audit_entries"))})
          select a.* from audits a join written on written.id = a.task_id
        ), debts as materialized (
          select o.* from moves, json_to_recordset(moves.outgoing) as o (${newDeliveryColumns()})
        ), outgoing as (
          select o.* from debts o join written on written.id = o.task_id
        ), ${enqueueCte(sql`outgoing`)}
        select id, exists (select 1 from refreshed where refreshed.task_id = written.id) as has_deliveries
        from written ${beyondHome("moves in one statement")}`.compile(query),
  })),
  toParams: (moves) => ({
    moves: JSON.stringify(
      moves.map(({ before, after, audit, outgoing, response }) => ({
        before_seq: before.audit_seq,
        after: toMovedColumns(after),
        audit: toAuditRow(audit),
        outgoing: outgoing.map(({ row }) => row),
        response,
      })),
    ),
  }),
  inSteps: async (tx, moves) => {
    const written: WrittenMove[] = [];
    // Deliveries are hinted at as they are written.
    for (const move of moves) if (await writeMove(tx, move)) written.push({ id: move.after.id, has_deliveries: false });
    return written;
  },
};

async function writeMove(tx: Tx, { before, after, response, audit, outgoing }: Move): Promise<boolean> {
  const written = await tx.run(updateTask, { ...toMovedColumns(after), before_seq: before.audit_seq });
  if (written.length === 0) return false;
  if (response !== null) await tx.run(insertResponse, { ...ofTask(after.id), response });
  await tx.run(insertAuditEntry, toAuditRow(audit));
  for (const delivery of outgoing) await insertDelivery(tx, delivery);
  if (after.ended_at !== null) await tx.run(closeOffer, ofTask(after.id));
  await scheduleRefresh(tx, after);
  return true;
}
