import type { Static, TSchema } from "typebox";
import type { ErrorCode } from "../errors.ts";
import { type ErrorBodySchema, Json, Nullable, ProjectFilter, Text, Time } from "../http/schema.ts";
import { Action, ACTIONS_MAX, ACTIONS_MIN, ActionRequest, ListedAction } from "../actions/schema.ts";
import { Approvals, ApprovalsRequest, ApprovalsSummary, ReadApprovals } from "../approvals/schema.ts";
import { WAITING_ON, type CommentRecord, type WaitingOn } from "../conversation/schema.ts";
import { EscalationRequest, NextStep, OnTimeoutRequest, StepRecord } from "../escalation/schema.ts";
import { Type } from "../lib/type.ts";
import { answerAccountRecord } from "../people/account-schema.ts";
import { RESUME_MAX, ResumeRecord, ResumeRequest } from "../resume/schema.ts";
import { ASKER_KINDS, type AskerKind } from "./asker.ts";
import type { DecidedBy } from "./decided-by.ts";
import { LOCALE_MAX } from "./locale.ts";
import { LABEL_LENGTH_MAX, LABELS_MAX, PRIORITIES, type Priority } from "./labels.ts";
import { DECIDER_KINDS, TASK_STATUSES, TERMINAL_STATUSES, type DeciderKind } from "./lifecycle.ts";
import type { NotifiableChannel } from "./notify.ts";
import { SEARCHED_STATES } from "./search-terms.ts";
import { TONES, type ShortDecision, type Tone } from "./short-decision.ts";

const Status = Type.Unsafe<(typeof TASK_STATUSES)[number]>({
  type: "string",
  enum: [...TASK_STATUSES],
  description: "The status of the task.",
});

/** Thirty days. */
export const TIMEOUT_SECONDS_MAX = 2_592_000;
const TimeoutSeconds = (description: string) =>
  Type.Integer({ minimum: 60, maximum: TIMEOUT_SECONDS_MAX, description });

const namedBy = (description: string) => Type.Optional(Text({ minLength: 1, maxLength: 254, description }));
const OnBehalfOf = Type.Object(
  { name: namedBy("Their name."), email: namedBy("Their email."), id: namedBy("Their id on the side of the asker.") },
  {
    additionalProperties: true,
    description: "The person that the asker acts for. The service shows it, and does not check it.",
  },
);
export type OnBehalfOf = Static<typeof OnBehalfOf>;

const has = (name: string, type: string) => ({ type: "object", properties: { [name]: { type } }, required: [name] });

/** What a `callback_url` may get besides the outcome. */
export const CALLBACK_EVENTS = ["task.question"] as const;
export type CallbackEvent = (typeof CALLBACK_EVENTS)[number];

