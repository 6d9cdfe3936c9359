import { useSyncExternalStore } from "react";
import type { Me } from "../api.ts";
import type { Result } from "./send.ts";
import type { BatchTask } from "./tasks.ts";

/*
 * The answers of a batch that are being sent, or were sent. They are kept beside the pages: a person can look at other pages in
 * the meantime, and they stay until the person has read what became of each.
 */

export interface RunItem {
  readonly task: BatchTask;
  readonly answer: unknown;
  readonly result: Result;
}

export interface Run {
  /** Distinguishes it from later ones. */
  readonly key: symbol;
  /** The person who decides. */
  readonly me: Me;
  readonly items: readonly RunItem[];
  readonly isSending: boolean;
}

let run: Run | null = null;
const listeners = new Set<() => void>();

export function readRun(): Run | null {
  return run;
}

export function setRun(next: Run | null): void {
  run = next;
  if (next?.isSending === true) addEventListener("beforeunload", warn);
  else removeEventListener("beforeunload", warn);
  for (const listener of listeners) listener();
}

/** Makes the browser ask before the page is left while answers are being sent. */
function warn(event: BeforeUnloadEvent): void {
  event.preventDefault();
}

/** Returns the answers that this person sends or has sent; null: none. Another person may have used this page before. */
export function useRun({ user_id }: Pick<Me, "user_id">): Run | null {
  const current = useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, readRun);
  return current?.me.user_id === user_id ? current : null;
}

/** Forgets a batch whose answers were all sent. */
export function dismissRun(): void {
  if (run?.isSending === false) setRun(null);
}

export function canSendAgain({ result }: RunItem): boolean {
  return result.kind === "unsent" || result.kind === "unknown";
}

/** Whether an answer is stored. */
export function isStored({ result }: RunItem): boolean {
  return result.kind === "done" || result.kind === "counted";
}

/** Returns how many answers are stored, and how many are not, or not as far as this page knows. */
export function countRun({ items }: Run): { done: number; failed: number } {
  const done = items.filter(isStored).length;
  const open = items.filter(({ result }) => result.kind === "waiting" || result.kind === "sending").length;
  return { done, failed: items.length - done - open };
}
