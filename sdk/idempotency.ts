import { canonicalJson } from "./json.ts";
import type { CreateTask } from "./shapes.ts";

/** The fields that identify a question, in their wire names. Timeout and callback URL do not count. */
const CONTENT = [
  "approvals",
  "on_timeout",
  "task",
  "payload",
  "payload_schema",
  "response_schema",
  "form_definition",
  "assign_to",
  "notify",
  "on_behalf_of",
  "project",
  "action",
  "actions",
] as const;

/**
 * Returns the default key of a question. The same question has the same key in every process and language, so that a
 * restarted program finds the task it had created. The key is `v1-` and the SHA-256, in lowercase hex, of the canonical JSON
 * (RFC 8785) of `{action, actions, approvals, assign_to, form_definition, notify, occasion, on_behalf_of, on_timeout, payload,
 * payload_schema, project, response_schema, task}`, without members that are null or absent. `idempotency.vectors.json` has check values.
 *
 * @param occasion - distinguishes this question from the same one asked before, such as the id of a run or a date
 */
export async function keyOf(
  question: Omit<CreateTask, "idempotency_key">,
  occasion: string | undefined,
): Promise<string> {
  const content: Record<string, unknown> = { occasion };
  for (const name of CONTENT) content[name] = question[name] ?? undefined;
  const bytes = new TextEncoder().encode(canonicalJson(content));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return `v1-${Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
