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

function toVote({ task_id: _task, home: _home, groups, ...row }: TaskApprovalRow): StoredVote {
  return { ...row, decision: row.decision as Stance, groups: JSON.parse(groups) as number[] };
}

/** @param at - epoch milliseconds */
export async function withdrawVote(tx: Tx, task_id: string, seq: number, at: number): Promise<void> {
  await tx.query
    .updateTable("task_approvals")
    .set({ withdrawn_at: at })
    .where("task_id", "=", task_id)
    .where("home", "=", homeOf(task_id))
    .where("seq", "=", seq)
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
