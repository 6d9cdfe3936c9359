import {
  ApiError,
  createClient,
  type Callback,
  type Client,
  type Question,
  type TaskOutcome,
} from "@human-task-service/client";
import { ApplicationFailure, Context } from "@temporalio/activity";
import { WorkflowNotFoundError } from "@temporalio/client";
import { isFinal, readEnd } from "./durable.ts";
import { hasEnded } from "./outcome.ts";
import { runOf } from "./runs.ts";

export type { RunQuestion } from "./durable.ts";
export type { Answered, Outcome, Unanswered } from "./outcome.ts";

/** A question that a workflow passes to its activity: with plain JSON Schema, and without the callback URL. */
export type ActivityQuestion = Omit<Question, "callbackUrl" | "occasion"> & { idempotencyKey: string };

/** The activities of `awaitHuman` in `/temporal/workflow`. Register all of them with the worker. */
export interface HumanActivities {
  /** Creates or finds the task. */
  humanTaskCreate(question: ActivityQuestion): Promise<CreatedTask>;
  /**
   * Returns the state of a task. @param isOver - true if its time is over; then an open task is an error, and the
   * activity is retried
   */
  humanTaskRead(taskId: string, isOver: boolean): Promise<TaskOutcome>;
  /** Waits until the task has ended, and sends heartbeats. */
  humanTaskWait(taskId: string): Promise<TaskOutcome>;
  /** Withdraws the task if it is open. */
  humanTaskWithdraw(taskId: string): Promise<void>;
}

export interface CreatedTask {
  taskId: string;
  /** How long the task is open from now on, in milliseconds. */
  openMs: number;
}

export interface ActivityOptions {
  /** Public URL of `signalOnCallback`. Without it, workflows wait only with an activity. */
  callbackUrl?: string | undefined;
  /** Default: `createClient()`, which finds the service through the environment. */
  client?: Client | undefined;
}

export function createHumanActivities({ callbackUrl, ...options }: ActivityOptions = {}): HumanActivities {
  let made: Client | undefined;
  const client = (): Client => options.client ?? (made ??= createClient());

  return {
    humanTaskCreate: async (question) =>
      asActivity(async (signal) => {
        const { id, record } = await client().ask({ ...question, callbackUrl, signal });
        return { taskId: id, openMs: Math.max(0, Date.parse(record.timeout_at) - Date.now()) };
      }),

    humanTaskRead: async (taskId, isOver) =>
      asActivity(async (signal) =>
        isOver ? readEnd(client(), taskId, signal) : client().poll(taskId, { timeoutSeconds: 0, signal }),
      ),

    humanTaskWait: async (taskId) =>
      asActivity(async (signal) => {
        const { heartbeat, info } = Context.current();
        const timer = setInterval(heartbeat, Math.min(HEARTBEAT_MS, (info.heartbeatTimeoutMs ?? HEARTBEAT_MS) / 3));
        try {
          for (;;) {
            const outcome = await client().poll(taskId, { signal });
            if (hasEnded(outcome)) return outcome;
          }
        } finally {
          clearInterval(timer);
        }
      }),

    humanTaskWithdraw: async (taskId) =>
      asActivity(async (signal) => {
        try {
          await client().cancel(taskId, { reason: "The workflow was cancelled.", signal });
        } catch (error) {
          const isGone = error instanceof ApiError && ["TASK_ALREADY_TERMINAL", "TASK_NOT_FOUND"].includes(error.code);
          if (!isGone) throw error;
        }
      }),
  };
}

const HEARTBEAT_MS = 10_000;

/** Marks useless retries as non-retryable, and passes cancellations on to Temporal. */
async function asActivity<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { cancellationSignal, cancelled } = Context.current();
  try {
    return await work(cancellationSignal);
  } catch (error) {
    if (cancellationSignal.aborted) return cancelled;
    if (!isFinal(error)) throw error;
    const { message, code } = error as ApiError;
    throw ApplicationFailure.create({ message, type: code, nonRetryable: true, cause: error as Error });
  }
}

/** The part of a Temporal client that signals need. */
export interface Signaller {
  workflow: { getHandle(workflowId: string): { signal(name: string, taskId: string): Promise<void> } };
}

/**
 * Handles a callback, for `callbackHandler` or `nodeCallbackHandler`: signals the workflow that asked. The signal does
 * not answer; it makes the workflow check its task, and a workflow that does not wait for this task ignores it. It
 * rejects if Temporal is unavailable, so that the service calls back again later.
 */
export function signalOnCallback(temporal: Signaller): (callback: Callback) => Promise<void> {
  return async (callback) => {
    const parts = runOf("temporal", callback);
    if (parts?.length !== 3) return;
    try {
      await temporal.workflow.getHandle(parts[0]!).signal("humanTaskEnded", callback.task_id);
    } catch (error) {
      // The workflow has ended, and waits for nothing.
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    }
  };
}