/** What `POST /api/tasks` takes. (spec: Create a task) */
export const CreateTaskBody = Type.Object(
  {
    task: Text({ minLength: 1, maxLength: 10_000, description: "The question or the work, for a person to read." }),
    payload: Type.Optional(Json("Data for the person to review. Required without `action` and `actions`.")),
    payload_schema: Type.Optional(
      Json("JSON Schema (draft-07 or 2020-12) of `payload`. Required without `action` and `actions`."),
    ),
    response_schema: Type.Optional(
      Json(
        "JSON Schema of the response, which must be an object. The form is built from it. Required without `action` and `actions`.",
      ),
    ),
    action: Type.Optional(
      Nullable({
        ...ActionRequest,
        description:
          "Asks whether an action may run, in place of `payload`, `payload_schema`, `response_schema` and `form_definition`, which are made from it.",
      } as typeof ActionRequest),
    ),
    actions: Type.Optional(
      Nullable(
        Type.Array(ActionRequest, {
          minItems: ACTIONS_MIN,
          maxItems: ACTIONS_MAX,
          description: "Asks about several actions at once. The response is `{decisions: [...]}`, in their order.",
        }),
      ),
    ),
    approvals: Type.Optional(
      Nullable({
        ...ApprovalsRequest,
        description: "Several people must approve. Only with `action` or `actions`.",
      } as typeof ApprovalsRequest),
    ),
    escalation: Type.Optional(EscalationRequest),
    on_timeout: Type.Optional(
      Nullable({
        ...OnTimeoutRequest,
        description: "The answer that counts if no one answers in time. Without it, the task times out.",
      } as typeof OnTimeoutRequest),
    ),
    form_definition: Type.Optional(Nullable(Json("Hints for the form. Optional: the schema is enough."))),
    timeout_seconds: TimeoutSeconds("How long the task stays open."),
    idempotency_key: Text({
      minLength: 1,
      maxLength: 255,
      description: "Chosen by the client. It identifies this task as long as the task is stored.",
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
        Type.Boolean({
          description: "Keeps values out of the audit trail and out of messages, and skips the verifier.",
        }),
      ),
    ),
    callback_url: Type.Optional(
      Nullable(Text({ maxLength: 2048, description: "Receives a signed POST when the task closes." })),
    ),
    callback_events: Type.Optional(
      Nullable(
        Type.Array(Type.Unsafe<CallbackEvent>({ type: "string", enum: [...CALLBACK_EVENTS] }), {
          maxItems: CALLBACK_EVENTS.length,
          description: "What else `callback_url` receives. `task.question`: someone asked the asker something.",
        }),
      ),
    ),
    resume: Type.Optional(
      Nullable(
        Type.Array(ResumeRequest, {
          maxItems: RESUME_MAX,
          description: "What the service itself resumes when the task ends.",
        }),
      ),
    ),
    on_behalf_of: Type.Optional(Nullable(OnBehalfOf)),
    labels: Type.Optional(
      Nullable(
        Type.Array(Text({ minLength: 1, maxLength: LABEL_LENGTH_MAX, description: "A label." }), {
          maxItems: LABELS_MAX,
          description: "Words that people find the task by, each once, without commas and control characters.",
        }),
      ),
    ),
    locale: Type.Optional(
      Nullable(
        Text({
          minLength: 2,
          maxLength: LOCALE_MAX,
          description:
            "The language that the task is written in, such as `de` or `ar-EG` (BCP 47). Emails to people who have chosen no language are written in it, and its direction is that of the form.",
        }),
      ),
    ),
    priority: Type.Optional(
      Nullable(
        Type.Unsafe<Priority>({
          type: "string",
          enum: [...PRIORITIES],
          description: "How soon people should look at it (default `normal`). `urgent` also sets `urgent` of the task.",
        }),
      ),
    ),
    project: Type.Optional(
      Nullable(
        Text({
          minLength: 1,
          maxLength: 64,
          description:
            "Slug of the project. An agent has one of its own. Others create in `default` unless they name one.",
        }),
      ),
    ),
  },
  {
    $id: "CreateTask",
    additionalProperties: true,
    if: { anyOf: [has("action", "object"), has("actions", "array")] },
    else: { required: ["payload", "payload_schema", "response_schema"] },
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

/** `CreateTaskBody` for the API description, with an example of `notify` for each channel. */
export function describeCreateTaskBody(channels: readonly NotifiableChannel[]): TSchema {
  const { notify } = CreateTaskBody.properties;
  const examples = [channels.map(({ example }) => example)];
  return { ...CreateTaskBody, properties: { ...CreateTaskBody.properties, notify: { ...notify, examples } } };
}

/** Maximum number of tasks in one request. */
export const BATCH_TASKS_MAX = 100;

const batchOf = (items: TSchema) =>
  Type.Object({
    tasks: Type.Array(items, {
      minItems: 1,
      maxItems: BATCH_TASKS_MAX,
      description: `1 to ${BATCH_TASKS_MAX} tasks, each as for \`POST /api/tasks\`.`,
    }),
  });

/** What `POST /api/tasks/batch` takes. */
export const CreateTasksBody = batchOf(Type.Ref("CreateTask"));
/** The same while its tasks are not checked: each is checked by itself. */
export const UncheckedTasksBody = batchOf(Type.Unknown());

/** What became of one task of `POST /api/tasks/batch`. */
export const CreationResult = Type.Object(
  {
    status: Type.Integer({
      description:
        "201: created. 200: a task with this key exists. Otherwise the status that `POST /api/tasks` would have answered with.",
      examples: [201],
    }),
    id: Type.Optional(Type.String({ description: "The id of the task, if there is one." })),
    task: Type.Optional(
      Type.Unsafe<TaskRecord>({
        ...Type.Ref("Task"),
        description:
          "The new task, or the existing task with this key. Left out of existing tasks if they are too long together: read them by their `id`.",
      }),
    ),
    mismatch: Type.Optional(
      Type.Boolean({ description: "`true` if the existing task was created by a different request." }),
    ),
    error: Type.Optional(
      Type.Unsafe<Static<typeof ErrorBodySchema>>({
        ...Type.Ref("Error"),
        description: "Why there is no task, as `POST /api/tasks` says it.",
      }),
    ),
    retry_after: Type.Optional(Type.Integer({ description: "For 429: seconds to wait before the next attempt." })),
  },
  { $id: "CreationResult" },
);
export type CreationResult = Static<typeof CreationResult>;

/** What `POST /api/tasks/{id}/complete` takes. (spec: Complete a task) */
export const CompleteTaskBody = Type.Object(
  {
    response: Json("The answer. It must match the task's `response_schema`."),
    round: Type.Optional(
      Nullable(
        Type.Integer({
          minimum: 1,
          description:
            "Where several people approve: the round that the answer is about. If another has begun since, the answer does not count.",
        }),
      ),
    ),
    version: Type.Optional(
      Nullable(
        Type.Integer({
          minimum: 1,
          description:
            "The version of the task that the answer is about. If the asker has revised it since, the answer does not count.",
        }),
      ),
    ),
    completed_by_email: Type.Optional(
      Nullable(
        Text({
          minLength: 1,
          maxLength: 254,
          description: "The person who gave the answer. Used with the admin token only.",
        }),
      ),
    ),
    completed_via_channel: Type.Optional(
      Nullable(
        Text({
          minLength: 1,
          maxLength: 100,
          description: "The channel of the answer. Used with the admin token only.",
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
        Text({
          maxLength: 2000,
          description: "The reason. The task, the poll, the callback and the audit trail show it.",
        }),
      ),
    ),
  },
  { $id: "CancelTask", additionalProperties: true },
);
export type CancelTaskBody = Static<typeof CancelTaskBody>;

export const ExtendTaskBody = Type.Object(
  {
    timeout_seconds: TimeoutSeconds(
      "How long the task stays open, counted from its creation. The new deadline must be in the future.",
    ),
  },
  { $id: "ExtendTask", additionalProperties: true, examples: [{ timeout_seconds: 7200 }] },
);
export type ExtendTaskBody = Static<typeof ExtendTaskBody>;

/** What `POST /api/tasks/{id}/revise` takes: what the task asks now, with `payload` or with its actions, as at its creation. */
export const ReviseTaskBody = Type.Object(
  {
    payload: Type.Optional(
      Nullable(
        Json(
          "What people review now. It must match the task's `payload_schema`. For tasks that are not about actions.",
        ),
      ),
    ),
    action: Type.Optional(Nullable(Type.Unsafe<ActionRequest>(ActionRequest))),
    actions: Type.Optional(
      Nullable(
        Type.Array(ActionRequest, {
          minItems: ACTIONS_MIN,
          maxItems: ACTIONS_MAX,
          description: "For a task about several actions: all of them, in their order.",
        }),
      ),
    ),
    note: Type.Optional(
      Nullable(
        Text({ maxLength: 4000, description: "What was changed and why. People read it with the new version." }),
      ),
    ),
    extend_seconds: Type.Optional(
      Nullable(
        Type.Integer({
          minimum: 1,
          maximum: TIMEOUT_SECONDS_MAX,
          description: "Moves the deadline: so much later than it is now.",
        }),
      ),
    ),
    version: Type.Optional(
      Nullable(
        Type.Integer({
          minimum: 1,
          description: "The version that this replaces. If it is not the current one, nothing is changed.",
        }),
      ),
    ),
    idempotency_key: Type.Optional(
      Nullable(
        Text({
          minLength: 1,
          maxLength: 255,
          description: "Chosen by the client. Sent again with the same key, nothing is changed.",
        }),
      ),
    ),
  },
  {
    $id: "ReviseTask",
    additionalProperties: true,
    examples: [{ payload: { customer: "Mia", amount: 40 }, note: "Shipping is not refunded." }],
  },
);
export type ReviseTaskBody = Static<typeof ReviseTaskBody>;

export const ClaimTaskBody = Type.Object(
  {
    force: Type.Optional(
      Nullable(Type.Boolean({ description: "Takes over the claim of another person. For operators only." })),
    ),
  },
  { $id: "ClaimTask", additionalProperties: true },
);
export type ClaimTaskBody = Static<typeof ClaimTaskBody>;

export const AssignTaskBody = Type.Object(
  {
    user_id: Type.Optional(Nullable(Text({ maxLength: 100, description: "An active user, or null to unassign." }))),
    email: Type.Optional(
      Nullable(Text({ maxLength: 254, description: "An email, of a user or not, or null to unassign." })),
    ),
  },
  { $id: "AssignTask", additionalProperties: true },
);
export type AssignTaskBody = Static<typeof AssignTaskBody>;

const VerifierResult = Type.Unsafe<{ passed: boolean; reason: string | null; attempt: number } | null>({
  type: ["object", "null"],
  description: "The latest verdict, or null.",
  properties: {
    passed: { type: "boolean" },
    reason: { type: ["string", "null"], description: "The reason of the verdict." },
    attempt: { type: "integer", description: "Number of rejections, including this one." },
  },
  required: ["passed", "reason", "attempt"],
});

const NullableTime = (description: string) => Nullable(Time(description));
const NullableText = (description: string) => Nullable(Type.String({ description }));

const cancelFields = {
  cancelled_at: NullableTime("When the task was cancelled."),
  cancelled_by: NullableText("Email of the operator who cancelled, or null if the admin token was used."),
  cancel_reason: NullableText("The reason that the caller gave."),
};

const AskedBy = Type.Object(
  {
    kind: Type.Unsafe<AskerKind>({ type: "string", enum: [...ASKER_KINDS] }),
    id: NullableText("Id of the agent or the user; null for the admin token."),
    name: Type.String({ description: "The name at the creation." }),
  },
  { description: "Who created the task." },
);

const DecidedBy = Type.Unsafe<DecidedBy | null>({
  ...Type.Object({
    kind: Type.Unsafe<DeciderKind>({
      type: "string",
      enum: [...DECIDER_KINDS],
      description:
        "`person`: a person in the directory. `recipient`: a person who is known only by an email or a chat account. `embed`: a person that the embedding product vouches for. `agent`, `admin`: a token.",
    }),
    user_id: NullableText("User id of the person."),
    email: NullableText("Email of the person."),
    name: NullableText("Name of the person or of the token."),
    channel: NullableText("The channel of the answer."),
    at_host: Type.Optional(
      Type.Literal(true, {
        description:
          "The person who uses the agent decided. Its host handed in the answer, and only it vouches for them.",
      }),
    ),
    slack: Type.Optional(
      Type.Object({ team_id: Type.String(), user_id: Type.String() }, { description: "Their Slack account." }),
    ),
  }),
  type: ["object", "null"],
  description: "Who decided; null unless the task is completed.",
});

const Decision = Type.Unsafe<ShortDecision | null>({
  type: ["object", "null"],
  description:
    "What was decided, in short: the option that was chosen in the field of the decision. null: the task is not completed, its form has no such field, or it was completed by a release before this field.",
  properties: {
    label: { type: "string", description: "As it was shown to who chose it, cut after 80 characters." },
    tone: {
      type: ["string", "null"],
      enum: [...TONES, null],
      description: "Whether the form judges the option, as its colour says; null: neither.",
    },
  },
  required: ["label", "tone"],
});

const partyFields = {
  asked_by: AskedBy,
  on_behalf_of: Nullable(OnBehalfOf),
  decided_by: DecidedBy,
};

const listingRecord = {
  priority: Type.Unsafe<Priority>({ type: "string", enum: [...PRIORITIES], description: "As asked." }),
  labels: Type.Array(Type.String(), { description: "As asked." }),
  facts: NullableText(
    "The most telling values of its payload, in one line. null if there are none, or if the payload is redacted.",
  ),
};

const recordFields = {
  id: Type.String({ examples: ["tsk_01kajv3mzt8w5rq0e4v9c2n7xb"] }),
  project: Type.String({ description: "Slug of its project.", examples: ["default"] }),
  idempotency_key: Type.String(),
  status: Status,
  task: Type.String({ description: "The question or the work." }),
  payload: Json("Data for the person to review."),
  assign_to: Nullable(Json("The routing request, as sent.")),
  assigned_to_email: NullableText("Email of the assignee."),
  assigned_to_user_id: NullableText("User id of the assignee."),
  delegated_from: Nullable(
    Type.Object(
      { user_id: Type.String(), email: NullableText("Their email.") },
      {
        description:
          "The absent person that the task is for, whose delegate is the assignee. null: the task is for the assignee.",
      },
    ),
  ),
  delegated_until: NullableTime("Until when that person said they are away."),
  claimed_by_email: NullableText("Email of the person who works on it. Others can still answer."),
  claim_expires_at: NullableTime("When the claim expires, unless it is renewed."),
  response: Nullable(Json("The accepted answer, or null.")),
  verifier_result: VerifierResult,
  verification_attempt: Type.Integer({ description: "Number of rejections by the verifier." }),
  verification_attempts_left: Nullable(
    Type.Integer({ description: "How many further rejections end the task. `null` if no verifier checks answers." }),
  ),
  timeout_seconds: Type.Integer(),
  timeout_at: Time("When the task times out."),
  next_step: Nullable({
    ...NextStep,
    description: "What happens next if no one answers, or null.",
  } as typeof NextStep),
  waiting_on: Nullable(
    Type.Unsafe<WaitingOn>({
      type: "string",
      enum: [...WAITING_ON],
      description:
        "`agent`: people have asked the asker something, and no reply has come yet. null: the task is closed.",
    }),
  ),
  version: Type.Integer({ description: "Of what the task asks: 1, or more if its asker has revised it." }),
  urgent: Type.Boolean({ description: "Its priority is `urgent`, or a step of its escalation has marked it." }),
  ...listingRecord,
  redact_payload: Type.Boolean(),
  created_at: Time("UTC, with milliseconds."),
  updated_at: Time("Time of the last change of status."),
  completed_at: NullableTime("When the answer was accepted."),
  timed_out_at: NullableTime("When the task timed out."),
  completed_by_email: NullableText("Email of the person who answered."),
  completed_by_user_id: NullableText("User id of the person who answered."),
  ...answerAccountRecord,
  completed_via_channel: NullableText("The channel of the answer, for example `dashboard`."),
  ...cancelFields,
  ...partyFields,
  decision: Decision,
};

/** In a single read, so that everyone who may answer can correct what was sent back. */
const rejectedField = {
  rejected_response: Type.Optional(Json("The answer that was sent back. Only while the status is `rejected`.")),
};

const schemaFields = {
  payload_schema: Json("JSON Schema of `payload`."),
  response_schema: Json("JSON Schema of the response."),
  form_definition: Nullable(Json("Hints for the form.")),
};

/** Only operators and the admin token see these fields. */
const routingFields = {
  notify: Type.Optional(Nullable(Type.Array(Type.String()))),
  callback_url: Type.Optional(NullableText("Receives the outcome.")),
  is_verified: Type.Boolean({ description: "A verifier checks answers before they are accepted." }),
  verifier_config: Type.Optional(Nullable(Json("Settings of the verifier."))),
};

const actionFields = {
  action: Nullable({ ...Action, description: "The action that the task asks about, or null." } as typeof Action),
  actions: Nullable(Type.Array(Action, { description: "Several actions that the task asks about, or null." })),
};

const approvalsField = {
  approvals: Nullable({
    ...ReadApprovals,
    description: "Where the approvals of several people stand; null if one person decides.",
  } as typeof ReadApprovals),
};

const escalationFields = {
  escalation: Type.Array(StepRecord, {
    description: "What happens while no one answers, in the order of the request. Empty if nothing does.",
  }),
  on_timeout: Nullable({
    ...OnTimeoutRequest,
    description: "The answer that counts if no one answers in time, or null.",
  } as typeof OnTimeoutRequest),
};

const SnoozedUntil = Type.Optional(
  Time("Only for the signed-in person who has snoozed it: until when their lists leave it out."),
);

/** A task as creation, completion and single reads return it. (spec: Task record) */
export const TaskRecord = Type.Object(
  {
    ...recordFields,
    ...actionFields,
    ...approvalsField,
    ...escalationFields,
    ...rejectedField,
    ...schemaFields,
    locale: NullableText("The language that it is written in (BCP 47), or null."),
    ...routingFields,
    resume: Type.Optional(
      Type.Array(ResumeRecord, {
        description: "What is resumed when the task ends. For those who see `callback_url`.",
      }),
    ),
    host_may_answer: Type.Optional(
      Type.Boolean({
        description:
          "Only for the agent that created the task, if it has `host_answers`: whether its host may answer this task now.",
      }),
    ),
    snoozed_until: SnoozedUntil,
  },
  { $id: "Task" },
);
export type TaskRecord = Static<typeof TaskRecord>;

const { payload, response, ...summaryFields } = recordFields;

export const SnoozeTaskBody = Type.Object(
  {
    until: Type.String({
      maxLength: 40,
      description: "When it comes back (RFC 3339): in the future, and not after the deadline of the task.",
      examples: ["2026-01-31T12:00:00Z"],
    }),
  },
  { $id: "SnoozeTask", additionalProperties: true, examples: [{ until: "2026-01-31T12:00:00Z" }] },
);
export type SnoozeTaskBody = Static<typeof SnoozeTaskBody>;

/** A task in a list. It has the schemas only if the request includes them, and no documents in a summary. */
export const ListedTask = Type.Object(
  {
    ...summaryFields,
    action: Nullable({
      ...ListedAction,
      description: "The name and the risk of the action, or null.",
    } as typeof ListedAction),
    actions: Nullable(
      Type.Array(ListedAction, { description: "The names and the risks of several actions, or null." }),
    ),
    approvals: Nullable({
      ...ApprovalsSummary,
      description: "How many of the people who must approve have; null if one person decides.",
    } as typeof ApprovalsSummary),
    ...Type.Partial(Type.Object({ payload, response, ...schemaFields })).properties,
    ...routingFields,
    snoozed_until: SnoozedUntil,
  },
  { $id: "ListedTask" },
);
export type ListedTask = Static<typeof ListedTask>;

export const ListTasksQuery = Type.Object({
  project: ProjectFilter,
  status: Type.Optional(Type.Array(Status, { maxItems: 6, description: "Can be repeated." })),
  assigned_to: Type.Optional(Text({ minLength: 1, maxLength: 254, description: "Email or user id." })),
  unassigned: Type.Optional(Type.Boolean({ description: "true: only unassigned tasks. false: only assigned tasks." })),
  terminal: Type.Optional(Type.Boolean({ description: "true: only closed tasks. false: only open tasks." })),
  q: Type.Optional(
    Text({
      maxLength: 200,
      description:
        "What to find, where each of these must hold: words and texts in quotes, which are in `task`, `facts` or `labels`, in the name of the agent that asked, or in the email or the name of the assignee or of the person who closed the task (the case of A to Z is ignored); `from:` and text in the name of who asked; `by:` and text in the email or the name of that person; `label:` and a label; `is:` and one of " +
        SEARCHED_STATES.map((state) => `\`${state}\``).join(", ") +
        ". Or a complete `id` or `idempotency_key`.",
    }),
  ),
  label: Type.Optional(
    Type.Array(Text({ minLength: 1, maxLength: LABEL_LENGTH_MAX, description: "A label, in any case." }), {
      maxItems: LABELS_MAX,
      description: "Can be repeated. Tasks that have all of them.",
    }),
  ),
  priority: Type.Optional(
    Type.Unsafe<Priority>({
      type: "string",
      enum: [...PRIORITIES],
      description: "`urgent`: also tasks that a step has marked; the others: only tasks that no step has marked.",
    }),
  ),
  key: Type.Optional(
    Text({ minLength: 1, maxLength: 255, description: "Exact `idempotency_key` of a task that the caller created." }),
  ),
  agent: Type.Optional(
    Text({
      minLength: 1,
      maxLength: 100,
      description: "Id of the agent that created the task; `me`: the agent whose token asks.",
    }),
  ),
  key_prefix: Type.Optional(
    Text({ minLength: 1, maxLength: 200, description: "Prefix of `idempotency_key`. Case matters." }),
  ),
  decision: Type.Optional(
    Text({ minLength: 1, maxLength: 200, description: "Exact `label` of the `decision` of completed tasks." }),
  ),
  completed_by: Type.Optional(
    Text({ minLength: 1, maxLength: 254, description: "Email or user id of the person who answered." }),
  ),
  channel: Type.Optional(
    Text({
      minLength: 1,
      maxLength: 100,
      description: "Channel of the answer, for example `slack`. `api`: also answers that name no channel.",
    }),
  ),
  ended_after: Type.Optional(
    Type.String({
      maxLength: 40,
      description: "Tasks closed at this time or later (RFC 3339).",
      examples: ["2026-01-31T12:00:00Z"],
    }),
  ),
  ended_before: Type.Optional(
    Type.String({
      maxLength: 40,
      description: "Tasks closed before this time (RFC 3339).",
      examples: ["2026-01-31T12:00:00Z"],
    }),
  ),
  created_after: Type.Optional(
    Type.String({
      maxLength: 40,
      description: "Tasks created at this time or later (RFC 3339).",
      examples: ["2026-01-31T12:00:00Z"],
    }),
  ),
  created_before: Type.Optional(
    Type.String({
      maxLength: 40,
      description: "Tasks created before this time (RFC 3339).",
      examples: ["2026-01-31T12:00:00Z"],
    }),
  ),
  tone: Type.Optional(
    Type.Unsafe<Tone>({
      type: "string",
      enum: [...TONES],
      description: "`tone` of the `decision` of completed tasks.",
    }),
  ),
  edited: Type.Optional(
    Type.Boolean({
      description: "true: the answer changed what was proposed. false: it kept what was proposed.",
    }),
  ),
  refused: Type.Optional(Type.Boolean({ description: "Whether the verifier rejected an answer at least once." })),
  question: Type.Optional(
    Text({
      minLength: 1,
      maxLength: 100,
      description: "Tasks that ask the same question: `question` of `GET /api/stats/groups`.",
    }),
  ),
  sort: Type.Optional(
    Type.Unsafe<"created" | "deadline" | "ended">({
      type: "string",
      enum: ["created", "deadline", "ended"],
      description:
        "`created`: newest first (default). `deadline`: soonest first. `ended`: closed tasks only, the last closed first.",
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 200,
      description: "Maximum number of rows (default 50). Pages with very large documents have fewer.",
    }),
  ),
  cursor: Type.Optional(Text({ maxLength: 500, description: "From the `Link` header of the previous page." })),
  offset: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 1_000_000, description: "Rows to skip. A cursor is faster." }),
  ),
  include: Type.Optional(
    Type.Unsafe<"schemas">({
      type: "string",
      enum: ["schemas"],
      description: "`schemas` adds the schemas and the form definition to each row.",
    }),
  ),
  view: Type.Optional(
    Type.Unsafe<"full" | "summary">({
      type: "string",
      enum: ["full", "summary"],
      description: "`summary` leaves `payload` and `response` out of each row. Default: `full`.",
    }),
  ),
});
export type ListTasksQuery = Static<typeof ListTasksQuery>;

export const EXPORT_FORMATS = ["csv", "ndjson"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

const filters = Type.Omit(ListTasksQuery, ["sort", "limit", "cursor", "offset", "include", "view"]).properties;

export const ExportTasksQuery = Type.Object({
  format: Type.Unsafe<ExportFormat>({
    type: "string",
    enum: [...EXPORT_FORMATS],
    description: "`csv`: a table for spreadsheets. `ndjson`: a task of the list in each line, as JSON.",
  }),
  ...filters,
  sort: Type.Optional(
    Type.Unsafe<"created" | "ended">({
      type: "string",
      enum: ["created", "ended"],
      description: "`created`: newest first (default). `ended`: closed tasks only, the last closed first.",
    }),
  ),
});
export type ExportTasksQuery = Static<typeof ExportTasksQuery>;

export const TaskCounts = Type.Object(
  {
    open: Type.Integer({ description: "Open tasks." }),
    mine: Type.Integer({ description: "Open tasks assigned to the caller." }),
    unclaimed: Type.Integer({ description: "Open tasks without an assignee." }),
    due_within_hour: Type.Integer({ description: "Open tasks with less than an hour left." }),
    closed_today: Type.Integer({ description: "Tasks closed since midnight UTC." }),
    snoozed: Type.Optional(
      Type.Integer({
        description:
          "Only if the signed-in person has snoozed any: how many open tasks, of all projects. The other counts leave them out.",
      }),
    ),
    next_wake_at: Type.Optional(Time("When the first of them comes back.")),
  },
  { $id: "TaskCounts" },
);
export type TaskCounts = Static<typeof TaskCounts>;

/** What ends a poll. */
export const POLL_UNTIL = ["end", "attention"] as const;
export type PollUntil = (typeof POLL_UNTIL)[number];

export const PollQuery = Type.Object({
  timeout: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 60, default: 25, description: "Seconds to wait until the task closes." }),
  ),
  until: Type.Optional(
    Type.Unsafe<PollUntil>({
      type: "string",
      enum: [...POLL_UNTIL],
      default: "end",
      description: "`attention`: returns also while a question to the asker waits for its reply.",
    }),
  ),
});

