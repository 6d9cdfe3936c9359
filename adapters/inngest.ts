import {
  createClient,
  type AnswerOf,
  type AnySchema,
  type Callback,
  type Client,
  type Question,
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
    waitForSignal(id: string, options: { signal: string; timeout: Date; onConflict: "replace" }): Promise<unknown>;
  };
}

export interface ConnectedOptions {
  /** Name or id of the service's connection to Inngest, by which the service wakes runs itself. */
  connection: string;
  /** Default: `createClient()`, which finds the service through the environment. */
  client?: Client | undefined;
}

/** For a service that cannot reach Inngest: it calls back, and the program sends an event. */
export interface HumanOptions {
  connection?: undefined;
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

export interface ConnectedHuman {
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
}

export interface Human extends ConnectedHuman {
  /** Handles a callback, for `callbackHandler` or `nodeCallbackHandler`: sends the event that the run waits for. */
  onCallback(callback: Callback): Promise<void>;
}

/** Extra wait after the timeout of the task, because its signal or its callback may be late. */
const GRACE_MS = 60_000;

export function createHuman(options: ConnectedOptions): ConnectedHuman;
export function createHuman(options: HumanOptions): Human;
export function createHuman(options: ConnectedOptions | HumanOptions): ConnectedHuman | Human {
  let made: Client | undefined;
  const client = (): Client => options.client ?? (made ??= createClient());
  const { wakingOf, wait } = options.connection === undefined ? byEvent(options, client) : bySignal(options);
  const awaitHuman: ConnectedHuman["awaitHuman"] = async (context, id, question) => {
    const { step, runId } = context;
    const key = keyOfRun("inngest", [runId, nameOnce(step, id)]);
    const { taskId, timeoutAt, ended } = (await step.run(id, async (): Promise<Asked> => {
      const { id: taskId, record } = await client()
        .ask({ ...question, idempotencyKey: key, ...wakingOf(key) })
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
      const woken = await wait(step, id, { taskId, key, timeout: new Date(Date.parse(deadline) + GRACE_MS) });
      const read = (await step.run(`${id}: read`, async () =>
        woken === null ? readEndOrDeadline(client(), taskId, deadline) : client().poll(taskId, { timeoutSeconds: 0 }),
      )) as TaskOutcome | { timeout_at: string };
      if ("timeout_at" in read) deadline = read.timeout_at;
      // Anyone who can send events or signals may have sent this one.
      else if (hasEnded(read)) return outcomeOfEnded(read, question.responseSchema);
    }
  };
  if (options.connection !== undefined) return { awaitHuman };

  const { inngest, eventName = ENDED } = options;
  return {
    awaitHuman,
    onCallback: async (callback) => {
      if (runOf("inngest", callback) === null) return;
      const { task_id } = callback;
      await inngest.send({ id: `human-task-ended-${task_id}`, name: eventName, data: { task_id } });
    },
  };
}

/** How the end of a task wakes a run. */
interface Way {
  /** Returns what the task has of it. @param key - of the question */
  wakingOf(key: string): Pick<Question, "callbackUrl" | "resume">;
  /** Waits in steps whose ids start with `id`, until the task has ended or the timeout. @returns null after the timeout */
  wait(step: RunContext["step"], id: string, until: { taskId: string; key: string; timeout: Date }): Promise<unknown>;
}

/**
 * The wait comes after the question, in a step of its own. A signal that comes before its wait is refused by Inngest, and the
 * service sends it again later. Both in one plan would be no better: Inngest registers only waits for events before the other
 * steps of a plan (`OpcodeIsPriority` of the server), and a question that is refused would end the run only after the wait.
 */
function bySignal({ connection }: ConnectedOptions): Way {
  return {
    wakingOf: (key) => ({ resume: [{ connection, signal: key }] }),
    // Inngest keeps the signal of a wait that has timed out, so the next wait of the same question must replace it.
    wait: async (step, id, { key, timeout }) =>
      step.waitForSignal(`${id}: wait`, { signal: key, timeout, onConflict: "replace" }),
  };
}

function byEvent({ inngest, callbackUrl, eventName = ENDED }: HumanOptions, client: () => Client): Way {
  return {
    wakingOf: () => ({ callbackUrl }),
    wait: async (step, id, { taskId, timeout }) => {
      // An event before the registration of its wait is lost. Inngest registers waits first among steps that are
      // planned together, so the check comes after the wait. If the task was answered earlier, the check sends the
      // event again.
      const [woken] = await Promise.all([
        step.waitForEvent(`${id}: wait`, {
          event: eventName,
          if: `async.data.task_id == ${JSON.stringify(taskId)}`,
          timeout,
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
      return woken;
    },
  };
}

/** The default name of the event. */
const ENDED = "human-task/ended";

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
