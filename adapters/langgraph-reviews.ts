import {
  approval,
  createClient,
  type Action,
  type ActionQuestion,
  type Callback,
  type Client,
  type Question,
} from "@human-task-service/client";
import { Command, type LangGraphRunnableConfig, type StateSnapshot } from "@langchain/langgraph";
import type { ResumeOptions } from "./langgraph.ts";
import { isOpen, outcomeOf } from "./outcome.ts";
import { decisionsIn, readReview, type Review } from "./review.ts";
import { createTurns, digestOf, keyIn, readKey } from "./runs.ts";

/** A compiled graph, or a remote one. */
export interface ReviewableGraph<Result> {
  getState(config: LangGraphRunnableConfig): Promise<StateSnapshot>;
  invoke(input: Command, config: LangGraphRunnableConfig): Promise<Result>;
}

/** The options of a question about actions, without the actions. */
export type ReviewQuestion = Omit<ActionQuestion, keyof Action | "idempotencyKey" | "occasion" | "callbackUrl">;

export interface ReviewsOptions extends ResumeOptions {
  /** Returns who decides, until when, and what they read. */
  question?: ((actions: readonly Action[], threadId: string) => ReviewQuestion) | undefined;
  /** URL where this program receives callbacks. Without it, only `resume` continues threads. */
  callbackUrl?: string | undefined;
  /** Default: `createClient()`, which finds the service through the environment. */
  client?: Client | undefined;
}

/** The state of a thread after its reviews. */
export type Reviewed<Result> =
  | {
      status: "resumed";
      /** The result of the graph; null if nothing was to be reviewed. */
      result: Result | null;
    }
  | {
      status: "waiting";
      /** The open tasks. The thread continues when all of them are closed. */
      tasks: { taskId: string; url: string }[];
    };

export interface Reviews<Result> {
  /**
   * Asks a person about the actions of each open interrupt of a thread, or continues it if all of them are decided. Call it when
   * `invoke` returns interrupts, and after a lost callback.
   * @throws ApiError, UnreachableError, and errors of the graph
   */
  resume(threadId: string): Promise<Reviewed<Result>>;
  /**
   * Handles a callback, for `callbackHandler` and `nodeCallbackHandler`. Returns null if the thread has already continued, or if
   * the task is no review.
   * @throws as `resume`
   */
  onCallback(callback: Callback): Promise<Reviewed<Result> | null>;
}

/**
 * Creates reviews of the tool calls of agents with `humanInTheLoopMiddleware`, and of graphs that interrupt with such a request:
 * a person decides about each action, and the graph is resumed with the decisions in the spelling of its request.
 */
export function createReviews<Result>(
  graph: ReviewableGraph<Result>,
  { question, callbackUrl, client: given, config = () => ({}), exclusively = createTurns() }: ReviewsOptions = {},
): Reviews<Result> {
  const client = given ?? createClient();

  const threadOf = (threadId: string): LangGraphRunnableConfig => {
    const own = config(threadId);
    return { ...own, configurable: { ...own.configurable, thread_id: threadId } };
  };

  async function openReviews(threadId: string): Promise<OpenReview[]> {
    const { tasks } = await graph.getState(threadOf(threadId));
    // A finished node keeps its interrupts until all concurrent nodes have finished.
    const interrupts = tasks.flatMap((task) => (task.result === undefined ? task.interrupts : []));
    const reviews = interrupts.map(async ({ id = "", value }) => {
      const review = readReview(value);
      // A node that interrupts several times uses one id.
      return review && { id, review, digest: await digestOf([id, JSON.stringify(value)]) };
    });
    return (await Promise.all(reviews)).filter((one) => one !== null);
  }

  async function advance(threadId: string): Promise<Reviewed<Result>> {
    let result: Result | null = null;
    const resumed = new Set<string>();
    for (;;) {
      // A node that writes nothing seems to wait until all concurrent nodes have finished.
      const open = (await openReviews(threadId)).filter(({ digest }) => !resumed.has(digest));
      if (open.length === 0) return { status: "resumed", result };
      const asked = await Promise.all(
        open.map(async ({ id, review, digest }) => {
          const idempotencyKey = keyIn(FRAMEWORK, threadId, digest);
          const options = { ...question?.(review.actions, threadId), callbackUrl, idempotencyKey };
          return { id, review, task: await client.ask(questionAbout(review.actions, options)) };
        }),
      );
      const waiting = asked.filter(({ task }) => isOpen(task));
      if (waiting.length > 0)
        return { status: "waiting", tasks: waiting.map(({ task: { id, url } }) => ({ taskId: id, url })) };
      const resume: Record<string, unknown> = {};
      for (const { id, review, task } of asked)
        resume[id] = review.respond(decisionsIn(await outcomeOf(task), review.actions.length));
      for (const { digest } of open) resumed.add(digest);
      result = await graph.invoke(new Command({ resume }), threadOf(threadId));
    }
  }

  return {
    resume: async (threadId) => exclusively(threadId, async () => advance(threadId)),
    onCallback: async (callback) => {
      const key = readKey(FRAMEWORK, callback);
      if (key === null) return null;
      // The interrupt was stored before its task was created. So one that is gone was answered.
      return exclusively(key.run, async () =>
        (await openReviews(key.run)).some(({ digest }) => digest === key.digest) ? advance(key.run) : null,
      );
    },
  };
}

const FRAMEWORK = "langgraph-review";

interface OpenReview {
  /** Of the interrupt. */
  id: string;
  review: Review;
  digest: string;
}

/** Returns the question about one action or several. One action is described beside its arguments, not in the task. */
function questionAbout(actions: readonly Action[], options: ReviewQuestion & { idempotencyKey: string }): Question {
  const [first] = actions;
  return actions.length > 1
    ? approval({ ...options, actions })
    : approval({ task: `Run ${first!.name}?`, ...options, ...first! });
}
