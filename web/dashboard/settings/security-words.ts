import { plural, t } from "../../../languages/text.ts";
import type { SecurityEvent } from "./queries.ts";

/** What is said of an event that succeeded, and of one that failed. */
const WORDS: Record<SecurityEvent["type"], readonly [success: string, failure: string]> = {
  sign_in: [t("Signed in"), t("Sign-in failed")],
  sign_out: [t("Signed out"), t("Sign-out failed")],
  sessions_ended: [t("Sessions ended"), t("Sessions not ended")],
  password_confirmed: [t("Password confirmed"), t("Wrong password for a change")],
  identity_confirmed: [t("Identity confirmed"), t("Identity not confirmed")],
  passkey_added: [t("Passkey added"), t("Passkey not added")],
  passkey_removed: [t("Passkey removed"), t("Passkey not removed")],
  passkeys_reset: [t("Passkeys removed by an operator"), t("Passkeys not removed")],
  passkey_counter_regressed: [t("Passkey may be copied"), t("Passkey may be copied: rejected")],
  personal_token_created: [t("Personal token created"), t("Personal token not created")],
  personal_token_revoked: [t("Personal token revoked"), t("Personal token not revoked")],
  personal_tokens_revoked: [t("Personal tokens revoked"), t("Personal tokens not revoked")],
  rate_limit_reached: [t("Too many attempts"), t("Too many attempts")],
  credentials_rejected: [t("Invalid token rejected"), t("Invalid token rejected")],
  access_refused: [t("Access refused"), t("Access refused")],
  setup_completed: [t("Setup completed"), t("Setup failed")],
  user_created: [t("Person added"), t("Person not added")],
  user_changed: [t("Person changed"), t("Person not changed")],
  user_address_changed: [t("Email or Slack id changed"), t("Email or Slack id not changed")],
  user_deactivated: [t("Person deactivated"), t("Person not deactivated")],
  user_reactivated: [t("Person activated again"), t("Person not activated")],
  operator_rights_granted: [t("Made an operator"), t("Not made an operator")],
  operator_rights_removed: [t("Operator rights removed"), t("Operator rights not removed")],
  password_set: [t("Password set by an operator"), t("Password not set")],
  password_changed: [t("Own password changed"), t("Own password not changed")],
  user_invitation_created: [t("Link to set a password created"), t("Link to set a password not created")],
  user_invitation_revoked: [t("Link to set a password revoked"), t("Link to set a password not revoked")],
  user_invitation_accepted: [t("Password set with a link"), t("Link to set a password refused")],
  user_oidc_linked: [t("Company account linked"), t("Company account not linked")],
  user_absence_set: [t("Absence set"), t("Absence not set")],
  user_absence_ended: [t("Absence ended"), t("Absence not ended")],
  user_oidc_unlinked: [t("Company account removed"), t("Company account not removed")],
  project_created: [t("Project created"), t("Project not created")],
  project_changed: [t("Project changed"), t("Project not changed")],
  project_archived: [t("Project archived"), t("Project not archived")],
  project_unarchived: [t("Project brought back"), t("Project not brought back")],
  project_member_set: [t("Person added to a project"), t("Person not added to a project")],
  project_member_removed: [t("Person removed from a project"), t("Person not removed from a project")],
  escalation_template_set: [t("Template saved"), t("Template not saved")],
  escalation_template_deleted: [t("Template deleted"), t("Template not deleted")],
  project_hook_rules_set: [t("Rules for hooks saved"), t("Rules for hooks not saved")],
  connection_created: [t("Connection created"), t("Connection not created")],
  connection_changed: [t("Connection changed"), t("Connection not changed")],
  connection_deleted: [t("Connection deleted"), t("Connection not deleted")],
  event_subscription_created: [t("Event subscription created"), t("Event subscription not created")],
  event_subscription_changed: [t("Event subscription changed"), t("Event subscription not changed")],
  event_subscription_rotated: [
    t("Secret of an event subscription replaced"),
    t("Secret of an event subscription not replaced"),
  ],
  event_subscription_deleted: [t("Event subscription deleted"), t("Event subscription not deleted")],
  calendar_set: [t("Calendar saved"), t("Calendar not saved")],
  calendar_deleted: [t("Calendar deleted"), t("Calendar not deleted")],
  agent_created: [t("Agent created"), t("Agent not created")],
  agent_changed: [t("Agent changed"), t("Agent not changed")],
  agent_stopped: [t("Agent stopped"), t("Agent not stopped")],
  agent_resumed: [t("Agent started again"), t("Agent not started again")],
  agent_deleted: [t("Agent deleted"), t("Agent not deleted")],
  agent_token_created: [t("Agent token created"), t("Agent token not created")],
  agent_token_revoked: [t("Agent token revoked"), t("Agent token not revoked")],
  embed_key_created: [t("Embed key created"), t("Embed key not created")],
  embed_key_revoked: [t("Embed key revoked"), t("Embed key not revoked")],
  email_sender_created: [t("Email sender added"), t("Email sender not added")],
  email_sender_changed: [t("Email sender changed"), t("Email sender not changed")],
  email_sender_deleted: [t("Email sender deleted"), t("Email sender not deleted")],
  email_sender_tested: [t("Test email sent"), t("Test email failed")],
  slack_workspace_connected: [t("Slack workspace connected"), t("Slack workspace not connected")],
  slack_workspace_disconnected: [t("Slack workspace disconnected"), t("Slack workspace not disconnected")],
  slack_workspace_tested: [t("Slack test message sent"), t("Slack test message failed")],
  callback_redelivered: [t("Delivery sent again"), t("Delivery not sent again")],
  task_deleted: [t("Task deleted"), t("Task not deleted")],
  keys_changed: [t("Keys changed"), t("Keys not changed")],
  settings_resealed: [t("Settings encrypted again"), t("Settings not encrypted again")],
  tasks_exported: [t("Tasks exported"), t("Tasks not exported")],
  audit_exported: [t("Audit trail exported"), t("Audit trail not exported")],
  security_events_exported: [t("Security events exported"), t("Security events not exported")],
  callbacks_redelivered: [t("Deliveries sent again"), t("Deliveries not sent again")],
};

