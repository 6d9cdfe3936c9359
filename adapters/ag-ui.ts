import {
  approval,
  createClient,
  HumanTaskError,
  type Asked,
  type Client,
  type Decision,
  type Question,
} from "@human-task-service/client";
import { isOpen, outcomeOf, type Outcome } from "./outcome.ts";
import { digestOf, keyIn } from "./runs.ts";

/** What a run waits for, as `RUN_FINISHED` has it. */
export interface Interrupt {
  id: string;
  reason: string;
  message?: string;
  toolCallId?: string;
  responseSchema?: Record<string, unknown>;
  expiresAt?: string;
  metadata?: Record<string, unknown>;
}

/** The answer to an interrupt, for the next run. */
export interface ResumeEntry {
  interruptId: string;
  status: "resolved" | "cancelled";
  payload?: unknown;
  metadata?: Record<string, unknown>;
}

/** A message that may have tool calls. */
interface Message {
  role: string;
  toolCalls?: readonly { id: string; function: { name: string; arguments: string } }[] | undefined;
}

/** The options of a question that an interrupt does not decide. */
export type InterruptOptions = Omit<
  Question,
  "task" | "payload" | "payloadSchema" | "responseSchema" | "idempotencyKey" | "occasion" | "about" | "formDefinition"
>;

export interface FromInterrupts {
  /** Id of the thread. With the id of the interrupt, it is the key of the question. */
  threadId: string;
  /** The messages of the thread, which have the tool calls that interrupts are about. */
  messages?: readonly object[] | undefined;
  /** Returns who answers, and where they read of it. */
  options?: ((interrupt: Interrupt) => InterruptOptions) | undefined;
  /** Default: `createClient()`, which finds the service through the environment. */
  client?: Client | undefined;
  signal?: AbortSignal | undefined;
}

/** The questions of the open interrupts of a run. */
export interface AskedInterrupts {
  tasks: { interruptId: string; taskId: string; url: string; isOpen: boolean }[];
  /** Waits for all of them. @returns the answers to all interrupts, for one resume @throws ApiError, UnreachableError */
  answers(): Promise<ResumeEntry[]>;
}

/**
 * Asks a person about each open interrupt of a run. Asked again, the same interrupts find their tasks, so a program may ask, stop, and
 * ask again after a callback.
 * @throws HumanTaskError INTERRUPT_EXPIRED, ApiError, UnreachableError
 */
export async function fromInterrupts(
  interrupts: readonly Interrupt[],
  { threadId, messages = [], options, client = createClient(), signal }: FromInterrupts,
): Promise<AskedInterrupts> {
  const readings = interrupts.map((interrupt) => ({ interrupt, ...read(interrupt, messages as readonly Message[]) }));
  const asked = await Promise.all(
    readings.map(async ({ interrupt, question, entryOf }) => {
      const idempotencyKey = keyIn(FRAMEWORK, threadId, await digestOf([interrupt.id]));
      const given = { ...options?.(interrupt), ...deadlineOf(interrupt), idempotencyKey, signal };
      const task: Asked<unknown> = await client.ask({ ...question, ...given });
      return { interruptId: interrupt.id, task, entryOf };
    }),
  );
  return {
    tasks: asked.map(({ interruptId, task }) => ({
      interruptId,
      taskId: task.id,
      url: task.url,
      isOpen: isOpen(task),
    })),
    answers: async () =>
      Promise.all(
        asked.map(async ({ interruptId, task, entryOf }) => {
          const outcome: Outcome<unknown> = await outcomeOf(task, signal);
          return outcome.status === "completed"
            ? { interruptId, status: "resolved" as const, ...entryOf(outcome.answer) }
            : { interruptId, status: "cancelled" as const, metadata: { reason: outcome.reason } };
        }),
      ),
  };
}

/** An agent of `@ag-ui/client`. */
export interface InterruptedAgent<Result> {
  readonly threadId: string;
  readonly messages: readonly object[];
  readonly pendingInterrupts: readonly Interrupt[];
  runAgent(parameters: { resume?: ResumeEntry[] }): Promise<Result>;
}

