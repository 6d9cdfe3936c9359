import { actionFields } from "../actions/request.ts";
import { listComments } from "../conversation/store.ts";
import { listVersions, type VersionDocuments } from "../conversation/versions.ts";
import type { Db } from "../db/database.ts";
import type { JsonObject } from "../lib/json.ts";
import { isoTime } from "../lib/time.ts";
import type { Caller } from "../people/caller.ts";
import type { VersionRecord } from "./schema.ts";
import { readTask } from "./tasks.ts";

/**
 * Returns what a task asks and asked before, oldest first. Edits of people who approve are not among them.
 * @throws ServiceError TASK_NOT_FOUND, FORBIDDEN
 */
export async function readVersions(ctx: { db: Db }, caller: Caller, id: string): Promise<VersionRecord[]> {
  const task = await readTask(ctx, caller, id);
  // A revision in the meantime would make the current version two of them.
  const before = (await listVersions(ctx.db, id)).filter(({ version }) => version < task.version);
  const said = new Map((await listComments(ctx.db, id)).map((comment) => [comment.version, comment]));
  return [...before, task].map((one) => {
    const revision = said.get(one.version);
    return toVersionRecord(one, revision?.text ?? null, revision?.created_at ?? task.created_at);
  });
}

function toVersionRecord(
  documents: VersionDocuments & { version: number },
  note: string | null,
  created_at: number,
): VersionRecord {
  const payload = JSON.parse(documents.payload) as JsonObject;
  const actions = actionFields(documents) as Pick<VersionRecord, "action" | "actions">;
  return { version: documents.version, payload, ...actions, note, created_at: isoTime(created_at) };
}
