import { readStatement, type Reader } from "../db/database.ts";
import { ofTask, type OfTask } from "../db/home.ts";
import type { TaskDocumentsRow } from "../db/schema.ts";
import { DELIVERY_KIND } from "./entries.ts";
import type { ResumedRow } from "./record.ts";

const selectResumed = readStatement<OfTask, ResumedRow>((query, param) =>
  query
    .selectFrom("deliveries")
    .select(["id", "status", "meaning", "last_error"])
    .where("task_id", "=", param("task_id"))
    .where("home", "=", param("home"))
    .where("kind", "like", `${DELIVERY_KIND}%`)
    .orderBy("id"),
);

/** Returns where the entries of a task stand, in their order; nothing is read unless it has some. */
export async function resumedFor(
  reader: Reader,
  { id, resume }: Pick<TaskDocumentsRow, "resume"> & { id: string },
): Promise<ResumedRow[]> {
  return resume === null ? [] : reader.run(selectResumed, ofTask(id));
}