export const PollResult = Type.Object(
  {
    task_id: Type.String(),
    idempotency_key: Type.String(),
    status: Status,
    waiting_on: recordFields.waiting_on,
    version: recordFields.version,
    questions: Type.Unsafe<CommentRecord[]>({
      type: "array",
      items: Type.Ref("Comment"),
      description: "The questions to the asker that have no reply yet, oldest first. Empty once the task is closed.",
    }),
    response: recordFields.response,
    completed_at: recordFields.completed_at,
    timed_out_at: recordFields.timed_out_at,
    completed_by_email: recordFields.completed_by_email,
    completed_via_channel: recordFields.completed_via_channel,
    ...cancelFields,
    ...partyFields,
    verification_attempt: recordFields.verification_attempt,
    approvals: Type.Optional(Approvals),
    verifier_result: VerifierResult,
  },
  { $id: "PollResult" },
);
export type PollResult = Static<typeof PollResult>;

/** An answer that the verifier rejected. */
export const RefusedAnswerRecord = Type.Object(
  {
    attempt: Type.Integer({ description: "Counted from 1." }),
    response: Json("The answer."),
    reason: Type.String({ description: "Why the verifier rejected it." }),
    answered_by_email: NullableText("Email of the person who answered."),
    answered_via_channel: NullableText("The channel of the answer, for example `dashboard`."),
    created_at: Time("When it was rejected."),
  },
  { $id: "RefusedAnswer" },
);
export type RefusedAnswerRecord = Static<typeof RefusedAnswerRecord>;

