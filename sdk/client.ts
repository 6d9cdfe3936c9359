import {
  approval,
  type Action,
  type ActionQuestion,
  type ActionsQuestion,
  type ArgsIn,
  type ArgsOut,
  type Decision,
  type DecisionName,
  type Decisions,
} from "./approval.ts";
import { firstAnswer, type FirstAnswer } from "./any-of.ts";
import { createTask } from "./asking.ts";
import { callsOf } from "./calls.ts";
import { systemClock, type Clock } from "./clock.ts";
import { connect } from "./connection.ts";
import type { ListFilter } from "./list.ts";
import { answerOf } from "./outcome.ts";
import type { Abortable, AnswerTo, Asked, Question, Revision, Waiting } from "./question.ts";
import type { Answering } from "./requests.ts";
import type { AnswerOf, AnySchema, YesOrNo } from "./schemas.ts";
import { findSettings } from "./settings.ts";
import type { AuditEntry, Comment, EmbedToken, ListedTask, TaskOutcome, TaskRecord, TaskVersion } from "./shapes.ts";
import { untilEnded, withdraw } from "./waiting.ts";

/** The client of an agent. All calls reject with ApiError or UnreachableError, or the reason of their signal. */
export interface Client {
  /**
   * Asks a person and waits for the answer, for days if needed. The wait survives lost connections, and restarts and deploys
   * of the service. After a restart of your program, the same call finds its question again by its content.
   * @throws NoAnswerError, AnswerRefusedError, ApiError, UnreachableError
   */
  awaitHuman<const R extends AnySchema = YesOrNo, const P extends AnySchema = AnySchema>(
    question: Question<R, P> & Waiting,
  ): Promise<AnswerOf<R>>;
  /**
   * Asks a person whether an action may run, and waits for the decision. Run it only if the decision has `args`, and with
   * these: they are what the person saw or made of them. `approval()` makes the same question for `ask` and `anyOf`.
   * @throws as `awaitHuman`
   */
  approve: Approve;
  /** Asks a person without waiting. */
  ask<const R extends AnySchema = YesOrNo, const P extends AnySchema = AnySchema>(
    question: Question<R, P> & Abortable,
  ): Promise<Asked<AnswerOf<R>>>;
  /**
   * Asks several questions at once, for example one per person. The first answer counts, and the other tasks are cancelled.
   * @throws AggregateError with the outcome of each question if none is answered
   */
  anyOf<const R extends AnySchema = YesOrNo, const P extends AnySchema = AnySchema>(
    questions: readonly Question<R, P>[],
    options?: Abortable,
  ): Promise<FirstAnswer<AnswerOf<R>>>;
  /** The same for questions with different schemas. The answer has the type of one of them; `index` says which. */
  anyOf<const Q extends readonly Question[]>(
    questions: Q,
    options?: Abortable,
  ): Promise<FirstAnswer<AnswerTo<Q[number]>>>;
  /**
   * Waits for the answer to an existing task. Pass the schema of the question; without it, the answer is the stored response.
   * @throws NoAnswerError, AnswerRefusedError, and see `Client`
   */
  wait<const R extends AnySchema = { readonly type: "object" }>(
    id: string,
    options?: Abortable & { responseSchema?: R },
  ): Promise<AnswerOf<R>>;
  get(id: string, options?: Abortable): Promise<TaskRecord>;
  /** Lists tasks, newest first. Pages are loaded on demand. */
  list(filter?: ListFilter, options?: Abortable): AsyncIterableIterator<ListedTask>;
  /**
   * Returns the state of a task: at once if it is closed, else after `timeoutSeconds`, 0 to 60 (default: 25). With `until:
   * "attention"`, also at once while it has `questions` without a reply.
   */
  poll(
    id: string,
    options?: Abortable & { timeoutSeconds?: number; until?: "end" | "attention" },
  ): Promise<TaskOutcome>;
  /**
   * Answers for a person, with an object or the single value that was asked for. It is never retried, because the first
   * request may have succeeded.
   * @param options.version - the version that was shown to the person; if the task has been revised since, nothing is stored
   */
  complete(
    id: string,
    answer: object | string | number | boolean | null,
    options?: Abortable & Answering,
  ): Promise<TaskRecord>;
  /** Cancels a task. */
  cancel(id: string, options?: Abortable & { reason?: string | undefined }): Promise<TaskRecord>;
  /**
   * Changes the deadline of an open task, for example to give a person more time. The new deadline counts from the creation
   * of the task: 60 seconds to 30 days.
   */
  extend(id: string, timeoutSeconds: number, options?: Abortable): Promise<TaskRecord>;
  /** Deletes a task with everything that belongs to it. Of the audit trail only the deletion remains. */
  delete(id: string, options?: Abortable): Promise<void>;
  /** Returns all that people and the asker said about a task, oldest first. */
  comments(id: string, options?: Abortable): Promise<Comment[]>;
  /**
   * Says something about a task, also after its end. From the asker, it answers the questions up to `replyTo`, or all.
   * @param options.key - sent again with the same one, nothing is added
   * @param options.files - files somewhere else, by address and digest
   */
  comment(
    id: string,
    text: string,
    options?: Abortable & {
      replyTo?: string | undefined;
      key?: string | undefined;
      files?: Comment["files"] | undefined;
    },
  ): Promise<Comment>;
  /**
   * Changes what an open task asks. Approvals begin again, and answers to the version before are refused.
   * @param revision.version - the version that it replaces; if it is not the current one, nothing is changed
   * @param options.key - sent again with the same one, nothing is changed; null: what is asked already is not asked again
   */
  revise(
    id: string,
    revision: Revision & { version?: number | undefined },
    options?: Abortable & { key?: string | null | undefined },
  ): Promise<TaskRecord>;
  /** Returns what a task asks and asked before it was revised, oldest first. */
  versions(id: string, options?: Abortable): Promise<TaskVersion[]>;
  /** Returns the audit trail, oldest first. */
  audit(id: string, options?: Abortable): Promise<AuditEntry[]>;
  /** Creates a token for a form in your own page. Needs an embed key. (spec: Embed tokens) */
  embedToken(
    options: Abortable & { taskId: string; parentOrigin: string; sub: string; ttlSeconds?: number },
  ): Promise<EmbedToken>;
}

