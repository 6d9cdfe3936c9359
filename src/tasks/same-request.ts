import { isEqual } from "../../json-schema/equality.ts";
import type { AuditEntryRow } from "../db/schema.ts";
import { isJsonObject, parseJson, type JsonObject } from "../lib/json.ts";
import { knownPersonOf } from "./new-task.ts";
import type { CreateTaskBody } from "./schema.ts";
import type { TaskWithDocuments } from "./store.ts";

/** Comparing is linear in the smaller of the two, and the body is bounded. */
const UNLIMITED = { left: Number.POSITIVE_INFINITY };

/**
 * Returns a task with the deadline that its creation asked for.
 * @param trail - its audit trail, oldest first
 */
export function asCreated<T extends { timeout_seconds: number }>(task: T, trail: readonly AuditEntryRow[]): T {
  const first = trail.find(({ action }) => action === "extended");
  if (first === undefined) return task;
  const { previous_timeout_seconds } = JSON.parse(first.extra!) as { previous_timeout_seconds: number };
  return { ...task, timeout_seconds: previous_timeout_seconds };
}

/** Returns whether a request equals the one that created the task. */
export function isSameRequest(task: TaskWithDocuments, request: JsonObject): boolean {
  // Without one, it is the same project as at the first request.
  const isSameProject = request["project"] == null || request["project"] === task.project;
  return isSameProject && isEqual(UNLIMITED, requestOf(task), comparedFields(request));
}

/** Returns the request that created the task. */
function requestOf(task: TaskWithDocuments): JsonObject {
  return comparedFields({
    ...task,
    payload: parseJson(task.payload),
    payload_schema: parseJson(task.payload_schema),
    response_schema: parseJson(task.response_schema),
    form_definition: parseJson(task.form_definition),
    assign_to: parseJson(task.assign_to),
    notify: parseJson(task.notify),
    verifier_config: parseJson(task.verifier_config),
    on_behalf_of: parseJson(task.on_behalf_of),
  });
}

const COMPARED = [
  "task",
  "payload",
  "payload_schema",
  "response_schema",
  "form_definition",
  "timeout_seconds",
  "assign_to",
  "notify",
  "verifier_config",
  "redact_payload",
  "callback_url",
  "on_behalf_of",
] as const satisfies (keyof CreateTaskBody)[];

/** The fields by which two requests are compared; absent, null and default values are left out. */
function comparedFields(request: JsonObject): JsonObject {
  return Object.fromEntries(
    COMPARED.map((name) => [name, name === "on_behalf_of" ? personIn(request) : request[name]]).filter(
      ([name, value]) => value != null && !(name === "redact_payload" && value === false),
    ),
  );
}

function personIn({ on_behalf_of }: JsonObject): unknown {
  return isJsonObject(on_behalf_of) ? knownPersonOf(on_behalf_of) : on_behalf_of;
}
