import { HumanTaskError, type AnswerOf, type AnySchema, type YesOrNo } from "@human-task-service/client";
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
import type { ActivityQuestion, HumanActivities } from "./temporal.ts";

export type { RunQuestion } from "./durable.ts";
export type { Answered, Outcome, Unanswered } from "./outcome.ts";

/** Says that a task has ended, by its id. `signalOnCallback` sends it; by hand it makes the workflow look. */
export const humanTaskEnded = defineSignal<[taskId: string]>("humanTaskEnded");

export interface AwaitOptions {
  /**
   * `signal`: nothing runs until the service has called back; the default. `activity`: an activity polls and heartbeats, for
   * where the service cannot call.
   */
  by?: "signal" | "activity" | undefined;
  /** Of the activities: a task queue, a retry policy. Heartbeats are those of the one that waits. */
  activityOptions?: Omit<ActivityOptions, "startToCloseTimeout"> | undefined;
}

/** Extra wait after the timeout of the task, because its callback may be late. */
const GRACE_MS = 60_000;
const DAY_SECONDS = 86_400;

/** Tasks that are said to have ended. */
const told = new Set<string>();

/**
 * Asks a person from a workflow and waits for the answer. What became of it is a value. When the workflow is cancelled
 * meanwhile, the question is withdrawn.
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
  const { humanTaskWait } = proxyActivities<HumanActivities>({
    startToCloseTimeout: (question.timeoutSeconds ?? DAY_SECONDS) * 1000 + 10 * GRACE_MS,
    heartbeatTimeout,
    ...activityOptions,
  });
  setHandler(humanTaskEnded, (taskId) => void told.add(taskId));
  const asked = toActivity(question);
  // A workflow that is cancelled here does not know the task to cancel.
  const { taskId, openMs } = await CancellationScope.nonCancellable(async () => humanTaskCreate(asked));
  try {
    if (by === "activity") return await outcomeOfEnded(await humanTaskWait(taskId), question.responseSchema);
    const until = Date.now() + openMs + GRACE_MS;
    for (;;) {
      const isTold = await condition(() => told.has(taskId), Math.max(1, until - Date.now()));
      told.delete(taskId);
      const outcome = await humanTaskRead(taskId, !isTold);
      // Anybody who may signal may have sent that one.
      if (hasEnded(outcome)) return await outcomeOfEnded(outcome, question.responseSchema);
    }
  } catch (error) {
    if (isCancellation(error)) await CancellationScope.nonCancellable(async () => humanTaskWithdraw(taskId));
    throw error;
  }
}

/** @throws ApplicationFailure: any other error would have the workflow's task tried again for ever */
function toActivity(question: RunQuestion<AnySchema, AnySchema>): ActivityQuestion {
  const { responseSchema, payloadSchema, ...rest } = question;
  const { workflowId, runId } = workflowInfo();
  try {
    return {
      ...rest,
      responseSchema: jsonSchemaOf(responseSchema ?? YES_OR_NO, "responseSchema"),
      ...(payloadSchema !== undefined && { payloadSchema: jsonSchemaOf(payloadSchema, "payloadSchema") }),
      // The same whenever the workflow is replayed, and another one for each question.
      idempotencyKey: keyOfRun("temporal", [workflowId, runId, uuid4().slice(0, 8)]),
    };
  } catch (error) {
    if (!(error instanceof HumanTaskError)) throw error;
    throw ApplicationFailure.create({ message: error.message, type: error.code, nonRetryable: true, cause: error });
  }
}
