import { cutText, oneLine } from "../../form/plain-text.ts";
import { optionIn } from "../../form/plan/chosen.ts";
import { readForm } from "../../form/plan/plan.ts";
import { DEFAULT_LANGUAGE } from "../../languages/languages.ts";
import { inLanguage } from "../../languages/server.ts";
import type { TaskDocumentsRow } from "../db/schema.ts";
import { parseJson, type JsonObject } from "../lib/json.ts";
import type { ShortDecision } from "./short-decision.ts";

/** Characters of a label, as people count them. */
const LABEL_MAX = 80;
/** Characters of the schema and the hints. Larger forms are not planned while a task is completed. */
const DOCUMENTS_MAX = 64 * 1024;

/** Does what `decisionInAnswer` does. Planning a form with a large answer takes long, so that a thread may do it. */
export type DecisionReader = (...given: Parameters<typeof decisionInAnswer>) => Promise<ShortDecision | null>;

/**
 * Returns what an answer chooses in the field of the decision, with the label that was pressed. null if the form has no such
 * field, or is too large.
 *
 * @param response - as it is stored
 * @param channel - in which it was given: hints may name options otherwise there
 */
export function decisionInAnswer(
  { response_schema, form_definition }: Pick<TaskDocumentsRow, "response_schema" | "form_definition">,
  response: JsonObject,
  channel: string | null,
): ShortDecision | null {
  if (response_schema.length + (form_definition?.length ?? 0) > DOCUMENTS_MAX) return null;
  // It is stored for every reader, in whatever language the page of the answer was.
  const option = inLanguage(DEFAULT_LANGUAGE, () => {
    const form = readForm({
      response_schema: JSON.parse(response_schema),
      form_definition: parseJson(form_definition),
      channel: channel ?? "dashboard",
      time_zone: "UTC",
      now: new Date(0),
    });
    return optionIn(form, response);
  });
  if (option === null) return null;
  const label = cutText(oneLine(option.label), LABEL_MAX);
  if (label === "") return null;
  return { label, tone: option.tone === "positive" ? "ok" : option.tone === "negative" ? "bad" : null };
}
