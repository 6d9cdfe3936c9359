import type { TaskRow } from "../db/schema.ts";
import { parseJson } from "../lib/json.ts";
import { PRIORITIES, readLabels, type Priority } from "./labels.ts";
import type { FormRequest } from "./request-form.ts";

/** The columns that say in a list what a task is about. */
export type Listing = Pick<TaskRow, "priority" | "labels" | "facts" | "question">;

/** Reads the labels and the priority of a request. @param known - what is made from its parts @throws ServiceError VALIDATION_FAILED */
export function readListing(request: FormRequest, known: Pick<Listing, "facts" | "question">): Listing {
  const labels = readLabels(request.labels ?? []);
  return {
    priority: PRIORITIES.indexOf(request.priority ?? "normal"),
    labels: labels.length === 0 ? null : JSON.stringify(labels),
    ...known,
  };
}

/** Returns the same as a record shows it. */
export function listingFields({ priority, labels, facts }: Omit<Listing, "question">): {
  priority: Priority;
  labels: string[];
  facts: string | null;
} {
  return { priority: PRIORITIES[priority]!, labels: parseJson<string[]>(labels) ?? [], facts };
}
