import { systemClock, type Clock } from "./clock.ts";
import { connect, PATIENCE_MS, type Connection, type Request } from "./connection.ts";
import { AnswerRefusedError, ApiError, HumanTaskError, NoAnswerError } from "./errors.ts";
import { keyOf } from "./idempotency.ts";
import { canonicalJson, type JsonObject } from "./json.ts";
import {
  answerIn,
  isStandard,
  jsonSchemaOf,
  YES_OR_NO,
  type AnswerOf,
  type AnySchema,
  type PayloadOf,
  type YesOrNo,
} from "./schemas.ts";
import { findServiceKey, findSettings } from "./settings.ts";
import { toResponse, wrapSchema } from "./single-value.ts";
import type { AuditEntry, CreateTask, EmbedToken, ListedTask, ListQuery, TaskOutcome, TaskRecord } from "./shapes.ts";

/** What a person is asked, and how. */
export interface Question<Response extends AnySchema = AnySchema, Payload extends AnySchema = AnySchema> {
  /** What is to be decided or done, for a person to read. */
  task: string;
  /** What the person needs to see for it. */
  payload?: (PayloadOf<Payload> & object) | undefined;
  /** Of the payload; the person sees it as it says. */
  payloadSchema?: Payload | undefined;
  /**
   * Of the answer: the form is made of it, and the answer has its type. An object, or a single value such as a boolean. Left
   * out: yes or no, a boolean.
   */
  responseSchema?: Response | undefined;
  /** How long it stays open, 60 to 2,592,000; a day when it is left out. */
  timeoutSeconds?: number | undefined;
  /**
   * The same key is the same task, for as long as it is stored. Left out, it is made of the question's content, so that a
   * program that starts anew waits for the answer that it had asked for, and does not ask twice.
   */
  idempotencyKey?: string | undefined;
  /** Tells this question from the same one asked before, where it has no key of its own: a run's id, a date. */
  occasion?: string | undefined;
  /** Who should answer: `{email}`, `{user_id}`, `{emails}`, or any of `{role, access_level, pool}`. */
  assignTo?: CreateTask["assign_to"];
  /** Who is told, and where: `email:dana@example.com`, `slack:#approvals`. */
  notify?: readonly string[] | null | undefined;
  /** Hints for the form. */
  formDefinition?: JsonObject | null | undefined;
  /** Has the answer checked by a model: `{provider, instructions, model?, max_attempts?, api_key_env?, metadata?}`. */
  verifierConfig?: JsonObject | null | undefined;
  /** Keeps values out of the audit trail and of messages. */
  redactPayload?: boolean | undefined;
  /** Receives a signed POST when the task has ended. */
  callbackUrl?: string | null | undefined;
}

export interface Abortable {
  /** Ends the waiting; the task stays open. What is awaited rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

export interface Waiting extends Abortable {
  /** Called once the task is there, and awaited: a place to tell somebody where to answer. */
  onCreated?: ((task: Created) => unknown) | undefined;
  /** true: an abort withdraws the task, once `onCreated` was called. Otherwise it stays open, and the same question finds it again. */
  cancelOnAbort?: boolean | undefined;
}

/** A task as it was when it was created, or found. */
export interface Created {
  id: string;
  /** Where a person who signs in answers it. */
  url: string;
  /** It was there before, by its key; nobody was notified again. */
  isReplay: boolean;
  record: TaskRecord;
}

/** A question that was asked. */
export interface Asked<Answer> extends Created {
  /** Waits for the answer. @throws NoAnswerError, AnswerRefusedError, ApiError, UnreachableError */
  answer(options?: Abortable): Promise<Answer>;
  /** Withdraws it. @throws ApiError TASK_ALREADY_TERMINAL */
  cancel(reason?: string): Promise<TaskRecord>;
}

/** The first answer to one of several questions. */
export interface FirstAnswer<Answer> {
  answer: Answer;
  /** Which question it is the answer to. */
  index: number;
  id: string;
  /** Questions that could not be withdrawn, by the id of their task, because the service was away. */
  leftOpen: readonly string[];
}