export const AuditEntryRecord = Type.Object(
  {
    id: Type.String(),
    task_id: Type.String(),
    action: Type.String({
      description:
        "`verified`, `rejected` and `verification_exhausted` are verdicts of the verifier. Their actor is the person who gave the answer.",
      examples: ["created", "completed"],
    }),
    from_status: Nullable(Type.String()),
    to_status: Nullable(Type.String()),
    actor_type: Type.Unsafe<"system" | "human" | "agent">({ type: "string", enum: ["system", "human", "agent"] }),
    actor_email: Nullable(Type.String()),
    channel: Nullable(Type.String()),
    verifier_reason: NullableText("Why the verifier rejected the answer."),
    embed_sub: NullableText("The person's id in the embedding product. Not verified."),
    extra: Nullable(Json("Details of this entry, for example the keys of a response, but not its values.")),
    created_at: Time("When it happened."),
    agent_id: NullableText("The agent whose token did this."),
    agent_name: NullableText("Its name at that time."),
    ...Type.Partial(Type.Object(partyFields)).properties,
  },
  { $id: "AuditEntry" },
);
export type AuditEntryRecord = Static<typeof AuditEntryRecord>;

export const StatsQuery = Type.Object({
  project: ProjectFilter,
  window_days: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 365, description: "Number of days, including today. Default: 30." }),
  ),
  from: Type.Optional(
    Type.String({
      maxLength: 10,
      description: "First day (UTC), with `to`, in place of `window_days`.",
      examples: ["2026-01-01"],
    }),
  ),
  to: Type.Optional(Type.String({ maxLength: 10, description: "Last day (UTC).", examples: ["2026-01-31"] })),
});
export type StatsQuery = Static<typeof StatsQuery>;

