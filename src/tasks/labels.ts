import { invalid } from "../errors.ts";
import { parseJson } from "../lib/json.ts";

export const LABELS_MAX = 20;
/** In code points. */
export const LABEL_LENGTH_MAX = 50;

/** By what is stored: 0, 1, ... */
export const PRIORITIES = ["low", "normal", "high", "urgent"] as const;
export type Priority = (typeof PRIORITIES)[number];

/** Returns the labels of a request without blanks around them. @throws ServiceError VALIDATION_FAILED */
export function readLabels(labels: readonly string[]): string[] {
  const read = trimmed(labels) as string[];
  const seen = new Set<string>();
  for (const [i, label] of read.entries()) {
    const problem = problemOf(label, seen);
    if (problem !== null) throw invalid(`/labels/${i}`, problem);
    seen.add(searchedLabel(label));
  }
  return read;
}

function problemOf(label: string, seen: ReadonlySet<string>): string | null {
  if (label === "") return "A label has at least one character.";
  if (/[,\p{Cc}\u2028\u2029]/u.test(label)) return "A label has no commas, line breaks and control characters.";
  return seen.has(searchedLabel(label)) ? "This label is there twice. The case of letters does not matter." : null;
}

/** Returns texts without blanks around them. What is no text stays as it is. */
export function trimmed(labels: readonly unknown[]): unknown[] {
  return labels.map((label) => (typeof label === "string" ? label.trim() : label));
}

/** Returns a label as it is compared: in lower case. */
export function searchedLabel(label: string): string {
  return label.trim().toLowerCase();
}

/** Returns what is stored to find a task by its labels. @param labels - the column */
export function searchedLabels({ labels }: { labels: string | null }): string[] {
  return (parseJson<string[]>(labels) ?? []).map(searchedLabel);
}
