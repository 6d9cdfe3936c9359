import type { Static } from "typebox";
import { LANGUAGE_TAGS, type Language } from "../../languages/languages.ts";
import type { PasswordSignIn } from "../config/sign-in.ts";
import { Nullable, ProjectFilter, Text, Time } from "../http/schema.ts";
import { Type } from "../lib/type.ts";
import { AbsenceField } from "./absence/schema.ts";
import { accountBody, accountRecord } from "./account-schema.ts";
import { InvitationField } from "./invitations/schema.ts";
import { PROJECT_ROLES, type ProjectRole } from "./memberships.ts";
import { PASSWORD_MAX, PASSWORD_MIN } from "./passwords.ts";

/** Headers of a response that signs a person in. */
export const SESSION_HEADERS = {
  "Set-Cookie": { description: "The session, as `service_session`.", schema: { type: "string" } },
};

const EMAIL_MAX = 254;
const NAME_MAX = 200;

const Email = (description: string) => Text({ minLength: 1, maxLength: EMAIL_MAX, description });
const Name = (description: string) => Text({ minLength: 1, maxLength: NAME_MAX, description });
const NewPassword = (description: string) => Text({ minLength: PASSWORD_MIN, maxLength: PASSWORD_MAX, description });
/** A password that is only compared, so the rules for new ones don't apply. */
const GivenPassword = Text({ minLength: 1, maxLength: PASSWORD_MAX, description: "The password." });
const optional = <T extends Parameters<typeof Nullable>[0]>(schema: T) => Type.Optional(Nullable(schema));
const NullableText = (description: string) => Nullable(Type.String({ description }));
const NullableTime = (description: string) => Nullable(Time(description));

const LanguageField = (description: string) =>
  Type.Unsafe<Language>({ type: "string", enum: [...LANGUAGE_TAGS], description });

export const ProjectRoleField = Type.Unsafe<ProjectRole>({
  type: "string",
  enum: [...PROJECT_ROLES],
  description: "`operator`: an operator's rights inside the project.",
});

const OwnProjects = Type.Array(Type.Object({ project: Type.String({ description: "Slug." }), role: ProjectRoleField }));

/** Whether first-run setup is still open. (spec: Setup) */
export const SetupStatus = Type.Object(
  {
    needs_setup: Type.Boolean({ description: "true: there is no operator yet." }),
    sign_in: Type.Object(
      {
        password: Type.Unsafe<PasswordSignIn>({
          type: "string",
          enum: ["everyone", "operators", "off"],
          description: "Who may sign in with a password.",
        }),
        oidc: Type.Boolean({ description: "true: a company account signs in, at `/api/auth/oidc/start`." }),
      },
      { description: "How people sign in." },
    ),
  },
  { $id: "SetupStatus" },
);
export type SetupStatus = Static<typeof SetupStatus>;

export const SetupBody = Type.Object(
  {
    email: Email("The first operator's address; it is signed in with."),
    password: NewPassword("8 to 256 characters; the commonest are refused."),
    display_name: optional(Name("What others see.")),
    token: optional(Text({ maxLength: 200, description: "From the setup link. Not needed on the machine itself." })),
  },
  { $id: "SetupOperator", additionalProperties: true },
);
export type SetupBody = Static<typeof SetupBody>;

export const SetupResult = Type.Object({ user_id: Type.String(), email: Type.String() }, { $id: "SetupResult" });
export type SetupResult = Static<typeof SetupResult>;

export const LoginBody = Type.Object(
  { email: Text({ minLength: 1, maxLength: EMAIL_MAX, description: "The email." }), password: GivenPassword },
  { $id: "Login", additionalProperties: true },
);
export type LoginBody = Static<typeof LoginBody>;

/** The signed-in user. For anonymous callers every field is null or false. (spec: Auth, session introspection) */
export const Me = Type.Object(
  {
    authenticated: Type.Boolean(),
    user_id: NullableText("null for the admin token."),
    email: NullableText("The email."),
    display_name: NullableText("What others see."),
    is_operator: Type.Boolean({ description: "Full access, like the admin token." }),
    projects: Type.Array(OwnProjects.items, {
      description: "The projects of the person. Operators of all see others, too.",
    }),
    time_zone: NullableText("IANA name; null: the browser's."),
    language: Nullable(LanguageField("Of the dashboard and of emails; null: that of the browser.")),
    absence: AbsenceField,
    passkey_required: Type.Optional(
      Type.Boolean({
        description:
          "true: this session can only add a passkey, or confirm with one. Not sent otherwise. (`SERVICE_REQUIRE_PASSKEY`)",
      }),
    ),
  },
  { $id: "Me" },
);
export type Me = Static<typeof Me>;

export const UpdateMeBody = Type.Object(
  {
    display_name: optional(Name("What others see.")),
    time_zone: optional(Text({ minLength: 1, maxLength: 100, description: "IANA name, such as Europe/Berlin." })),
    language: optional(LanguageField("Of the dashboard and of emails.")),
    password: Type.Optional(
      Nullable(
        Type.Object({
          current: GivenPassword,
          new: NewPassword("8 to 256 characters; every session ends but a new one of this browser."),
        }),
      ),
    ),
  },
  { $id: "UpdateMe", additionalProperties: true },
);
export type UpdateMeBody = Static<typeof UpdateMeBody>;

