import { t } from "../languages/text.ts";

/**
 * Returns the number of the next answer, for a person: "2 of 3", or "2 of 2, the last one".
 *
 * @param rejections - of the verifier, so far
 * @param left - further rejections that end the task; null without a verifier
 */
export function nextAttempt(rejections: number, left: number | null): string {
  const attempt = rejections + 1;
  if (left === null) return String(attempt);
  const attempts = rejections + left;
  return left === 1
    ? t("{attempt} of {attempts}, the last one", { attempt, attempts })
    : t("{attempt} of {attempts}", { attempt, attempts });
}
