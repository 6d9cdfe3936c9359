import {
  approval,
  createClient,
  HumanTaskError,
  NoAnswerError,
  type ActionQuestion,
  type AnswerOf,
  type AnySchema,
  type Callback,
  type Client,
  type Decision,
  type DecisionName,
  type PayloadOf,
  type StandardSchema,
  type TaskOutcome,
} from "@human-task-service/client";
import { answerOf, keyOf } from "@human-task-service/client/adapter";
import type { Mastra } from "@mastra/core/mastra";
import type { PublicSchema } from "@mastra/core/schema";
import {
  createStep,
  type AnyWorkflow,
  type ExecuteFunctionParams,
  type Step,
  type WorkflowState,
} from "@mastra/core/workflows";
import type { RunQuestion } from "./durable.ts";
import { hasEnded } from "./outcome.ts";
import { keyOfRun, runOf } from "./runs.ts";

export type { RunQuestion } from "./durable.ts";

/** The context of a Mastra step. */
export type StepContext<Input> = ExecuteFunctionParams<unknown, Input, unknown, unknown, Suspended, unknown>;

/** The data of a suspended step. It continues with the same task even if a deploy changes the question. */
export interface Suspended {
  taskId: string;
  /** URL of the task for people who sign in. */
  url: string;
}

export interface HumanStep<Id extends string, I extends StandardSchema, R extends AnySchema, P extends AnySchema> {
  id: Id;
  description?: string | undefined;
  inputSchema: I;
  /** Schema of the answer, which is the step's output. */
  responseSchema: R;
  /** Name or id of the service's connection to the Mastra server, by which the service resumes the step itself. */
  connection?: string | undefined;
  /** Public URL of `resumeOnCallback`, where the service cannot reach a Mastra server. A step needs one of the two. */
  callbackUrl?: string | undefined;
  /** Returns the question. Called once: a resumed step continues with the task that it created. */
  ask(context: StepContext<InputOf<I>>): StepQuestion<R, P> | Promise<StepQuestion<R, P>>;
  /** Returns the result of the step without an answer. By default the step and the run fail with NoAnswerError. */
  onNoAnswer?: ((error: NoAnswerError) => AnswerOf<R> | Promise<AnswerOf<R>>) | undefined;
  /** Default: `createClient()`, which finds the service through the environment. */
  client?: Client | undefined;
}

export interface StepQuestion<R extends AnySchema, P extends AnySchema> extends Omit<
  RunQuestion<R, P>,
  "responseSchema"
> {
  /**
   * Distinguishes a question from the same one that this step asked before in this run, for example the turn of a loop.
   * By default the same question is asked once, and its answer is used again.
   */
  occasion?: string | undefined;
}

type InputOf<S> = S extends StandardSchema<infer _Input, infer Output> ? Output : never;

/**
 * Creates a step that asks a person. It creates the task and suspends, and returns the answer once the task has ended.
 * Whenever it is resumed, it checks its task first. The data of the resume is not an answer, and while the task is
 * open, the step suspends again.
 * @throws TypeError if nothing would resume it
 */
export function createHumanStep<
  const Id extends string,
  I extends StandardSchema,
  const R extends AnySchema,
  const P extends AnySchema,
>(human: HumanStep<Id, I, R, P>): Step<Id, unknown, InputOf<I>, AnswerOf<R>, unknown, Suspended> {
  const { id, description, inputSchema, responseSchema, connection, callbackUrl, ask, onNoAnswer } = human;
  if (connection === undefined && callbackUrl === undefined)
    throw new TypeError(`Nothing would resume the step "${id}". Give it a connection or a callbackUrl.`);
  let made: Client | undefined;
  const client = (): Client => human.client ?? (made ??= createClient());

  /** Returns the task and its outcome; null while it is open. */
  async function find(context: StepContext<InputOf<I>>): Promise<Suspended & { ended: TaskOutcome | null }> {
    const { suspendData, runId, workflowId, abortSignal: signal } = context;
    let task = suspendData;
    if (task === undefined) {
      const { occasion, ...question } = await ask(context);
      const idempotencyKey = keyOfRun("mastra", [workflowId, runId, id, await markOf(question, occasion)]);
      const resume = connection === undefined ? undefined : [await waitingIn(connection, context)];
      const asked = await client().ask({ ...question, responseSchema, idempotencyKey, callbackUrl, resume, signal });
      task = { taskId: asked.id, url: asked.url };
      // Only a retried step finds a task that has ended.
      if (!hasEnded(asked.record)) return { ...task, ended: null };
    }
    const outcome = await client().poll(task.taskId, { timeoutSeconds: 0, signal });
    return { ...task, ended: hasEnded(outcome) ? outcome : null };
  }

  const execute = async (context: StepContext<InputOf<I>>): Promise<unknown> => {
    const { ended, taskId, url } = await find(context);
    // Mastra finds the item of a `foreach` in a nested workflow by this label.
    if (ended === null) return context.suspend({ taskId, url }, { resumeLabel: taskId });
    try {
      return await answerOf(ended, responseSchema);
    } catch (error) {
      if (error instanceof NoAnswerError && onNoAnswer !== undefined) return onNoAnswer(error);
      throw error;
    }
  };
  const described = description === undefined ? {} : { description };
  return createStep({
    id,
    ...described,
    inputSchema: inputSchema as PublicSchema,
    outputSchema: responseSchema as PublicSchema,
    execute: execute as never,
  }) as never;
}

