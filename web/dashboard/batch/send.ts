import { t } from "../../../languages/text.ts";
import { isRaw, own } from "../../../form/plan/hints.ts";
import { isSame } from "../../../form/plan/same.ts";
import { ApiError, get, OfflineError, post } from "../api.ts";
import type { Me, Task } from "../api.ts";
import { endOf } from "../task/closed.tsx";
import { sentenceOf } from "../ui/page.tsx";
import { isOpenStatus } from "../ui/status.tsx";
import { ownVote } from "../approvals/words.ts";
import type { Approvals } from "../approvals/words.ts";
import type { BatchTask } from "./tasks.ts";

/** What became of one answer of a batch. */
export type Result =
  | { readonly kind: "waiting" }
  | { readonly kind: "sending" }
  | { readonly kind: "done" }
  /** The decision counts, and the task waits for other people. */
  | { readonly kind: "counted"; readonly approvals: Approvals }
  /** The task was closed, but not by this answer; or the automatic check of this answer closed it. */
  | { readonly kind: "closed"; readonly task: Task }
  /** The automatic check asks for another answer. */
  | { readonly kind: "sent back"; readonly reason: string }
  /** The task does not take this answer. */
  | { readonly kind: "refused"; readonly message: string }
  /** The answer was not stored, and can be sent again. */
  | { readonly kind: "unsent"; readonly message: string }
  /** The answer may have been stored, and can be sent again: a task takes only one. */
  | { readonly kind: "unknown"; readonly message: string };

/** Codes of answers that would be the same for every further task. */
const ENDS_ALL: ReadonlySet<string> = new Set(["UNAUTHENTICATED", "PASSKEY_REQUIRED"]);

/**
 * Sends the answer of one task, once.
 * @returns `stops`: whether further answers would fail in the same way
 */
export async function sendAnswer(
  task: BatchTask,
  answer: unknown,
  me: Me,
): Promise<{ readonly result: Result; readonly stops: boolean }> {
  try {
    const round = task.approvals === null ? {} : { round: task.approvals.round };
    const body = { response: answer, version: task.version, ...round };
    const done = await post<Task>(`/api/tasks/${task.id}/complete`, body);
    return { result: resultOf(done), stops: false };
  } catch (error) {
    const stops = error instanceof OfflineError || (error instanceof ApiError && ENDS_ALL.has(error.code));
    return { result: await resultOfError(error, task, answer, me), stops };
  }
}

function resultOf(task: Task): Result {
  if (task.status === "completed") return { kind: "done" };
  if (task.approvals !== null && isOpenStatus(task.status)) return { kind: "counted", approvals: task.approvals };
  if (task.status === "rejected") return { kind: "sent back", reason: task.verifier_result?.reason ?? "" };
  return { kind: "closed", task };
}

async function resultOfError(error: unknown, task: BatchTask, answer: unknown, me: Me): Promise<Result> {
  if (!(error instanceof ApiError)) return lookAt(task, answer, me, error);
  const { status, code, details } = error;
  const isVerifiers = code.startsWith("VERIFIER_");
  // The request or its arguments are other ones now, so the same answer would not be taken later either.
  if (code === "TASK_REVISED" || (code === "TASK_CHANGED" && task.approvals !== null))
    return { kind: "refused", message: error.message };
  // An error of the service itself may come after it has stored the answer.
  if (status === 409 || (status >= 500 && !isVerifiers)) return lookAt(task, answer, me, error);
  if (isVerifiers || status === 429 || ENDS_ALL.has(code)) return { kind: "unsent", message: sentenceOf(error) };
  return { kind: "refused", message: details[0]?.message ?? sentenceOf(error) };
}

/** Whether the task has this answer. That to an action is stored with its arguments. */
function isAnswerOf({ response, action }: Task, answer: unknown): boolean {
  if (action === null || !isRaw(answer)) return isSame(response, answer);
  return Object.keys(answer).every((key) => isSame(own(response, key), answer[key]));
}

/**
 * Reads the task to find out what became of an answer. A try may have arrived although its response did not.
 * @param failure - of sending the answer
 */
async function lookAt(task: BatchTask, answer: unknown, me: Me, failure: unknown): Promise<Result> {
  const message = sentenceOf(failure);
  let now: Task;
  try {
    now = await get<Task>(`/api/tasks/${task.id}`);
  } catch (error) {
    return error instanceof ApiError && error.status < 500
      ? { kind: "refused", message: sentenceOf(error) }
      : { kind: "unknown", message: t("{reason} It is not known whether the answer arrived.", { reason: message }) };
  }
  const own = ownVote(now.approvals, me);
  if (now.approvals !== null && own !== null && isRaw(answer) && own.decision === answer["decision"])
    return isOpenStatus(now.status) ? { kind: "counted", approvals: now.approvals } : { kind: "done" };
  // A task past its deadline takes no answers, even before the service has closed it.
  const isClosed = failure instanceof ApiError && failure.code === "TASK_ALREADY_TERMINAL";
  if (isClosed || !isOpenStatus(now.status)) {
    const end = endOf(now, me);
    const isDone = end.how === "completed" && end.is_own && isAnswerOf(now, answer);
    return isDone ? { kind: "done" } : { kind: "closed", task: now };
  }
  const wasChecked = now.verification_attempt > task.verification_attempt && isSame(now.rejected_response, answer);
  if (wasChecked) return { kind: "sent back", reason: now.verifier_result?.reason ?? "" };
  if (task.is_verified && failure instanceof OfflineError)
    return {
      kind: "unknown",
      message: t("{reason} The automatic check of the answer may still be running.", { reason: message }),
    };
  return { kind: "unsent", message };
}
