import type { Reader, Tx } from "../db/database.ts";
import { homeOf, ofTask } from "../db/home.ts";
import { insertRow } from "../db/rows.ts";
import type { TaskDocumentsRow, TaskVersionRow } from "../db/schema.ts";

/** What a version of a task asks, as JSON. */
export type VersionDocuments = Pick<TaskDocumentsRow, "payload" | "payload_schema" | "action">;
/** The documents that a revision changes. */
export type RevisedDocuments = VersionDocuments &
  Pick<TaskDocumentsRow, "response_schema" | "form_definition" | "listed_action">;

const insertVersion = insertRow("task_versions");

/** Keeps a version that is replaced. */
export async function addVersion(tx: Tx, task_id: string, version: number, documents: VersionDocuments): Promise<void> {
  const { payload, payload_schema, action } = documents;
  await tx.run(insertVersion, { ...ofTask(task_id), version, payload, payload_schema, action });
}

/** Returns what a task asked before it was revised, oldest first. The current version is not among them. @param from - the first of them */
export async function listVersions(reader: Reader, task_id: string, from = 1): Promise<TaskVersionRow[]> {
  return reader.query
    .selectFrom("task_versions")
    .selectAll()
    .where("task_id", "=", task_id)
    .where("version", ">=", from)
    .where("home", "=", homeOf(task_id))
    .orderBy("version")
    .execute();
}

/** Returns one version that was replaced; null if there is none. */
export async function findVersion(reader: Reader, task_id: string, version: number): Promise<TaskVersionRow | null> {
  const row = await reader.query
    .selectFrom("task_versions")
    .selectAll()
    .where("task_id", "=", task_id)
    .where("version", "=", version)
    .where("home", "=", homeOf(task_id))
    .executeTakeFirst();
  return row ?? null;
}
