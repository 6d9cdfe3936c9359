import { findVersion } from "../conversation/versions.ts";
import type { Reader } from "../db/database.ts";
import { isJsonObject, type JsonObject } from "../lib/json.ts";
import { isStorableText } from "../lib/text.ts";
import { hasSameEntries } from "../resume/digest.ts";
import { asCreated, isSameRequest } from "./same-request.ts";
import { findTaskIdByKey, findTaskWithDocuments, listAuditEntries, type TaskWithDocuments } from "./store.ts";

/** The task that an idempotency key is bound to. */
export interface Replay {
  task: TaskWithDocuments;
  /** The request differs from the one that created the task. */
  isMismatch: boolean;
}

/**
 * The task that the key in `body` is bound to, or null.
 * @param asked_by_id - whose key it is
 * @param body - may be anything
 */
export async function findReplay(reader: Reader, asked_by_id: string, body: unknown): Promise<Replay | null> {
  const key = isJsonObject(body) ? body["idempotency_key"] : undefined;
  if (typeof key !== "string" || key === "" || !isStorableText(key)) return null;
  const id = await findTaskIdByKey(reader, { idempotency_key: key, asked_by_id });
  const task = id === null ? null : await findTaskWithDocuments(reader, id);
  return task && { task, isMismatch: !(await isReplayOf(reader, task, body as JsonObject)) };
}

/** The deadline may be the first one or the current one, and so may what the task asks. */
async function isReplayOf(reader: Reader, task: TaskWithDocuments, request: JsonObject): Promise<boolean> {
  if (!hasSameEntries(task.resume, request)) return false;
  if (isSameRequest(task, request)) return true;
  const asked = asCreated(task, await listAuditEntries(reader, task.id));
  if (isSameRequest(asked, request)) return true;
  const first = task.version === 1 ? null : await findVersion(reader, task.id, 1);
  return first !== null && [task, asked].some((one) => isSameRequest({ ...one, ...first }, request));
}
