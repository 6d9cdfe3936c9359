import { Type, type Static, type TSchema } from "typebox";
import type { ErrorCode } from "../errors.ts";
import { Nullable, Text, Time } from "../http/schema.ts";
import type { JsonObject } from "../lib/json.ts";
import { answerAccountRecord } from "../people/account-schema.ts";
import { TASK_STATUSES, TERMINAL_STATUSES } from "./lifecycle.ts";
import type { NotifiableChannel } from "./notify.ts";

const Json = (description: string) =>
  Type.Unsafe<JsonObject>({ type: "object", additionalProperties: true, description });
const Status = Type.Unsafe<(typeof TASK_STATUSES)[number]>({
  type: "string",
  enum: [...TASK_STATUSES],
  description: "Where the task is in its life.",
});

/** What `POST /api/tasks` takes. (spec: Create a task) */
export const CreateTaskBody = Type.Object(
  {
    task: Text({ minLength: 1, maxLength: 10_000, description: "What is to be decided or done, for a human to read." }),
    payload: Json("Data the human reviews."),
    payload_schema: Json("JSON Schema (draft-07 or 2020-12) of `payload`."),
    response_schema: Json("JSON Schema of the response, which is an object; drives the form."),
    form_definition: Type.Optional(Nullable(Json("Hints for the form; without them it is drawn from the schema."))),
    timeout_seconds: Type.Integer({ minimum: 60, maximum: 2_592_000, description: "How long the task stays open." }),
    idempotency_key: Text({
      minLength: 1,
      maxLength: 255,
      description: "Chosen by the client; bound to this task for as long as it is stored.",
    }),
    assign_to: Type.Optional(
      Nullable(Json("Routing request: `{email}`, `{user_id}`, `{emails}`, or any of `{role, access_level, pool}`.")),
    ),
    notify: Type.Optional(
      Nullable(Type.Array(Type.String(), { description: "Destinations, each `<channel>:<destination>`." })),
    ),
    verifier_config: Type.Optional(
      Nullable(
        Json("Server-side verification: `{provider, instructions, model?, max_attempts?, api_key_env?, metadata?}`."),
      ),
    ),
    redact_payload: Type.Optional(
      Nullable(
        Type.Boolean({ description: "Keeps values out of the audit trail and of messages, and skips the verifier." }),
      ),
    ),
    callback_url: Type.Optional(
      Nullable(Text({ maxLength: 2048, description: "Receives a signed POST when the task has ended." })),
    ),
  },
  {
    $id: "CreateTask",
    additionalProperties: true,
    examples: [
      {
        task: "Refund 42.50 EUR to Mia?",
        payload: { customer: "Mia", amount: 42.5 },
        payload_schema: { type: "object", properties: { customer: { type: "string" }, amount: { type: "number" } } },
        response_schema: { type: "object", properties: { approved: { type: "boolean" } }, required: ["approved"] },
        timeout_seconds: 3600,
        idempotency_key: "refund-48219",
      },
    ],
  },
);
export type CreateTaskBody = Static<typeof CreateTaskBody>;

/** `CreateTaskBody` as the description of the API shows it: with an entry of `notify` for each channel that there is. */
export function describeCreateTaskBody(channels: readonly NotifiableChannel[]): TSchema {
  const { notify } = CreateTaskBody.properties;
  const examples = [channels.map(({ example }) => example)];
  return { ...CreateTaskBody, properties: { ...CreateTaskBody.properties, notify: { ...notify, examples } } };
}

/** What `POST /api/tasks/{id}/complete` takes. (spec: Complete a task) */
export const CompleteTaskBody = Type.Object(
  {
    response: Json("The answer; it must fit the task's `response_schema`."),
    completed_by_email: Type.Optional(
      Nullable(
        Text({
          minLength: 1,
          maxLength: 254,
          description: "Whom the answer is from; counts for the admin token only.",
        }),
      ),
    ),
    completed_via_channel: Type.Optional(
      Nullable(
        Text({
          minLength: 1,
          maxLength: 100,
          description: "Where the answer was given; counts for the admin token only.",
        }),
      ),
    ),
  },
  { $id: "CompleteTask", additionalProperties: true },
);
export type CompleteTaskBody = Static<typeof CompleteTaskBody>;

export const CancelTaskBody = Type.Object(
  {
    reason: Type.Optional(
      Nullable(
        Text({ maxLength: 2000, description: "Why; the record, the poll, the callback and the audit trail show it." }),
      ),
    ),
  },
  { $id: "CancelTask", additionalProperties: true },
);
export type CancelTaskBody = Static<typeof CancelTaskBody>;

export const ClaimTaskBody = Type.Object(
  {
    force: Type.Optional(
      Nullable(Type.Boolean({ description: "Takes the task over from whoever claimed it; for operators." })),
    ),
  },
  { $id: "ClaimTask", additionalProperties: true },
);
export type ClaimTaskBody = Static<typeof ClaimTaskBody>;

