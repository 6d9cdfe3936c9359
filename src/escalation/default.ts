import { MINUTE, SECOND } from "../lib/time.ts";
import type { Escalation, Step } from "./ladder.ts";

/** Tasks that are open for a shorter time have no reminder by default. */
const REMINDED_FROM_MS = 30 * MINUTE;
const REMINDER: Step = { do: "remind", after: { fraction: 0.75 }, calendar: null, to: null };

/** Returns what happens to a task whose request does not say: one that is mailed has a reminder. */
export function defaultEscalation(isMailed: boolean, timeout_seconds: number): Escalation | null {
  if (!isMailed || timeout_seconds * SECOND < REMINDED_FROM_MS) return null;
  return { by: "default", template: null, steps: [REMINDER] };
}
