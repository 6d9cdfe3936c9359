import {
  HumanTaskError,
  type AnswerOf,
  type AnySchema,
  type TaskOutcome,
  type YesOrNo,
} from "@human-task-service/client";
import { jsonSchemaOf, YES_OR_NO } from "@human-task-service/client/adapter";
import {
  ApplicationFailure,
  CancellationScope,
  condition,
  defineSignal,
  isCancellation,
  proxyActivities,
  setHandler,
  uuid4,
  workflowInfo,
  type ActivityOptions,
} from "@temporalio/workflow";
import { outcomeOfEnded, type RunQuestion } from "./durable.ts";
import { hasEnded, type Outcome } from "./outcome.ts";
import { keyOfRun } from "./runs.ts";
import type { ActivityQuestion, HumanActivities, OpenTask } from "./temporal.ts";

export type { RunQuestion } from "./durable.ts";
export type { Answered, Outcome, Unanswered } from "./outcome.ts";

/**
 * Signals that the task with this id or outcome has ended. The service sends it by a connection, or `signalOnCallback` does.
 * If you send it by hand, the workflow checks the task.
 */
export const humanTaskEnded = defineSignal<[ended: string | { task_id: string }]>("humanTaskEnded");

export interface AwaitOptions {
  /**
   * `signal` (default): nothing runs until the service has sent the signal or called back. `activity`: an activity polls
   * and heartbeats, if the service can do neither.
   */
  by?: "signal" | "activity" | undefined;
  /**
   * Options of the activities: a task queue, a retry policy. The heartbeat options apply to the activity that waits.
   */
  activityOptions?: Omit<ActivityOptions, "startToCloseTimeout"> | undefined;
}

/** Extra wait after the timeout of the task, because its signal may be late. */
const GRACE_MS = 60_000;
/** The same for an activity that waits. It ends some minutes earlier if the task is still open. */
const ACTIVITY_GRACE_MS = 10 * 60_000;

/** Ids of tasks that were signalled as ended. */
const told = new Set<string>();

/**
 * Asks a person from a workflow and waits. The outcome is a value. If the workflow is cancelled during the wait, the
 * question is withdrawn.
 * @throws ApplicationFailure when the question itself is refused, CancelledFailure
 */
export async function awaitHuman<const R extends AnySchema = YesOrNo, const P extends AnySchema = AnySchema>(
  question: RunQuestion<R, P>,
  { by = "signal", activityOptions: { heartbeatTimeout = "1 minute", ...activityOptions } = {} }: AwaitOptions = {},
): Promise<Outcome<AnswerOf<R>>> {
  const { humanTaskCreate, humanTaskRead, humanTaskWithdraw } = proxyActivities<HumanActivities>({
    startToCloseTimeout: "2 minutes",
    ...activityOptions,
  });
  setHandler(humanTaskEnded, (ended) => void told.add(typeof ended === "string" ? ended : ended.task_id));
  const asked = toActivity(question);
  // If the workflow were cancelled here, it would not know which task to cancel.
  const { taskId, openMs } = await CancellationScope.nonCancellable(async () => humanTaskCreate(asked));
  let until = Date.now() + openMs + GRACE_MS;
  const waitBySignal = async (): Promise<TaskOutcome | OpenTask> => {
    const isTold = await condition(() => told.has(taskId), Math.max(1, until - Date.now()));
    told.delete(taskId);
    return humanTaskRead(taskId, !isTold);
  };
  const waitByActivity = async (): Promise<TaskOutcome | OpenTask> => {
    const startToCloseTimeout = until - Date.now() + ACTIVITY_GRACE_MS;
    const activities = proxyActivities<HumanActivities>({ startToCloseTimeout, heartbeatTimeout, ...activityOptions });
    return activities.humanTaskWait(taskId);
  };
  try {
    for (;;) {
      const read = await (by === "activity" ? waitByActivity() : waitBySignal());
      // Someone has extended the task.
      if ("openMs" in read) until = Date.now() + read.openMs + GRACE_MS;
      // Anyone who can signal may have sent this one.
      else if (hasEnded(read)) return await outcomeOfEnded(read, question.responseSchema);
    }
  } catch (error) {
    if (isCancellation(error)) await CancellationScope.nonCancellable(async () => humanTaskWithdraw(taskId));
    throw error;
  }
}

/** @throws ApplicationFailure, because Temporal would retry the workflow's task forever after any other error */
function toActivity(question: RunQuestion<AnySchema, AnySchema>): ActivityQuestion {
  const { responseSchema, payloadSchema, ...rest } = question;
  const { workflowId, runId } = workflowInfo();
  try {
    return {
      ...rest,
      responseSchema: jsonSchemaOf(responseSchema ?? YES_OR_NO, "responseSchema"),
      ...(payloadSchema !== undefined && { payloadSchema: jsonSchemaOf(payloadSchema, "payloadSchema") }),
      // The same in every replay of the workflow, and different for each question.
      idempotencyKey: keyOfRun("temporal", [workflowId, runId, uuid4().slice(0, 8)]),
    };
  } catch (error) {
    if (!(error instanceof HumanTaskError)) throw error;
    throw ApplicationFailure.create({ message: error.message, type: error.code, nonRetryable: true, cause: error });
  }
}
