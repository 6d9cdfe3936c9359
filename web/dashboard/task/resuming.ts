import { t } from "../../../languages/text.ts";
import type { AuditEntry, Task } from "../api.ts";
import { readFailure } from "./notifications.ts";

/** What is resumed when a task closes. */
export type Entry = NonNullable<Task["resume"]>[number];

/** Whether something is not resumed, and no other attempt is made. */
export function hasFailed({ status }: Entry): boolean {
  return status === "gone" || status === "failed";
}

/** Returns where something is, in words. */
export function statusWords({ status, error }: Entry): string {
  switch (status) {
    case "waiting":
      return t("Will be resumed when the task closes");
    case "pending":
      return error === null ? t("Is being resumed") : t("Trying again");
    case "done":
      return t("Resumed");
    case "done_already":
      return t("Was resumed before");
    case "gone":
      return t("Nothing waits there any more");
    case "failed":
      return t("Could not be resumed");
  }
}

/** Returns why something could not be resumed; null if an entry of the trail says something else. */
export function resumeFailureOf({ action, extra }: AuditEntry): { delivery_id: string; sentence: string } | null {
  const { delivery_id, error } = extra ?? {};
  if (action !== "resume_failed" || typeof delivery_id !== "string" || typeof error !== "string") return null;
  return { delivery_id, sentence: readFailure(error).sentence };
}
