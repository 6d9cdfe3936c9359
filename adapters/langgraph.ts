import {
  createClient,
  HumanTaskError,
  type AnswerOf,
  type AnySchema,
  type Asked,
  type Callback,
  type Client,
  type Question,
  type YesOrNo,
} from "@human-task-service/client";
import { getConfig, interrupt, type LangGraphRunnableConfig, type StateSnapshot } from "@langchain/langgraph";
import { askAndWait, isOpen, outcomeOf, type Outcome, type Pending } from "./outcome.ts";
import { createTurns, digestOf, keyIn, notWaiting, readKey, type Exclusively } from "./runs.ts";

export { createReviews } from "./langgraph-reviews.ts";
export type { ReviewableGraph, Reviewed, ReviewQuestion, Reviews, ReviewsOptions } from "./langgraph-reviews.ts";
export type { Answered, Outcome, Pending, Unanswered } from "./outcome.ts";
export type { Exclusively } from "./runs.ts";

/** A question in a graph. By default, its key belongs to this visit of this node in this thread. */
export interface GraphQuestion<R extends AnySchema, P extends AnySchema> extends Question<R, P> {
  /** Distinguishes several questions in one visit of a node. */
  occasion?: string | undefined;
  /** With a key, the question is asked once in its thread, by any node and however often. */
  idempotencyKey?: string | undefined;
}

export interface AskOptions {
  /** Default: `createClient()`, which finds the service through the environment. */
  client?: Client | undefined;
  /**
   * The config of the node or the tool. Default: that of the node. It is required for tools that are called
   * concurrently, to distinguish their calls.
   */
  config?: LangGraphRunnableConfig | undefined;
}

export interface InterruptOptions extends AskOptions {
  /**
   * Name or id of the service's connection to the LangGraph server that runs the graph. The service then continues the thread
   * itself, and no callback is needed.
   */
  connection?: string | undefined;
  /** The assistant that continues the thread. Default: the one that runs it. */
  assistantId?: string | undefined;
}

/** The value of the interrupt: the data for a page that shows interrupted threads. */
export interface WaitingForHuman {
  humanTask: { id: string; url: string; task: string };
}

/**
 * Asks a person, in a node or a tool of a graph that has a checkpointer, and interrupts the graph until the task has
 * ended. The node then runs again from its start, as after any interrupt, and this call returns the outcome. A task
 * that has already ended does not interrupt. So invoking the thread with `null` resumes it, however it stopped.
 *
 * It waits for the task, not for a value: the value of a `Command({ resume })` is not an answer.
 * @throws GraphInterrupt, which is how LangGraph pauses: do not catch it
 * @throws HumanTaskError NO_THREAD, NO_ASSISTANT, OTHER_QUESTION, ApiError, UnreachableError, the reason of the graph's signal
 */
export async function interruptForHuman<const R extends AnySchema = YesOrNo, const P extends AnySchema = AnySchema>(
  question: GraphQuestion<R, P>,
  { client, config = getConfig(), connection, assistantId }: InterruptOptions = {},
): Promise<Outcome<AnswerOf<R>>> {
  const { signal } = config ?? {};
  const identified = { ...question, idempotencyKey: await keyOf(question, config) };
  if (connection !== undefined)
    identified.resume = [waitingIn(connection, config, assistantId), ...(question.resume ?? [])];
  const ask = async (): Promise<Asked<AnswerOf<R>>> =>
    explained((client ?? sharedClient()).ask<R, P>({ ...identified, signal }));
  let asked = await ask();
  while (isOpen(asked)) {
    interrupt({ humanTask: { id: asked.id, url: asked.url, task: question.task } } satisfies WaitingForHuman);
    asked = await ask();
  }
  return outcomeOf(asked, signal);
}

/**
 * Returns what continues the thread of a node. It sends no value, because the node reads the outcome from the service, and a plain
 * interrupt that follows in the node must not get it.
 * @throws HumanTaskError NO_ASSISTANT
 */
function waitingIn(connection: string, config: LangGraphRunnableConfig | undefined, assistantId: string | undefined) {
  const { thread_id, assistant_id, graph_id } = (config?.configurable ?? {}) as Record<string, unknown>;
  const assistant = assistantId ?? assistant_id ?? graph_id;
  if (typeof assistant !== "string")
    throw new HumanTaskError(
      "NO_ASSISTANT",
      "With a connection, run the graph on a LangGraph server, which says what its assistant is, or give `assistantId`.",
    );
  return { connection, thread_id, assistant_id: assistant, continue: true };
}

/**
 * Asks a person, in a node or a tool of a graph, and waits here: for the answer, or for `waitSeconds`. The graph keeps
 * running during the wait, so use this for answers that come soon.
 * @throws HumanTaskError NO_THREAD, OTHER_QUESTION, ApiError, UnreachableError, the reason of the graph's signal
 */
export async function waitForHuman<const R extends AnySchema = YesOrNo, const P extends AnySchema = AnySchema>(
  question: GraphQuestion<R, P>,
  { client, config = getConfig(), waitSeconds }: AskOptions & { waitSeconds?: number | undefined } = {},
): Promise<Outcome<AnswerOf<R>> | Pending> {
  const identified = { ...question, idempotencyKey: await keyOf(question, config) };
  return explained(askAndWait<R, P>(client ?? sharedClient(), identified, waitSeconds, config?.signal));
}