export const AssignTaskBody = Type.Object(
  {
    user_id: Type.Optional(Nullable(Text({ maxLength: 100, description: "An active user; null: nobody." }))),
    email: Type.Optional(
      Nullable(Text({ maxLength: 254, description: "An address, which need not be a user's yet; null: nobody." })),
    ),
  },
  { $id: "AssignTask", additionalProperties: true },
);
export type AssignTaskBody = Static<typeof AssignTaskBody>;

const VerifierResult = Type.Unsafe<{ passed: boolean; reason: string | null; attempt: number } | null>({
  type: ["object", "null"],
  description: "The latest verdict; null until there is one.",
  properties: {
    passed: { type: "boolean" },
    reason: { type: ["string", "null"], description: "Why the verifier decided so." },
    attempt: { type: "integer", description: "Rejections up to this verdict, itself included." },
  },
  required: ["passed", "reason", "attempt"],
});

const NullableTime = (description: string) => Nullable(Time(description));
const NullableText = (description: string) => Nullable(Type.String({ description }));

const cancelFields = {
  cancelled_at: NullableTime("When the task was cancelled."),
  cancelled_by: NullableText("The address of the operator who cancelled; null when the admin token did."),
  cancel_reason: NullableText("Why the task was cancelled, as the caller said."),
};

const recordFields = {
  id: Type.String({ examples: ["tsk_01kajv3mzt8w5rq0e4v9c2n7xb"] }),
  idempotency_key: Type.String(),
  status: Status,
  task: Type.String({ description: "What is to be decided or done." }),
  payload: Json("Data the human reviews."),
  assign_to: Nullable(Json("Routing request as supplied.")),
  assigned_to_email: NullableText("Who it was routed to."),
  assigned_to_user_id: NullableText("The directory user it was routed to."),
  claimed_by_email: NullableText("Who is working on it. A claim keeps others from starting, not from answering."),
  claim_expires_at: NullableTime("When the claim ends unless it is renewed."),
  response: Nullable(Json("The accepted answer; null until the task is completed.")),
  verifier_result: VerifierResult,
  verification_attempt: Type.Integer({ description: "Rejections by the verifier so far." }),
  timeout_seconds: Type.Integer(),
  timeout_at: Time("When the task times out."),
  redact_payload: Type.Boolean(),
  created_at: Time("UTC, with milliseconds."),
  updated_at: Time("The last transition."),
  completed_at: NullableTime("When the answer was accepted."),
  timed_out_at: NullableTime("When the task timed out."),
  completed_by_email: NullableText("Who answered."),
  completed_by_user_id: NullableText("The directory user who answered."),
  ...answerAccountRecord,
  completed_via_channel: NullableText("Where the answer was given, for example `dashboard`."),
  ...cancelFields,
};

const schemaFields = {
  payload_schema: Json("JSON Schema of `payload`."),
  response_schema: Json("JSON Schema of the response."),
  form_definition: Nullable(Json("Hints for the form.")),
};

/** Shown to operators and the admin token only. */
const routingFields = {
  notify: Type.Optional(Nullable(Type.Array(Type.String()))),
  callback_url: Type.Optional(NullableText("Where the outcome is posted.")),
  is_verified: Type.Boolean({ description: "A verifier checks answers before they count, which takes a moment." }),
  verifier_config: Type.Optional(Nullable(Json("How answers are verified."))),
};

/** A task as creation, completion and single reads return it. (spec: Task record) */
export const TaskRecord = Type.Object({ ...recordFields, ...schemaFields, ...routingFields }, { $id: "Task" });
export type TaskRecord = Static<typeof TaskRecord>;

/** A task in a list: the schemas only when asked for. */
export const ListedTask = Type.Object(
  { ...recordFields, ...Type.Partial(Type.Object(schemaFields)).properties, ...routingFields },
  { $id: "ListedTask" },
);
export type ListedTask = Static<typeof ListedTask>;

export const ListTasksQuery = Type.Object({
  status: Type.Optional(Type.Array(Status, { maxItems: 6, description: "Repeatable: any of these." })),
  assigned_to: Type.Optional(Text({ minLength: 1, maxLength: 254, description: "E-mail address or user id." })),
  unassigned: Type.Optional(
    Type.Boolean({ description: "true: only tasks that nobody is assigned to; false: only the others." }),
  ),
  terminal: Type.Optional(Type.Boolean({ description: "true: only tasks that have ended; false: only open ones." })),
  q: Type.Optional(
    Text({ maxLength: 200, description: "Text that occurs in `task`; A to Z stand for a to z as well." }),
  ),
  key_prefix: Type.Optional(
    Text({ minLength: 1, maxLength: 200, description: "What `idempotency_key` begins with, as it is written." }),
  ),
  sort: Type.Optional(
    Type.Unsafe<"created" | "deadline">({
      type: "string",
      enum: ["created", "deadline"],
      description: "`created`: newest first (default). `deadline`: soonest first.",
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 200,
      description: "Rows in one page, at most (default 50). A page of very large documents holds fewer.",
    }),
  ),
  cursor: Type.Optional(Text({ maxLength: 500, description: "From the `Link` header of the page before." })),
  offset: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 1_000_000, description: "Rows to pass over; a cursor is faster." }),
  ),
  include: Type.Optional(
    Type.Unsafe<"schemas">({
      type: "string",
      enum: ["schemas"],
      description: "`schemas` adds the schemas and the form definition to each row.",
    }),
  ),
});
export type ListTasksQuery = Static<typeof ListTasksQuery>;

