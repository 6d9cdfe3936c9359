import type { Static } from "typebox";
import { Nullable, Text, Time } from "../http/schema.ts";
import { Type } from "../lib/type.ts";

const TEXTS = 254;

export const AuditRecord = Type.Object(
  {
    id: Type.String({ examples: ["aud_01kajv3mzt8w5rq0e4v9c2n7xb"] }),
    at: Time("When it happened."),
    kind: Type.Unsafe<"task" | "security">({
      type: "string",
      enum: ["task", "security"],
      description: "`task`: an entry of the audit trail of a task. `security`: an event of the security log.",
    }),
    what: Type.String({ description: "The `action` of the entry, or the `type` of the event." }),
    outcome: Nullable(Type.String({ description: "Of a security event: `success` or `failure`." })),
    actor: Type.Object({
      kind: Type.String({
        description: "`human`, `agent` or `system` for a task; what a security event says otherwise.",
      }),
      id: Nullable(Type.String({ description: "Id of the user, the agent or the key, if it is recorded." })),
      email: Nullable(Type.String()),
      name: Nullable(Type.String({ description: "Of the agent." })),
    }),
    task_id: Nullable(Type.String()),
    task: Nullable(
      Type.String({ description: "What the task asks; null if it was deleted, or for a security event." }),
    ),
    project: Nullable(Type.String({ description: "The project of the task." })),
    from_status: Nullable(Type.String()),
    to_status: Nullable(Type.String()),
    channel: Nullable(Type.String()),
    reason: Nullable(
      Type.String({ description: "What the verifier said, why a task was cancelled, or why an event failed." }),
    ),
    target: Nullable(Type.String({ description: "Id of what a security event is about." })),
    address: Nullable(Type.String({ description: "The client's address, for a security event." })),
    details: Type.Unsafe<Record<string, unknown> | null>({
      type: ["object", "null"],
      additionalProperties: true,
      description: "More about it.",
    }),
  },
  { $id: "AuditRecord" },
);
export type AuditRecord = Static<typeof AuditRecord>;

const filters = {
  kind: Type.Optional(
    Type.Unsafe<"task" | "security">({ type: "string", enum: ["task", "security"], description: "Only of this kind." }),
  ),
  what: Type.Optional(
    Type.Array(Text({ minLength: 1, maxLength: 100, description: "What happened." }), {
      maxItems: 100,
      description: "Can be repeated.",
    }),
  ),
  actor: Type.Optional(
    Text({ minLength: 1, maxLength: TEXTS, description: "Email of a person, or id of a user, an agent or a key." }),
  ),
  task_id: Type.Optional(Text({ minLength: 1, maxLength: 100, description: "Only of this task." })),
  project: Type.Optional(
    Type.String({ maxLength: 64, description: "Only of the tasks of this project. Security events have no project." }),
  ),
  from: Type.Optional(
    Text({
      maxLength: 40,
      description: "At this time or later, ISO 8601. Default: 90 days before `until`, or before now.",
    }),
  ),
  until: Type.Optional(Text({ maxLength: 40, description: "Before this time, ISO 8601." })),
};

export const ListAuditQuery = Type.Object({
  ...filters,
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: "Rows in one page (default 50)." })),
  cursor: Type.Optional(Text({ maxLength: 500, description: "From the `Link` header of the previous page." })),
});
export type ListAuditQuery = Static<typeof ListAuditQuery>;

export const ExportAuditQuery = Type.Object({
  format: Type.Unsafe<"csv" | "ndjson">({
    type: "string",
    enum: ["csv", "ndjson"],
    description: "`csv`: a table for spreadsheets. `ndjson`: one JSON object in each line.",
  }),
  ...filters,
});
export type ExportAuditQuery = Static<typeof ExportAuditQuery>;
