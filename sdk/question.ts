import { keyOf } from "./idempotency.ts";
import type { JsonObject } from "./json.ts";
import { jsonSchemaOf, YES_OR_NO, type AnswerOf, type AnySchema, type PayloadOf, type YesOrNo } from "./schemas.ts";
import { wrapSchema } from "./single-value.ts";
import type { Comment, CreateTask, ReviseTask, TaskRecord } from "./shapes.ts";

/** A question for a person. */
export interface Question<Response extends AnySchema = AnySchema, Payload extends AnySchema = AnySchema> {
  /** The decision or work, in words for a person. */
  task: string;
  /** The data that the person needs. */
  payload?: (PayloadOf<Payload> & object) | undefined;
  /** Schema of the payload. It decides how the payload is shown. */
  payloadSchema?: Payload | undefined;
  /**
   * Schema of the answer. It defines the form and the type of the answer: an object, or a single value such as a boolean.
   * Default: yes or no, a boolean.
   */
  responseSchema?: Response | undefined;
  /** How long it can be answered, 60 to 2,592,000 seconds. Default: a day. */
  timeoutSeconds?: number | undefined;
  /**
   * The same key returns the same task, as long as the task exists. By default the key is derived from the content, so that a
   * restarted program waits for its first question and does not ask twice.
   */
  idempotencyKey?: string | undefined;
  /** Distinguishes this question from the same one asked before, such as a run id or a date. Not used with a key. */
  occasion?: string | undefined;
  /** Who should answer: `{email}`, `{user_id}`, `{emails}`, or any of `{role, access_level, pool}`. */
  assignTo?: CreateTask["assign_to"];
  /** The person for whom the agent acts: `{name, email, id}`. It is shown as the agent's word; nobody checks it. */
  onBehalfOf?: CreateTask["on_behalf_of"] | undefined;
  /** Slug of the project. An agent's is fixed. Default: the agent's, otherwise `default`. */
  project?: string | undefined;
  /** Where to announce the task: `email:dana@example.com`, `slack:#approvals`. */
  notify?: readonly string[] | null | undefined;
  /**
   * What happens while no one answers: up to ten steps, `{after, do, to?}`, or the name of a template. `[]`: nothing, not even
   * the reminder by email.
   */
  escalation?: CreateTask["escalation"];
  /** The answer that counts if no one gives one in time: `{response}`, as it is stored. Default: none does. */
  onTimeout?: CreateTask["on_timeout"];
  /** Hints for the form. */
  formDefinition?: JsonObject | null | undefined;
  /** Lets a model check the answer: `{provider, instructions, model?, max_attempts?, api_key_env?, metadata?}`. */
  verifierConfig?: JsonObject | null | undefined;
  /** Keeps values out of the audit trail and messages. */
  redactPayload?: boolean | undefined;
  /** Receives a signed POST when the task is closed. */
  callbackUrl?: string | null | undefined;
  /** What else it receives: `task.question`, which `onQuestion` of the handlers gets. */
  callbackEvents?: CreateTask["callback_events"] | undefined;
  /**
   * What the service resumes when the task is closed, in place of a callback: up to 3 entries, `{connection, ...address, select?}` or
   * `{url}`. A connection is one that an operator made; its kind says what the address has.
   */
  resume?: CreateTask["resume"] | undefined;
  /** The actions that it asks about, in place of payload, schemas and form. `approval()` sets it. */
  about?: About | undefined;
}

/** Actions, with the names of the wire. */
export type About = ({ action: WireAction } | { actions: WireAction[] }) & { approvals?: CreateTask["approvals"] };
export type WireAction = NonNullable<CreateTask["action"]>;

/** The type of the answer to a question. */
export type AnswerTo<Q> = Q extends { readonly responseSchema: infer R extends AnySchema }
  ? AnswerOf<R>
  : AnswerOf<YesOrNo>;

export interface Abortable {
  /** Ends the wait; the task stays open. The call rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

export interface Listening {
  /**
   * Called when a person asks something before they decide. A text that it returns is sent as the reply, and a revision changes what
   * the task asks; nothing is sent for null or undefined. After a restart it is called again for questions that have no reply.
   */
  onQuestion?: ((question: Comment, task: Created) => Reply | Promise<Reply>) | undefined;
}

/** A reply to a question. */
export type Reply = string | Revision | null | void;

/** What a task asks now, with the names of the wire: its payload, or its actions as at its creation. */
export type Revision = Pick<ReviseTask, "payload" | "action" | "actions"> & {
  /** What was changed and why. People read it with the new version. */
  note?: string | undefined;
  /** Moves the deadline: so much later than it is now. */
  extendSeconds?: number | undefined;
};

export interface Waiting extends Abortable, Listening {
  /** Called and awaited when the task exists, for example to tell a person where to answer. */
  onCreated?: ((task: Created) => unknown) | undefined;
  /** true: an abort after `onCreated` cancels the task. Otherwise it stays open, and the same question finds it again. */
  cancelOnAbort?: boolean | undefined;
}

/** A task that was created or found. */
export interface Created {
  id: string;
  /** URL of the task for people who sign in. */
  url: string;
  /** The task already existed. No one was notified again. */
  isReplay: boolean;
  record: TaskRecord;
}

/** An asked question. */
export interface Asked<Answer> extends Created {
  /** Waits for the answer. @throws NoAnswerError, AnswerRefusedError, ApiError, UnreachableError */
  answer(options?: Abortable & Listening): Promise<Answer>;
  /** Cancels it. @throws ApiError TASK_ALREADY_TERMINAL */
  cancel(reason?: string): Promise<TaskRecord>;
}

const DAY_SECONDS = 86_400;

/** Returns the request body that creates the task, with its key. @throws HumanTaskError NO_JSON_SCHEMA */
export async function bodyOf(question: Question): Promise<CreateTask & { idempotency_key: string }> {
  const { responseSchema = YES_OR_NO, payloadSchema, occasion, notify } = question;
  const asked = {
    task: question.task,
    ...(question.about ?? {
      payload: (question.payload ?? {}) as JsonObject,
      payload_schema: payloadSchema === undefined ? { type: "object" } : jsonSchemaOf(payloadSchema, "payloadSchema"),
      response_schema: wrapSchema(jsonSchemaOf(responseSchema, "responseSchema")),
      form_definition: question.formDefinition,
    }),
    timeout_seconds: question.timeoutSeconds ?? DAY_SECONDS,
    assign_to: question.assignTo,
    notify,
    escalation: question.escalation,
    on_timeout: question.onTimeout,
    on_behalf_of: question.onBehalfOf,
    project: question.project,
    verifier_config: question.verifierConfig,
    redact_payload: question.redactPayload,
    callback_url: question.callbackUrl,
    callback_events: question.callbackEvents,
    resume: question.resume,
  } as CreateTask;
  return { ...asked, idempotency_key: question.idempotencyKey ?? (await keyOf(asked, occasion)) };
}