/** A person of the directory. (spec: Users) */
export const UserRecord = Type.Object(
  {
    id: Type.String({ examples: ["usr_01kajv3mzt8w5rq0e4v9c2n7xb"] }),
    email: NullableText("The address; compared without regard to case."),
    display_name: NullableText("What others see."),
    is_operator: Type.Boolean({ description: "Full access." }),
    projects: Type.Array(OwnProjects.items, { description: "The projects where the user is a member or an operator." }),
    role: NullableText("Used by `assign_to.role`."),
    access_level: NullableText("What `assign_to.access_level` looks for."),
    pool: NullableText("What `assign_to.pool` looks for."),
    ...accountRecord,
    has_password: Type.Boolean({ description: "Can sign in with a password, unless that is turned off." }),
    oidc_accounts: Type.Array(
      Type.Object({
        issuer: Type.String({ description: "The sign-in provider." }),
        subject: Type.String({ description: "The provider's id of the account." }),
        linked_at: Time("When the person first signed in with it."),
        last_used_at: Time("When the person last signed in with it."),
      }),
      { description: "Company accounts that sign this person in, one for each provider." },
    ),
    invitation: InvitationField,
    active: Type.Boolean({ description: "false: deactivated." }),
    absence: AbsenceField,
    last_assigned_at: NullableTime("When routing by role last chose this user."),
    created_at: Time("When the user was made."),
    updated_at: Time("When anything of it last changed."),
  },
  { $id: "User" },
);
export type UserRecord = Static<typeof UserRecord>;

/** The result of a test of the sign-in provider. */
export const ProviderCheck = Type.Object(
  {
    ok: Type.Boolean(),
    message: Type.String({ description: "What was found and, if something is wrong, what to do." }),
  },
  { $id: "OidcProviderCheck" },
);
export type ProviderCheck = Static<typeof ProviderCheck>;

const userFields = {
  email: optional(Email("The address; compared without regard to case.")),
  display_name: optional(Name("What others see.")),
  is_operator: optional(Type.Boolean({ description: "Full access." })),
  role: optional(Name("Used by `assign_to.role`.")),
  access_level: optional(Name("What `assign_to.access_level` looks for.")),
  pool: optional(Name("What `assign_to.pool` looks for.")),
  ...accountBody,
  password: optional(NewPassword("8 to 256 characters; without one the person cannot sign in.")),
};

export const CreateUserBody = Type.Object(
  {
    ...userFields,
    projects: optional(
      Type.Array(Text({ minLength: 1, maxLength: 64, description: "Slug of a project." }), {
        minItems: 1,
        maxItems: 100,
        description: "The projects that the user joins as a member. Default: `default`.",
      }),
    ),
  },
  { $id: "CreateUser", additionalProperties: true },
);
export type CreateUserBody = Static<typeof CreateUserBody>;

export const UpdateUserBody = Type.Object(
  { ...userFields, active: optional(Type.Boolean({ description: "true: reactivates the user." })) },
  { $id: "UpdateUser", additionalProperties: true },
);
export type UpdateUserBody = Static<typeof UpdateUserBody>;

export const UserParams = Type.Object({ id: Type.String({ description: "User id, `usr_...`." }) });

const paging = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: "Rows in one page (default 50)." })),
  cursor: Type.Optional(
    Text({ minLength: 1, maxLength: 500, description: "From the `Link` header of the previous page." }),
  ),
};

export const ListUsersQuery = Type.Object({
  project: ProjectFilter,
  active: Type.Optional(Type.Boolean({ description: "true: only active users. false: only deactivated users." })),
  role: Type.Optional(Name("Only users with this role.")),
  access_level: Type.Optional(Name("Only those with this access level.")),
  pool: Type.Optional(Name("Only those in this pool.")),
  q: Type.Optional(Text({ maxLength: NAME_MAX, description: "Text in the email or the name." })),
  ...paging,
});
export type ListUsersQuery = Static<typeof ListUsersQuery>;

/** A key for minting embed tokens. (spec: Service key) */
export const ServiceKeyRecord = Type.Object(
  {
    id: Type.String({ examples: ["key_01kajv3mzt8w5rq0e4v9c2n7xb"] }),
    project: Type.String({ description: "Slug of the project whose tasks it embeds." }),
    agents: Nullable(
      Type.Array(Type.String(), { description: "Ids of the agents whose tasks it embeds; null: all of the project." }),
    ),
    name: Type.String(),
    prefix: Type.String({ description: "The start of the key." }),
    created_at: Time("When the key was created."),
    last_used_at: NullableTime("When it was last used, give or take a minute."),
    revoked_at: NullableTime("Since when it opens nothing."),
  },
  { $id: "ServiceKey" },
);
export type ServiceKeyRecord = Static<typeof ServiceKeyRecord>;

export const NewServiceKeyRecord = Type.Object(
  { ...ServiceKeyRecord.properties, key: Type.String({ description: "The key. It is shown only once." }) },
  { $id: "NewServiceKey" },
);
export type NewServiceKeyRecord = Static<typeof NewServiceKeyRecord>;

export const CreateServiceKeyBody = Type.Object(
  {
    name: Name("What it is for, such as the product that embeds the form."),
    project: optional(
      Text({
        minLength: 1,
        maxLength: 64,
        description: "Slug of the project whose tasks it embeds. Default: `default`.",
      }),
    ),
    agents: optional(
      Type.Array(Text({ minLength: 1, maxLength: 100, description: "Id of an agent." }), {
        minItems: 1,
        maxItems: 100,
        description: "Ids of agents of the project. The key embeds only their tasks.",
      }),
    ),
  },
  { $id: "CreateServiceKey", additionalProperties: true },
);
export type CreateServiceKeyBody = Static<typeof CreateServiceKeyBody>;

export const ServiceKeyParams = Type.Object({ id: Type.String({ description: "Key id, `key_...`." }) });

export const ListServiceKeysQuery = Type.Object({ project: ProjectFilter, ...paging });
export type ListServiceKeysQuery = Static<typeof ListServiceKeysQuery>;