export const TaskCounts = Type.Object(
  {
    open: Type.Integer({ description: "Tasks that wait for an answer." }),
    mine: Type.Integer({ description: "Open tasks assigned to the caller." }),
    unclaimed: Type.Integer({ description: "Open tasks that nobody is assigned to." }),
    due_within_hour: Type.Integer({ description: "Open tasks with less than an hour left." }),
    closed_today: Type.Integer({ description: "Tasks that ended since midnight UTC." }),
  },
  { $id: "TaskCounts" },
);
export type TaskCounts = Static<typeof TaskCounts>;

export const PollQuery = Type.Object({
  timeout: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 60, default: 25, description: "Seconds to wait for the end of the task." }),
  ),
});

export const PollResult = Type.Object(
  {
    task_id: Type.String(),
    idempotency_key: Type.String(),
    status: Status,
    response: recordFields.response,
    completed_at: recordFields.completed_at,
    timed_out_at: recordFields.timed_out_at,
    completed_by_email: recordFields.completed_by_email,
    completed_via_channel: recordFields.completed_via_channel,
    ...cancelFields,
    verification_attempt: recordFields.verification_attempt,
    verifier_result: VerifierResult,
  },
  { $id: "PollResult" },
);
export type PollResult = Static<typeof PollResult>;

export const AuditEntryRecord = Type.Object(
  {
    id: Type.String(),
    task_id: Type.String(),
    action: Type.String({ examples: ["created", "completed"] }),
    from_status: Nullable(Type.String()),
    to_status: Nullable(Type.String()),
    actor_type: Type.Unsafe<"system" | "human" | "agent">({ type: "string", enum: ["system", "human", "agent"] }),
    actor_email: Nullable(Type.String()),
    channel: Nullable(Type.String()),
    verifier_reason: Nullable(Type.String()),
    embed_sub: NullableText("The embedding product's own id of the person; not verified."),
    extra: Nullable(Json("More about this entry, for example the keys of a response; never its values.")),
    created_at: Time("When it happened."),
  },
  { $id: "AuditEntry" },
);
export type AuditEntryRecord = Static<typeof AuditEntryRecord>;

export const StatsQuery = Type.Object({
  window_days: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 365, default: 30, description: "Days to look back, today included." }),
  ),
});

const terminalCounts = Object.fromEntries(TERMINAL_STATUSES.map((status) => [status, Type.Integer()])) as Record<
  (typeof TERMINAL_STATUSES)[number],
  ReturnType<typeof Type.Integer>
>;
const NullableNumber = (description: string) => Nullable(Type.Number({ description }));

export const Stats = Type.Object(
  {
    window_days: Type.Integer(),
    generated_at: Time("When these numbers were taken."),
    totals: Type.Object(
      { created: Type.Integer(), rejected: Type.Integer(), ...terminalCounts },
      {
        description:
          "Open tasks by status as of now, and tasks that ended in the window by how. More than 5000 open tasks are counted every ten seconds at most.",
      },
    ),
    completion_rate: NullableNumber(
      "Completed tasks as a part of those that ended in the window, 0 to 1; null when none ended.",
    ),
    avg_completion_seconds: NullableNumber("From creation to the accepted answer."),
    median_completion_seconds: NullableNumber(
      "Half of the answers came faster. Within 1 % where there are more than 1000 answers, else exact.",
    ),
    p90_completion_seconds: NullableNumber("Nine of ten answers came faster. As exact as the median."),
    by_day: Type.Array(
      Type.Object({ date: Type.String({ examples: ["2026-01-31"] }), created: Type.Integer(), ...terminalCounts }),
      { description: "One entry for each day of the window (UTC), oldest first." },
    ),
    by_channel: Type.Array(Type.Object({ channel: Nullable(Type.String()), completed: Type.Integer() }), {
      description: "Completed tasks of the window by where they were answered, most first.",
    }),
  },
  { $id: "Stats" },
);
export type Stats = Static<typeof Stats>;

/** Errors of a route that takes an answer, besides those of its credentials and of any body. */
export const ANSWER_ERRORS = [
  "TASK_NOT_FOUND",
  "TASK_ALREADY_TERMINAL",
  "TASK_CHANGED",
  "VALIDATION_FAILED",
  "VERIFIER_CONFIG_INVALID",
  "VERIFIER_PROVIDER_UNKNOWN",
  "VERIFIER_API_KEY_MISSING",
  "VERIFIER_PROVIDER_UNAVAILABLE",
  "VERIFIER_PROVIDER_ERROR",
  "COMMIT_UNKNOWN",
  "OVERLOADED",
] as const satisfies ErrorCode[];

export const TaskParams = Type.Object({ id: Type.String({ description: "Task id." }) });
