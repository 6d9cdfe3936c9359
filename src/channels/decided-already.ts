import { isSame } from "../../form/plan/same.ts";
import { answerToStore } from "../actions/decision.ts";
import { answerOfForm } from "../actions/untouched.ts";
import { inRound, proposalOf } from "../approvals/proposal.ts";
import { ownVote } from "../approvals/words.ts";
import type { JsonObject } from "../lib/json.ts";
import type { TaskWithDocuments } from "../tasks/store.ts";

/**
 * Returns the answer of a form as it would be stored.
 * @param stored - as it is stored: with the payload that was asked for
 */
export function storedAnswerOf(stored: TaskWithDocuments, value: unknown): JsonObject {
  return answerToStore(stored, answerOfForm(inRound(stored), value) as JsonObject, proposalOf(stored));
}

/** Returns whether a person of several has already decided what a form says: they sent it twice, or its result was lost. */
export function isDecidedAlready(stored: TaskWithDocuments, user_id: string | null, value: unknown): boolean {
  const own = ownVote(stored, user_id);
  return own !== undefined && isSame(JSON.parse(own.response), storedAnswerOf(stored, value));
}
