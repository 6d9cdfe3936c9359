import { keepPersonal, readPersonal } from "../personal.ts";
import { EXAMPLES } from "./examples.ts";
import { NAMES } from "./documents.ts";
import type { Texts } from "./documents.ts";

/** The input of the playground. */
export interface Typed {
  /** The question. */
  readonly task: string;
  readonly texts: Texts;
}

const NAME = "playground";

/** The last input of the person in this browser, or the first example if there is none or it cannot be read. */
export function readTyped(): Typed {
  try {
    const kept: unknown = JSON.parse(readPersonal(NAME) ?? "null");
    return isTyped(kept) ? kept : EXAMPLES[0];
  } catch {
    return EXAMPLES[0];
  }
}

export function keepTyped({ task, texts }: Typed): void {
  keepPersonal(NAME, JSON.stringify({ task, texts }));
}

function isTyped(value: unknown): value is Typed {
  if (typeof value !== "object" || value === null || !("task" in value) || !("texts" in value)) return false;
  const { task, texts } = value as { task: unknown; texts: Readonly<Record<string, unknown>> | null };
  return typeof task === "string" && NAMES.every((name) => typeof texts?.[name] === "string");
}
