/**
 * Returns the number of the next answer, for a person: "2 of 3", or "2 of 2, the last one".
 *
 * @param rejections - of the verifier, so far
 * @param left - further rejections that end the task; null without a verifier
 */
export function nextAttempt(rejections: number, left: number | null): string {
  const next = String(rejections + 1);
  if (left === null) return next;
  return `${next} of ${rejections + left}${left === 1 ? ", the last one" : ""}`;
}
