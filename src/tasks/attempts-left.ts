import { nextAttempt } from "../../endings/next-attempt.ts";
import type { JsonObject } from "../lib/json.ts";
import { maxAttemptsOf } from "../verifier/config.ts";
import { isVerified } from "./lifecycle.ts";

interface VerifiedTask {
  verifier_config: string | null;
  redact_payload: boolean;
  verification_attempt: number;
}

/** Returns how many further rejections end the task; null if no verifier checks its answers. */
export function attemptsLeft(task: VerifiedTask): number | null {
  if (!isVerified(task)) return null;
  return maxAttemptsOf(JSON.parse(task.verifier_config!) as JsonObject) - task.verification_attempt;
}

/** Returns which attempt the next answer is, in words for a person. */
export function nextAttemptOf(task: VerifiedTask): string {
  return nextAttempt(task.verification_attempt, attemptsLeft(task));
}
