import {
  createClient,
  HumanTaskError,
  type AnswerOf,
  type AnySchema,
  type Asked,
  type Callback,
  type Client,
  type Question,
  type StandardSchema,
  type YesOrNo,
} from "@human-task-service/client";
import {
  ModelBehaviorError,
  run as runAgent,
  RunState,
  tool,
  type Agent,
  type AgentInputItem,
  type FunctionTool,
  type RunContext,
  type RunResult,
  type RunToolApprovalItem,
  type ToolInputParameters,
} from "@openai/agents";
import {
  APPROVAL,
  carryOut,
  decideAndCarryOut,
  questionAbout,
  verdictOf,
  type ApprovalQuestion,
  type Decided,
  type DecidedTool,
} from "./approval.ts";
import { askAndWait, isOpen, outcomeOf, type Outcome, type Pending } from "./outcome.ts";
import { createTurns, digestOf, keyIn, notWaiting, readKey, type Exclusively } from "./runs.ts";

export type { Allowed, ApprovalQuestion, Decided, DecidedTool, DecisionQuestion, ExecuteAllowed } from "./approval.ts";
export type { Answered, Outcome, Pending, Unanswered } from "./outcome.ts";
export type { Exclusively } from "./runs.ts";

/** Parameters of a tool: an object schema of a library such as zod. */
export type ToolParameters = StandardSchema & ToolInputParameters;

export interface HumanToolOptions<Shape extends ToolParameters, R extends AnySchema, P extends AnySchema> {
  name: string;
  /** For the model: when to ask, and what it gets back. */
  description: string;
  /** Schema of the model's arguments. */
  parameters: Shape;
  /** Returns the question for the person. */
  question: (input: AnswerOf<Shape>) => Question<R, P>;
}

export interface WaitingToolOptions<
  Shape extends ToolParameters,
  R extends AnySchema,
  P extends AnySchema,
> extends HumanToolOptions<Shape, R, P> {
  /**
   * Returns the name of the run, such as the id of a conversation. Within a run, the same question is asked once: it is found
   * again when the model repeats it, and when the run restarts. Another run asks again.
   */
  run: string;
  /** Maximum wait. After that the model gets a pending result. Default: until the task closes. */
  waitSeconds?: number | undefined;
  /** Default: `createClient()`, which finds the service through the environment. */
  client?: Client | undefined;
}

/**
 * Creates a tool that asks a person and waits, for answers that come while the process runs. The signal of the run ends the
 * wait; the task stays open. A question that cannot be asked is an error of the run, not a result for the model.
 */
export function humanTool<
  Shape extends ToolParameters,
  const R extends AnySchema = YesOrNo,
  const P extends AnySchema = AnySchema,
>({
  question,
  run,
  waitSeconds,
  client,
  ...rest
}: WaitingToolOptions<Shape, R, P>): FunctionTool<unknown, Shape, Outcome<AnswerOf<R>> | Pending> {
  return toolOf<Shape, Outcome<AnswerOf<R>> | Pending>(rest, {
    execute: async (input, _, details) => {
      const asked = question(input);
      const occasion = JSON.stringify([FRAMEWORK, run, asked.occasion ?? ""]);
      return askAndWait<R, P>(client ?? sharedClient(), { ...asked, occasion }, waitSeconds, details?.signal);
    },
  });
}

/**
 * Creates a tool whose calls interrupt the run, like calls that need approval, and are answered by a person later.
 * `createRuns` asks, and resumes the run.
 */
export function pausingHumanTool<
  Shape extends ToolParameters,
  const R extends AnySchema = YesOrNo,
  const P extends AnySchema = AnySchema,
>({ question, ...rest }: HumanToolOptions<Shape, R, P>): FunctionTool<unknown, Shape, Outcome<AnswerOf<R>>> {
  return pausingTool<Shape, Outcome<AnswerOf<R>>>(
    rest,
    (input) => question(input),
    async (outcome) => outcome as Outcome<AnswerOf<R>>,
  );
}

export interface ApprovedToolOptions<Shape extends ToolParameters, Result> extends DecidedTool<
  AnswerOf<Shape>,
  Result
> {
  /** For the model: what it does. */
  description: string;
  /** Schema of the model's arguments, and of what a person makes of them. Their values are JSON. */
  parameters: Shape;
}

/**
 * Creates a tool that executes a call with the arguments that a person approved or changed, and waits for that. Each call is
 * asked about on its own. The signal of the run ends the wait, and cancels the task.
 */