/**
 * Runs an agent until it waits for nobody: people answer its interrupts, and it is resumed with all answers at once.
 * @returns the result of its last run
 * @throws as `fromInterrupts`, and what the agent throws
 */
export async function runWithPeople<Result, Parameters extends object>(
  agent: InterruptedAgent<Result> & { runAgent(parameters: Parameters): Promise<Result> },
  parameters: Parameters,
  asking: Omit<FromInterrupts, "threadId" | "messages"> = {},
): Promise<Result> {
  let result = await agent.runAgent(parameters);
  while (agent.pendingInterrupts.length > 0) {
    const { threadId, messages, pendingInterrupts } = agent;
    const { answers } = await fromInterrupts(pendingInterrupts, { ...asking, threadId, messages });
    result = await agent.runAgent({ ...parameters, resume: await answers() });
  }
  return result;
}

const FRAMEWORK = "ag-ui";
const MIN_SECONDS = 60;
const MAX_SECONDS = 2_592_000;

interface Reading {
  question: Question;
  /** Returns what an answer resumes with. */
  entryOf: (answer: unknown) => Pick<ResumeEntry, "payload" | "metadata">;
}

function read(interrupt: Interrupt, messages: readonly Message[]): Reading {
  const { reason, message, toolCallId, responseSchema, metadata } = interrupt;
  const call = messages.flatMap(({ toolCalls = [] }) => toolCalls).find(({ id }) => id === toolCallId);
  const args = call && argumentsOf(call.function.arguments);
  const approving = approvalIn(interrupt);
  if (call !== undefined && args !== undefined && approving !== null)
    return {
      question: approval({
        name: call.function.name,
        args,
        task: message ?? `Run ${call.function.name}?`,
        allowed: approving.edited === undefined ? ["approve", "reject"] : ["approve", "edit", "reject"],
        argsSchema: approving.edited?.["properties"] === undefined ? undefined : approving.edited,
      }),
      entryOf: (answer) => {
        const { decision, args: editedArgs, message: said } = answer as Decision;
        const payload = { approved: decision !== "reject", ...(decision === "edit" && { editedArgs }) };
        return { payload, ...(said !== undefined && { metadata: { message: said } }) };
      },
    };
  const otherwise = reason === "confirmation" || approving !== null ? { type: "boolean" } : { type: "string" };
  return {
    question: {
      task: message ?? reason,
      payload: { ...args, ...metadata },
      responseSchema: responseSchema ?? otherwise,
    },
    entryOf: (payload) => ({ payload }),
  };
}

/** Returns the schema of edited arguments, if an interrupt asks whether a tool may run in the way that AG-UI recommends. */
function approvalIn({ reason, toolCallId, responseSchema }: Interrupt): { edited?: Record<string, unknown> } | null {
  if (toolCallId === undefined) return null;
  if (responseSchema === undefined) return reason === "tool_call" ? {} : null;
  const { approved, editedArgs, ...others } = (responseSchema["properties"] ?? {}) as Record<string, unknown>;
  if ((approved as { type?: unknown } | undefined)?.type !== "boolean" || Object.keys(others).length > 0) return null;
  return editedArgs === undefined ? {} : { edited: editedArgs as Record<string, unknown> };
}

/** Returns the arguments of a tool call; undefined if they are no JSON object. */
function argumentsOf(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** @throws HumanTaskError INTERRUPT_EXPIRED, because agents refuse a late answer of any kind */
function deadlineOf({ id, expiresAt }: Interrupt): { timeoutSeconds?: number } {
  const left = expiresAt === undefined ? Number.NaN : (Date.parse(expiresAt) - Date.now()) / 1000;
  if (Number.isNaN(left)) return {};
  if (left <= 0) throw new HumanTaskError("INTERRUPT_EXPIRED", `The interrupt ${id} expired at ${expiresAt}.`);
  return { timeoutSeconds: Math.min(Math.max(Math.floor(left), MIN_SECONDS), MAX_SECONDS) };
}
