import { useSyncExternalStore } from "react";
import { as, plural, t } from "../../../languages/text.ts";
import type { Entries } from "../../../form/plan/entries.ts";
import type { Me } from "../api.ts";
import { meQuery, queryClient } from "../queries.ts";
import { toast } from "../ui/toasts.ts";
import { forget, undoable } from "./undo.ts";

/*
 * Answers that are sent when the time to undo is over. They are kept beside the pages, so that the person goes on to the
 * next task at once. Each has its own toast and its own time. If the person closes the page before, nothing is sent, the
 * browser asks first, and the draft stays.
 */

interface Held {
  /** The task. */
  readonly id: string;
  /** The id of the person who answers. Another one may use the page afterwards. */
  readonly by: string | null;
  readonly title: string;
  readonly entries: Entries | null;
  readonly seconds: number;
  /** Sends the answer. @returns why it was not accepted; null: it was, or the person has seen the reason */
  readonly send: () => Promise<string | null>;
  /** Opens the task. */
  readonly open: () => Promise<void>;
}

interface Waiting extends Held {
  readonly timer: ReturnType<typeof setTimeout>;
}

let waiting: ReadonlyMap<string, Waiting> = new Map();
/** What was entered for answers that were not accepted. Drafts do not have the entries of confidential tasks. */
const unsent = new Map<string, Held>();
const listeners = new Set<() => void>();
const TITLE_MAX = 40;

/** Sends an answer after the time to undo. */
export function holdAnswer(held: Held): void {
  const { id, title, seconds } = held;
  const timer = setTimeout(() => void send(id), seconds * 1000);
  set((next) => next.set(id, { ...held, timer }));
  undoable({
    of: nameOf(id),
    message: plural(seconds, "Sending in {n} second: {title}", "Sending in {n} seconds: {title}", {
      title: title.length > TITLE_MAX ? `${title.slice(0, TITLE_MAX)}…` : title,
    }),
    undone: t("Not sent. Your answer is still here."),
    undo: async () => {
      take(id);
      await held.open();
      return true;
    },
    closesAfter: seconds * 1000,
  });
}

/** Whether the answer of a task waits to be sent. */
export function isHeld(id: string): boolean {
  return waiting.has(id);
}

export function useIsHeld(id: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => isHeld(id),
  );
}

/** Returns what the person entered for an answer that is not stored yet. */
export function heldEntries(id: string, { user_id }: Pick<Me, "user_id">): Entries | null {
  const held = waiting.get(id) ?? unsent.get(id);
  return held?.by === user_id ? held.entries : null;
}

/** After the form has what was entered for it. From then on, the draft is newer. */
export function dropUnsent(id: string): void {
  unsent.delete(id);
}

/** Sends at once what waits, because the person is about to leave. */
export async function sendHeld(): Promise<void> {
  await Promise.all([...waiting.keys()].map(send));
}

const nameOf = (id: string): string => `answer:${id}`;

async function send(id: string): Promise<void> {
  forget(nameOf(id));
  const held = take(id);
  if (held === undefined) return;
  // It would be sent in the name of someone else.
  if (queryClient.getQueryData(meQuery.queryKey)?.user_id !== held.by) return;
  const reason = await held.send().catch(() => t("Not sent."));
  if (reason === null) unsent.delete(id);
  else
    toast({
      message: reason,
      tone: "bad",
      action: { label: as("verb", "Open"), onClick: () => void held.open() },
      closesAfter: false,
    });
}

/** Takes an answer out of those that wait. What was entered is kept. */
function take(id: string): Waiting | undefined {
  const held = waiting.get(id);
  if (held === undefined) return undefined;
  clearTimeout(held.timer);
  unsent.set(id, held);
  set((next) => next.delete(id));
  return held;
}

function set(change: (next: Map<string, Waiting>) => unknown): void {
  const next = new Map(waiting);
  change(next);
  waiting = next;
  if (waiting.size > 0) addEventListener("beforeunload", warn);
  else removeEventListener("beforeunload", warn);
  for (const listener of listeners) listener();
}

/** Makes the browser ask before the page is left. */
function warn(event: BeforeUnloadEvent): void {
  event.preventDefault();
}
