import { createHash } from "node:crypto";
import { canonicalJson } from "../sdk/json.ts";
import type { Comment } from "../sdk/index.ts";

/**
 * Returns the idempotency key of a reply. A host that repeats a call, because its result was lost, says nothing twice. After
 * another question, the same words are a new reply.
 *
 * @param question - the id that the agent named
 * @param said - about the request until now
 */
export function keyOfReply(text: string, question: string | undefined, said: readonly Comment[]): string {
  const last = said.findLast(({ kind }) => kind === "question")?.id ?? null;
  return `mcp:${createHash("sha256")
    .update(canonicalJson({ text, question: question ?? last }))
    .digest("base64url")}`;
}
