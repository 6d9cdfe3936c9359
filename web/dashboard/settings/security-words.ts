import type { SecurityEvent } from "./queries.ts";

/** What is said of an event that succeeded, and of one that failed. */
const WORDS: Record<SecurityEvent["type"], readonly [success: string, failure: string]> = {
  sign_in: ["Signed in", "Sign-in failed"],
  sign_out: ["Signed out", "Sign-out failed"],
  sessions_ended: ["Sessions ended", "Sessions not ended"],
  password_confirmed: ["Password confirmed", "Wrong password for a change"],
  identity_confirmed: ["Identity confirmed", "Identity not confirmed"],
  passkey_added: ["Passkey added", "Passkey not added"],
  passkey_removed: ["Passkey removed", "Passkey not removed"],
  passkeys_reset: ["Passkeys removed by an operator", "Passkeys not removed"],
  passkey_counter_regressed: ["Passkey may be copied", "Passkey may be copied: rejected"],
  personal_token_created: ["Personal token created", "Personal token not created"],
  personal_token_revoked: ["Personal token revoked", "Personal token not revoked"],
  personal_tokens_revoked: ["Personal tokens revoked", "Personal tokens not revoked"],
  rate_limit_reached: ["Too many attempts", "Too many attempts"],
  credentials_rejected: ["Invalid token rejected", "Invalid token rejected"],
  access_refused: ["Access refused", "Access refused"],
  setup_completed: ["Setup completed", "Setup failed"],
  user_created: ["Person added", "Person not added"],
  user_changed: ["Person changed", "Person not changed"],
  user_address_changed: ["Email or Slack id changed", "Email or Slack id not changed"],
  user_deactivated: ["Person deactivated", "Person not deactivated"],
  user_reactivated: ["Person activated again", "Person not activated"],
  operator_rights_granted: ["Made an operator", "Not made an operator"],
  operator_rights_removed: ["Operator rights removed", "Operator rights not removed"],
  password_set: ["Password set by an operator", "Password not set"],
  password_changed: ["Own password changed", "Own password not changed"],
  user_invitation_created: ["Link to set a password created", "Link to set a password not created"],
  user_invitation_revoked: ["Link to set a password revoked", "Link to set a password not revoked"],
  user_invitation_accepted: ["Password set with a link", "Link to set a password refused"],
  user_oidc_linked: ["Company account linked", "Company account not linked"],
  user_absence_set: ["Absence set", "Absence not set"],
  user_absence_ended: ["Absence ended", "Absence not ended"],
  user_oidc_unlinked: ["Company account removed", "Company account not removed"],
  project_created: ["Project created", "Project not created"],
  project_changed: ["Project changed", "Project not changed"],
  project_archived: ["Project archived", "Project not archived"],
  project_unarchived: ["Project brought back", "Project not brought back"],
  project_member_set: ["Person added to a project", "Person not added to a project"],
  project_member_removed: ["Person removed from a project", "Person not removed from a project"],
  escalation_template_set: ["Template saved", "Template not saved"],
  escalation_template_deleted: ["Template deleted", "Template not deleted"],
  project_hook_rules_set: ["Rules for hooks saved", "Rules for hooks not saved"],
  connection_created: ["Connection created", "Connection not created"],
  connection_changed: ["Connection changed", "Connection not changed"],
  connection_deleted: ["Connection deleted", "Connection not deleted"],
  event_subscription_created: ["Event subscription created", "Event subscription not created"],
  event_subscription_changed: ["Event subscription changed", "Event subscription not changed"],
  event_subscription_rotated: [
    "Secret of an event subscription replaced",
    "Secret of an event subscription not replaced",
  ],
  event_subscription_deleted: ["Event subscription deleted", "Event subscription not deleted"],
  calendar_set: ["Calendar saved", "Calendar not saved"],
  calendar_deleted: ["Calendar deleted", "Calendar not deleted"],
  agent_created: ["Agent created", "Agent not created"],
  agent_changed: ["Agent changed", "Agent not changed"],
  agent_stopped: ["Agent stopped", "Agent not stopped"],
  agent_resumed: ["Agent started again", "Agent not started again"],
  agent_deleted: ["Agent deleted", "Agent not deleted"],
  agent_token_created: ["Agent token created", "Agent token not created"],
  agent_token_revoked: ["Agent token revoked", "Agent token not revoked"],
  embed_key_created: ["Embed key created", "Embed key not created"],
  embed_key_revoked: ["Embed key revoked", "Embed key not revoked"],
  email_sender_created: ["Email sender added", "Email sender not added"],
  email_sender_changed: ["Email sender changed", "Email sender not changed"],
  email_sender_deleted: ["Email sender deleted", "Email sender not deleted"],
  email_sender_tested: ["Test email sent", "Test email failed"],
  slack_workspace_connected: ["Slack workspace connected", "Slack workspace not connected"],
  slack_workspace_disconnected: ["Slack workspace disconnected", "Slack workspace not disconnected"],
  slack_workspace_tested: ["Slack test message sent", "Slack test message failed"],
  callback_redelivered: ["Delivery sent again", "Delivery not sent again"],
  task_deleted: ["Task deleted", "Task not deleted"],
  keys_changed: ["Keys changed", "Keys not changed"],
  settings_resealed: ["Settings encrypted again", "Settings not encrypted again"],
  tasks_exported: ["Tasks exported", "Tasks not exported"],
  audit_exported: ["Audit trail exported", "Audit trail not exported"],
  security_events_exported: ["Security events exported", "Security events not exported"],
  callbacks_redelivered: ["Deliveries sent again", "Deliveries not sent again"],
};

/** The types, with the words that the filter shows. */
export const TYPES = Object.entries(WORDS).map(([value, [label]]) => ({ value, label }));

/** What happened, and how often. */
export function wordsFor({ type, outcome, count }: Pick<SecurityEvent, "type" | "outcome" | "count">): string {
  const words = WORDS[type][outcome === "success" ? 0 : 1];
  return count === 1 ? words : `${words}, ${count} times`;
}

/** Who did it. */
export function whoOf({ actor: { kind, id, email } }: Pick<SecurityEvent, "actor">): string {
  switch (kind) {
    case "admin_token":
      return "Admin token";
    case "agent":
      return `Agent ${id ?? ""}`;
    case "user":
      return email ?? id ?? "A person";
    case "personal_token":
      return `Assistant of ${email ?? id ?? "a person"}`;
    case "recipient":
      return email ?? "A recipient";
    case "embed_key":
      return `Embed key ${id ?? ""}`;
    case "command_line":
      return "Command line";
    case "several":
      return "Several callers";
    case "service":
      return "The service";
    case "anonymous":
      return email === null ? "Unknown" : `${email} (not signed in)`;
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
  const [one, many] = type === "settings_resealed" ? ["setting", "settings"] : ["delivery", "deliveries"];
  return `${count} ${count === 1 ? one : many}`;
}
