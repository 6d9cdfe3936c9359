import { useEffect, useRef, useState } from "react";
import type { ListedTask } from "../api.ts";
import { queryClient, taskQuery } from "../queries.ts";
import { isHeld } from "../task/held.ts";
import { isOpenStatus } from "../ui/status.tsx";

/*
 * Which task is beside the list, and whether it takes the focus.
 *
 * A task that opens by itself, when a person comes to the list, is shown under the address of the list: a link or a
 * reload leads to the list, and Back leads to where they came from. It takes neither the focus nor a claim. As soon as
 * the person chooses a task or goes into it, the address names that task.
 */

/** The task that opened because a key moved through the list. The focus stays in the list. */
let followed: string | null = null;

export function setFollowed(id: string | null): void {
  followed = id;
}

/** Whether a task takes the focus when it is shown. */
export function takesFocus(id: string): boolean {
  return followed !== id && location.pathname.endsWith(`/${id}`);
}

/** Returns whether the task beside the list opened by itself, and the person has not gone into it. */
export function isPreviewed(): boolean {
  return location.pathname === "/inbox";
}

/** Returns whether the focus is in what is beside the list. */
export function isBesideList(): boolean {
  return document.activeElement?.closest(".pane") != null;
}

/** Focuses the heading of the task beside the list. If the task is not there yet, it takes the focus by itself. */
export function enterTask(id: string): void {
  setFollowed(null);
  document.querySelector<HTMLElement>(`.pane[data-shown="${CSS.escape(id)}"] h1`)?.focus();
}

interface Shown {
  /** The list. */
  readonly view: string;
  readonly id: string | null;
  /** Whether it opened by itself. */
  readonly isPreview: boolean;
}

/**
 * Returns the task to show beside the list while the address names none: the one that was open before, or else the first.
 * It stays until the person goes on, also when it leaves the list.
 * @param id - the task in the address
 * @param tasks - of the list; undefined while it loads
 * @param isOff - whether there is no place beside the list
 */
export function usePreview(
  view: string,
  id: string | null,
  tasks: readonly ListedTask[] | undefined,
  isOff: boolean,
): string | null {
  const [shown, setShown] = useState<Shown>({ view, id, isPreview: false });
  const next = nextShown(shown, view, id, tasks);
  if (next.id !== shown.id || next.view !== shown.view || next.isPreview !== shown.isPreview) setShown(next);
  return isOff || id !== null ? null : next.id;
}

function nextShown(shown: Shown, view: string, id: string | null, tasks: readonly ListedTask[] | undefined): Shown {
  if (id !== null) return { view, id, isPreview: false };
  if (tasks === undefined) return shown.view === view ? shown : { view, id: null, isPreview: false };
  if (shown.view === view && shown.isPreview && shown.id !== null) return shown;
  const before = shown.view === view ? tasks.find((task) => task.id === shown.id) : undefined;
  const first = [before, ...tasks].find((task) => task !== undefined && !isLeaving(task));
  return { view, id: first?.id ?? null, isPreview: first !== undefined };
}

/** Tasks that were deleted here. A list may still have them. */
const deleted = new Set<string>();

export function setDeleted(id: string): void {
  deleted.add(id);
}

/** Returns whether a task is answered, closed or deleted, and the list of open tasks does not know that yet. */
function isLeaving({ id, status }: ListedTask): boolean {
  if (isHeld(id) || deleted.has(id)) return true;
  const known = queryClient.getQueryData(taskQuery(id).queryKey);
  return isOpenStatus(status) && known !== undefined && !isOpenStatus(known.status);
}

/**
 * Loads the next task and the one before, so that they are there at once. If the person passes them before they have
 * loaded, their requests are cancelled.
 * @param isLoaded - whether the task itself has loaded, which comes first
 */
export function useFetchAhead(id: string | null, tasks: readonly ListedTask[], isLoaded: boolean): void {
  const asked = useRef<ReadonlySet<string>>(new Set());
  const at = tasks.findIndex((task) => task.id === id);
  // A task that has changed is another object, and is loaded again.
  const [next, previous] = at === -1 ? [] : [tasks[at + 1], tasks[at - 1]];
  useEffect(() => {
    const wanted = isLoaded ? [next, previous].filter((task) => task !== undefined).map((task) => task.id) : [];
    for (const passed of asked.current) if (passed !== id && !wanted.includes(passed)) cancel(passed);
    asked.current = new Set(wanted);
    for (const one of wanted) void queryClient.prefetchQuery(taskQuery(one));
  }, [id, isLoaded, next, previous]);
  useEffect(
    () => () => {
      for (const passed of asked.current) cancel(passed);
    },
    [],
  );
}

function cancel(id: string): void {
  const { queryKey } = taskQuery(id);
  void queryClient.cancelQueries({ queryKey, exact: true, predicate: (query) => query.getObserversCount() === 0 });
}
