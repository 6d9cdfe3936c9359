import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { t } from "../../../languages/text.ts";
import type { Me, Task } from "../api.ts";
import { isSampleOfSetup } from "../inbox/sample-keys.ts";
import { totalOf } from "../inbox/total.ts";
import { rowOf } from "../inbox/task-list.tsx";
import { countsQuery, tasksQuery } from "../queries.ts";
import type { Scope } from "../queries.ts";
import { isOpenStatus } from "../ui/status.tsx";
import { toast } from "../ui/toasts.ts";
import { isHeld } from "./held.ts";
import { undoable } from "./undo.ts";

/** Navigates between tasks, in the order of the list. */
export interface TaskNavigation {
  /** "4 of 134"; null if the task is not in the list. */
  readonly position: string | null;
  readonly back: () => void;
  readonly previous: () => void;
  readonly next: () => void;
  /** Goes to the next open task; can be undone. */
  readonly skip: () => void;
  /** Goes to the next open task, or to the list if there is none. */
  readonly nextOpen: () => void;
  /**
   * After an answer: goes to the next open task, or from the sample of setup to the result that its agent would
   * receive.
   */
  readonly answered: () => void;
}

export function useTaskNavigation(task: Task, search: Scope, me: Me): TaskNavigation {
  const navigate = useNavigate();
  const { data, hasNextPage } = useInfiniteQuery(tasksQuery(search, me));
  const { data: counts } = useQuery(countsQuery);
  const all = data?.pages.flatMap((page) => page.data) ?? [];
  const at = all.findIndex(({ id }) => id === task.id);
  const open = (id: string) => navigate({ to: "/tasks/$id", params: { id }, search });
  const step = (by: number) => {
    // From a task that left the list, go to the first one.
    const next = at === -1 ? all[0] : all[at + by];
    if (next !== undefined) void open(next.id);
  };
  const after = (): string | null => {
    const others = [...all.slice(at + 1), ...all.slice(0, Math.max(at, 0))];
    return others.find(({ id, status }) => id !== task.id && isOpenStatus(status) && !isHeld(id))?.id ?? null;
  };
  const nextOpen = () => {
    const next = after();
    void (next === null ? navigate({ to: "/inbox", search }) : open(next));
  };
  return {
    position:
      at === -1
        ? null
        : t("{place} of {all}", {
            place: at + 1,
            all: totalOf(all.length, hasNextPage, counts, search),
          }).replaceAll(" ", "\u00A0"),
    back: () => void navigate({ to: "/inbox", search }).then(() => focusRow(task.id)),
    previous: () => step(-1),
    next: () => step(1),
    skip: () => {
      if (after() === null) {
        toast({ message: t("No other open tasks in this list") });
        return;
      }
      nextOpen();
      const undo = () => open(task.id).then(() => true);
      undoable({ of: `skip:${task.id}`, message: t("Skipped"), undone: t("Skip undone"), undo });
    },
    nextOpen,
    answered: () => {
      if (!isSampleOfSetup(task) || !me.is_operator) return nextOpen();
      void navigate({ to: "/setup", search: { step: "2", answered: task.id } });
    },
  };
}

/** Focuses the row of a task once the list is rendered without the task beside it. */
function focusRow(id: string): void {
  requestAnimationFrame(() => rowOf(id)?.focus());
}
