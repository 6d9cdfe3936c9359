import type { Logger } from "pino";
import type { DecisionRecord } from "../actions/action.ts";
import { fromStored } from "../actions/request.ts";
import { ServiceError, type ErrorCode } from "../errors.ts";
import type { Metrics } from "../http/metrics.ts";
import { DAY, SECOND } from "../lib/time.ts";
import type { AgentCaller } from "../people/agent-caller.ts";
import { createTask, type CreationContext } from "../tasks/create.ts";
import { isTerminal } from "../tasks/lifecycle.ts";
import type { CreateTaskBody } from "../tasks/schema.ts";
import type { TaskWithDocuments } from "../tasks/store.ts";
import { pollTask, type PollContext } from "../tasks/tasks.ts";
import { NOT_READ, PENDING, REVISED, verdictOf, type Verdict } from "./answer.ts";
import { hashOf, type HookCall } from "./call.ts";
import { giveQuestionBack, openQuestion, takeQuestion, type Question } from "./questions.ts";

export type AskContext = CreationContext & PollContext & { metrics: Metrics; log: Logger };

/** How long people may take, and for how long after that an answer counts. */
const OPEN_MS = 1 * DAY;
const KEPT_MS = 1 * DAY;

/** A call that a person was asked about. It has nothing of the arguments, because thousands may wait. */
export interface AskedCall extends Question {
  task_id: string;
}

/**
 * Asks a person about a call, unless one was asked about the same call and the answer was not taken.
 * @throws ServiceError of `createTask`; OVERLOADED
 */
export async function askAbout(ctx: AskContext, caller: AgentCaller, call: HookCall): Promise<AskedCall> {
  for (let attempt = 0; attempt < 5; attempt++) {
    const question = await openQuestion(ctx.db, { agent_id: caller.id, call_hash: call.hash });
    const { task, isReplay } = await createTask(ctx, caller, taskFor(call, question), null);
    (isReplay ? ctx.metrics.tasksReplayed : ctx.metrics.tasksCreated).inc();
    if (isAbout(task, call) && !isForgotten(task, ctx.db.now())) return { ...question, task_id: task.id };
    await takeQuestion(ctx.db, question);
  }
  throw new ServiceError("OVERLOADED");
}

function taskFor({ tool, input, facts }: HookCall, { idempotency_key }: Question): CreateTaskBody {
  return {
    task: `May Claude Code use ${tool}?`,
    action: {
      name: tool,
      args: input,
      description: facts.length === 0 ? null : facts.join("\n"),
      allowed: ["approve", "edit", "reject", "respond"],
    },
    timeout_seconds: OPEN_MS / SECOND,
    idempotency_key,
  };
}

/** The task may have been deleted, and its key used for another one. */
function isAbout(task: TaskWithDocuments, { hash }: HookCall): boolean {
  const action = fromStored(task)?.all[0];
  return action !== undefined && hashOf(action.name, action.args) === hash;
}

function isForgotten({ ended_at }: TaskWithDocuments, now: number): boolean {
  return ended_at !== null && ended_at + KEPT_MS <= now;
}

/**
 * Waits until a person has decided, and takes the answer, which counts for one call.
 *
 * @param gone - aborts when the client has left. Then the answer stays for its next call
 * @throws ServiceError AGENT_TOKEN_REVOKED, AGENT_DISABLED
 */
export async function holdFor(
  ctx: AskContext,
  caller: AgentCaller,
  asked: AskedCall,
  seconds: number,
  gone: AbortSignal,
): Promise<Verdict> {
  try {
    return await holdAndTake(ctx, caller, asked, seconds, gone);
  } catch (error) {
    // The task is there, so it would be wrong to say that nothing was stored.
    if (!gone.aborted && error instanceof ServiceError && OF_DATABASE.has(error.code)) return NOT_READ;
    throw error;
  }
}

const OF_DATABASE: ReadonlySet<string> = new Set<ErrorCode>(["DATABASE_UNAVAILABLE", "COMMIT_UNKNOWN"]);

/** @throws ServiceError AGENT_TOKEN_REVOKED, AGENT_DISABLED, DATABASE_UNAVAILABLE, COMMIT_UNKNOWN */
async function holdAndTake(
  ctx: AskContext,
  caller: AgentCaller,
  asked: AskedCall,
  seconds: number,
  gone: AbortSignal,
): Promise<Verdict> {
  const { task_id, ...question } = asked;
  const task = await pollTask(ctx, caller, task_id, seconds, gone).catch((error: unknown) => {
    // An operator has deleted it.
    if (!gone.aborted && error instanceof ServiceError && error.code === "TASK_NOT_FOUND") return null;
    throw error;
  });
  if (task !== null && !isTerminal(task.status)) return PENDING;
  // Another call may have been faster. Then the next one asks again.
  if (!(await takeQuestion(ctx.db, question))) return PENDING;
  giveBackIf(ctx, gone, question);
  // The token of an agent can revise its tasks. The call is still the one of the first version.
  if (task?.status === "completed")
    return task.version === 1 ? verdictOf(JSON.parse(task.response!) as DecisionRecord) : REVISED;
  return {
    decision: "ask",
    reason: task?.status === "timed_out" ? "No person decided in time." : "The request was cancelled.",
  };
}

/** A connection that closes before the answer was written loses nothing. */
function giveBackIf({ db, log }: AskContext, gone: AbortSignal, question: Question): void {
  const giveBack = () =>
    void giveQuestionBack(db, question).catch((error: unknown) =>
      log.error({ err: error }, "The answer for an agent that had left could not be kept"),
    );
  if (gone.aborted) giveBack();
  else gone.addEventListener("abort", giveBack, { once: true });
}
