import type { DeliveryRow } from "../db/schema.ts";
import { parseJson } from "../lib/json.ts";
import type { StoredEntry } from "./entries.ts";
import { isLast } from "./kind.ts";
import type { ResumeRecord, ResumeStatus } from "./schema.ts";

/** Where the delivery of an entry stands. */
export type ResumedRow = Pick<DeliveryRow, "id" | "status" | "meaning" | "last_error">;

/**
 * Returns the entries of a task as its record shows them.
 * @param resume - as stored with the task
 * @param isEnded - whether the task has ended
 * @param rows - the deliveries, in the order of the entries
 */
export function toResumeRecords(resume: string | null, isEnded: boolean, rows: readonly ResumedRow[]): ResumeRecord[] {
  const entries = parseJson<StoredEntry[]>(resume) ?? [];
  return entries.map(({ kind, connection, address, select }, i) => {
    const row = rows[i];
    return {
      kind,
      ...(connection !== null && { connection }),
      ...address,
      select,
      status: isEnded ? statusOf(row) : "waiting",
      error: row?.last_error ?? null,
      delivery_id: row?.id ?? null,
    };
  });
}

/** A row that still waits was read before the task ended. */
function statusOf(row: ResumedRow | undefined): ResumeStatus {
  // A group may have found that nothing waits any more.
  if (row?.status === "SUCCEEDED" && isLast(row.meaning)) return row.meaning;
  if (row?.status === "ABANDONED") return row.meaning === "gone" ? "gone" : "failed";
  return "pending";
}
