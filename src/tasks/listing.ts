import { factsLine } from "../../form/payload/facts-line.ts";
import type { TaskDocumentsRow, TaskRow } from "../db/schema.ts";
import { isJsonObject, parseJson, type JsonObject } from "../lib/json.ts";
import { PRIORITIES, readLabels, type Priority } from "./labels.ts";
import type { FormRequest } from "./request-form.ts";

/** The columns that say in a list what a task is about. */
export type Listing = Pick<TaskRow, "priority" | "labels" | "facts">;

/** Reads the labels and the priority of a request, and finds its facts. @throws ServiceError VALIDATION_FAILED */
export function readListing(request: FormRequest): Listing {
  const labels = readLabels(request.labels ?? []);
  return {
    priority: PRIORITIES.indexOf(request.priority ?? "normal"),
    labels: labels.length === 0 ? null : JSON.stringify(labels),
    facts: request.redact_payload ? null : factsOf(request),
  };
}

/** Returns the line of facts about a stored payload that is not redacted. */
export function factsIn(
  documents: Pick<TaskDocumentsRow, "payload" | "payload_schema" | "form_definition">,
): string | null {
  return factsOf({
    payload: JSON.parse(documents.payload) as JsonObject,
    payload_schema: JSON.parse(documents.payload_schema) as JsonObject,
    form_definition: parseJson<JsonObject>(documents.form_definition),
  });
}

function factsOf({
  payload,
  payload_schema,
  form_definition,
}: Pick<FormRequest, "payload" | "payload_schema" | "form_definition">): string | null {
  const hints = isJsonObject(form_definition) ? form_definition["payload"] : undefined;
  return factsLine({ payload, payload_schema, hints });
}

/** Returns the same as a record shows it. */
export function listingFields({ priority, labels, facts }: Listing): {
  priority: Priority;
  labels: string[];
  facts: string | null;
} {
  return { priority: PRIORITIES[priority]!, labels: parseJson<string[]>(labels) ?? [], facts };
}
