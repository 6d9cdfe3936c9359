import type { Request, Send } from "./connection.ts";
import { ApiError } from "./errors.ts";
import type { Revision } from "./question.ts";
import { toResponse } from "./single-value.ts";
import type { AddComment, Comment, ReviseTask, TaskOutcome, TaskRecord } from "./shapes.ts";

// Requests about one task.

/** The signal of a request, and the end of its retries. */
export type Timing = Pick<Request, "signal" | "until">;

/** Returns the data of a response about a task. @param part - the path after the id */
export async function sendAbout<T>(send: Send, taskId: string, part: string, more: Partial<Request>): Promise<T> {
  const path = `/api/tasks/${encodeURIComponent(taskId)}${part}`;
  return (await send<T>({ method: "GET", path, taskId, ...more })).data;
}

/** @param isAttentive - returns also while a question to the asker has no reply */
export async function pollTask(
  send: Send,
  id: string,
  seconds: number,
  { isAttentive, ...more }: Timing & { isAttentive?: boolean | undefined },
): Promise<TaskOutcome> {
  const until = isAttentive === true ? "&until=attention" : "";
  return sendAbout(send, id, `/poll?timeout=${seconds}${until}`, { ...more, holdMs: seconds * 1000 });
}

export async function addComment(send: Send, id: string, body: AddComment, more: Timing): Promise<Comment> {
  return sendAbout(send, id, "/comments", { ...more, method: "POST", body });
}

/** @param idempotency_key - sent again with the same one, nothing is changed */
export async function reviseTask(
  send: Send,
  id: string,
  { extendSeconds, ...asked }: Revision & { version?: number | undefined },
  idempotency_key: string | null,
  more: Timing,
): Promise<TaskRecord> {
  const body: ReviseTask = { ...asked, extend_seconds: extendSeconds ?? null, idempotency_key } as ReviseTask;
  return sendAbout(send, id, "/revise", { ...more, method: "POST", body });
}

export async function cancelTask(
  send: Send,
  id: string,
  reason: string | undefined,
  more: Timing,
): Promise<TaskRecord> {
  try {
    return await sendAbout(send, id, "/cancel", { ...more, method: "POST", body: { reason } });
  } catch (error) {
    // An earlier request may have succeeded although its response was lost. Then the next request gets this error.
    const record = isEnded(error) ? await sendAbout<TaskRecord>(send, id, "", more) : null;
    if (record?.status === "cancelled") return record;
    throw error;
  }
}

/** Who answered, where, and about which version of the task. */
export interface Answering {
  email?: string | undefined;
  channel?: string | undefined;
  version?: number | undefined;
}

export async function completeTask(
  send: Send,
  id: string,
  answer: unknown,
  { email: completed_by_email, channel: completed_via_channel, version }: Answering,
  more: Timing,
): Promise<TaskRecord> {
  const body = { response: toResponse(answer), completed_by_email, completed_via_channel, version };
  // A verifier may take a while.
  return sendAbout(send, id, "/complete", { ...more, method: "POST", body, until: null, holdMs: 30_000 });
}

export async function deleteTask(send: Send, id: string, more: Timing): Promise<void> {
  try {
    await sendAbout(send, id, "", { ...more, method: "DELETE" });
  } catch (error) {
    // An earlier request may have succeeded although its response was lost.
    if (!isGone(error) || error.tries === 1) throw error;
  }
}

export function isGone(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === "TASK_NOT_FOUND";
}

export function isEnded(error: unknown): boolean {
  return error instanceof ApiError && error.code === "TASK_ALREADY_TERMINAL";
}
