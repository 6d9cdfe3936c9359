/**
 * Every type of security event, and what it means. To add one: add its line here, call `recordSecurityEvent` in the
 * transaction of the change, run `npm run generate`, and add its words to web/dashboard/settings/security-words.ts.
 */
export const SECURITY_EVENTS = {
  sign_in: "A person signed in, or failed to. With a company account, `details.by` is `oidc`.",
  sign_out: "A person signed out.",
  sessions_ended: "Sessions of a user were ended, by themselves or by an operator.",
  password_confirmed: "A person gave their password again for a change that needs it, or a wrong one.",
  identity_confirmed:
    "A person proved who they are for a change that needs it, or failed to. `details.by` says how: with a `passkey`, or `oidc`, the company account.",
  passkey_added: "A person added a passkey to their account, or failed to.",
  passkey_removed: "A person removed one of their passkeys, or failed to.",
  passkeys_reset: "An operator removed all passkeys of a user; `details.passkeys` names them.",
  passkey_counter_regressed:
    "The counter of a passkey went back, so that it may have been copied. Its use was rejected.",
  personal_token_created: "A person created a personal token for their assistant, or failed to.",
  personal_token_revoked: "A person revoked one of their personal tokens, or failed to.",
  personal_tokens_revoked:
    "All personal tokens of a user were revoked, because they were signed out everywhere, or by an operator; `details.tokens` names them.",
  rate_limit_reached: "A limit of attempts rejected a request.",
  credentials_rejected: "A token or signature was not valid.",
  access_refused: "A request was refused, because its sender lacks the permission or comes from another site.",
  setup_completed: "The first operator was created, or the attempt failed.",
  user_created: "A user was created.",
  user_changed: "Fields of a user were changed; `details.fields` names them.",
  user_address_changed: "The email or the Slack id of a user was changed.",
  user_deactivated: "A user was deactivated.",
  user_reactivated: "A deactivated user was activated.",
  operator_rights_granted: "A user was made an operator, by an operator or by their groups (`details.by` is `oidc`).",
  operator_rights_removed:
    "An operator became an ordinary user, or stayed one because they are the last. `details.by` is `oidc` if their groups said so.",
  password_set: "An operator set the password of a user, or removed it (`details.removed`).",
  password_changed: "A user changed their own password, or failed to.",
  user_invitation_created:
    "An operator created a link by which a user sets their own password. `details.kind` is `invitation` or `password_reset`.",
  user_invitation_revoked:
    "The link of a user was revoked by an operator, or because their password, their address or they themselves changed.",
  user_invitation_accepted: "A person set their own password with a link, or failed to. (`details.kind`)",
  user_absence_set:
    "When a user is away was set, by themselves or by an operator; `details.delegate_user_id` names who gets their tasks.",
  user_absence_ended: "The absence of a user was ended, by themselves or by an operator.",
  user_oidc_linked: "A company account was linked to a user, at its first sign-in.",
  user_oidc_unlinked: "The company account of a user was removed.",
  project_created: "A project was created.",
  project_changed: "The name of a project was changed, or who its agents may ask.",
  project_archived: "A project was archived. It accepts nothing new.",
  project_unarchived: "An archived project was brought back.",
  project_member_set: "A user joined a project, or got another role in it (`details.role`).",
  project_member_removed: "A user was removed from a project.",
  project_hook_rules_set: "The rules for hooks of coding agents were replaced (`details.version`).",
  connection_created: "A connection to an engine was created.",
  connection_changed: "A connection was changed, or got a new secret; `details.fields` says what.",
  connection_deleted: "A connection was deleted. Tasks that name it are resumed no longer.",
  event_subscription_created: "Someone was subscribed to events of a project.",
  event_subscription_changed: "A subscription to events was changed; `details.fields` says what.",
  event_subscription_rotated: "A subscription to events got a new secret.",
  event_subscription_deleted: "A subscription to events was deleted.",
  escalation_template_set: "A template of steps was created, or replaced (`details.replaced`).",
  escalation_template_deleted: "A template of steps was deleted.",
  calendar_set: "A calendar was created, or replaced (`details.replaced`).",
  calendar_deleted: "A calendar was deleted.",
  agent_created: "An agent was created.",
  agent_changed: "Settings of an agent were changed; `details.fields` names them.",
  agent_stopped: "An agent was stopped; `details.cancel_open_tasks` says whether its open tasks were cancelled.",
  agent_resumed: "A stopped agent may go on.",
  agent_deleted: "An agent was deleted.",
  agent_token_created: "A token of an agent was created.",
  agent_token_revoked: "A token of an agent was revoked.",
  embed_key_created: "An embed key was created.",
  embed_key_revoked: "An embed key was revoked.",
  email_sender_created: "An email sender was created.",
  email_sender_changed: "An email sender was changed.",
  email_sender_deleted: "An email sender was deleted.",
  email_sender_tested: "A test email was sent.",
  slack_workspace_connected: "A Slack workspace was connected, or got a new token (`details.replaced`).",
  slack_workspace_disconnected: "A Slack workspace was disconnected.",
  slack_workspace_tested: "A test message was posted in Slack.",
  callback_redelivered: "A callback, resume or event was sent again.",
  task_deleted: "A task was deleted.",
  keys_changed:
    "The service started with other keys than at the last start. `details.changed` names the keys with a new value; it is null if the log knew none. `details.previous` names those whose previous value is accepted too.",
  settings_resealed: "Settings of channels were encrypted with a new key; `details.count` says how many.",
  tasks_exported: "Tasks were exported as a file (`details.format`).",
  audit_exported: "What `GET /api/audit` lists was exported as a file (`details.format`).",
  security_events_exported: "What `GET /api/security-events` lists was exported as a file (`details.format`).",
  callbacks_redelivered: "Many deliveries were sent again; `details.count` says how many.",
} as const satisfies Record<string, string>;

export type SecurityEventType = keyof typeof SECURITY_EVENTS;
export const SECURITY_EVENT_TYPES = Object.keys(SECURITY_EVENTS) as SecurityEventType[];

export const OUTCOMES = ["success", "failure"] as const;
export type SecurityOutcome = (typeof OUTCOMES)[number];

/** What credentials a request had. `several`: requests of several callers are counted in one event. */
export const ACTOR_KINDS = [
  "admin_token",
  "agent",
  "user",
  "personal_token",
  "embed_key",
  "recipient",
  "command_line",
  "anonymous",
  "several",
  "service",
] as const;
export type ActorKind = (typeof ACTOR_KINDS)[number];

export const TARGET_KINDS = [
  "user",
  "project",
  "calendar",
  "escalation_template",
  "agent",
  "embed_key",
  "email_sender",
  "slack_workspace",
  "callback",
  "connection",
  "event_subscription",
  "task",
] as const;
export type TargetKind = (typeof TARGET_KINDS)[number];

/** Returns what events of this type change, which their names start with; null if nothing. */
export function targetKindOf(type: SecurityEventType): TargetKind | null {
  return TARGET_KINDS.find((kind) => type.startsWith(`${kind}_`)) ?? null;
}
