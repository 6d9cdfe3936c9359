import { Type, type Static } from "typebox";
import { Nullable, Text, Time } from "../http/schema.ts";
import type { JsonObject } from "../lib/json.ts";
import { TaskRecord } from "../tasks/schema.ts";
import { TTL_SECONDS_MAX } from "./tokens.ts";

/** What `POST /api/embed/tokens` takes. (spec: Embed tokens) */
export const MintTokenBody = Type.Object(
  {
    task_id: Type.String({ description: "The task that the token opens, and no other." }),
    parent_origin: Type.String({
      description: "Origin of the page that will hold the form; it must stand in `SERVICE_EMBED_PARENT_ORIGINS`.",
      examples: ["https://app.example.com"],
    }),
    sub: Text({
      minLength: 1,
      maxLength: 256,
      description: "Your own id of the person; not verified, and kept in the audit trail as `embed_sub`.",
    }),
    ttl_seconds: Type.Optional(
      Nullable(
        Type.Integer({ minimum: 1, maximum: TTL_SECONDS_MAX, default: 300, description: "How long the token counts." }),
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
    embed_url: Type.String({ description: "What the frame loads; the token stands in its fragment." }),
    expires_at: Time("When the token ends."),
  },
  { $id: "EmbedToken" },
);
export type EmbedToken = Static<typeof EmbedToken>;

const { id, status, response, completed_at, completed_via_channel, verification_attempt, verifier_result } =
  TaskRecord.properties;

/** What becomes of an answer that was given in an embedded form. */
export const EmbedOutcome = Type.Object(
  { id, status, response, completed_at, completed_via_channel, verification_attempt, verifier_result },
  { $id: "EmbedOutcome" },
);
export type EmbedOutcome = Static<typeof EmbedOutcome>;

const { task, payload, response_schema, form_definition, redact_payload, timeout_at } = TaskRecord.properties;

/** A task as somebody sees it who is to answer it in the page of another product: not whom it is for, nor where its outcome goes. */
export const EmbedTask = Type.Object(
  {
    id,
    status,
    task,
    payload,
    response_schema,
    form_definition,
    redact_payload,
    timeout_at,
    verification_attempt,
    verifier_result,
    is_verified: Type.Boolean({ description: "Something else than a person judges the answer; that takes a while." }),
    review_html: Nullable(
      Type.String({ description: "What there is to review, drawn; null where the service's pages are not built." }),
    ),
    expires_in_seconds: Type.Integer({ description: "How long the token still counts." }),
  },
  { $id: "EmbedTask" },
);
export type EmbedTask = Static<typeof EmbedTask>;

export const EmbedTaskQuery = Type.Object({
  id: Type.Optional(
    Text({ maxLength: 100, description: "The task that the page is about; the token must be for it." }),
  ),
  time_zone: Type.Optional(Text({ maxLength: 100, description: "IANA name: the zone to tell times in. Default UTC." })),
  locale: Type.Optional(Text({ maxLength: 100, description: "How numbers and times are written, such as `de-CH`." })),
});
export type EmbedTaskQuery = Static<typeof EmbedTaskQuery>;

/** What `POST /api/embed/task/complete` takes. */
export const EmbedAnswer = Type.Object(
  {
    response: Type.Unsafe<JsonObject>({
      type: "object",
      additionalProperties: true,
      description: "The answer; it must fit the task's `response_schema`.",
    }),
  },
  { $id: "EmbedAnswer", additionalProperties: true },
);
export type EmbedAnswer = Static<typeof EmbedAnswer>;