export interface ListFilter extends Omit<ListQuery, "status" | "cursor" | "offset"> {
  status?: TaskRecord["status"] | readonly TaskRecord["status"][];
}

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
  cancel(id: string, options?: Abortable & { reason?: string }): Promise<TaskRecord>;
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

const DAY_SECONDS = 86_400;
const POLL_SECONDS = 25;
/** Polls that end at once, as those of a service that is stopping do, follow each other no faster. */
const POLL_PAUSE_MS = 500;
/** Withdrawing the losers does not hold the answer up for longer. */
const WITHDRAW_MS = 10_000;

/** @throws HumanTaskError NOT_CONFIGURED */
export function createClient(options: ClientOptions = {}): Client {
  const clock = options.clock ?? systemClock;
  const { baseUrl, pagesUrl, token } = findSettings(options);
  const connection: Connection = connect({
    baseUrl,
    clock,
    // The platform's is looked up by each call: tests and tracers replace it.
    fetch: options.fetch ?? ((...args) => fetch(...args)),
    headers: options.headers ?? {},
  });

  const send = async <T>(request: Omit<Request, "token">) => connection.request<T>({ ...request, token });
  const pathOf = (id: string) => `/api/tasks/${encodeURIComponent(id)}`;

  const client: Client = {
    awaitHuman: async (question) => {
      const { signal, onCreated, cancelOnAbort } = question;
      const asked = await client.ask(question);
      await onCreated?.(asked);
      try {
        return await asked.answer({ signal });
      } catch (error) {
        if (cancelOnAbort === true && signal?.aborted === true) await withdraw(asked.id);
        throw error;
      }
    },

    ask: async (question) => {
      const created = await create(question);
      const { id, record } = created;
      const until = Date.parse(record.timeout_at) + PATIENCE_MS;
      return {
        ...created,
        answer: async ({ signal } = {}) => answerOf(await ended(id, until, signal), question.responseSchema),
        cancel: async (reason) => client.cancel(id, reason === undefined ? {} : { reason }),
      };
    },

    anyOf: async (questions, { signal } = {}) => {
      const keys = await Promise.all(questions.map(async (question) => (await bodyOf(question)).idempotency_key));
      if (new Set(keys).size < keys.length)
        throw new HumanTaskError(
          "SAME_QUESTION",
          "Two questions are the same one: tell them apart by idempotencyKey or occasion.",
        );
      const asking = await Promise.allSettled(questions.map(async (question) => client.ask({ ...question, signal })));
      const asked = asking.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
      const failed = asking.find((one) => one.status === "rejected");
      if (failed !== undefined) {
        // After an abort, or with the service away, all of it is asked again; what was there before is not ours to withdraw.
        const fresh = failed.reason instanceof ApiError ? asked.filter(({ isReplay }) => !isReplay) : [];
        await Promise.all(fresh.map(async ({ id }) => withdraw(id)));
        throw failed.reason;
      }
      const losers = new AbortController();
      const waiting = signal === undefined ? losers.signal : AbortSignal.any([signal, losers.signal]);
      try {
        const first = await Promise.any(
          asked.map(async ({ id, answer }, index) => ({ index, id, answer: await answer({ signal: waiting }) })),
        );
        losers.abort();
        const others = asked.filter(({ id }) => id !== first.id);
        const isGone = await Promise.all(others.map(async ({ id }) => withdraw(id)));
        return { ...first, leftOpen: others.filter((_, i) => !isGone[i]).map(({ id }) => id) };
      } catch (error) {
        signal?.throwIfAborted();
        throw error;
      }
    },

    wait: async <R extends AnySchema>(
      id: string,
      { signal, responseSchema }: Abortable & { responseSchema?: R } = {},
    ) => {
      const { timeout_at } = await client.get(id, { signal });
      const outcome = await ended(id, Date.parse(timeout_at) + PATIENCE_MS, signal);
      return answerOf(outcome, responseSchema ?? (ANY_OBJECT as AnySchema as R));
    },

    get: async (id, { signal } = {}) => get(id, undefined, signal),

    list: async function* (filter = {}, { signal } = {}) {
      const { status = [], ...rest } = filter;
      const query = new URLSearchParams();
      for (const one of [status].flat()) query.append("status", one);
      for (const [name, value] of Object.entries(rest)) if (value !== undefined) query.set(name, String(value));
      for (let more = true; more;) {
        const { data, headers } = await send<ListedTask[]>({ method: "GET", path: `/api/tasks?${query}`, signal });
        yield* data;
        const cursor = /[?&]cursor=([^&>]*)[^>]*>; rel="next"/.exec(headers.get("link") ?? "")?.[1];
        more = cursor !== undefined;
        if (cursor !== undefined) query.set("cursor", decodeURIComponent(cursor));
      }
    },

    poll: async (id, { signal, timeoutSeconds = POLL_SECONDS } = {}) => poll(id, timeoutSeconds, undefined, signal),

    complete: async (id, answer, { signal, email, channel } = {}) => {
      const body = { response: toResponse(answer), completed_by_email: email, completed_via_channel: channel };
      const request = { method: "POST", path: `${pathOf(id)}/complete`, body, signal, taskId: id } as const;
      // A verifier may take its time.
      return (await send<TaskRecord>({ ...request, until: null, holdMs: 30_000 })).data;
    },

    cancel: async (id, { signal, reason } = {}) => cancel(id, reason, undefined, signal),

    delete: async (id, { signal } = {}) => {
      try {
        await send({ method: "DELETE", path: pathOf(id), signal, taskId: id });
      } catch (error) {
        // The answer to one that counted may have been lost.
        if (!isGone(error) || error.tries === 1) throw error;
      }
    },

    audit: async (id, { signal } = {}) =>
      (await send<AuditEntry[]>({ method: "GET", path: `${pathOf(id)}/audit`, signal, taskId: id })).data,

    embedToken: async ({ signal, taskId, parentOrigin, sub, ttlSeconds }) => {
      const body = { task_id: taskId, parent_origin: parentOrigin, sub, ttl_seconds: ttlSeconds };
      const serviceKey = findServiceKey(options.serviceKey);
      const path = "/api/embed/tokens";
      return (await connection.request<EmbedToken>({ method: "POST", path, body, signal, taskId, token: serviceKey }))
        .data;
    },
  };

  async function get(id: string, until: number | undefined, signal: AbortSignal | undefined): Promise<TaskRecord> {
    const request = { method: "GET", path: pathOf(id), signal, taskId: id } as const;
    return (await send<TaskRecord>({ ...request, ...(until !== undefined && { until }) })).data;
  }

  async function bodyOf(question: Question) {
    const { responseSchema = YES_OR_NO, payloadSchema, occasion, notify } = question;
    const asked = {
      task: question.task,
      payload: (question.payload ?? {}) as JsonObject,
      payload_schema: payloadSchema === undefined ? { type: "object" } : jsonSchemaOf(payloadSchema, "payloadSchema"),
      response_schema: wrapSchema(jsonSchemaOf(responseSchema, "responseSchema")),
      form_definition: question.formDefinition ?? null,
      timeout_seconds: question.timeoutSeconds ?? DAY_SECONDS,
      assign_to: question.assignTo ?? null,
      notify: notify ? [...notify] : null,
      verifier_config: question.verifierConfig ?? null,
      redact_payload: question.redactPayload ?? false,
      callback_url: question.callbackUrl ?? null,
    };
    return { ...asked, idempotency_key: question.idempotencyKey ?? (await keyOf(asked, occasion)) };
  }

  async function create(question: Question & Abortable): Promise<Created> {
    const body = await bodyOf(question);
    const path = "/api/tasks";
    const { data, headers } = await send<TaskRecord>({ method: "POST", path, body, signal: question.signal });
    const { id, status } = data;
    const isReplay = headers.get("idempotent-replayed") === "true";
    // An answer to another question is none to this one, whatever its key.
    const isOther = (["task", "payload", "response_schema"] as const).some(
      (name) => canonicalJson(data[name]) !== canonicalJson(body[name]),
    );
    if (isReplay && isOther)
      throw new HumanTaskError(
        "OTHER_QUESTION",
        `The key "${body.idempotency_key}" is that of ${id} (${status}), which asks something else.`,
        { taskId: id },
      );
    return { id, url: `${pagesUrl}/tasks/${id}`, isReplay, record: data };
  }

  async function poll(
    id: string,
    seconds: number,
    until: number | undefined,
    signal: AbortSignal | undefined,
  ): Promise<TaskOutcome> {
    const path = `${pathOf(id)}/poll?timeout=${seconds}`;
    const request = { method: "GET", path, signal, holdMs: seconds * 1000, taskId: id } as const;
    return (await send<TaskOutcome>({ ...request, ...(until !== undefined && { until }) })).data;
  }

  /** Polls until the task has ended. @param until - when it must have, in epoch milliseconds */
  async function ended(id: string, until: number, signal: AbortSignal | undefined): Promise<TaskOutcome> {
    for (;;) {
      const asked = clock.now();
      const outcome = await poll(id, POLL_SECONDS, Math.max(until, asked + PATIENCE_MS), signal);
      // Whatever stands before the service may have said something else.
      if (ENDS.has(outcome.status) && outcome.task_id === id) return outcome;
      if (clock.now() - asked < POLL_PAUSE_MS) await clock.sleep(POLL_PAUSE_MS * (1 + Math.random()), signal);
    }
  }

  async function cancel(
    id: string,
    reason: string | undefined,
    until: number | undefined,
    signal?: AbortSignal,
  ): Promise<TaskRecord> {
    const body = reason === undefined ? {} : { reason };
    const request = { method: "POST", path: `${pathOf(id)}/cancel`, body, signal, taskId: id } as const;
    try {
      return (await send<TaskRecord>({ ...request, ...(until !== undefined && { until }) })).data;
    } catch (error) {
      // The answer to one that counted may have been lost, and this is what the next one is told.
      const record = isEnded(error) ? await get(id, until, signal) : null;
      if (record?.status === "cancelled") return record;
      throw error;
    }
  }

  /** true: the task has ended, or is gone. */
  async function withdraw(id: string): Promise<boolean> {
    try {
      await cancel(id, "No longer needed.", clock.now() + WITHDRAW_MS);
      return true;
    } catch (error) {
      return isEnded(error) || isGone(error);
    }
  }

  return client;
}

