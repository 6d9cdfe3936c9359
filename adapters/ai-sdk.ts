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
import {
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
import { APPROVAL, verdictOf, type ApprovalQuestion } from "./approval.ts";
import { askAndWait, isOpen, outcomeOf, type Outcome, type Pending } from "./outcome.ts";
import { createTurns, digestOf, keyIn, notWaiting, readKey, type Exclusively } from "./runs.ts";

export type { ApprovalQuestion } from "./approval.ts";
export type { Answered, Outcome, Pending, Unanswered } from "./outcome.ts";
export type { Exclusively } from "./runs.ts";

export interface HumanToolOptions<Input, R extends AnySchema, P extends AnySchema> {
  /** For the model: when to ask, and what it will be told. */
  description: string;
  /** What the model says. */
  inputSchema: FlexibleSchema<Input>;
  /** What a person is asked then. */
  question: (input: Input) => Question<R, P>;
}

export interface WaitingToolOptions<Input, R extends AnySchema, P extends AnySchema> extends HumanToolOptions<
  Input,
  R,
  P
> {
  /**
   * Names the run, such as the id of a chat. The same question of one run is asked once: it is found again when the model
   * asks again, and when the run begins anew. Another run asks anew.
   */
  run: string;
  /** Longer than this nobody is waited for, and the model is told that it is pending. Left out: until the task ends. */
  waitSeconds?: number | undefined;
  /** Left out: `createClient()`, which finds the service by the environment. */
  client?: Client | undefined;
}

/**
 * A tool that asks a person and waits, for answers that come while the process lives. The abort signal of the generation ends
 * the waiting; the task stays open.
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
 * A tool whose calls end the generation, and are answered by a person later: `createRuns` asks, and goes on. It executes
 * nothing itself.
 */
export function pausingHumanTool<Input, const R extends AnySchema = YesOrNo, const P extends AnySchema = AnySchema>({
  description,
  inputSchema,
  question,
}: HumanToolOptions<Input, R, P>): Tool<Input, Outcome<AnswerOf<R>>> {
  const asking = { description, inputSchema, [QUESTION]: question };
  return tool(asking as unknown as Tool<Input, Outcome<AnswerOf<R>>>);
}

/** Where `pausingHumanTool` keeps what to ask. */
const QUESTION = Symbol.for("human-task-service.question");

type AnyQuestion = (input: unknown) => Question;

/** What `generateText`, `streamText` and agents resolve with. */
interface Generated {
  readonly responseMessages: readonly ModelMessage[] | PromiseLike<readonly ModelMessage[]>;
}

export interface RunsOptions<Tools extends ToolSet, Result extends Generated> {
  /** Goes on with a conversation: `generateText`, `streamText`, or an agent's `generate`. */
  generate: (
    options: { messages: ModelMessage[]; abortSignal?: AbortSignal },
    run: string,
  ) => Result | PromiseLike<Result>;
  /** Those that the generation has. */
  tools: Tools;
  /** For tools with `toolApproval`: who is asked whether a call may be executed. No answer is no approval. */
  approvals?:
    | { readonly [Name in keyof Tools]?: (input: InferToolInput<Extract<Tools[Name], Tool>>) => ApprovalQuestion }
    | undefined;
  /** The messages of a run as they were saved, from a database; nothing when there are none. */
  load: (run: string) => PromiseLike<ModelMessage[] | null | undefined> | ModelMessage[] | null | undefined;
  /** Keeps the messages of a run. They are JSON. */
  save: (run: string, messages: ModelMessage[]) => unknown;
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
export type Step<Result> =
  | {
      status: "finished";
      /** Of the last generation; null when the run had finished before. */
      result: Result | null;
      messages: ModelMessage[];
    }
  | {
      status: "waiting";
      /** Whom it waits for; it goes on once all of them have ended. */
      tasks: { taskId: string; url: string; toolName: string; toolCallId: string }[];
      messages: ModelMessage[];
    };

interface Abortable {
  abortSignal?: AbortSignal | undefined;
}

/** Runs that outlive the process, as messages in a database. */
export interface Runs<Result> {
  /**
   * Begins a run, or its next turn. @param run - its id, such as a chat's
   * @throws HumanTaskError NO_QUESTION, RUN_ID_TOO_LONG, ApiError, UnreachableError, and what `generate` throws
   */
  start(run: string, messages: readonly ModelMessage[], options?: Abortable): Promise<Step<Result>>;
  /** Goes on if everybody has answered, also where a callback was lost, or the process ended. @throws as `start`, and NO_RUN */
  resume(run: string, options?: Abortable): Promise<Step<Result>>;
  /**
   * What a callback is for, for `callbackHandler` and `nodeCallbackHandler`. null: the run has gone on before, or the task is
   * none of a run. While the run goes on, a repeated callback waits for it; where that failed, a repeated callback does it again.
   * @throws as `start`, and NOT_WAITING_YET
   */
  onCallback(callback: Callback): Promise<Step<Result> | null>;
}

/** A generation that pauses for people: asks what its tools ask, keeps the messages, and goes on by their answers. */
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
    const question = (tools[toolName] as { [QUESTION]?: AnyQuestion } | undefined)?.[QUESTION];
    const asked =
      approvalId === undefined ? question?.(input) : approval && { ...approval(input), responseSchema: APPROVAL };
    if (asked === undefined)
      throw new HumanTaskError(
        "NO_QUESTION",
        approvalId === undefined
          ? `The model called "${toolName}", which does not execute and asks nobody: make it with pausingHumanTool, and give it in tools.`
          : `A call of "${toolName}" is to be approved, and approvals does not say whom to ask.`,
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
        const content = asked.map(async ({ call, task }) => partOf(call, await outcomeOf(task, abortSignal)));
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
        // What is answered later would stand behind what was said meanwhile, and no model takes that.
        if (messages.at(-1)?.role === "user" && callsOf(messages).some(({ isOpen }) => isOpen))
          throw new HumanTaskError(
            "RUN_IS_WAITING",
            `The run "${run}" waits for somebody: its next turn begins when it has gone on.`,
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

/** What a model wants somebody for: the answer to a call, or leave to execute it. */
interface Call {
  /** What it is told apart by from others of its run. */
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
      // Some models count their calls anew in each turn.
      const before = calls.filter((call) => call.toolCallId === toolCallId).length;
      const id = [toolCallId, ...(before > 0 ? [String(before)] : [])];
      // What the provider executes concerns nobody here, unless it is to be approved.
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

function partOf(call: Call, outcome: Outcome<unknown>): ToolResultPart | ToolApprovalResponse {
  const { toolCallId, toolName, approvalId, providerExecuted } = call;
  if (approvalId !== undefined)
    return {
      type: "tool-approval-response",
      approvalId,
      ...verdictOf(outcome),
      ...(providerExecuted && { providerExecuted }),
    };
  // What a schema has made of the answer, such as a Date, is none that messages can hold.
  const value = JSON.parse(JSON.stringify(outcome)) as JSONValue;
  return { type: "tool-result", toolCallId, toolName, output: { type: "json", value } };
}

let shared: Client | undefined;

function sharedClient(): Client {
  return (shared ??= createClient());
}