const terminalCounts = Object.fromEntries(TERMINAL_STATUSES.map((status) => [status, Type.Integer()])) as Record<
  (typeof TERMINAL_STATUSES)[number],
  ReturnType<typeof Type.Integer>
>;
const NullableNumber = (description: string) => Nullable(Type.Number({ description }));

export const Stats = Type.Object(
  {
    window_days: Type.Integer(),
    generated_at: Time("When the numbers were computed."),
    totals: Type.Object(
      { created: Type.Integer(), rejected: Type.Integer(), ...terminalCounts },
      {
        description:
          "Open tasks by status, and tasks closed in the window by outcome. If there are more than 5000 open tasks, they are counted at most every ten seconds.",
      },
    ),
    completion_rate: NullableNumber(
      "Share of completed tasks among the tasks closed in the window, 0 to 1. null if no task closed.",
    ),
    avg_completion_seconds: NullableNumber("From creation to the accepted answer."),
    median_completion_seconds: NullableNumber("Exact up to 1000 answers, within 1 % for more."),
    p90_completion_seconds: NullableNumber("90th percentile, with the precision of the median."),
    by_day: Type.Array(
      Type.Object({ date: Type.String({ examples: ["2026-01-31"] }), created: Type.Integer(), ...terminalCounts }),
      { description: "One entry per day of the window (UTC), oldest first." },
    ),
    by_channel: Type.Array(Type.Object({ channel: Nullable(Type.String()), completed: Type.Integer() }), {
      description: "Completed tasks of the window by channel, largest first.",
    }),
  },
  { $id: "Stats" },
);
export type Stats = Static<typeof Stats>;

