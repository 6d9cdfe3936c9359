import type { Task } from "../api.ts";
import { dropPersonal, keepPersonal, readPersonal } from "../personal.ts";

/**
 * Answers of this browser that the service is still checking. After a reload, the page no longer has the request whose
 * response would contain the result. The service changes the task when it has a result.
 */

/** Longer than the service waits for a verdict, in milliseconds. */
const CHECK_MS = 40_000;

interface Mark {
  /** The number of rejections when the answer was sent. */
  attempt: number;
  /** When the check has certainly ended, in epoch milliseconds. */
  until: number;
}

const nameOf = (task: string): string => `checking:${task}`;

/** Returns until when an answer of this browser may be in the check, in epoch milliseconds; null if there is none. */
export function checkedUntil({ id, verification_attempt }: Pick<Task, "id" | "verification_attempt">): number | null {
  const mark = readMark(id);
  return mark !== null && mark.attempt === verification_attempt && mark.until > Date.now() ? mark.until : null;
}

/** Returns whether an answer of this browser that was in the check during a reload has closed the task. */
export function wasCheckedLast({ id, status, verification_attempt }: Task): boolean {
  const attempt = readMark(id)?.attempt;
  return status === "verification_exhausted" && attempt !== undefined && attempt + 1 === verification_attempt;
}

export function markChecking({ id, verification_attempt }: Pick<Task, "id" | "verification_attempt">): void {
  const mark: Mark = { attempt: verification_attempt, until: Date.now() + CHECK_MS };
  keepPersonal(nameOf(id), JSON.stringify(mark));
}

export function unmarkChecking(id: string): void {
  dropPersonal(nameOf(id));
}

function readMark(id: string): Mark | null {
  try {
    const mark = JSON.parse(readPersonal(nameOf(id)) ?? "null") as Partial<Record<keyof Mark, unknown>> | null;
    const { attempt, until } = mark ?? {};
    return typeof attempt === "number" && typeof until === "number" ? { attempt, until } : null;
  } catch {
    return null;
  }
}
