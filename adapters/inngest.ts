import {
  createClient,
  type AnswerOf,
  type AnySchema,
  type Callback,
  type Client,
  type TaskOutcome,
  type YesOrNo,
} from "@human-task-service/client";
import { NonRetriableError } from "inngest";
import { isFinal, outcomeOfEnded, readEnd, type RunQuestion } from "./durable.ts";
import { hasEnded, type Outcome } from "./outcome.ts";
import { keyOfRun, runOf } from "./runs.ts";

export type { RunQuestion } from "./durable.ts";
export type { Answered, Outcome, Unanswered } from "./outcome.ts";

/** The part of an Inngest function's context that a question needs. */
export interface RunContext {
  runId: string;
  step: {
    run(id: string, work: () => Promise<unknown>): Promise<unknown>;
    waitForEvent(id: string, options: { event: string; timeout: Date; if: string }): Promise<unknown>;
  };
}

export interface HumanOptions {
  /** Sends the events that runs wait for. */
  inngest: { send(event: { id?: string; name: string; data: EndedEvent }): Promise<unknown> };
  /** Public URL of `onCallback`. */
  callbackUrl: string;
  /** Default: `createClient()`, which finds the service through the environment. */
  client?: Client | undefined;
  /** Default: `human-task/ended`. */
  eventName?: string | undefined;
}

/** The data of the event. It only wakes the run. The run reads the answer from the service. */
export interface EndedEvent {
  task_id: string;
}

export interface Human {
  /**
   * Asks a person and waits for the answer, in three or four steps whose ids start with `id`. Nothing runs during the
   * wait.
   * @param context - the argument of the function, `{ step, runId }`
   * @param id - like any step id, the same in every execution. In a loop it may be repeated.
   * @throws NonRetriableError when the question itself is refused
   */
  awaitHuman<const R extends AnySchema = YesOrNo, const P extends AnySchema = AnySchema>(
    context: RunContext,
    id: string,
    question: RunQuestion<R, P>,
  ): Promise<Outcome<AnswerOf<R>>>;
  /** Handles a callback, for `callbackHandler` or `nodeCallbackHandler`: sends the event that the run waits for. */
  onCallback(callback: Callback): Promise<void>;
}

/** Extra wait after the timeout of the task, because its callback may be late. */
const GRACE_MS = 60_000;

export function createHuman({ inngest, callbackUrl, eventName = "human-task/ended", ...options }: HumanOptions): Human {
  let made: Client | undefined;
  const client = (): Client => options.client ?? (made ??= createClient());

  return {
    awaitHuman: async (context, id, question) => {
      const { step, runId } = context;
      const name = nameOnce(step, id);
      const idempotencyKey = keyOfRun("inngest", [runId, name]);
      const { taskId, timeoutAt, ended } = (await step.run(id, async (): Promise<Asked> => {
        const { id: taskId, record } = await client()
          .ask({ ...question, idempotencyKey, callbackUrl })
          .catch(giveUp);
        return {
          taskId,
          timeoutAt: record.timeout_at,
          // This happens only when the step is retried.
          ended: hasEnded(record) ? await readEnd(client(), taskId) : null,
        };
      })) as Asked;
      if (ended !== null) return outcomeOfEnded(ended, question.responseSchema);

      for (let deadline = timeoutAt; ;) {
        // An event before the registration of its wait is lost. Inngest registers waits first among steps that are
        // planned together, so the check comes after the wait. If the task was answered earlier, the check sends the
        // event again.
        const [woken] = await Promise.all([
          step.waitForEvent(`${id}: wait`, {
            event: eventName,
            if: `async.data.task_id == ${JSON.stringify(taskId)}`,
            timeout: new Date(Date.parse(deadline) + GRACE_MS),
          }),
          step
            .run(`${id}: look`, async () => {
              if (!hasEnded(await client().poll(taskId, { timeoutSeconds: 0 }))) return;
              // It has no id: the first event may have had the same one, and Inngest drops a second event with an equal
              // id.
              await inngest.send({ name: eventName, data: { task_id: taskId } });
            })
            // The check matters rarely. If it fails, the wait continues, and the state of the task is read at its end.
            .catch(() => {}),
        ]);
        const read = (await step.run(`${id}: read`, async () =>
          woken === null ? readEndOrDeadline(client(), taskId, deadline) : client().poll(taskId, { timeoutSeconds: 0 }),
        )) as TaskOutcome | { timeout_at: string };
        if ("timeout_at" in read) deadline = read.timeout_at;
        // Anyone who can send events may have sent this one.
        else if (hasEnded(read)) return outcomeOfEnded(read, question.responseSchema);
      }
    },

    onCallback: async (callback) => {
      if (runOf("inngest", callback) === null) return;
      const { task_id } = callback;
      await inngest.send({ id: `human-task-ended-${task_id}`, name: eventName, data: { task_id } });
    },
  };
}

/** Returns the outcome of a task whose deadline has passed, or its new deadline if somebody has changed it. */
async function readEndOrDeadline(
  client: Client,
  taskId: string,
  deadline: string,
): Promise<TaskOutcome | { timeout_at: string }> {
  const outcome = await client.poll(taskId, { timeoutSeconds: 0 });
  if (hasEnded(outcome)) return outcome;
  const { timeout_at } = await client.get(taskId);
  return Date.parse(timeout_at) > Date.parse(deadline) ? { timeout_at } : readEnd(client, taskId);
}

interface Asked {
  taskId: string;
  timeoutAt: string;
  ended: TaskOutcome | null;
}

function giveUp(error: unknown): never {
  if (!isFinal(error)) throw error;
  throw new NonRetriableError((error as Error).message, { cause: error });
}

/**
 * How often each id was used in one execution. Each execution starts at the first line of the function with a new
 * `step`.
 */
const used = new WeakMap<object, Map<string, number>>();

/** Names steps in a loop like Inngest does: `approve`, `approve:1`, `approve:2`. */
function nameOnce(step: object, id: string): string {
  const counts = used.get(step) ?? new Map<string, number>();
  used.set(step, counts);
  const count = counts.get(id) ?? 0;
  counts.set(id, count + 1);
  return count === 0 ? id : `${id}:${count}`;
}
