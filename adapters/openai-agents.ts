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
import { APPROVAL, verdictOf, type ApprovalQuestion } from "./approval.ts";
import { askAndWait, isOpen, outcomeOf, type Outcome, type Pending } from "./outcome.ts";
import { createTurns, digestOf, keyIn, notWaiting, readKey, type Exclusively } from "./runs.ts";

export type { ApprovalQuestion } from "./approval.ts";
export type { Answered, Outcome, Pending, Unanswered } from "./outcome.ts";
export type { Exclusively } from "./runs.ts";

/** What a tool takes here: an object schema of a library such as zod. */
export type ToolParameters = StandardSchema & ToolInputParameters;

export interface HumanToolOptions<Shape extends ToolParameters, R extends AnySchema, P extends AnySchema> {
  name: string;
  /** For the model: when to ask, and what it will be told. */
  description: string;
  /** What the model says. */
  parameters: Shape;
  /** What a person is asked then. */
  question: (input: AnswerOf<Shape>) => Question<R, P>;
}

export interface WaitingToolOptions<
  Shape extends ToolParameters,
  R extends AnySchema,
  P extends AnySchema,
> extends HumanToolOptions<Shape, R, P> {
  /**
   * Names the run, such as the id of a conversation. The same question of one run is asked once: it is found again when the
   * model asks again, and when the run begins anew. Another run asks anew.
   */
  run: string;
  /** Longer than this nobody is waited for, and the model is told that it is pending. Left out: until the task ends. */
  waitSeconds?: number | undefined;
  /** Left out: `createClient()`, which finds the service by the environment. */
  client?: Client | undefined;
}

/**
 * A tool that asks a person and waits, for answers that come while the process lives. The signal of the run ends the waiting;
 * the task stays open. A question that cannot be asked is an error of the run, and nothing to tell the model.
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
 * A tool whose calls interrupt the run, as those that need approval do, and are answered by a person later: `createRuns` asks,
 * and resumes the run.
 */
export function pausingHumanTool<
  Shape extends ToolParameters,
  const R extends AnySchema = YesOrNo,
  const P extends AnySchema = AnySchema,
>({ question, ...rest }: HumanToolOptions<Shape, R, P>): FunctionTool<unknown, Shape, Outcome<AnswerOf<R>>> {
  const { parameters } = rest;
  const made = toolOf<Shape, Outcome<AnswerOf<R>>>(rest, {
    needsApproval: true,
    execute: async (_, context, details) => {
      const outcome = outcomesOf(context?.context).get(details?.toolCall?.callId ?? "");
      if (outcome !== undefined) return outcome as Outcome<AnswerOf<R>>;
      throw new HumanTaskError(
        "NO_OUTCOME",
        `"${rest.name}" is answered by createRuns().resume: approve it nowhere else.`,
      );
    },
  });
  questions.set(made, async (input) => {
    const checked = await parameters["~standard"].validate(input);
    return checked.issues === undefined ? question(checked.value as AnswerOf<Shape>) : "invalid";
  });
  return made;
}

type Ask = (input: unknown) => Promise<Question | "invalid">;

/** What tools made here ask. */
const questions = new WeakMap<object, Ask>();

/** What became of the questions of a run that is resumed, by the id of the call; kept under its context, which nested runs share. */
const outcomes = new WeakMap<object, Map<string, Outcome<unknown>>>();

function outcomesOf(context: unknown): Map<string, Outcome<unknown>> {
  if (typeof context !== "object" || context === null)
    throw new HumanTaskError("NO_CONTEXT", "The context of a run that pauses for people is an object.");
  const known = outcomes.get(context) ?? new Map<string, Outcome<unknown>>();
  outcomes.set(context, known);
  return known;
}

// oxlint-disable-next-line typescript/no-explicit-any -- as in the framework's own signatures
type AnyAgent = Agent<any, any>;

/** What a run begins with, or goes on from. */
type Input<TAgent extends AnyAgent> = string | AgentInputItem[] | RunState<unknown, TAgent>;

export interface RunsOptions<TAgent extends AnyAgent> {
  /** The agent that runs begin with. */
  agent: TAgent;
  /** Runs it. Left out: `run(agent, input, options)`; for a `Runner`, a session, or a limit of turns. */
  execute?:
    | ((agent: TAgent, input: Input<TAgent>, options: { signal?: AbortSignal }) => Promise<RunResult<unknown, TAgent>>)
    | undefined;
  /**
   * For other tools with `needsApproval`, by their name: who is asked whether a call may be executed. No answer is no approval.
   * @param input - the arguments of the call, which the model made and nobody has checked
   */
  approvals?: Readonly<Record<string, (input: Record<string, unknown>) => ApprovalQuestion>> | undefined;
  /** The run as it was saved, from a database; nothing when it was not. */
  load: (run: string) => PromiseLike<string | null | undefined> | string | null | undefined;
  /** Keeps a run. @param saved - of its serialized `RunState`, and for `load` alone */
  save: (run: string, saved: string) => unknown;
  /** Where this program takes callbacks. Left out: runs go on by `resume` alone. */
  callbackUrl?: string | undefined;
  /** Left out: `createClient()`, which finds the service by the environment. */
  client?: Client | undefined;
  /**
   * Where several processes take callbacks: does `work` while none of them does any for this run, such as under an advisory
   * lock. Left out, runs take turns within this process.
   */
  exclusively?: Exclusively | undefined;
}

