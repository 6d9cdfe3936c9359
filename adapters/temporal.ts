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

/** A question that a workflow passes to its activity: with plain JSON Schema, and without what wakes the workflow. */
export type ActivityQuestion = Omit<Question, "callbackUrl" | "resume" | "occasion"> & { idempotencyKey: string };

/** The activities of `awaitHuman` in `/temporal/workflow`. Register all of them with the worker. */
export interface HumanActivities {
  /** Creates or finds the task. */
  humanTaskCreate(question: ActivityQuestion): Promise<OpenTask>;
  /**
   * Returns the state of a task. @param isOver - true if its time is over. If someone has extended it, returns the time
   * that is left. Otherwise an open task is an error, and the activity is retried
   */
  humanTaskRead(taskId: string, isOver: boolean): Promise<TaskOutcome | OpenTask>;
  /**
   * Waits until the task has ended, and sends heartbeats. If the time of the activity is almost over and the task is
   * open, returns the time that is left for the task.
   */
  humanTaskWait(taskId: string): Promise<TaskOutcome | OpenTask>;
  /** Withdraws the task if it is open. */
  humanTaskWithdraw(taskId: string): Promise<void>;
}

export interface OpenTask {
  taskId: string;
  /** How long the task is open from now on, in milliseconds; 0 if its time is over. */
  openMs: number;
}

export interface ActivityOptions {
  /**
   * Name or id of the service's connection to Temporal, by which the service signals workflows itself. Without it and without
   * `callbackUrl`, workflows wait only with an activity.
   */
  connection?: string | undefined;
  /** Public URL of `signalOnCallback`, where the service cannot reach Temporal. */
  callbackUrl?: string | undefined;
  /** Default: `createClient()`, which finds the service through the environment. */
  client?: Client | undefined;
}

export function createHumanActivities({ connection, callbackUrl, ...options }: ActivityOptions = {}): HumanActivities {
  let made: Client | undefined;
  const client = (): Client => options.client ?? (made ??= createClient());

  return {
    humanTaskCreate: async (question) =>
      asActivity(async (signal) => {
        const resume = connection === undefined ? undefined : [waitingIn(connection)];
        const { record } = await client().ask({ ...question, callbackUrl, resume, signal });
        return openTask(record);
      }),

    humanTaskRead: async (taskId, isOver) =>
      asActivity(async (signal) =>
        isOver ? readEndOrExtension(client(), taskId, signal) : client().poll(taskId, { timeoutSeconds: 0, signal }),
      ),

    humanTaskWait: async (taskId) =>
      asActivity(async (signal) => {
        const { heartbeat, info } = Context.current();
        const endsAt = Date.now() + info.startToCloseTimeoutMs - LEAVE_MS;
        const timer = setInterval(heartbeat, Math.min(HEARTBEAT_MS, (info.heartbeatTimeoutMs ?? HEARTBEAT_MS) / 3));
        try {
          for (;;) {
            const left = Math.ceil((endsAt - Date.now()) / 1000);
            const timeoutSeconds = Math.max(0, Math.min(left, POLL_SECONDS));
            const outcome = await client().poll(taskId, { timeoutSeconds, signal });
            if (hasEnded(outcome)) return outcome;
            // Someone has extended the task. The workflow starts this activity again, with more time.
            if (Date.now() >= endsAt) return openTask(await client().get(taskId, { signal }));
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

/** The signal that makes a workflow check its task. Its argument is the outcome or the id of the task. */
const ENDED = "humanTaskEnded";

/** Returns what resumes the workflow of the current activity. It names no run, because a workflow that is reset waits in another one. */
function waitingIn(connection: string) {
  const { workflowId } = Context.current().info.workflowExecution!;
  return { connection, workflow_id: workflowId, signal: ENDED };
}

const HEARTBEAT_MS = 10_000;
const POLL_SECONDS = 25;
/** An activity that waits ends this long before Temporal would end it. */
const LEAVE_MS = 5 * 60_000;

function openTask({ id, timeout_at }: { id: string; timeout_at: string }): OpenTask {
  return { taskId: id, openMs: Math.max(0, Date.parse(timeout_at) - Date.now()) };
}

/** Returns the outcome of a task whose time is over, or the time that is left if someone has extended it. */
async function readEndOrExtension(
  client: Client,
  taskId: string,
  signal: AbortSignal,
): Promise<TaskOutcome | OpenTask> {
  const task = openTask(await client.get(taskId, { signal }));
  const outcome = await client.poll(taskId, { timeoutSeconds: 0, signal });
  if (hasEnded(outcome)) return outcome;
  return task.openMs > 0 ? task : readEnd(client, taskId, signal);
}

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
      await temporal.workflow.getHandle(parts[0]!).signal(ENDED, callback.task_id);
    } catch (error) {
      // The workflow has ended, and waits for nothing.
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    }
  };
}
