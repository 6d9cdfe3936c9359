import type { Static } from "typebox";
import { Nullable, ProjectFilter, Text, Time } from "../http/schema.ts";
import { Type } from "../lib/type.ts";
import { AGENT_SCOPES, type AgentScope } from "../people/agent-caller.ts";
import { RecipientsField } from "../people/recipient-policy.ts";

export const MAX_OPEN_TASKS = 1000;
export const MAX_TASKS_PER_MINUTE = 600;
const LIMIT_MAX = 10_000_000;

const optional = <T extends Parameters<typeof Nullable>[0]>(schema: T) => Type.Optional(Nullable(schema));
const NullableTime = (description: string) => Nullable(Time(description));

const Name = Text({
  minLength: 1,
  maxLength: 64,
  description: "1 to 64 of `a-z`, `0-9`, `-`, `_` and `.`. Unique among agents.",
});
const Description = Text({ maxLength: 1000, description: "What the agent does, for people." });
const Scopes = Type.Array(
  Type.Unsafe<AgentScope>({
    type: "string",
    enum: [...AGENT_SCOPES],
  }),
  {
    maxItems: AGENT_SCOPES.length,
    description:
      "What its tokens allow. `ask`: create tasks; read, poll, cancel and extend its own. `read`: read all tasks. `answer`: complete tasks in a person's name. `embed`: create embed tokens for its own tasks, which let their holder answer. Default: `ask`.",
  },
);
const HostAnswers = Type.Boolean({
  description:
    "The host of this agent may hand in answers of the person who uses it, to tasks that the agent created for no particular person. The service cannot tell such an answer from one that the agent made up. Default: false.",
});
const MaxOpenTasks = Type.Integer({
  minimum: 1,
  maximum: LIMIT_MAX,
  description: `Open tasks that it may have at once. Default: ${MAX_OPEN_TASKS}.`,
});
const MaxTasksPerMinute = Type.Integer({
  minimum: 1,
  maximum: LIMIT_MAX,
  description: `Tasks that it may create in a minute. Default: ${MAX_TASKS_PER_MINUTE}.`,
});
const OwnerUserId = Text({ maxLength: 100, description: "The user who is responsible for it." });

const AgentToken = Type.Object({
  id: Type.String({ examples: ["atk_01kajv3mzt8w5rq0e4v9c2n7xb"] }),
  prefix: Type.String({ description: "The start of the token." }),
  created_at: Time("When the token was created."),
  expires_at: NullableTime("When it stops working; null: never."),
  last_used_at: NullableTime("When it was last used, to within a minute."),
});

/** An agent: a program that asks people. (beyond: Agents) */
export const AgentRecord = Type.Object(
  {
    id: Type.String({ examples: ["agt_01kajv3mzt8w5rq0e4v9c2n7xb"] }),
    project: Type.String({ description: "The project whose tasks it asks." }),
    name: Name,
    description: Nullable(Description),
    owner_user_id: Nullable(OwnerUserId),
    scopes: Scopes,
    host_answers: HostAnswers,
    recipients: Nullable(RecipientsField),
    max_open_tasks: MaxOpenTasks,
    max_tasks_per_minute: MaxTasksPerMinute,
    created_at: Time("When the agent was created."),
    last_used_at: NullableTime("When one of its tokens was last used, to within a minute."),
    limited_at: NullableTime("When a limit last refused a task."),
    disabled_at: NullableTime("Since when it is stopped."),
    open_tasks: Type.Integer({ description: "Its open tasks." }),
    tokens: Type.Array(AgentToken, { description: "Its live tokens, oldest first." }),
  },
  { $id: "Agent" },
);
export type AgentRecord = Static<typeof AgentRecord>;

const settable = {
  description: optional(Description),
  owner_user_id: optional(OwnerUserId),
  scopes: optional(Scopes),
  host_answers: optional(HostAnswers),
  recipients: optional(RecipientsField),
  max_open_tasks: optional(MaxOpenTasks),
  max_tasks_per_minute: optional(MaxTasksPerMinute),
};

export const CreateAgentBody = Type.Object(
  {
    name: Name,
    project: optional(Text({ minLength: 1, maxLength: 64, description: "Slug of a project. Default: `default`." })),
    ...settable,
  },
  { $id: "CreateAgent", additionalProperties: true, examples: [{ name: "refunds-bot", scopes: ["ask"] }] },
);
export type CreateAgentBody = Static<typeof CreateAgentBody>;

export const UpdateAgentBody = Type.Object(
  {
    name: optional(Name),
    ...settable,
    disabled: optional(
      Type.Boolean({
        description: "true: stops it; its tokens are refused from the next request on. false: lets it go on.",
      }),
    ),
    cancel_open_tasks: optional(
      Type.Boolean({ description: "Together with `disabled`: cancels its open tasks as well." }),
    ),
  },
  { $id: "UpdateAgent", additionalProperties: true, examples: [{ disabled: true, cancel_open_tasks: true }] },
);
export type UpdateAgentBody = Static<typeof UpdateAgentBody>;

export const CreateAgentTokenBody = Type.Object(
  {
    expires_in_days: optional(
      Type.Integer({ minimum: 1, maximum: 365, description: "Left out: the token does not expire." }),
    ),
  },
  { $id: "CreateAgentToken", additionalProperties: true, examples: [{ expires_in_days: 90 }] },
);
export type CreateAgentTokenBody = Static<typeof CreateAgentTokenBody>;

export const NewAgentTokenRecord = Type.Object(
  { ...AgentToken.properties, token: Type.String({ description: "The token. It is shown only once." }) },
  { $id: "NewAgentToken" },
);
export type NewAgentTokenRecord = Static<typeof NewAgentTokenRecord>;

export const AgentParams = Type.Object({ id: Type.String({ description: "Agent id, `agt_...`." }) });
export const AgentTokenParams = Type.Object({
  id: Type.String({ description: "Agent id, `agt_...`." }),
  token_id: Type.String({ description: "Token id, `atk_...`." }),
});

export const ListAgentsQuery = Type.Object({
  project: ProjectFilter,
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: "Rows in one page (default 50)." })),
  cursor: Type.Optional(
    Text({ minLength: 1, maxLength: 500, description: "From the `Link` header of the previous page." }),
  ),
});
export type ListAgentsQuery = Static<typeof ListAgentsQuery>;
