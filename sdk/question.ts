import { keyOf } from "./idempotency.ts";
import type { JsonObject } from "./json.ts";
import { jsonSchemaOf, YES_OR_NO, type AnySchema, type PayloadOf } from "./schemas.ts";
import { wrapSchema } from "./single-value.ts";
import type { CreateTask, TaskRecord } from "./shapes.ts";

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
   * restarted program waits for the answer to its first question, and does not ask twice.
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

const DAY_SECONDS = 86_400;

/** The body that creates the task of a question, with the key that it has or is given. @throws HumanTaskError NO_JSON_SCHEMA */
export async function bodyOf(question: Question) {
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