export interface ApprovalStep<
  Id extends string,
  I extends StandardSchema,
  S extends StandardSchema,
  Name extends DecisionName,
> extends Pick<
  HumanStep<Id, I, AnySchema, AnySchema>,
  "id" | "description" | "inputSchema" | "connection" | "callbackUrl" | "client"
> {
  /** What would run, as a person reads it. */
  action: string;
  /** Schema of its arguments. */
  argsSchema: S;
  /** What a person may decide. Default: `approve` and `reject`. */
  allowed?: readonly Name[] | undefined;
  /** Returns the arguments, and who decides. Called once, as that of `createHumanStep`. */
  ask(context: StepContext<InputOf<I>>): StepAction<PayloadOf<S>> | Promise<StepAction<PayloadOf<S>>>;
  /** Returns the result of the step without an answer. By default the step and the run fail with NoAnswerError. */
  onNoAnswer?: ((error: NoAnswerError) => DecisionOn<S, Name> | Promise<DecisionOn<S, Name>>) | undefined;
}

type DecisionOn<S extends StandardSchema, Name extends DecisionName> = Decision<InputOf<S>, Name>;

/** A question about an action, without what the step says of it. */
export interface StepAction<Args> extends Omit<
  ActionQuestion,
  "name" | "args" | "argsSchema" | "allowed" | "idempotencyKey" | "callbackUrl"
> {
  args: Args;
}

/**
 * Creates a step that asks whether an action may run with these arguments. Its output is the decision, with the arguments that
 * the person approved or changed. Otherwise as `createHumanStep`.
 */
export function createApprovalStep<
  const Id extends string,
  I extends StandardSchema,
  S extends StandardSchema,
  const Name extends DecisionName = "approve" | "reject",
>({
  action,
  argsSchema,
  allowed,
  ask,
  ...step
}: ApprovalStep<Id, I, S, Name>): Step<Id, unknown, InputOf<I>, DecisionOn<S, Name>, unknown, Suspended> {
  const questionOf = (asked: StepAction<unknown>) =>
    approval<AnySchema, object, DecisionName>({
      ...asked,
      args: asked.args as object,
      name: action,
      argsSchema,
      allowed,
    });
  return createHumanStep({
    ...step,
    // The check of a decision does not depend on the arguments that were asked about.
    responseSchema: questionOf({ args: {} }).responseSchema as StandardSchema<unknown, DecisionOn<S, Name>>,
    ask: async (context: StepContext<InputOf<I>>) => questionOf(await ask(context)),
  });
}

/**
 * Returns what resumes the run of a step. It names no step, because the service finds the one whose payload has the id of the task.
 * @throws HumanTaskError NO_SUCH_RUN
 */
async function waitingIn(
  connection: string,
  { mastra, workflowId, runId }: Pick<StepContext<unknown>, "mastra" | "workflowId" | "runId">,
) {
  const found = await findRun(mastra, workflowId, runId);
  if (found === null)
    throw new HumanTaskError(
      "NO_SUCH_RUN",
      `No workflow that is registered with Mastra has the run "${runId}" of "${workflowId}", so the service could not resume it.`,
    );
  return { connection, workflow_id: found.workflow.id, run_id: runId };
}

/**
 * Returns a mark that distinguishes the questions of one step: in a `foreach`, or in a loop with different questions.
 */
async function markOf(question: StepQuestion<AnySchema, AnySchema>, occasion: string | undefined): Promise<string> {
  const { task, payload, about, assignTo, notify } = question;
  const content = { task, payload: { ...payload }, payload_schema: {}, response_schema: {}, timeout_seconds: 0 };
  const key = await keyOf(
    { ...content, ...about, assign_to: assignTo ?? null, notify: notify ? [...notify] : null },
    occasion,
  );
  return key.slice(0, "v1-".length + 16);
}