export function approvedTool<Shape extends ToolParameters, Result>({
  description,
  parameters,
  client,
  ...decided
}: ApprovedToolOptions<Shape, Result> & {
  /** Default: `createClient()`, which finds the service through the environment. */
  client?: Client | undefined;
}): FunctionTool<unknown, Shape, Decided<Result>> {
  return toolOf<Shape, Decided<Result>>(
    { name: decided.name, description, parameters },
    {
      execute: async (input, _, details) =>
        decideAndCarryOut(client ?? sharedClient(), decided, parameters, input, details?.signal),
    },
  );
}

/**
 * Creates a tool whose calls interrupt the run, and that executes them with the arguments that a person later approves or
 * changes. `createRuns` asks, and resumes the run.
 */
export function pausingApprovedTool<Shape extends ToolParameters, Result>({
  description,
  parameters,
  ...decided
}: ApprovedToolOptions<Shape, Result>): FunctionTool<unknown, Shape, Decided<Result>> {
  return pausingTool<Shape, Decided<Result>>(
    { name: decided.name, description, parameters },
    (input) => questionAbout(decided, parameters, input),
    async (outcome, signal) => carryOut(decided, outcome, signal),
  );
}

/** @param finish - makes the result for the model from the outcome of the question */
function pausingTool<Shape extends ToolParameters, Result>(
  described: { name: string; description: string; parameters: Shape },
  question: (input: AnswerOf<Shape>) => Question,
  finish: (outcome: Outcome<unknown>, signal: AbortSignal | undefined) => Promise<Result>,
): FunctionTool<unknown, Shape, Result> {
  const { name, parameters } = described;
  const made = toolOf<Shape, Result>(described, {
    needsApproval: true,
    execute: async (_, context, details) => {
      const outcome = outcomesOf(context?.context).get(details?.toolCall?.callId ?? "");
      if (outcome !== undefined) return finish(outcome, details?.signal);
      throw new HumanTaskError("NO_OUTCOME", `"${name}" is answered by createRuns().resume: approve it nowhere else.`);
    },
  });
  questions.set(made, async (input) => {
    const checked = await parameters["~standard"].validate(input);
    return checked.issues === undefined ? question(checked.value as AnswerOf<Shape>) : "invalid";
  });
  return made;
}

type Ask = (input: unknown) => Promise<Question | "invalid">;

/** Questions of the tools created here. */
const questions = new WeakMap<object, Ask>();

/** Outcomes of the questions of a resumed run, by call id. Stored under its context, which nested runs share. */
const outcomes = new WeakMap<object, Map<string, Outcome<unknown>>>();

function outcomesOf(context: unknown): Map<string, Outcome<unknown>> {
  if (typeof context !== "object" || context === null)
    throw new HumanTaskError("NO_CONTEXT", "The context of a run that pauses for people must be an object.");
  const known = outcomes.get(context) ?? new Map<string, Outcome<unknown>>();
  outcomes.set(context, known);
  return known;
}

// oxlint-disable-next-line typescript/no-explicit-any -- as in the framework's own signatures
type AnyAgent = Agent<any, any>;

/** The input of a run, or the state it resumes from. */
type Input<TAgent extends AnyAgent> = string | AgentInputItem[] | RunState<unknown, TAgent>;

export interface RunsOptions<TAgent extends AnyAgent> {
  /** The first agent of a run. */
  agent: TAgent;
  /** Runs the agent, for a `Runner`, a session or a turn limit. Default: `run(agent, input, options)`. */
  execute?:
    | ((agent: TAgent, input: Input<TAgent>, options: { signal?: AbortSignal }) => Promise<RunResult<unknown, TAgent>>)
    | undefined;
  /**
   * For other tools with `needsApproval`, by name: the question whether a call may be executed. No answer means no approval.
   * @param input - the model's arguments, not validated
   */
  approvals?: Readonly<Record<string, (input: Record<string, unknown>) => ApprovalQuestion>> | undefined;
  /** Loads the saved run from a database, if any. */
  load: (run: string) => PromiseLike<string | null | undefined> | string | null | undefined;
  /** Saves a run. @param saved - its serialized `RunState`, only for `load` */
  save: (run: string, saved: string) => unknown;
  /** URL where this program receives callbacks. Without it, only `resume` continues runs. */
  callbackUrl?: string | undefined;
  /** Default: `createClient()`, which finds the service through the environment. */
  client?: Client | undefined;
  /**
   * For several processes that receive callbacks: runs `work` exclusively for this run, for example under an advisory lock.
   * By default, work is exclusive within this process.
   */
  exclusively?: Exclusively | undefined;
}

