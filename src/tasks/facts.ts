import { factsLine } from "../../form/payload/facts-line.ts";
import type { TaskDocumentsRow } from "../db/schema.ts";
import { isJsonObject, parseJson, type JsonObject } from "../lib/json.ts";
import { knownOf } from "../lib/lazy-json.ts";
import type { FormRequest } from "./request-form.ts";

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

/** Returns the line of facts about a payload that is not redacted. */
export function factsOf({
  payload,
  payload_schema,
  form_definition,
}: Pick<FormRequest, "payload" | "payload_schema" | "form_definition">): string | null {
  // Those of a large payload were found when its body was parsed.
  const known = knownOf(payload)?.facts;
  if (known !== undefined) return known;
  const hints = isJsonObject(form_definition) ? form_definition["payload"] : undefined;
  return factsLine({ payload, payload_schema, hints });
}