/** How far a run has come. */
export type Step<TAgent extends AnyAgent> =
  | {
      status: "finished";
      /** null when the run had finished before. */
      result: RunResult<unknown, TAgent> | null;
    }
  | {
      status: "waiting";
      /** Whom it waits for; it goes on once all of them have ended. */
      tasks: { taskId: string; url: string; toolName: string; toolCallId: string }[];
    };

interface Abortable {
  signal?: AbortSignal | undefined;
}

/** Runs that outlive the process, as serialized states in a database. */
export interface Runs<TAgent extends AnyAgent> {
  /**
   * Begins a run. @param run - its id
   * @throws HumanTaskError NO_QUESTION, RUN_ID_TOO_LONG, ApiError, UnreachableError, and what the agent throws
   */
  start(run: string, input: string | AgentInputItem[], options?: Abortable): Promise<Step<TAgent>>;
  /** Goes on if everybody has answered, also where a callback was lost, or the process ended. @throws as `start`, and NO_RUN */
  resume(run: string, options?: Abortable): Promise<Step<TAgent>>;
  /**
   * What a callback is for, for `callbackHandler` and `nodeCallbackHandler`. null: the run has gone on before, or the task is
   * none of a run. While the run goes on, a repeated callback waits for it; where that failed, a repeated callback does it again.
   * @throws as `start`, and NOT_WAITING_YET
   */
  onCallback(callback: Callback): Promise<Step<TAgent> | null>;
}

/** Runs that are interrupted for people: asks what their tools ask, keeps the state, and resumes it by the answers. */
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
        `A call of "${toolName}" is to be approved, and approvals does not say whom to ask.`,
      );
    if (question === "invalid") return question;
    const idempotencyKey = keyIn(FRAMEWORK, run, await digestOf([callIdOf(item)]));
    return client.ask({ ...question, callbackUrl: question.callbackUrl ?? callbackUrl, idempotencyKey, signal });
  }

  /** Goes on until the run has finished, or somebody is waited for. */
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
          // The framework tells the model itself what it has called wrongly.
          if (task === "invalid")
            if (isMade(item)) next.approve(item);
            else next.reject(item, { message: "The arguments are not valid: nobody was asked." });
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
  /** Digests of the calls that the run has gone on from. */
  answered: readonly string[];
}

function callIdOf({ rawItem }: RunToolApprovalItem): string {
  return "callId" in rawItem ? rawItem.callId : (rawItem.id ?? "");
}

/** What to ask about an interruption: of a tool that was made here, or of another one that needs approval. */
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
    // A shell, an editor and the like have no arguments, but something that they would do.
    const { action, operation, input: given } = rawItem as { action?: unknown; operation?: unknown; input?: unknown };
    input = text === undefined ? (action ?? operation ?? given) : JSON.parse(text);
  } catch {
    return "invalid";
  }
  // Nobody approves what they are not shown.
  if (input === undefined) return null;
  return question?.(input) ?? { ...approval!(input as Record<string, unknown>), responseSchema: APPROVAL };
}

/** Whether it is a call of a tool that was made here. */
function isMade({ name, agent }: RunToolApprovalItem): boolean {
  const made = agent.tools.find((one) => one.name === name);
  return made !== undefined && questions.has(made);
}

/** Approves or rejects a call. A call of a tool that was made here is executed to give the outcome. */
function settle(state: RunState<unknown, AnyAgent>, item: RunToolApprovalItem, outcome: Outcome<unknown>): void {
  if (isMade(item)) {
    // oxlint-disable-next-line no-underscore-dangle -- the only way to the context of a state that was read
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
    // That the service is away is nothing to tell the model.
    if (!(error instanceof ModelBehaviorError)) throw error;
    return "The arguments are not valid: nobody was asked.";
  };
  const options = { ...described, ...executed, errorFunction } as unknown as Parameters<typeof tool>[0];
  return tool(options) as unknown as FunctionTool<unknown, Shape, Result>;
}

let shared: Client | undefined;

function sharedClient(): Client {
  return (shared ??= createClient());
}