/**
 * Handles a callback, for `callbackHandler` or `nodeCallbackHandler`: resumes only the step that waits for the task. It
 * rejects if the step is not suspended yet or its run is busy with another one, so that the service calls back again
 * later.
 * @param mastra - with a storage, and with the started workflow registered
 */
export function resumeOnCallback(mastra: Mastra): (callback: Callback) => Promise<void> {
  return async (callback) => {
    const parts = runOf("mastra", callback);
    if (parts?.length !== 4) return;
    const [workflowId, runId, stepId] = parts as [string, string, string, string];
    const { task_id: taskId } = callback;
    const found = await findRun(mastra, workflowId, runId);
    const place = found && placeOf(found.state, taskId);
    if (!place) {
      if (found && !mayStillWait(found.state, stepId)) return;
      throw new HumanTaskError("NOT_WAITING_YET", `The run "${runId}" does not wait for ${taskId} yet.`, { taskId });
    }
    const run = await found.workflow.createRun({ runId });
    const resumed = run.resume({ ...place, resumeData: { taskId } });
    let timer: ReturnType<typeof setTimeout>;
    const isLate = new Promise<true>((resolve) => (timer = setTimeout(() => resolve(true), RESUMED_MS)));
    resumed.then(
      () => clearTimeout(timer),
      () => clearTimeout(timer),
    );
    // If the run cannot be resumed, for example by the second of two callbacks, this rejects at once. The rest of the
    // run may take hours, and does not delay the answer to the callback.
    if ((await Promise.race([resumed, isLate])) === true)
      resumed.catch((error: unknown) => mastra.getLogger().error(`Run "${runId}" failed`, { error }));
  };
}

/** The service waits ten seconds for an answer. */
const RESUMED_MS = 5000;

interface FoundRun {
  workflow: AnyWorkflow;
  state: WorkflowState;
}

/** Returns the run to resume. Nested workflows share the id of the run, and the outermost one is resumed. */
async function findRun(mastra: Mastra, workflowId: string, runId: string): Promise<FoundRun | null> {
  const runs: FoundRun[] = [];
  for (const workflow of Object.values(mastra.listWorkflows()) as AnyWorkflow[]) {
    if (workflow.id !== workflowId && !contains(workflow, workflowId)) continue;
    const state = await workflow.getWorkflowRunById(runId);
    if (state !== null) runs.push({ workflow, state });
  }
  return runs.find(({ workflow: { id } }) => !runs.some(({ workflow }) => contains(workflow, id))) ?? null;
}

function contains({ steps }: { steps?: Record<string, unknown> }, id: string): boolean {
  return Object.values((steps ?? {}) as Record<string, { id: string; steps?: Record<string, unknown> }>).some(
    (step) => step.id === id || contains(step, id),
  );
}

/** Mastra's data of a suspended step. */
interface SuspendedResult {
  status: string;
  suspendPayload?: Partial<Suspended> & { __workflow_meta?: { foreachOutput?: (SuspendedResult | null)[] } };
}

/**
 * Returns where a run waits for a task. Mastra's labels are not enough: when one of several suspended steps is resumed,
 * Mastra forgets the labels of all.
 */
function placeOf(
  state: WorkflowState,
  taskId: string,
): { label: string } | { step: string[]; forEachIndex?: number } | null {
  for (const [path, result] of Object.entries(state.steps ?? {})) {
    const { status, suspendPayload } = result as SuspendedResult;
    if (status !== "suspended") continue;
    const items = suspendPayload?.["__workflow_meta"]?.foreachOutput ?? [];
    const forEachIndex = items.findIndex(
      (item) => item?.status === "suspended" && item.suspendPayload?.taskId === taskId,
    );
    if (forEachIndex < 0 && suspendPayload?.taskId !== taskId) continue;
    if (state.resumeLabels?.[taskId] !== undefined) return { label: taskId };
    return { step: path.split("."), ...(forEachIndex >= 0 && { forEachIndex }) };
  }
  return null;
}

const OVER = new Set<WorkflowState["status"]>(["success", "failed", "canceled", "bailed", "tripwire"]);

/** Returns whether the step is running or has not begun, so that it may still be suspended. */
function mayStillWait({ status, steps = {} }: WorkflowState, stepId: string): boolean {
  if (OVER.has(status)) return false;
  const same = Object.entries(steps).filter(([path]) => path === stepId || path.endsWith(`.${stepId}`));
  return same.length === 0 || same.some(([, result]) => (result as SuspendedResult).status === "running");
}
