import { t } from "../../../languages/text.ts";
import { put, remove } from "../api.ts";
import type { Task } from "../api.ts";
import { queryClient, taskQuery } from "../queries.ts";
import { undoable } from "../task/undo.ts";
import { sentenceOf } from "../ui/page.tsx";
import { toast } from "../ui/toasts.ts";

const of = (id: string): string => `snooze:${id}`;

/** Hides a task from the person's lists. @param said - when it comes back @throws ApiError */
export async function snooze({ id }: Pick<Task, "id">, until: string, said: string): Promise<void> {
  const { queryKey } = taskQuery(id);
  queryClient.setQueryData(queryKey, await put<Task>(`/api/tasks/${id}/snooze`, { until }));
  undoable({
    of: of(id),
    message: t("Snoozed until {time}", { time: said }),
    undone: t("Snooze undone"),
    undo: () => wake(id),
  });
  await queryClient.invalidateQueries({ queryKey: ["tasks"] });
}

/** Brings a task back. @returns whether it worked; if not, the person has seen the reason */
export async function wake(id: string): Promise<boolean> {
  try {
    queryClient.setQueryData(taskQuery(id).queryKey, await remove<Task>(`/api/tasks/${id}/snooze`));
    await queryClient.invalidateQueries({ queryKey: ["tasks"] });
    return true;
  } catch (error) {
    toast({ message: sentenceOf(error), tone: "bad" });
    return false;
  }
}
