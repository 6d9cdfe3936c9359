import type { Reader, Tx } from "../db/database.ts";
import { homeOf } from "../db/home.ts";
import { insertRow } from "../db/rows.ts";
import type { TaskApprovalRow } from "../db/schema.ts";
import { parseJson, type JsonText } from "../lib/json.ts";
import type { Stance, Vote } from "./count.ts";
import type { Policy } from "./policy.ts";

/** What one person decided, as it is stored. */
export interface StoredVote extends Vote {
  seq: number;
  email: string | null;
  /** At the time. */
  name: string | null;
  channel: string | null;
  response: JsonText;
  /** Epoch milliseconds. */
  created_at: number;
}

/** What records show of a vote. */
export type RecordedVote = Omit<StoredVote, "response">;

const insertVote = insertRow("task_approvals");

export async function addVote(tx: Tx, task_id: string, vote: StoredVote): Promise<void> {
  await tx.run(insertVote, { ...vote, task_id, home: homeOf(task_id), groups: JSON.stringify(vote.groups) });
}

/** Returns what people decided about a task, oldest first, in all rounds. */
export async function listVotes(reader: Reader, task_id: string): Promise<StoredVote[]> {
  const rows = await reader.query
    .selectFrom("task_approvals")
    .selectAll()
    .where("task_id", "=", task_id)
    .where("home", "=", homeOf(task_id))
    .orderBy("seq")
    .execute();
  return rows.map(toVote);
}

/** Returns what people decided in one round, oldest first, without their answers, which may be long. */
export async function listVotesIn(reader: Reader, task_id: string, round: number): Promise<RecordedVote[]> {
  const rows = await reader.query
    .selectFrom("task_approvals")
    .select(["seq", "round", "user_id", "email", "name", "channel", "decision", "groups", "created_at", "withdrawn_at"])
    .where("task_id", "=", task_id)
    .where("home", "=", homeOf(task_id))
    .where("round", "=", round)
    .orderBy("seq")
    .execute();
  return rows.map(parsed);
}

function toVote({ task_id: _task, home: _home, ...row }: TaskApprovalRow): StoredVote {
  return parsed(row);
}

function parsed<Row extends Pick<TaskApprovalRow, "decision" | "groups">>(row: Row) {
  return { ...row, decision: row.decision as Stance, groups: JSON.parse(row.groups) as number[] };
}

/** Takes votes back. @param at - epoch milliseconds */
export async function withdrawVotes(tx: Tx, task_id: string, seqs: readonly number[], at: number): Promise<void> {
  if (seqs.length === 0) return;
  await tx.query
    .updateTable("task_approvals")
    .set({ withdrawn_at: at })
    .where("task_id", "=", task_id)
    .where("home", "=", homeOf(task_id))
    .where("seq", "in", seqs)
    .execute();
}

/** Returns who must approve a task; null if one person decides, or the task is gone. */
export async function findPolicy(reader: Reader, task_id: string): Promise<Policy | null> {
  const row = await reader.query
    .selectFrom("task_documents")
    .select("approval_policy")
    .where("task_id", "=", task_id)
    .where("home", "=", homeOf(task_id))
    .executeTakeFirst();
  return parseJson<Policy>(row?.approval_policy ?? null);
}