/** The statuses that a task ends with. What has another one can still be answered. */
export const ENDS: ReadonlySet<string> = new Set(["completed", "timed_out", "cancelled", "verification_exhausted"]);

function isGone(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === "TASK_NOT_FOUND";
}

function isEnded(error: unknown): boolean {
  return error instanceof ApiError && error.code === "TASK_ALREADY_TERMINAL";
}

/** What `wait` takes for the schema of a question that it is told nothing of. */
const ANY_OBJECT = { type: "object" };

/**
 * The answer of a task that has ended, checked once more by the schema of its question.
 * @param given - as the question had it
 * @throws NoAnswerError, AnswerRefusedError
 */
export async function answerOf<S extends AnySchema>(outcome: TaskOutcome, given: S | undefined): Promise<AnswerOf<S>> {
  const { task_id, status, response } = outcome;
  if (status !== "completed") throw new NoAnswerError(outcome);
  const schema: AnySchema = given ?? YES_OR_NO;
  const answer = answerIn(response!, schema);
  if (!isStandard(schema)) return answer as AnswerOf<S>;
  const checked = await schema["~standard"].validate(answer);
  if (checked.issues !== undefined) throw new AnswerRefusedError(task_id, answer, checked.issues);
  return checked.value as AnswerOf<S>;
}

let shared: Client | undefined;

/** As `createClient().awaitHuman`, for a program that has one service. */
export async function awaitHuman<const R extends AnySchema = YesOrNo, const P extends AnySchema = AnySchema>(
  question: Question<R, P> & Waiting,
): Promise<AnswerOf<R>> {
  shared ??= createClient();
  return shared.awaitHuman(question);
}
