import type { Static } from "typebox";
import { Nullable, Text, Time } from "../http/schema.ts";
import { Type } from "../lib/type.ts";
import { RecipientsField } from "../people/recipient-policy.ts";
import { ProjectRoleField } from "../people/schema.ts";

const Slug = Text({
  minLength: 1,
  maxLength: 64,
  description: "1 to 64 of `a-z`, `0-9` and `-`. Unique, and it never changes.",
});
const Name = Text({ minLength: 1, maxLength: 200, description: "What people see." });
/** Who the agents of a project may ask. What an agent has of its own narrows it further. */
const Recipients = Nullable(RecipientsField);

/** A project: tasks, agents, keys and senders of one group of people. (beyond: Projects) */
export const ProjectRecord = Type.Object(
  {
    id: Type.String({ examples: ["prj_01kajv3mzt8w5rq0e4v9c2n7xb"] }),
    slug: Slug,
    name: Name,
    created_at: Time("When the project was created."),
    archived_at: Nullable(Time("Since when it accepts nothing new.")),
    recipients: Recipients,
  },
  { $id: "Project" },
);
export type ProjectRecord = Static<typeof ProjectRecord>;

export const CreateProjectBody = Type.Object(
  { slug: Slug, name: Name, recipients: Type.Optional(Recipients) },
  { $id: "CreateProject", additionalProperties: true, examples: [{ slug: "refunds", name: "Refunds" }] },
);
export type CreateProjectBody = Static<typeof CreateProjectBody>;

export const UpdateProjectBody = Type.Object(
  {
    name: Type.Optional(Nullable(Name)),
    archived: Type.Optional(
      Nullable(
        Type.Boolean({
          description: "true: it accepts nothing new, and its open tasks can still be answered. false: brings it back.",
        }),
      ),
    ),
    recipients: Type.Optional(Recipients),
  },
  { $id: "UpdateProject", additionalProperties: true, examples: [{ archived: true }] },
);
export type UpdateProjectBody = Static<typeof UpdateProjectBody>;

/** What a person is in a project. (beyond: Projects) */
export const MembershipRecord = Type.Object(
  {
    user_id: Type.String(),
    project: Type.String({ description: "Slug of the project." }),
    role: ProjectRoleField,
    email: Nullable(Type.String({ description: "The address of the person." })),
    display_name: Nullable(Type.String({ description: "What others see." })),
  },
  { $id: "ProjectMember" },
);
export type MembershipRecord = Static<typeof MembershipRecord>;

export const SetMemberBody = Type.Object(
  {
    user_id: Text({ minLength: 1, maxLength: 100, description: "The user." }),
    role: Type.Optional(Nullable(ProjectRoleField)),
  },
  { $id: "SetProjectMember", additionalProperties: true, examples: [{ user_id: "usr_01kajv3mzt8w5rq0e4v9c2n7xb" }] },
);
export type SetMemberBody = Static<typeof SetMemberBody>;

export const ProjectParams = Type.Object({ slug: Type.String({ description: "Slug of the project." }) });
export const MemberParams = Type.Object({
  slug: Type.String({ description: "Slug of the project." }),
  user_id: Type.String({ description: "User id, `usr_...`." }),
});
