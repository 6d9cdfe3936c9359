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

export type { Answered, Outcome, Pending, Unanswered } from "./outcome.ts";
export type { Exclusively } from "./runs.ts";

/** In what concerns keys a question of a graph differs: one belongs to this visit of this node in this thread. */
export interface GraphQuestion<R extends AnySchema, P extends AnySchema> extends Question<R, P> {
  /** Tells several questions of one visit of a node apart. */
  occasion?: string | undefined;
  /** Given, the question is asked once in its thread, whichever node asks it and however often. */
  idempotencyKey?: string | undefined;
}

export interface AskOptions {
  /** Left out: `createClient()`, which finds the service by the environment. */
  client?: Client | undefined;
  /**
   * What the node or the tool was called with. Left out: the node's, which is enough but for tools that are called several at
   * once, whose calls it tells apart.
   */
  config?: LangGraphRunnableConfig | undefined;
}

/** The value of the interrupt: what a page that shows interrupted threads needs. */
export interface WaitingForHuman {
  humanTask: { id: string; url: string; task: string };
}

/**
 * Asks a person, in a node or a tool of a graph that has a checkpointer, and interrupts the graph until the task has ended.
 * The node then runs again from its start, as after any interrupt, and comes here to its outcome. A task that has ended
 * already interrupts nothing: so to invoke the thread with `null` resumes it, however it stopped.
 *
 * It waits for the task, not for a value: what a `Command({ resume })` brings is not taken for an answer.
 * @throws GraphInterrupt, which is how LangGraph pauses: let it pass
 * @throws HumanTaskError NO_THREAD, OTHER_QUESTION, ApiError, UnreachableError, the reason of the graph's signal
 */
export async function interruptForHuman<const R extends AnySchema = YesOrNo, const P extends AnySchema = AnySchema>(
  question: GraphQuestion<R, P>,
  { client, config = getConfig() }: AskOptions = {},
): Promise<Outcome<AnswerOf<R>>> {
  const { signal } = config ?? {};
  const identified = { ...question, idempotencyKey: await keyOf(question, config) };
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
 * Asks a person, in a node or a tool of a graph, and waits here: for the answer, or for `waitSeconds`. The graph keeps
 * running meanwhile, so this is for answers that come soon.
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
  /** What the graph is invoked with besides its thread: context, callbacks, tags. */
  config?: ((threadId: string) => LangGraphRunnableConfig) | undefined;
  /**
   * Where several processes take callbacks: does `work` while none of them does any for this thread, such as under an
   * advisory lock. Left out, threads take turns within this process.
   */
  exclusively?: Exclusively | undefined;
}

/**
 * What a callback is for, for `callbackHandler` and `nodeCallbackHandler`: resumes the thread whose question has ended, and
 * resolves with what the graph gives once it ends or interrupts again. null: the thread has gone on before, or the task is
 * no graph's. While a thread runs, a repeated callback waits for it; where it failed, a repeated callback runs it again.
 * @throws HumanTaskError NOT_WAITING_YET, and what the graph throws
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
        // A node that has finished beside others keeps its interrupts until they have, too.
        if (asking.result !== undefined) return null;
        // Nodes beside it that have not come to an end are at work: to invoke the graph now would run them twice.
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
 * The key of a question is its place: a node that is retried, resumed or run again after a crash finds the one it asked. A
 * visit of a node is named by the checkpoint it starts from, which LangGraph writes before; by it, a callback finds who asked.
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

/** @param path - the name and the id of a task of the outermost graph, as the path of whatever runs in it begins */
async function digestOfVisit(path: string): Promise<string> {
  return digestOf([path], 16);
}

/** What it means here that the place of a question is taken by another one. */
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