/** A compiled graph, or a remote one. */
export interface ResumableGraph<Result> {
  getState(config: LangGraphRunnableConfig): Promise<StateSnapshot>;
  getStateHistory(config: LangGraphRunnableConfig): AsyncIterable<StateSnapshot>;
  invoke(input: null, config: LangGraphRunnableConfig): Promise<Result>;
}

export interface ResumeOptions {
  /** Returns the config for invoking the graph, besides its thread: context, callbacks, tags. */
  config?: ((threadId: string) => LangGraphRunnableConfig) | undefined;
  /**
   * For several processes that receive callbacks: runs `work` exclusively for this thread, for example under an
   * advisory lock. By default, work is exclusive within this process.
   */
  exclusively?: Exclusively | undefined;
}

/**
 * Handles a callback, for `callbackHandler` and `nodeCallbackHandler`: resumes the thread whose question has ended.
 * Resolves with the graph's result once it ends or interrupts again, and with null if the thread has already continued,
 * or if the task belongs to no graph. A repeated callback waits while a thread runs, and runs it again if it failed.
 * @throws HumanTaskError NOT_WAITING_YET, and errors of the graph
 */
export function resumeOnCallback<Result>(
  graph: ResumableGraph<Result>,
  { config = () => ({}), exclusively = createTurns() }: ResumeOptions = {},
): (callback: Callback) => Promise<Result | null> {
  return async (callback) => {
    const key = readKey(FRAMEWORK, callback);
    if (key === null) return null;
    const { run: threadId, digest } = key;
    return exclusively(threadId, async () => {
      const given = config(threadId);
      const thread = { ...given, configurable: { ...given.configurable, thread_id: threadId } };
      const asks = async ({ name, id, interrupts }: Visit): Promise<boolean> =>
        digest.startsWith(await digestOfVisit(`${name}:${id}`)) ||
        interrupts.some(({ value }) => (value as Partial<WaitingForHuman> | null)?.humanTask?.id === callback.task_id);

      const visits = (await graph.getState(thread)).tasks;
      const asking = visits[(await Promise.all(visits.map(asks))).indexOf(true)];
      if (asking === undefined) {
        for await (const { tasks } of graph.getStateHistory(thread))
          if ((await Promise.all(tasks.map(asks))).includes(true)) return null;
      } else {
        // A finished node keeps its interrupts until all concurrent nodes have finished.
        if (asking.result !== undefined) return null;
        // Concurrent nodes that have not finished are still running. Invoking the graph now would run them twice.
        const isAtWork = ({ result, interrupts, error }: Visit) =>
          result === undefined && interrupts.length === 0 && error === undefined;
        if (asking.interrupts.length > 0 && !visits.some(isAtWork)) return graph.invoke(null, thread);
      }
      throw notWaiting(threadId, callback);
    });
  };
}

const FRAMEWORK = "langgraph";

type Visit = StateSnapshot["tasks"][number];

/**
 * Returns the key of a question. It identifies the place of the question, so that a node finds its question again after
 * a retry, a resume or a crash. The checkpoint before a visit of a node identifies the visit, because LangGraph writes
 * it first. A callback uses that to find the node.
 * @throws HumanTaskError NO_THREAD, RUN_ID_TOO_LONG
 */
async function keyOf(
  question: { occasion?: string | undefined; idempotencyKey?: string | undefined },
  config: LangGraphRunnableConfig | undefined,
): Promise<string> {
  const { thread_id: threadId, checkpoint_ns: path } = (config?.configurable ?? {}) as Record<string, unknown>;
  if (typeof threadId !== "string" || typeof path !== "string")
    throw new HumanTaskError(
      "NO_THREAD",
      "Ask questions in a node or a tool of the graph, and invoke the graph with { configurable: { thread_id } }.",
    );
  const { occasion = "", idempotencyKey } = question;
  if (idempotencyKey !== undefined) return keyIn(FRAMEWORK, threadId, await digestOf([idempotencyKey]));
  const toolCall = (config as { toolCall?: { id?: string } }).toolCall?.id ?? "";
  const visit = await digestOfVisit(path.split("|", 1)[0]!);
  return keyIn(FRAMEWORK, threadId, visit + (await digestOf([path, toolCall, occasion], 16)));
}

/** @param path - the name and the id of a task of the outermost graph, which begin the path of everything inside it */
async function digestOfVisit(path: string): Promise<string> {
  return digestOf([path], 16);
}

/** Adds advice to the error that another question already has this place. */
async function explained<T>(asking: Promise<T>): Promise<T> {
  try {
    return await asking;
  } catch (error) {
    if (!(error instanceof HumanTaskError) || error.code !== "OTHER_QUESTION") throw error;
    const help =
      "A node that runs again must ask the same question. Move values that change into an earlier node. Tell several questions of one node apart with `occasion`, and those of tools with their `config`.";
    throw new HumanTaskError(error.code, `${error.message} ${help}`, { taskId: error.taskId, cause: error });
  }
}

let shared: Client | undefined;

function sharedClient(): Client {
  return (shared ??= createClient());
}