export type StatsGroupsQuery = StatsQuery;

const groupCounts = {
  closed: Type.Integer(),
  completed: Type.Integer(),
  approved: Type.Integer({ description: "Completed with a decision whose tone is `ok`." }),
  rejected: Type.Integer({ description: "Completed with a decision whose tone is `bad`." }),
  edited: Type.Integer({ description: "Completed with changes to what was proposed." }),
  unedited: Type.Integer({ description: "Completed as it was proposed." }),
  refused: Type.Integer({ description: "Tasks whose verifier rejected an answer at least once." }),
};

export const StatsGroups = Type.Object(
  {
    from: Time("The start of the first day."),
    to: Time("The end of the last day."),
    counted_from: Time("Tasks that closed since then are counted: the 50000 that closed last, at most."),
    is_complete: Type.Boolean({ description: "Whether these are all tasks that closed on these days." }),
    all: Type.Object(groupCounts),
    by_agent: Type.Array(Type.Object({ agent: Type.String(), name: Type.String(), ...groupCounts }), {
      description: "The 20 largest groups, like the other lists.",
    }),
    by_question: Type.Array(
      Type.Object({
        question: Type.String({ description: "The filter `question` of `GET /api/tasks` takes it." }),
        title: Type.String({ description: "Of the newest task." }),
        ...groupCounts,
      }),
      { description: "Tasks about actions of the same names, or with the same response schema and form." },
    ),
    by_person: Type.Array(Type.Object({ user_id: Type.String(), name: Nullable(Type.String()), ...groupCounts }), {
      description: "By the person of the directory who answered.",
    }),
    by_label: Type.Array(Type.Object({ label: Type.String(), ...groupCounts })),
    waiting: Type.Object({
      is_complete: Type.Boolean({ description: "false: only the 50000 open tasks that are due next are counted." }),
      ages: Type.Array(
        Type.Object({
          after: Nullable(Time("Created at this time or later; null: no limit.")),
          before: Nullable(Time("Created before this time; null: no limit.")),
          open: Type.Integer(),
        }),
        { description: "Open tasks by the time since their creation, youngest first." },
      ),
    }),
  },
  { $id: "StatsGroups" },
);
export type StatsGroups = Static<typeof StatsGroups>;

