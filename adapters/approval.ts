import type { FromJsonSchema, Question } from "@human-task-service/client";
import type { Outcome } from "./outcome.ts";

/** A question whether a tool may execute the model's call. The answer has `approved`, and an optional note. */
export type ApprovalQuestion = Omit<Question, "responseSchema" | "idempotencyKey" | "occasion">;

export const APPROVAL = {
  type: "object",
  properties: {
    approved: { type: "boolean", title: "Approve?" },
    note: { type: "string", title: "Note", maxLength: 2000 },
  },
  required: ["approved"],
  additionalProperties: false,
} as const;

/** Reads an approval. No answer means no approval. @param outcome - of a question with that schema @returns a reason, if given */
export function verdictOf(outcome: Outcome<unknown>): { approved: boolean; reason?: string } {
  if (outcome.status !== "completed") return { approved: false, reason: outcome.reason };
  const { approved, note } = outcome.answer as FromJsonSchema<typeof APPROVAL>;
  return note === undefined ? { approved } : { approved, reason: note };
}