/** The state of a run. */
export type Step<TAgent extends AnyAgent> =
  | {
      status: "finished";
      /** null if the run had already finished. */
      result: RunResult<unknown, TAgent> | null;
    }
  | {
      status: "waiting";
      /** The open questions. The run continues when all of them are closed. */
      tasks: { taskId: string; url: string; toolName: string; toolCallId: string }[];
    };

interface Abortable {
  signal?: AbortSignal | undefined;
}

/** Runs that outlive the process, as serialized states in a database. */
export interface Runs<TAgent extends AnyAgent> {
  /**
   * Starts a run. @param run - its id
   * @throws HumanTaskError NO_QUESTION, RUN_ID_TOO_LONG, ApiError, UnreachableError, and what the agent throws
   */
  start(run: string, input: string | AgentInputItem[], options?: Abortable): Promise<Step<TAgent>>;
  /** Continues if everyone has answered, also after a lost callback or a restart. @throws as `start`, and NO_RUN */
  resume(run: string, options?: Abortable): Promise<Step<TAgent>>;
  /**
   * Handles a callback, for `callbackHandler` and `nodeCallbackHandler`. Returns null if the run has already continued, or if
   * the task belongs to no run. A repeated callback waits while the run continues, and tries again if that failed.
   * @throws as `start`, and NOT_WAITING_YET
   */
  onCallback(callback: Callback): Promise<Step<TAgent> | null>;
}

/** Creates runs that are interrupted for people: asks the questions of tools, saves the state, and resumes with the answers. */
export function createRuns<TAgent extends AnyAgent>({
  agent,
  execute = async (agent, input, options) => runAgent<TAgent, unknown>(agent, input, options),
  approvals = {},
  load,
  save,
  callbackUrl,
  client: given,
  exclusively = createTurns(),
}: RunsOptions<TAgent>): Runs<TAgent> {
  const client = given ?? sharedClient();

  async function ask(
    run: string,
    item: RunToolApprovalItem,
    signal?: AbortSignal,
  ): Promise<Asked<unknown> | "invalid"> {
    const toolName = item.name ?? "";
    const question = await questionOf(item, approvals);
    if (question === null)
      throw new HumanTaskError(
        "NO_QUESTION",
        `A call of "${toolName}" needs approval, and approvals does not say who to ask.`,
      );
    if (question === "invalid") return question;
    const idempotencyKey = keyIn(FRAMEWORK, run, await digestOf([callIdOf(item)]));
    return client.ask({ ...question, callbackUrl: question.callbackUrl ?? callbackUrl, idempotencyKey, signal });
  }

  /** Continues until the run has finished or waits for a person. */
  async function advance(run: string, saved: Saved<TAgent>, { signal }: Abortable): Promise<Step<TAgent>> {
    let { next } = saved;
    const answered = [...saved.answered];
    let result: RunResult<unknown, TAgent> | null = null;
    for (;;) {
      if (next instanceof RunState) {
        const items = next.getInterruptions();
        if (items.length === 0) return { status: "finished", result };
        const asked = await Promise.all(items.map(async (item) => ({ item, task: await ask(run, item, signal) })));
        const tasks = asked.flatMap(({ item, task }) =>
          task === "invalid" || !isOpen(task)
            ? []
            : [{ taskId: task.id, url: task.url, toolName: item.name ?? "", toolCallId: callIdOf(item) }],
        );
        if (tasks.length > 0) return { status: "waiting", tasks };
        for (const { item, task } of asked)
          // The framework reports an invalid call to the model itself.
          if (task === "invalid")
            if (isMade(item)) next.approve(item);
            else next.reject(item, { message: "The arguments are invalid. No one was asked." });
          else settle(next, item, await outcomeOf(task, signal));
        answered.push(...(await Promise.all(items.map(async (item) => digestOf([callIdOf(item)])))));
      }
      result = await execute(agent, next, signal ? { signal } : {});
      next = result.state;
      await save(run, JSON.stringify({ answered, state: next.toString() }));
    }
  }

  async function find(run: string): Promise<Saved<TAgent> | null> {
    const text = await load(run);
    if (text == null) return null;
    const { answered, state } = JSON.parse(text) as { answered: string[]; state: string };
    return { answered, next: await RunState.fromString<unknown, TAgent>(agent, state) };
  }

  return {
    start: async (run, input, options = {}) =>
      exclusively(run, async () => advance(run, { next: input, answered: [] }, options)),
    resume: async (run, options = {}) =>
      exclusively(run, async () => {
        const saved = await find(run);
        if (saved === null) throw new HumanTaskError("NO_RUN", `No run "${run}" was saved.`);
        return advance(run, saved, options);
      }),
    onCallback: async (callback) => {
      const key = readKey(FRAMEWORK, callback);
      if (key === null) return null;
      return exclusively(key.run, async () => {
        const saved = await find(key.run);
        if (saved?.answered.includes(key.digest) === true) return null;
        const items = saved?.next instanceof RunState ? saved.next.getInterruptions() : [];
        const waiting = await Promise.all(items.map(async (item) => digestOf([callIdOf(item)])));
        if (saved === null || !waiting.includes(key.digest)) throw notWaiting(key.run, callback);
        return advance(key.run, saved, {});
      });
    },
  };
}

