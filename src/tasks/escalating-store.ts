import { sql } from "kysely";
import { writeBulkIn, type BulkWrite } from "../db/bulk.ts";
import type { Column } from "../db/columns.ts";
import { writeStatement, type Reader, type Tx } from "../db/database.ts";
import { assignments, definitions, toInserted, updateRow } from "../db/rows.ts";
import { isOneOf, locationsFor } from "../db/ids.ts";
import type { TaskRow } from "../db/schema.ts";
import { refreshCte, scheduleRefresh } from "../deliveries/live-messages.ts";
import { insertAuditEntry, ROUTING, toAuditRow, type AuditEntry, type Task, type TaskDocuments } from "./store.ts";

/** What the steps of a task need of its documents. */
export type SteppedDocuments = Pick<TaskDocuments, "escalation" | "notify" | "approval_policy">;

/** Everything that the steps of one task write besides messages and offers. */
export interface Stepped {
  after: Task;
  entries: readonly AuditEntry[];
}

/** Columns of a task that its steps may change. */
const CHANGED = [
  "ladder",
  "next_step_at",
  "urgent",
  "audit_seq",
  "updated_at",
  ...ROUTING,
  "delegated_from_user_id",
  "delegated_from_email",
  "delegated_until",
] as const satisfies Column<"tasks">[];
const STEPPED = ["id", "home", ...CHANGED] as const;

const updateTask = updateRow("tasks", { set: CHANGED, where: { id: "id", home: "home" }, returning: ["id"] });

/** Returns the documents of tasks, by their ids. */
export async function findSteppedDocuments(
  reader: Reader,
  tasks: readonly Task[],
): Promise<Map<string, SteppedDocuments>> {
  const rows = await reader.query
    .selectFrom("task_documents")
    .select(["task_id", "escalation", "notify", "approval_policy"])
    .where(isOneOf(reader.dialect, ["task_id", "home"], locationsFor(reader, tasks)))
    .execute();
  return new Map(rows.map(({ task_id, ...documents }) => [task_id, documents]));
}

/** Writes the steps of tasks whose locks `tx` holds: the tasks, their audit entries, and a refresh of their messages. */
export async function addSteps(tx: Tx, stepped: readonly Stepped[]): Promise<void> {
  await writeBulkIn(tx, writeTasks, stepped);
  const entries = stepped.flatMap((one) => one.entries);
  if (entries.length === 0) return;
  if (tx.dialect === "sqlite") for (const entry of entries) await tx.run(insertAuditEntry, toAuditRow(entry));
  else
    await tx.query
      .insertInto("audit_entries")
      .values(entries.map((entry) => toInserted(tx.dialect, "audit_entries", toAuditRow(entry))))
      .execute();
}

function toColumns({ after }: Stepped): Pick<TaskRow, (typeof STEPPED)[number]> {
  return Object.fromEntries(STEPPED.map((name) => [name, after[name]])) as Pick<Task, (typeof STEPPED)[number]>;
}

const writeTasks: BulkWrite<readonly Stepped[], { id: string }> = {
  atOnce: writeStatement<{ tasks: string }, { id: string }>((query, param) => ({
    compile: () =>
      sql<{ id: string }>`
        with changed as (
          select * from json_to_recordset(${param("tasks")}::json) as c (${definitions("tasks", STEPPED)})
        ), written as (
          update tasks t set ${assignments(CHANGED, "c")} from changed c where t.id = c.id and t.home = c.home
          returning t.id, t.home, t.ended_at, t.updated_at
        ), ${refreshCte(sql`written`)}
        select id from written`.compile(query),
  })),
  toParams: (stepped) => ({ tasks: JSON.stringify(stepped.map(toColumns)) }),
  inSteps: async (tx, stepped) => {
    for (const one of stepped) {
      await tx.run(updateTask, toColumns(one));
      await scheduleRefresh(tx, one.after);
    }
    return [];
  },
};
