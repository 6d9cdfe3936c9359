import { firstAnswer, type FirstAnswer } from "./any-of.ts";
import { createTask } from "./asking.ts";
import { callsOf } from "./calls.ts";
import { systemClock, type Clock } from "./clock.ts";
import { connect } from "./connection.ts";
import type { ListFilter } from "./list.ts";
import { answerOf } from "./outcome.ts";
import type { Abortable, Asked, Question, Waiting } from "./question.ts";
import type { Send } from "./requests.ts";
import type { AnswerOf, AnySchema, YesOrNo } from "./schemas.ts";
import { findSettings } from "./settings.ts";
import type { AuditEntry, EmbedToken, ListedTask, TaskOutcome, TaskRecord } from "./shapes.ts";
import { untilEnded, withdraw } from "./waiting.ts";

/** What an agent may do. All of it rejects with ApiError or UnreachableError, or the reason of its signal. */
export interface Client {
  /**
   * Asks a person and waits for the answer, for days if need be: over restarts and deploys of the service, lost networks,
   * and of this program too, which finds its question again by its content.
   * @throws NoAnswerError, AnswerRefusedError, ApiError, UnreachableError
   */
  awaitHuman<const R extends AnySchema = YesOrNo, const P extends AnySchema = AnySchema>(
    question: Question<R, P> & Waiting,
  ): Promise<AnswerOf<R>>;
  /** Asks a person, and does not wait. */
  ask<const R extends AnySchema = YesOrNo, const P extends AnySchema = AnySchema>(
    question: Question<R, P> & Abortable,
  ): Promise<Asked<AnswerOf<R>>>;
  /**
   * Asks several questions at once, such as one person each; the first answer counts, and the others are withdrawn.
   * @throws AggregateError of what became of each when none is answered
   */
  anyOf<const R extends AnySchema = YesOrNo, const P extends AnySchema = AnySchema>(
    questions: readonly Question<R, P>[],
    options?: Abortable,
  ): Promise<FirstAnswer<AnswerOf<R>>>;
  /**
   * Waits for the answer to a task that is there. Give the schema that was asked with; without it, the answer is the response as
   * it is stored. @throws NoAnswerError, AnswerRefusedError, and see `Client`
   */
  wait<const R extends AnySchema = { readonly type: "object" }>(
    id: string,
    options?: Abortable & { responseSchema?: R },
  ): Promise<AnswerOf<R>>;
  get(id: string, options?: Abortable): Promise<TaskRecord>;
  /** Newest first, page by page as they are asked for. */
  list(filter?: ListFilter, options?: Abortable): AsyncIterableIterator<ListedTask>;
  /** What has become of a task: at once when it has ended, else after `timeoutSeconds`, 0 to 60 (25). */
  poll(id: string, options?: Abortable & { timeoutSeconds?: number }): Promise<TaskOutcome>;
  /**
   * Answers in a person's place, with an object, or the value that was asked for. It is not tried again on its own: whether the first one counted cannot be known.
   */
  complete(
    id: string,
    answer: object | string | number | boolean | null,
    options?: Abortable & { email?: string; channel?: string },
  ): Promise<TaskRecord>;
  /** Withdraws a task. */
  cancel(id: string, options?: Abortable & { reason?: string | undefined }): Promise<TaskRecord>;
  /** Deletes a task and all that belongs to it; of the audit trail, that it was there stays. */
  delete(id: string, options?: Abortable): Promise<void>;
  /** Oldest first. */
  audit(id: string, options?: Abortable): Promise<AuditEntry[]>;
  /** For the form in a page of your own. Takes the service key. (spec: Embed tokens) */
  embedToken(
    options: Abortable & { taskId: string; parentOrigin: string; sub: string; ttlSeconds?: number },
  ): Promise<EmbedToken>;
}

export interface ClientOptions {
  /** Where the service is. Left out: SERVICE_URL, or the service that runs on this machine. */
  baseUrl?: string | undefined;
  /** The admin token. Left out: SERVICE_ADMIN_API_TOKEN, or that of the service on this machine. */
  token?: string | undefined;
  /** For `embedToken`. Left out: SERVICE_KEY. */
  serviceKey?: string | undefined;
  /** Sent with each request, for a gateway before the service. */
  headers?: Readonly<Record<string, string>> | undefined;
  fetch?: typeof fetch | undefined;
  clock?: Clock | undefined;
}

/** @throws HumanTaskError NOT_CONFIGURED */
export function createClient(options: ClientOptions = {}): Client {
  const clock = options.clock ?? systemClock;
  const { baseUrl, pagesUrl, token } = findSettings(options);
  const { request } = connect({
    baseUrl,
    clock,
    // The platform's is looked up by each call: tests and tracers replace it.
    fetch: options.fetch ?? ((...args) => fetch(...args)),
    headers: options.headers ?? {},
  });
  const send: Send = async (wanted) => request({ token, ...wanted });

  // These call each other through the object, where the testing entry replaces some of them.
  const client: Client = {
    ...callsOf(send, options.serviceKey),
    awaitHuman: async (question) => {
      const { signal, onCreated, cancelOnAbort } = question;
      const asked = await client.ask(question);
      await onCreated?.(asked);
      try {
        return await asked.answer({ signal });
      } catch (error) {
        if (cancelOnAbort === true && signal?.aborted === true) await withdraw(send, clock, asked.id);
        throw error;
      }
    },
    ask: async (question) => {
      const created = await createTask(send, pagesUrl, question);
      const { id, record } = created;
      return {
        ...created,
        answer: async ({ signal } = {}) =>
          answerOf(await untilEnded(send, clock, id, record.timeout_at, signal), question.responseSchema),
        cancel: async (reason) => client.cancel(id, { reason }),
      };
    },
    anyOf: async (questions, { signal } = {}) =>
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

/** What `wait` takes for the schema of a question that it is told nothing of. */
const ANY_OBJECT = { type: "object" };

let shared: Client | undefined;

/** As `createClient().awaitHuman`, for a program that has one service. */
export async function awaitHuman<const R extends AnySchema = YesOrNo, const P extends AnySchema = AnySchema>(
  question: Question<R, P> & Waiting,
): Promise<AnswerOf<R>> {
  shared ??= createClient();
  return shared.awaitHuman(question);
}