const FRAMEWORK = "openai-agents";

interface Saved<TAgent extends AnyAgent> {
  next: Input<TAgent>;
  /** Digests of the calls that are already answered. */
  answered: readonly string[];
}

function callIdOf({ rawItem }: RunToolApprovalItem): string {
  return "callId" in rawItem ? rawItem.callId : (rawItem.id ?? "");
}

/** Returns the question for an interruption by a tool created here, or by another one that needs approval. */
async function questionOf(
  { name = "", arguments: text, agent, rawItem }: RunToolApprovalItem,
  approvals: NonNullable<RunsOptions<AnyAgent>["approvals"]>,
): Promise<Question | "invalid" | null> {
  const made = agent.tools.find((one) => one.name === name);
  const question = made === undefined ? undefined : questions.get(made);
  const approval = Object.hasOwn(approvals, name) ? approvals[name] : undefined;
  if (question === undefined && approval === undefined) return null;
  let input: unknown;
  try {
    // A shell, an editor and similar tools have no arguments, but an action.
    const { action, operation, input: given } = rawItem as { action?: unknown; operation?: unknown; input?: unknown };
    input = text === undefined ? (action ?? operation ?? given) : JSON.parse(text);
  } catch {
    return "invalid";
  }
  // A person must see what they approve.
  if (input === undefined) return null;
  return question?.(input) ?? { ...approval!(input as Record<string, unknown>), responseSchema: APPROVAL };
}

/** Returns whether it is a call of a tool created here. */
function isMade({ name, agent }: RunToolApprovalItem): boolean {
  const made = agent.tools.find((one) => one.name === name);
  return made !== undefined && questions.has(made);
}

/** Approves or rejects a call. A call of a tool created here is executed, to return the outcome. */
function settle(state: RunState<unknown, AnyAgent>, item: RunToolApprovalItem, outcome: Outcome<unknown>): void {
  if (isMade(item)) {
    // oxlint-disable-next-line no-underscore-dangle -- the only access to the context of a restored state
    outcomesOf(state._context.context).set(callIdOf(item), outcome);
    state.approve(item);
    return;
  }
  const { approved, reason } = verdictOf(outcome);
  if (approved) state.approve(item);
  else state.reject(item, reason === undefined ? {} : { message: reason });
}

interface Executed<Shape extends ToolParameters, Result> {
  needsApproval?: boolean;
  execute: (
    input: AnswerOf<Shape>,
    context: RunContext | undefined,
    details: { toolCall?: { callId: string }; signal?: AbortSignal } | undefined,
  ) => Promise<Result>;
}

function toolOf<Shape extends ToolParameters, Result>(
  described: { name: string; description: string; parameters: Shape },
  executed: Executed<Shape, Result>,
): FunctionTool<unknown, Shape, Result> {
  const errorFunction = (_: unknown, error: unknown): string => {
    // An unavailable service is not reported to the model.
    if (!(error instanceof ModelBehaviorError)) throw error;
    return "The arguments are invalid. No one was asked.";
  };
  const options = { ...described, ...executed, errorFunction } as unknown as Parameters<typeof tool>[0];
  return tool(options) as unknown as FunctionTool<unknown, Shape, Result>;
}

let shared: Client | undefined;

function sharedClient(): Client {
  return (shared ??= createClient());
}
