import type { Reply, Request } from "./connection.ts";
import { ApiError } from "./errors.ts";
import { toResponse } from "./single-value.ts";
import type { TaskOutcome, TaskRecord } from "./shapes.ts";

// Requests about one task.

/** What ends a request, and until when it is tried again. */
type Timing = Pick<Request, "signal" | "until">;

/** Sends a request, with the token of the client unless it has one. @throws ApiError, UnreachableError, or the reason of the signal */
export type Send = <T>(request: Omit<Request, "token"> & Partial<Request>) => Promise<Reply<T>>;

/** The data of the answer to a request about a task. @param part - of its address, after the id */
export async function sendAbout<T>(send: Send, taskId: string, part: string, more: Partial<Request>): Promise<T> {
  const path = `/api/tasks/${encodeURIComponent(taskId)}${part}`;
  return (await send<T>({ method: "GET", path, taskId, ...more })).data;
}

export async function pollTask(send: Send, id: string, seconds: number, more: Timing): Promise<TaskOutcome> {
  return sendAbout(send, id, `/poll?timeout=${seconds}`, { ...more, holdMs: seconds * 1000 });
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
    // The answer to one that counted may have been lost, and this is what the next one is told.
    const record = isEnded(error) ? await sendAbout<TaskRecord>(send, id, "", more) : null;
    if (record?.status === "cancelled") return record;
    throw error;
  }
}

export async function completeTask(
  send: Send,
  id: string,
  answer: unknown,
  by: { email?: string; channel?: string },
  more: Timing,
): Promise<TaskRecord> {
  const body = { response: toResponse(answer), completed_by_email: by.email, completed_via_channel: by.channel };
  // A verifier may take its time.
  return sendAbout(send, id, "/complete", { ...more, method: "POST", body, until: null, holdMs: 30_000 });
}

export async function deleteTask(send: Send, id: string, more: Timing): Promise<void> {
  try {
    await sendAbout(send, id, "", { ...more, method: "DELETE" });
  } catch (error) {
    // The answer to one that counted may have been lost.
    if (!isGone(error) || error.tries === 1) throw error;
  }
}

export function isGone(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === "TASK_NOT_FOUND";
}

export function isEnded(error: unknown): boolean {
  return error instanceof ApiError && error.code === "TASK_ALREADY_TERMINAL";
}
