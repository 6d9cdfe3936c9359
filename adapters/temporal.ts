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

/** A question as it goes from a workflow to its activity: with JSON Schema alone, and without where the callback goes. */
export type ActivityQuestion = Omit<Question, "callbackUrl" | "occasion"> & { idempotencyKey: string };

/** The activities of `awaitHuman` in `/temporal/workflow`. Register all of them with the worker. */
export interface HumanActivities {
  /** Creates the task, or finds it. */
  humanTaskCreate(question: ActivityQuestion): Promise<CreatedTask>;
  /** What has become of a task. @param isOver - its time is over: what is still open is asked for again, later */
  humanTaskRead(taskId: string, isOver: boolean): Promise<TaskOutcome>;
  /** Waits until the task has ended, with heartbeats. */
  humanTaskWait(taskId: string): Promise<TaskOutcome>;
  /** Withdraws it, where it has not ended. */
  humanTaskWithdraw(taskId: string): Promise<void>;
}

export interface CreatedTask {
  taskId: string;
  /** How long it is open from now on, in milliseconds. */
  openMs: number;
}

export interface ActivityOptions {
  /** Public URL of `signalOnCallback`. Without it, workflows wait only with an activity. */
  callbackUrl?: string | undefined;
  /** Left out: `createClient()`, which finds the service by the environment. */
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

/** Of a client of Temporal, what signalling takes. */
export interface Signaller {
  workflow: { getHandle(workflowId: string): { signal(name: string, taskId: string): Promise<void> } };
}

/**
 * For `callbackHandler` or `nodeCallbackHandler`: signals the workflow that asked. The signal answers nothing, it makes the
 * workflow look; one that does not wait for this task takes no notice of it. It rejects while Temporal is away, so that the
 * service calls back again later.
 */
export function signalOnCallback(temporal: Signaller): (callback: Callback) => Promise<void> {
  return async (callback) => {
    const parts = runOf("temporal", callback);
    if (parts?.length !== 3) return;
    try {
      await temporal.workflow.getHandle(parts[0]!).signal("humanTaskEnded", callback.task_id);
    } catch (error) {
      // It has ended, and waits for nothing any more.
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    }
  };
}
