import {
  createClient,
  HumanTaskError,
  withJsonSchema,
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
  asSchema,
  tool,
  type AssistantContent,
  type FlexibleSchema,
  type InferToolInput,
  type JSONValue,
  type ModelMessage,
  type Tool,
  type ToolApprovalResponse,
  type ToolContent,
  type ToolExecutionOptions,
  type ToolResultPart,
  type ToolSet,
} from "ai";
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

export interface HumanToolOptions<Input, R extends AnySchema, P extends AnySchema> {
  /** For the model: when to ask, and what it gets back. */
  description: string;
  /** Schema of the model's arguments. */
  inputSchema: FlexibleSchema<Input>;
  /** Returns the question for the person. */
  question: (input: Input) => Question<R, P>;
}

export interface WaitingToolOptions<Input, R extends AnySchema, P extends AnySchema> extends HumanToolOptions<
  Input,
  R,
  P
> {
  /**
   * Returns the name of the run, such as the id of a chat. Within a run, the same question is asked once: it is found again when
   * the model repeats it, and when the run restarts. Another run asks again.
   */
  run: string;
  /** Maximum wait. After that the model gets a pending result. Default: until the task closes. */
  waitSeconds?: number | undefined;
  /** Default: `createClient()`, which finds the service through the environment. */
  client?: Client | undefined;
}

/**
 * Creates a tool that asks a person and waits, for answers that come while the process runs. The abort signal of the
 * generation ends the wait; the task stays open.
 */
export function humanTool<Input, const R extends AnySchema = YesOrNo, const P extends AnySchema = AnySchema>({
  description,
  inputSchema,
  question,
  run,
  waitSeconds,
  client,
}: WaitingToolOptions<Input, R, P>): Tool<Input, Outcome<AnswerOf<R>> | Pending> {
  const execute = async (input: Input, { abortSignal }: ToolExecutionOptions<unknown>) => {
    const asked = question(input);
    const occasion = JSON.stringify([FRAMEWORK, run, asked.occasion ?? ""]);
    return askAndWait<R, P>(client ?? sharedClient(), { ...asked, occasion }, waitSeconds, abortSignal);
  };
  return tool({ description, inputSchema, execute } as Tool<Input, Outcome<AnswerOf<R>> | Pending>);
}

/**
 * Creates a tool whose calls end the generation and are answered by a person later. `createRuns` asks, and continues. The tool
 * itself executes nothing.
 */
export function pausingHumanTool<Input, const R extends AnySchema = YesOrNo, const P extends AnySchema = AnySchema>({
  description,
  inputSchema,
  question,
}: HumanToolOptions<Input, R, P>): Tool<Input, Outcome<AnswerOf<R>>> {
  const asking = { description, inputSchema, [QUESTION]: question };
  return tool(asking as unknown as Tool<Input, Outcome<AnswerOf<R>>>);
}

export interface ApprovedToolOptions<Input, Result> extends DecidedTool<Input, Result> {
  /** For the model: what it does. */
  description: string;
  /** Schema of the model's arguments, and of what a person makes of them. Their values are JSON. */
  inputSchema: FlexibleSchema<Input>;
}

/**
 * Creates a tool that executes a call with the arguments that a person approved or changed, and waits for that. Each call is
 * asked about on its own. The abort signal of the generation ends the wait, and cancels the task.
 */
export function approvedTool<Input, Result>({
  description,
  inputSchema,
  client,
  ...decided
}: ApprovedToolOptions<Input, Result> & {
  /** Default: `createClient()`, which finds the service through the environment. */
  client?: Client | undefined;
}): Tool<Input, Decided<Result>> {
  const execute = async (input: Input, { abortSignal }: ToolExecutionOptions<unknown>) =>
    decideAndCarryOut(client ?? sharedClient(), decided, await argsSchemaOf(inputSchema), input, abortSignal);
  return tool({ description, inputSchema, execute } as Tool<Input, Decided<Result>>);
}

/**
 * Creates a tool whose calls end the generation, and that executes them with the arguments that a person later approves or
 * changes. `createRuns` asks, executes, and continues.
 */
export function pausingApprovedTool<Input, Result>({
  description,
  inputSchema,
  ...decided
}: ApprovedToolOptions<Input, Result>): Tool<Input, Decided<Result>> {
  const question = async (input: Input) => questionAbout(decided, await argsSchemaOf(inputSchema), input);
  const finish: Finish = async (outcome, signal) => carryOut(decided, outcome, signal);
  return tool({ description, inputSchema, [QUESTION]: question, [FINISH]: finish } as unknown as Tool<
    Input,
    Decided<Result>
  >);
}

/** Returns the schema as one of a library, which also checks what a person changed. */
async function argsSchemaOf(schema: FlexibleSchema<unknown>): Promise<StandardSchema> {
  if ("~standard" in schema) return schema as StandardSchema;
  const { jsonSchema, validate } = asSchema(schema);
  const check = async (value: unknown) => {
    const checked = (await validate?.(value)) ?? { success: true, value };
    return checked.success ? { value: checked.value } : { issues: [{ message: checked.error.message }] };
  };
  const standard: StandardSchema = { "~standard": { version: 1, vendor: "ai", validate: check } };
  return withJsonSchema(standard, (await jsonSchema) as Parameters<typeof withJsonSchema>[1]);
}