export interface Approve {
  /** Asks about several actions. The decisions are in their order. */
  <const All extends readonly Action[]>(question: ActionsQuestion<All> & Waiting): Promise<Decisions<All>>;
  <
    const Schema extends AnySchema = AnySchema,
    Args extends object = object,
    const Name extends DecisionName = "approve" | "reject",
  >(
    question: ActionQuestion<Schema, ArgsIn<Schema, Args>, Name> & Waiting,
  ): Promise<Decision<ArgsOut<Schema, Args>, Name>>;
}

export interface ClientOptions {
  /** URL of the service. Default: SERVICE_URL, or the service on this machine. */
  baseUrl?: string | undefined;
  /** The token of an agent. Default: SERVICE_TOKEN, SERVICE_ADMIN_API_TOKEN, or that of the local agent on this machine. */
  token?: string | undefined;
  /** The embed key for `embedToken`. Default: SERVICE_KEY. */
  serviceKey?: string | undefined;
  /** Sent with each request, for a gateway in front of the service. */
  headers?: Readonly<Record<string, string>> | undefined;
  fetch?: typeof fetch | undefined;
  clock?: Clock | undefined;
}

/** @throws HumanTaskError NOT_CONFIGURED */
export function createClient(options: ClientOptions = {}): Client {
  const clock = options.clock ?? systemClock;
  const settings = findSettings(options);
  const send = connect({
    ...settings,
    clock,
    // The global function is read at each call, because tests and tracers replace it.
    fetch: options.fetch ?? ((...args) => fetch(...args)),
    headers: options.headers ?? {},
  });

  // These methods call each other through the object, because the testing entry replaces some of them.
  const client: Client = {
    ...callsOf(send, options.serviceKey),
    awaitHuman: async (question) => {
      const { signal, onCreated, onQuestion, cancelOnAbort } = question;
      const asked = await client.ask(question);
      await onCreated?.(asked);
      try {
        return await asked.answer({ signal, onQuestion });
      } catch (error) {
        if (cancelOnAbort === true && signal?.aborted === true) await withdraw(send, clock, asked.id);
        throw error;
      }
    },
    approve: (async (question: ActionQuestion & Waiting) =>
      client.awaitHuman({ ...question, ...approval(question) })) as Approve,
    ask: async (question) => {
      const created = await createTask(send, settings.pagesUrl, question);
      const { id, record } = created;
      return {
        ...created,
        answer: async ({ signal, onQuestion } = {}) => {
          const reply = onQuestion && (async (asked: Comment) => onQuestion(asked, created));
          return answerOf(await untilEnded(send, clock, id, record.timeout_at, signal, reply), question.responseSchema);
        },
        cancel: async (reason) => client.cancel(id, { reason }),
      };
    },
    anyOf: async (questions: readonly Question[], { signal }: Abortable = {}) =>
      firstAnswer(
        questions,
        signal,
        async (question) => client.ask(question),
        async (id) => withdraw(send, clock, id),
      ),
    wait: async <R extends AnySchema>(
      id: string,
      { signal, responseSchema }: Abortable & { responseSchema?: R } = {},
    ) => {
      const { timeout_at } = await client.get(id, { signal });
      const outcome = await untilEnded(send, clock, id, timeout_at, signal);
      return answerOf(outcome, responseSchema ?? (ANY_OBJECT as AnySchema as R));
    },
  };
  return client;
}

/** The schema of `wait` if none is given. */
const ANY_OBJECT = { type: "object" };

let shared: Client | undefined;

/** Does the same as `createClient().awaitHuman`, for a program with one service. */
export async function awaitHuman<const R extends AnySchema = YesOrNo, const P extends AnySchema = AnySchema>(
  question: Question<R, P> & Waiting,
): Promise<AnswerOf<R>> {
  shared ??= createClient();
  return shared.awaitHuman(question);
}

/** Does the same as `createClient().approve`, for a program with one service. */
export const approve: Approve = (async (question: ActionQuestion & Waiting) =>
  awaitHuman({ ...question, ...approval(question) })) as Approve;