export const UserActivityQuery = Type.Object({
  user_id: Type.Array(Text({ minLength: 1, maxLength: 100, description: "Id of a user." }), {
    minItems: 1,
    maxItems: 200,
    description: "Can be repeated. Unknown ids are left out of the answer.",
  }),
});

export const UserActivity = Type.Object(
  {
    user_id: Type.String(),
    open: Type.Integer({ description: "Open tasks that are assigned to the person." }),
    answered: Type.Integer({
      description: "Tasks that the person answered in the last 30 days (UTC), among the 50000 that closed last.",
    }),
    last_seen_at: Nullable(
      Time("When a session of the person was last used, to within ten minutes. null: the person is signed out."),
    ),
  },
  { $id: "UserActivity" },
);
export type UserActivity = Static<typeof UserActivity>;

/** What tasks choose people by. */
export const GROUP_KINDS = ["pool", "role", "access_level"] as const;
export type GroupKind = (typeof GROUP_KINDS)[number];

const UserGroup = Type.Object(
  {
    kind: Type.Unsafe<GroupKind>({ type: "string", enum: [...GROUP_KINDS], description: "The field of people." }),
    name: Type.String({ description: "Its value." }),
    people: Type.Integer({ description: "Active people who have it; 0 if only tasks ask for it." }),
    away: Type.Integer({ description: "Of these, those who are away now." }),
    waiting: Type.Integer({ description: "Open tasks without an assignee that ask for it." }),
    oldest: Nullable(
      Type.Object(
        { task_id: Type.String({ description: "Id of the task." }), created_at: Time("When it was created.") },
        { description: "The one of them that has waited longest." },
      ),
    ),
  },
  { $id: "UserGroup" },
);
export type UserGroup = Static<typeof UserGroup>;