/** Holds the question of a tool that pauses. */
const QUESTION = Symbol.for("human-task-service.question");
/** Holds what a tool that pauses does with the outcome. By default, the model gets it. */
const FINISH = Symbol.for("human-task-service.finish");

type Finish = (outcome: Outcome<unknown>, signal?: AbortSignal) => Promise<unknown>;

interface Pausing {
  [QUESTION]?: (input: unknown) => Question | Promise<Question>;
  [FINISH]?: Finish;
}

/** The result of `generateText`, `streamText` and agents. */
interface Generated {
  readonly responseMessages: readonly ModelMessage[] | PromiseLike<readonly ModelMessage[]>;
}

export interface RunsOptions<Tools extends ToolSet, Result extends Generated> {
  /** Continues a conversation: `generateText`, `streamText`, or an agent's `generate`. */
  generate: (
    options: { messages: ModelMessage[]; abortSignal?: AbortSignal },
    run: string,
  ) => Result | PromiseLike<Result>;
  /** The tools of the generation. */
  tools: Tools;
  /** For tools with `toolApproval`: the question whether a call may be executed. No answer means no approval. */
  approvals?:
    | { readonly [Name in keyof Tools]?: (input: InferToolInput<Extract<Tools[Name], Tool>>) => ApprovalQuestion }
    | undefined;
  /** Loads the saved messages of a run from a database, if any. */
  load: (run: string) => PromiseLike<ModelMessage[] | null | undefined> | ModelMessage[] | null | undefined;
  /** Saves the messages of a run as JSON. */
  save: (run: string, messages: ModelMessage[]) => unknown;
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
export type Step<Result> =
  | {
      status: "finished";
      /** The result of the last generation; null if the run had already finished. */
      result: Result | null;
      messages: ModelMessage[];
    }
  | {
      status: "waiting";
      /** The open questions. The run continues when all of them are closed. */
      tasks: { taskId: string; url: string; toolName: string; toolCallId: string }[];
      messages: ModelMessage[];
    };

interface Abortable {
  abortSignal?: AbortSignal | undefined;
}

/** Runs that outlive the process, as messages in a database. */
export interface Runs<Result> {
  /**
   * Starts a run, or its next turn. @param run - its id, such as that of a chat
   * @throws HumanTaskError NO_QUESTION, RUN_ID_TOO_LONG, ApiError, UnreachableError, and what `generate` throws
   */
  start(run: string, messages: readonly ModelMessage[], options?: Abortable): Promise<Step<Result>>;
  /** Continues if everyone has answered, also after a lost callback or a restart. @throws as `start`, and NO_RUN */
  resume(run: string, options?: Abortable): Promise<Step<Result>>;
  /**
   * Handles a callback, for `callbackHandler` and `nodeCallbackHandler`. Returns null if the run has already continued, or if
   * the task belongs to no run. A repeated callback waits while the run continues, and tries again if that failed.
   * @throws as `start`, and NOT_WAITING_YET
   */
  onCallback(callback: Callback): Promise<Step<Result> | null>;
}

/** Creates runs that pause for people: asks the questions of tools, saves the messages, and continues with the answers. */
export function createRuns<Tools extends ToolSet, Result extends Generated>({
  generate,
  tools,
  approvals,
  load,
  save,
  callbackUrl,
  client: given,
  exclusively = createTurns(),
}: RunsOptions<Tools, Result>): Runs<Result> {
  const client = given ?? sharedClient();

  async function ask(
    run: string,
    { id, approvalId, toolName, input }: Call,
    signal?: AbortSignal,
  ): Promise<Asked<unknown>> {
    const approval = approvals?.[toolName] as ((input: unknown) => ApprovalQuestion) | undefined;
    const question = (tools[toolName] as Pausing | undefined)?.[QUESTION];
    const asked =
      approvalId === undefined ? await question?.(input) : approval && { ...approval(input), responseSchema: APPROVAL };
    if (asked === undefined)
      throw new HumanTaskError(
        "NO_QUESTION",
        approvalId === undefined
          ? `The model called "${toolName}", which does not execute and asks no one. Create it with pausingHumanTool or pausingApprovedTool and pass it in tools.`
          : `A call of "${toolName}" needs approval, and approvals does not say who to ask.`,
      );
    const idempotencyKey = keyIn(FRAMEWORK, run, await digestOf(id));
    return client.ask({ ...asked, callbackUrl: asked.callbackUrl ?? callbackUrl, idempotencyKey, signal });
  }

  async function advance(
    run: string,
    given: readonly ModelMessage[],
    { abortSignal }: Abortable,
  ): Promise<Step<Result>> {
    const messages = [...given];
    let result: Result | null = null;
    for (;;) {
      const open = callsOf(messages).filter((call) => call.isOpen);
      const hasBegun = messages.at(-1)?.role === "assistant" || messages.at(-1)?.role === "tool";
      if (open.length === 0 && hasBegun) return { status: "finished", result, messages };
      if (open.length > 0) {
        const asked = await Promise.all(open.map(async (call) => ({ call, task: await ask(run, call, abortSignal) })));
        const waiting = asked.filter(({ task }) => isOpen(task));
        if (waiting.length > 0) {
          const tasks = waiting.map(({ task: { id, url }, call: { toolName, toolCallId } }) => ({
            taskId: id,
            url,
            toolName,
            toolCallId,
          }));
          return { status: "waiting", tasks, messages };
        }
        const content = asked.map(async ({ call, task }) => {
          const outcome = await outcomeOf(task, abortSignal);
          const finish = (tools[call.toolName] as Pausing | undefined)?.[FINISH];
          if (call.approvalId !== undefined) return verdictPart(call, call.approvalId, outcome);
          return resultPart(call, (await finish?.(outcome, abortSignal)) ?? outcome);
        });
        messages.push({ role: "tool", content: await Promise.all(content) });
      }
      result = await generate({ messages: [...messages], ...(abortSignal && { abortSignal }) }, run);
      messages.push(...(await result.responseMessages));
      await save(run, [...messages]);
    }
  }

  return {
    start: async (run, messages, options = {}) =>
      exclusively(run, async () => {
        // A later answer would follow newer messages, and models reject that.
        if (messages.at(-1)?.role === "user" && callsOf(messages).some(({ isOpen }) => isOpen))
          throw new HumanTaskError(
            "RUN_IS_WAITING",
            `The run "${run}" waits for a person. Its next turn starts after the run has resumed.`,
          );
        await save(run, [...messages]);
        return advance(run, messages, options);
      }),
    resume: async (run, options = {}) =>
      exclusively(run, async () => {
        const messages = await load(run);
        if (!messages) throw new HumanTaskError("NO_RUN", `No run "${run}" was saved.`);
        return advance(run, messages, options);
      }),
    onCallback: async (callback) => {
      const key = readKey(FRAMEWORK, callback);
      if (key === null) return null;
      return exclusively(key.run, async () => {
        const messages = (await load(key.run)) ?? [];
        for (const call of callsOf(messages))
          if ((await digestOf(call.id)) === key.digest) return call.isOpen ? advance(key.run, messages, {}) : null;
        throw notWaiting(key.run, callback);
      });
    },
  };
}

const FRAMEWORK = "ai-sdk";

/** A request of the model to a person: the answer to a call, or approval to execute it. */
interface Call {
  /** Identifies it within its run. */
  id: readonly string[];
  toolCallId: string;
  approvalId: string | undefined;
  toolName: string;
  input: unknown;
  providerExecuted: boolean;
  isOpen: boolean;
}

function callsOf(messages: readonly ModelMessage[]): Call[] {
  const calls: Call[] = [];
  const find = (id: string) => calls.findLast(({ toolCallId }) => toolCallId === id);
  for (const part of partsOf(messages))
    if (part.type === "tool-call") {
      const { toolCallId, toolName, input, providerExecuted = false } = part;
      // Some models restart the numbers of calls in each turn.
      const before = calls.filter((call) => call.toolCallId === toolCallId).length;
      const id = [toolCallId, ...(before > 0 ? [String(before)] : [])];
      // A call that the provider executes matters here only if it needs approval.
      const isOpen = !providerExecuted;
      calls.push({ id, toolCallId, approvalId: undefined, toolName, input, providerExecuted, isOpen });
    } else if (part.type === "tool-approval-request" && part.isAutomatic !== true) {
      const call = find(part.toolCallId);
      if (call) Object.assign(call, { approvalId: part.approvalId, isOpen: true } satisfies Partial<Call>);
    } else if (part.type === "tool-result") {
      const call = find(part.toolCallId);
      if (call) call.isOpen = false;
    } else if (part.type === "tool-approval-response")
      for (const call of calls) if (call.approvalId === part.approvalId) call.isOpen = false;
  return calls;
}

function partsOf(messages: readonly ModelMessage[]): (Exclude<AssistantContent, string> | ToolContent)[number][] {
  return messages.flatMap((message): (Exclude<AssistantContent, string> | ToolContent)[number][] => {
    if (message.role === "tool") return message.content;
    return message.role === "assistant" && typeof message.content !== "string" ? message.content : [];
  });
}

function verdictPart({ providerExecuted }: Call, approvalId: string, outcome: Outcome<unknown>): ToolApprovalResponse {
  const executed = providerExecuted ? { providerExecuted } : {};
  return { type: "tool-approval-response", approvalId, ...verdictOf(outcome), ...executed };
}

function resultPart({ toolCallId, toolName }: Call, result: unknown): ToolResultPart {
  // A transformed answer, such as a Date, cannot be stored in messages.
  const value = JSON.parse(JSON.stringify(result)) as JSONValue;
  return { type: "tool-result", toolCallId, toolName, output: { type: "json", value } };
}

let shared: Client | undefined;

function sharedClient(): Client {
  return (shared ??= createClient());
}
