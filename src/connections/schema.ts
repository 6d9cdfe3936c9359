import type { Static } from "typebox";
import { Json, Nullable, ProjectFilter, Text, Time } from "../http/schema.ts";
import { Type } from "../lib/type.ts";
import { RESUME_KINDS } from "../resume/registered.ts";
import { CreateTaskBody } from "../tasks/schema.ts";

const CONNECTION_KINDS = RESUME_KINDS.flatMap(({ name, connection }) => (connection === null ? [] : [name]));

const Name = Text({ minLength: 1, maxLength: 64, description: "Unique in its project. Tasks name it." });
const Kind = Type.Unsafe<string>({
  type: "string",
  enum: CONNECTION_KINDS,
  description: "The kind of engine.",
});
const Address = Json("How the engine is reached. Its fields are those of the kind.");
const AllowedAgents = Type.Array(Text({ minLength: 1, maxLength: 100, description: "Id of an agent." }), {
  maxItems: 1000,
  description: "Ids of the agents that may name it. null: every agent of the project.",
});
const { assign_to, notify, approvals, escalation } = CreateTaskBody.properties;
const Asks = Type.Object(
  {
    agent_id: Text({ minLength: 1, maxLength: 100, description: "The agent that asks: its limits count." }),
    assign_to,
    notify,
    approvals,
    escalation,
  },
  {
    additionalProperties: true,
    description:
      "Who asks which people, where calls of the engine create tasks: the fields of a task. null: they create none.",
  },
);
const Secret = Text({ minLength: 1, maxLength: 16_384, description: "It is stored encrypted and never returned." });

/** A kind of engine, for forms that create connections. */
export const ConnectionKind = Type.Object(
  {
    kind: Type.String({ examples: ["temporal"] }),
    title: Type.String({ description: "Its name for people, as its makers spell it.", examples: ["Temporal"] }),
    address: Json("JSON Schema of `address`."),
    secret: Nullable(Type.String({ description: "What `secret` is, as a sentence; null: it has none." })),
    secret_required: Type.Boolean({ description: "A connection needs the secret." }),
    secret_multiline: Type.Boolean({ description: "The secret has several lines." }),
    creates_tasks: Type.Boolean({ description: "Calls of the engine can create tasks, as `asks` says." }),
  },
  { $id: "ConnectionKind" },
);
export type ConnectionKind = Static<typeof ConnectionKind>;

/** How an engine is reached that waits for outcomes. (beyond the spec: Resuming) */
export const ConnectionRecord = Type.Object(
  {
    id: Type.String({ examples: ["con_01kajv3mzt8w5rq0e4v9c2n7xb"] }),
    project: Type.String({ description: "The project whose tasks can name it." }),
    name: Name,
    kind: Type.String({ description: "The kind of engine." }),
    address: Address,
    has_secret: Type.Boolean({ description: "A secret is stored." }),
    allowed_agents: Nullable(AllowedAgents),
    asks: Nullable(Asks),
    created_at: Time("When it was created."),
    updated_at: Time("When an operator last changed it."),
    refused_at: Nullable(Time("Since when the engine refuses the secret; null: it does not, as far as is known.")),
    refusal: Nullable(Type.String({ description: "What the engine said." })),
  },
  { $id: "Connection" },
);
export type ConnectionRecord = Static<typeof ConnectionRecord>;

export const CreateConnectionBody = Type.Object(
  {
    name: Name,
    kind: Kind,
    address: Address,
    secret: Type.Optional(Nullable(Secret)),
    project: Type.Optional(
      Nullable(Text({ minLength: 1, maxLength: 64, description: "Slug of a project. Default: `default`." })),
    ),
    allowed_agents: Type.Optional(Nullable(AllowedAgents)),
    asks: Type.Optional(Nullable(Asks)),
  },
  {
    $id: "CreateConnection",
    additionalProperties: true,
    examples: [
      {
        name: "temporal-production",
        kind: "temporal",
        address: { url: "https://temporal.example.com:7243", namespace: "default" },
        secret: "an API key",
      },
    ],
  },
);
export type CreateConnectionBody = Static<typeof CreateConnectionBody>;

export const UpdateConnectionBody = Type.Object(
  {
    name: Type.Optional(Nullable(Name)),
    address: Type.Optional(Nullable(Address)),
    secret: Type.Optional(
      Nullable({ ...Secret, description: "A new secret, for every attempt from now on. null: none." } as typeof Secret),
    ),
    allowed_agents: Type.Optional(Nullable(AllowedAgents)),
    asks: Type.Optional(Nullable(Asks)),
  },
  { $id: "UpdateConnection", additionalProperties: true, examples: [{ secret: "a new API key" }] },
);
export type UpdateConnectionBody = Static<typeof UpdateConnectionBody>;

export const ProbeResult = Type.Object(
  {
    ok: Type.Boolean({ description: "The engine is there and accepts the secret." }),
    detail: Type.String({ description: "What was found." }),
  },
  { $id: "ConnectionProbe" },
);
export type ProbeResult = Static<typeof ProbeResult>;

export const ConnectionParams = Type.Object({ id: Type.String({ description: "Connection id." }) });

export const ListConnectionsQuery = Type.Object({ project: ProjectFilter });
export type ListConnectionsQuery = Static<typeof ListConnectionsQuery>;

export type Asks = Static<typeof Asks>;

/** What became of a webhook. */
export const ReceivedWebhook = Type.Object(
  {
    result: Type.Unsafe<"task" | "ignored">({
      type: "string",
      enum: ["task", "ignored"],
      description: "`task`: there is a task about it. `ignored`: it asks for nothing.",
    }),
    task_id: Type.Optional(Type.String({ description: "The task." })),
    message: Type.Optional(Type.String({ description: "Why it was ignored." })),
  },
  { $id: "ReceivedWebhook" },
);
export type ReceivedWebhook = Static<typeof ReceivedWebhook>;
