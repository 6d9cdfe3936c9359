import type { Reader } from "../db/database.ts";
import { ServiceError } from "../errors.ts";
import type { JsonText } from "../lib/json.ts";
import type { Caller } from "../people/caller.ts";
import { whyNotCounted } from "./access.ts";
import { hostMayAnswer } from "./host-answers.ts";
import { isTerminal } from "./lifecycle.ts";
import { toRecord } from "./record.ts";
import type { TaskWithDocuments } from "./store.ts";

/**
 * Returns the record of a task as JSON. Where several people must approve, it says why the caller's own decision does not count,
 * so that a page can say so before somebody decides. It tells an agent whether its host may answer.
 */
export async function recordFor(reader: Reader, task: TaskWithDocuments, caller: Caller): Promise<JsonText> {
  const refusal = isTerminal(task.status) ? null : await whyNotCounted(reader, caller, task);
  return toRecord(task, caller, {
    refusal: refusal?.message ?? null,
    host_may_answer: hostMayAnswer(task, caller),
  });
}

/** The same after a write. If the database is lost then, the record leaves this out: the answer must not deny what was written. */
export async function recordAfter(reader: Reader, task: TaskWithDocuments, caller: Caller): Promise<JsonText> {
  try {
    return await recordFor(reader, task, caller);
  } catch (error) {
    if (error instanceof ServiceError) return toRecord(task, caller);
    throw error;
  }
}