/** The types, with the words that the filter shows. */
export const TYPES = Object.entries(WORDS).map(([value, [label]]) => ({ value, label }));

/** What happened, and how often. */
export function wordsFor({ type, outcome, count }: Pick<SecurityEvent, "type" | "outcome" | "count">): string {
  const words = WORDS[type][outcome === "success" ? 0 : 1];
  return count === 1 ? words : plural(count, "{event}, {n} time", "{event}, {n} times", { event: words });
}

/** Who did it. */
export function whoOf({ actor: { kind, id, email } }: Pick<SecurityEvent, "actor">): string {
  switch (kind) {
    case "admin_token":
      return t("Admin token");
    case "agent":
      return t("Agent {agent}", { agent: id ?? "" });
    case "user":
      return email ?? id ?? t("A person");
    case "personal_token": {
      const person = email ?? id;
      return person === null ? t("Assistant of a person") : t("Assistant of {person}", { person });
    }
    case "recipient":
      return email ?? t("A recipient");
    case "embed_key":
      return t("Embed key {key}", { key: id ?? "" });
    case "command_line":
      return t("Command line");
    case "several":
      return t("Several callers");
    case "service":
      return t("The service");
    case "anonymous":
      return email === null ? t("Unknown") : t("{email} (not signed in)", { email });
  }
}

/** What was changed, by the name that a person knows; null if nothing was. */
export function aboutOf({
  type,
  details,
  target,
}: Pick<SecurityEvent, "type" | "details"> & {
  target: Pick<NonNullable<SecurityEvent["target"]>, "id"> | null;
}): string | null {
  for (const name of ["email", "name", "to", "from_email", "route"]) {
    const value = details?.[name];
    if (typeof value === "string") return value;
  }
  const count = details?.["count"];
  if (typeof count !== "number") return target?.id ?? null;
  return type === "settings_resealed"
    ? plural(count, "{n} setting", "{n} settings")
    : plural(count, "{n} delivery", "{n} deliveries");
}
