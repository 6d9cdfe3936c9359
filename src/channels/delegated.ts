import { t } from "../../languages/text.ts";
import type { Reader } from "../db/database.ts";
import { nameOf } from "../tasks/answerers.ts";
import type { Task } from "../tasks/store.ts";

/** The absent person that a task is for, whose delegate got it. */
export interface DelegatedFrom {
  name: string;
  /** Until when the person said they are away, epoch milliseconds. */
  until: number;
}

/** Returns the absent person that the assignee of a task stands in for; null if there is none. */
export async function delegatedFromOf(
  reader: Reader,
  task: Pick<Task, "delegated_from_user_id" | "delegated_from_email" | "delegated_until">,
): Promise<DelegatedFrom | null> {
  const { delegated_from_user_id: id, delegated_from_email: email, delegated_until: until } = task;
  if (id === null || until === null) return null;
  return { name: (await nameOf(reader, id, email)) ?? t("someone"), until };
}
