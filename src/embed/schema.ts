import type { Static } from "typebox";
import { Nullable, Text, Time } from "../http/schema.ts";
import type { JsonObject } from "../lib/json.ts";
import { Type } from "../lib/type.ts";
import { TaskRecord } from "../tasks/schema.ts";
import { TTL_SECONDS_MAX } from "./tokens.ts";

/** The body of `POST /api/embed/tokens`. (spec: Embed tokens) */
export const MintTokenBody = Type.Object(
  {
    task_id: Type.String({ description: "The task that the token opens." }),
    parent_origin: Type.String({
      description: "Origin of the page that embeds the form. `SERVICE_EMBED_PARENT_ORIGINS` must list it.",
      examples: ["https://app.example.com"],
    }),
    sub: Text({
      minLength: 1,
      maxLength: 256,
      description: "Your id of the person. Not verified. The audit trail has it as `embed_sub`.",
    }),
    ttl_seconds: Type.Optional(
      Nullable(
        Type.Integer({
          minimum: 1,
          maximum: TTL_SECONDS_MAX,
          default: 300,
          description: "Lifetime of the token, in seconds.",
        }),
      ),
    ),
  },
  { $id: "MintEmbedToken", additionalProperties: true },
);
export type MintTokenBody = Static<typeof MintTokenBody>;

/** (spec: Embed token result) */
export const EmbedToken = Type.Object(
  {
    embed_token: Type.String({ description: "A signed JWT for this one task." }),
    embed_url: Type.String({ description: "The address for the frame, with the token in its fragment." }),
    expires_at: Time("When the token expires."),
  },
  { $id: "EmbedToken" },
);
export type EmbedToken = Static<typeof EmbedToken>;

const { id, status, response, completed_at, completed_via_channel, verification_attempt, verifier_result } =
  TaskRecord.properties;

const next_attempt = Nullable(
  Type.String({
    description: "While the status is `rejected`: which attempt the next answer is, such as `2 of 2, the last one`.",
  }),
);

/** The result of an answer in an embedded form. */
export const EmbedOutcome = Type.Object(
  { id, status, response, completed_at, completed_via_channel, verification_attempt, verifier_result, next_attempt },
  { $id: "EmbedOutcome" },
);
export type EmbedOutcome = Static<typeof EmbedOutcome>;

const { version, task, payload, response_schema, form_definition, redact_payload, timeout_at } = TaskRecord.properties;

/** A task as an embedded form shows it: without its assignees and without its callback. */
export const EmbedTask = Type.Object(
  {
    id,
    version,
    status,
    task,
    payload,
    response_schema,
    form_definition,
    redact_payload,
    direction: Type.Unsafe<"ltr" | "rtl">({
      type: "string",
      enum: ["ltr", "rtl"],
      description: "How the form runs: as the `locale` of the task does, or as its question begins.",
    }),
    timeout_at,
    verification_attempt,
    verifier_result,
    next_attempt,
    is_verified: Type.Boolean({ description: "A verifier checks answers before they are accepted." }),
    review_html: Nullable(Type.String({ description: "The payload as HTML, or null if the web pages are not built." })),
    comments: Type.Integer({ description: "How many comments and questions there are about the task." }),
    expires_in_seconds: Type.Integer({ description: "Remaining lifetime of the token, in seconds." }),
  },
  { $id: "EmbedTask" },
);
export type EmbedTask = Static<typeof EmbedTask>;

export const EmbedTaskQuery = Type.Object({
  id: Type.Optional(Text({ maxLength: 100, description: "The task of the page. The token must be for this task." })),
  time_zone: Type.Optional(Text({ maxLength: 100, description: "IANA name of the time zone. Default UTC." })),
  locale: Type.Optional(Text({ maxLength: 100, description: "Locale for numbers and times, such as `de-CH`." })),
});
export type EmbedTaskQuery = Static<typeof EmbedTaskQuery>;

/** The same for its conversation. */
export const EmbedCommentsQuery = Type.Object({
  ...EmbedTaskQuery.properties,
  seen: Type.Optional(
    Text({ maxLength: 100, description: "The `mark` of what the page shows. 204 if it is the same." }),
  ),
});
export type EmbedCommentsQuery = Static<typeof EmbedCommentsQuery>;

/** What was said about a task, as an embedded form shows it. */
export const EmbedConversation = Type.Object(
  {
    comments: Type.Integer({ description: "How many comments and questions there are." }),
    html: Nullable(Type.String({ description: "The conversation as HTML, or null if the web pages are not built." })),
    mark: Type.String({ description: "Changes with what the page shows." }),
  },
  { $id: "EmbedConversation" },
);
export type EmbedConversation = Static<typeof EmbedConversation>;

/** The body of `POST /api/embed/task/complete`. */
export const EmbedAnswer = Type.Object(
  {
    response: Type.Unsafe<JsonObject>({
      type: "object",
      additionalProperties: true,
      description: "The answer. It must match the task's `response_schema`.",
    }),
    version: Type.Optional(
      Nullable(Type.Integer({ minimum: 1, description: "The version that the form showed. Default: any." })),
    ),
  },
  { $id: "EmbedAnswer", additionalProperties: true },
);
export type EmbedAnswer = Static<typeof EmbedAnswer>;
