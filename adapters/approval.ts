import {
  approval,
  type ActionQuestion,
  type AnySchema,
  type Client,
  type Decision,
  type DecisionName,
  type FromJsonSchema,
  type Question,
  type StandardSchema,
} from "@human-task-service/client";
import { outcomeOf, type Outcome, type Unanswered } from "./outcome.ts";

/** A question whether a tool may execute the model's call. The answer has `approved`, and an optional note. */
export type ApprovalQuestion = Omit<Question, "responseSchema" | "idempotencyKey" | "occasion">;

export const APPROVAL = {
  type: "object",
  properties: {
    approved: { type: "boolean", title: "Approve?" },
    note: { type: "string", title: "Note", maxLength: 2000 },
  },
  required: ["approved"],
  additionalProperties: false,
} as const;

/** Reads an approval. No answer means no approval. @param outcome - of a question with that schema @returns a reason, if given */
export function verdictOf(outcome: Outcome<unknown>): { approved: boolean; reason?: string } {
  if (outcome.status !== "completed") return { approved: false, reason: outcome.reason };
  const { approved, note } = outcome.answer as FromJsonSchema<typeof APPROVAL>;
  return note === undefined ? { approved } : { approved, reason: note };
}

/** Who decides about a call, until when, and what they may do. `allowed` is by default every decision. */
export type DecisionQuestion = Omit<ActionQuestion, "name" | "args" | "argsSchema" | "idempotencyKey" | "occasion">;

/** What the model gets from a tool whose calls a person decides. */
export type Decided<Result> =
  | {
      status: "executed";
      taskId: string;
      /** The arguments that it ran with, if the person changed them. */
      editedArgs?: unknown;
      message?: string;
      result: Result;
    }
  /** A person allowed it, and it threw an error. `reason` is its message. */
  | { status: "failed"; taskId: string; reason: string }
  | { status: "rejected"; taskId: string; message?: string }
  /** Nothing ran: the person answered with words. */
  | { status: "responded"; taskId: string; message: string }
  | Unanswered;

/** What `execute` knows of the call that a person allowed. */
export interface Allowed {
  /** The same if the call is executed again after a failure of the process: a key for payments and the like. */
  taskId: string;
  signal?: AbortSignal | undefined;
}

export type ExecuteAllowed<Args, Result> = (args: Args, allowed: Allowed) => Result | PromiseLike<Result>;

/** A tool whose calls a person decides. */
export interface DecidedTool<Args, Result> {
  /** What would run, as a person reads it. */
  name: string;
  /** Runs the call, with the arguments that the person approved or changed. */
  execute: ExecuteAllowed<Args, Result>;
  /** Returns who decides. Default: anyone who may answer. */
  question?: ((args: Args) => DecisionQuestion) | undefined;
}

type AnyDecision = Decision<unknown>;

/** Returns the question whether a call may run. */
export function questionAbout<Args>(
  { name, question }: Pick<DecidedTool<Args, unknown>, "name" | "question">,
  argsSchema: AnySchema,
  args: Args,
): Question<StandardSchema<unknown, AnyDecision>> {
  const about = { allowed: EVERY_DECISION, ...question?.(args), name, args: args as object, argsSchema };
  return approval<AnySchema, object, DecisionName>(about);
}

const EVERY_DECISION = ["approve", "edit", "reject", "respond"] as const;

/** Does what a person decided about a call. @param outcome - of `questionAbout` @throws the reason of `signal` */
export async function carryOut<Args, Result>(
  { execute }: Pick<DecidedTool<Args, Result>, "execute">,
  outcome: Outcome<unknown>,
  signal?: AbortSignal,
): Promise<Decided<Result>> {
  if (outcome.status !== "completed") return outcome;
  const { taskId } = outcome;
  const decided = outcome.answer as AnyDecision;
  const said = decided.message === undefined ? {} : { message: decided.message };
  if (decided.decision === "reject") return { status: "rejected", taskId, ...said };
  if (decided.decision === "respond") return { status: "responded", taskId, message: decided.message };
  const edited = decided.decision === "edit" ? { editedArgs: decided.args } : {};
  try {
    const result = await execute(decided.args as Args, { taskId, signal });
    return { status: "executed", taskId, ...edited, ...said, result };
  } catch (error) {
    signal?.throwIfAborted();
    return { status: "failed", taskId, reason: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * Asks about a call, waits, and does what the person decided. Each call is asked about on its own, so that one approval runs
 * it once. So an aborted wait cancels its task, because nothing could find it again.
 * @throws ApiError, UnreachableError, the reason of `signal`
 */
export async function decideAndCarryOut<Args, Result>(
  client: Client,
  decided: DecidedTool<Args, Result>,
  argsSchema: AnySchema,
  args: Args,
  signal: AbortSignal | undefined,
): Promise<Decided<Result>> {
  const question = questionAbout(decided, argsSchema, args);
  const asked = await client.ask({ ...question, occasion: crypto.randomUUID(), signal });
  let outcome: Outcome<unknown>;
  try {
    outcome = await outcomeOf(asked, signal);
  } catch (error) {
    // If that fails, it has just been decided, or is left to its deadline.
    if (signal?.aborted === true) await asked.cancel("The call was aborted.").catch(() => {});
    throw error;
  }
  return carryOut(decided, outcome, signal);
}
