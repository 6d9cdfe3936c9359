import type { Entries } from "../../../form/plan/entries.ts";
import { dropPersonal, keepPersonal, readPersonal } from "../personal.ts";

const nameOf = (task: string): string => `draft:${task}`;

/** Returns what the person entered for a task and did not send. null: nothing, or it is damaged */
export function readDraft(task: string): Entries | null {
  try {
    const kept: unknown = JSON.parse(readPersonal(nameOf(task)) ?? "null");
    return isEntries(kept) ? kept : null;
  } catch {
    return null;
  }
}

/** @param secret - names of fields that are never stored */
export function keepDraft(task: string, entries: Entries, secret: ReadonlySet<string>): void {
  const kept = Object.fromEntries(Object.entries(entries).filter(([name]) => !secret.has(name)));
  keepPersonal(nameOf(task), JSON.stringify(kept));
}

export function dropDraft(task: string): void {
  dropPersonal(nameOf(task));
}

function isEntries(value: unknown): value is Entries {
  return (
    typeof value === "object" &&
    value !== null &&
    Object.values(value).every((texts) => Array.isArray(texts) && texts.every((text) => typeof text === "string"))
  );
}
