import type { Reader } from "../db/database.ts";
import { ServiceError } from "../errors.ts";
import type { JsonText } from "../lib/json.ts";
import type { Caller } from "../people/caller.ts";
import { whyNotCounted } from "./access.ts";
import { hostMayAnswer } from "./host-answers.ts";
import { isTerminal } from "./lifecycle.ts";
import { toRecord } from "./record.ts";
import { snoozedUntil } from "./snooze-store.ts";
import type { TaskWithDocuments } from "./store.ts";

/**
 * Returns the record of a task as JSON. Where several people must approve, it says why the caller's own decision does not count,
 * so that a page can say so before somebody decides. It tells an agent whether its host may answer.
 */
export async function recordFor(
  reader: Reader & { now(): number },
  task: TaskWithDocuments,
  caller: Caller,
): Promise<JsonText> {
  const isOpen = !isTerminal(task.status);
  const refusal = isOpen ? await whyNotCounted(reader, caller, task) : null;
  const isOfPerson = isOpen && caller.kind === "user";
  return toRecord(task, caller, {
    refusal: refusal?.message ?? null,
    host_may_answer: hostMayAnswer(task, caller),
    snoozed_until: isOfPerson ? await snoozedUntil(reader, caller.user, task.id, reader.now()) : null,
  });
}

/** The same after a write. If the database is lost then, the record leaves this out: the answer must not deny what was written. */
export async function recordAfter(
  reader: Reader & { now(): number },
  task: TaskWithDocuments,
  caller: Caller,
): Promise<JsonText> {
  try {
    return await recordFor(reader, task, caller);
  } catch (error) {
    if (error instanceof ServiceError) return toRecord(task, caller);
    throw error;
  }
}
