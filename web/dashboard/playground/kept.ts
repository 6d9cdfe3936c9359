import { EXAMPLES } from "./examples.ts";
import { NAMES } from "./documents.ts";
import type { Texts } from "./documents.ts";

/** What was typed in the playground. */
export interface Typed {
  /** What is asked. */
  readonly task: string;
  readonly texts: Texts;
}

const KEY = "playground";

/** What was typed last in this browser; storage that is full, forbidden or damaged gives the first example. */
export function readTyped(): Typed {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? "null");
    return isTyped(kept) ? kept : EXAMPLES[0];
  } catch {
    return EXAMPLES[0];
  }
}

export function keepTyped({ task, texts }: Typed): void {
  try {
    localStorage.setItem(KEY, JSON.stringify({ task, texts }));
  } catch {
    // To find it again is a courtesy: the page works without.
  }
}

function isTyped(value: unknown): value is Typed {
  if (typeof value !== "object" || value === null || !("task" in value) || !("texts" in value)) return false;
  const { task, texts } = value as { task: unknown; texts: Readonly<Record<string, unknown>> | null };
  return typeof task === "string" && NAMES.every((name) => typeof texts?.[name] === "string");
}
