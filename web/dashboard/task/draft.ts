import type { Entries } from "../../../form/plan/entries.ts";

const keyOf = (task: string): string => `draft:${task}`;

/** What was entered for a task and not sent. Storage that is full, forbidden or damaged keeps nothing. */
export function readDraft(task: string): Entries | null {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(keyOf(task)) ?? "null");
    return isEntries(kept) ? kept : null;
  } catch {
    return null;
  }
}

/** @param secret - names that are never kept */
export function keepDraft(task: string, entries: Entries, secret: ReadonlySet<string>): void {
  const kept = Object.fromEntries(Object.entries(entries).filter(([name]) => !secret.has(name)));
  try {
    localStorage.setItem(keyOf(task), JSON.stringify(kept));
  } catch {
    // A draft is a courtesy: the form works without one.
  }
}

export function dropDraft(task: string): void {
  try {
    localStorage.removeItem(keyOf(task));
  } catch {
    // As above.
  }
}

function isEntries(value: unknown): value is Entries {
  return (
    typeof value === "object" &&
    value !== null &&
    Object.values(value).every((texts) => Array.isArray(texts) && texts.every((text) => typeof text === "string"))
  );
}
