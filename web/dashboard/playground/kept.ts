import { EXAMPLES } from "./examples.ts";
import { NAMES } from "./documents.ts";
import type { Texts } from "./documents.ts";

/** The input of the playground. */
export interface Typed {
  /** The question. */
  readonly task: string;
  readonly texts: Texts;
}

const KEY = "playground";

/** The last input in this browser, or the first example if there is none or it cannot be read. */
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
    // The page works without it.
  }
}

function isTyped(value: unknown): value is Typed {
  if (typeof value !== "object" || value === null || !("task" in value) || !("texts" in value)) return false;
  const { task, texts } = value as { task: unknown; texts: Readonly<Record<string, unknown>> | null };
  return typeof task === "string" && NAMES.every((name) => typeof texts?.[name] === "string");
}