export const UserGroups = Type.Object(
  {
    groups: Type.Array(Type.Unsafe<UserGroup>(Type.Ref("UserGroup")), {
      description: "Pools, then roles, then access levels, by name; at most 500.",
    }),
    all_counted: Type.Boolean({
      description: "false: more than 2000 tasks wait, and only those with the first deadlines are counted.",
    }),
  },
  { $id: "UserGroups" },
);
export type UserGroups = Static<typeof UserGroups>;
/** Shapes of the groups of people. */
export const groupShapes = [UserGroup, UserGroups];

/** What a task asks in one of its versions. (beyond the spec: Talk before deciding) */
export const VersionRecord = Type.Object(
  {
    version: recordFields.version,
    payload: recordFields.payload,
    action: actionFields.action,
    actions: actionFields.actions,
    note: Nullable(Type.String({ description: "What the asker said of it; null for the first." })),
    created_at: Time("When it was asked."),
  },
  { $id: "Version" },
);
export type VersionRecord = Static<typeof VersionRecord>;

/** Errors of a route that accepts an answer, without those of credentials and body. */
export const ANSWER_ERRORS = [
  "TASK_NOT_FOUND",
  "TASK_ALREADY_TERMINAL",
  "TASK_CHANGED",
  "TASK_REVISED",
  "TOO_MANY_ROUNDS",
  "TOO_MANY_DECISIONS",
  "VALIDATION_FAILED",
  "NOT_EDITABLE",
  "HOST_MAY_NOT_ANSWER",
  "NEEDS_A_PERSON",
  "EXCLUDED",
  "VERIFIER_CONFIG_INVALID",
  "VERIFIER_PROVIDER_UNKNOWN",
  "VERIFIER_API_KEY_MISSING",
  "VERIFIER_PROVIDER_UNAVAILABLE",
  "VERIFIER_PROVIDER_ERROR",
  "COMMIT_UNKNOWN",
  "OVERLOADED",
] as const satisfies ErrorCode[];

export const TaskParams = Type.Object({ id: Type.String({ description: "Task id." }) });
