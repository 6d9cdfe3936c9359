import { canonicalJson } from "./json.ts";
import type { CreateTask } from "./shapes.ts";

/** What makes one question another, by its spelling on the wire. What only says how long, or where to call back, does not. */
const CONTENT = [
  "task",
  "payload",
  "payload_schema",
  "response_schema",
  "form_definition",
  "assign_to",
  "notify",
] as const;

/**
 * The key of a question that was given none: the same question has the same one, in every process and every language, so
 * that a program which starts anew finds the task that it had created. `v1-` and the SHA-256, in lowercase hex, of the
 * canonical JSON (RFC 8785) of `{assign_to, form_definition, notify, occasion, payload, payload_schema, response_schema,
 * task}`, of which those that are null or absent are left out. `idempotency.vectors.json` has check values.
 *
 * @param occasion - tells this question from the same one asked before, such as the id of a run or a date
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
