import type { Db, Reader } from "../db/database.ts";
import { homeOf } from "../db/home.ts";
import type { VerificationAttemptRow } from "../db/schema.ts";
import { joinJson, type JsonText } from "../lib/json.ts";
import { isoTime } from "../lib/time.ts";
import type { Caller } from "../people/caller.ts";
import { requireMay, requireMayWith } from "./access.ts";
import type { RefusedAnswerRecord } from "./schema.ts";
import { getTaskWithDocuments } from "./store.ts";
import { requireTaskId } from "./tasks.ts";

/** Lists the answers that the verifier rejected, oldest first. */
export async function listRefusedAnswers(reader: Reader, task_id: string): Promise<VerificationAttemptRow[]> {
  return reader.query
    .selectFrom("verification_attempts")
    .selectAll()
    .where("task_id", "=", task_id)
    .where("home", "=", homeOf(task_id))
    .orderBy("attempt")
    .execute();
}

/** Returns the answers that the verifier rejected, for people who may read the task. @throws ServiceError TASK_NOT_FOUND, FORBIDDEN */
export async function readRefusedAnswers(
  ctx: { db: Db },
  caller: Caller,
  id: string,
): Promise<VerificationAttemptRow[]> {
  requireMay(caller, "attempts");
  requireTaskId(id);
  const task = await getTaskWithDocuments(ctx.db, id);
  await requireMayWith(ctx.db, caller, "attempts", task);
  return listRefusedAnswers(ctx.db, id);
}

/** Returns a rejected answer as JSON of a `RefusedAnswer`. */
export function toRefusedAnswer({ attempt, reason, response, ...row }: VerificationAttemptRow): JsonText {
  const last: Omit<RefusedAnswerRecord, "attempt" | "response"> = {
    reason,
    answered_by_email: row.actor_email,
    answered_via_channel: row.channel,
    created_at: isoTime(row.created_at),
  };
  return joinJson({ attempt }, { response }, last);
}
