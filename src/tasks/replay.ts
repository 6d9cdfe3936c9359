import { isEqual } from "../../json-schema/equality.ts";
import type { Reader } from "../db/database.ts";
import { isJsonObject, type JsonObject } from "../lib/json.ts";
import { isStorableText } from "../lib/text.ts";
import type { CreateTaskBody } from "./schema.ts";
import { findTaskIdByKey, findWholeTask, parseJson, type WholeTask } from "./store.ts";

/** The task that an idempotency key is bound to. */
export interface Replay {
  task: WholeTask;
  /** The request asks for something else than the task was created with. */
  isMismatch: boolean;
}

/** Comparing is linear in the smaller of the two, and the body is bounded. */
const UNLIMITED = { left: Number.POSITIVE_INFINITY };

/** The task that the key in `body` is bound to, or null; `body` may be anything. */
export async function findReplay(reader: Reader, body: unknown): Promise<Replay | null> {
  const key = isJsonObject(body) ? body["idempotency_key"] : undefined;
  if (typeof key !== "string" || key === "" || !isStorableText(key)) return null;
  const id = await findTaskIdByKey(reader, key);
  const task = id === null ? null : await findWholeTask(reader, id);
  return task && { task, isMismatch: !isEqual(UNLIMITED, requestOf(task), comparedFields(body as JsonObject)) };
}

/** What the task was created with, as a request says it. */
function requestOf(task: WholeTask): JsonObject {
  return comparedFields({
    ...task,
    payload: parseJson(task.payload),
    payload_schema: parseJson(task.payload_schema),
    response_schema: parseJson(task.response_schema),
    form_definition: parseJson(task.form_definition),
    assign_to: parseJson(task.assign_to),
    notify: parseJson(task.notify),
    verifier_config: parseJson(task.verifier_config),
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
] as const satisfies (keyof CreateTaskBody)[];

/** The fields by which two requests are compared; absent, null and default values are left out. */
function comparedFields(request: JsonObject): JsonObject {
  return Object.fromEntries(
    COMPARED.map((name) => [name, request[name]]).filter(
      ([name, value]) => value != null && !(name === "redact_payload" && value === false),
    ),
  );
}
