import { hash } from "node:crypto";
import type { ListedAction } from "../actions/action.ts";
import { parseJson } from "../lib/json.ts";
import type { TaskDocuments } from "./store.ts";

const LENGTH = 16;

/**
 * Returns a text that is the same for tasks that ask the same question: about actions of the same names, or for an answer with
 * the same schema and form. Titles say what is different in each task, so they do not count.
 */
export function questionOf({
  listed_action,
  response_schema,
  form_definition,
}: Pick<TaskDocuments, "listed_action" | "response_schema" | "form_definition">): string {
  const actions = parseJson<ListedAction | ListedAction[]>(listed_action);
  const parts =
    actions === null
      ? [response_schema, form_definition ?? ""]
      : ["action", ...[actions].flat().map(({ name }) => name)];
  return hash("sha256", parts.join("\n"), "base64url").slice(0, LENGTH);
}
