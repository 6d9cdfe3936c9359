import { as, t } from "../../../languages/text.ts";
import type { SecurityEvent } from "../settings/queries.ts";
import { aboutOf, TYPES, whoOf, wordsFor } from "../settings/security-words.ts";
import type { AuditRecord } from "./queries.ts";

/** What happened to a task, by the action of its audit trail. */
const ACTIONS: Readonly<Record<string, string>> = {
  created: t("Task created"),
  assigned: t("Task assigned"),
  offered: t("Task offered"),
  routing_unmatched: t("Routing found no one"),
  claimed: t("Task claimed"),
  released: t("Task released"),
  commented: as("noun", "Comment"),
  question_asked: t("Question to the asker"),
  revised: t("Request changed"),
  completed: t("Task completed"),
  verified: t("Answer accepted by the check"),
  rejected: t("Answer sent back by the check"),
  verification_exhausted: t("Failed the checks"),
  approved: t("Approval"),
  declined: t("Decision against it"),
  withdrawn: t("Decision taken back"),
  cancelled: t("Task cancelled"),
  extended: t("Deadline changed"),
  timed_out: t("Task timed out"),
  escalated: t("Step of the escalation"),
  notification_sent: t("Message sent"),
  notification_failed: t("Message not sent"),
  resume_failed: t("Resume failed"),
  callback_abandoned: t("Callback failed"),
  deleted: t("Task deleted"),
};

/** What the filter offers: what happens to tasks, then security events. */
export const WHATS = [
  {
    group: t("Tasks"),
    items: Object.entries(ACTIONS).map(([value, label]) => ({ value, label })),
  },
  { group: t("People, keys and settings"), items: TYPES },
];

export function whatOf(record: AuditRecord): string {
  if (record.kind === "task") return ACTIONS[record.what] ?? record.what.replaceAll("_", " ");
  return wordsFor(asEvent(record));
}

export function whoDid(record: AuditRecord): string {
  const { kind, email, name } = record.actor;
  if (record.kind === "security") return whoOf(asEvent(record));
  if (name !== null) return name;
  return email ?? (kind === "system" ? t("The service") : kind === "agent" ? t("An agent") : t("A person"));
}

/** Returns the name or the id of what a security event is about; null if it is about nothing else than its actor. */
export function aboutEvent({ what, details, target }: AuditRecord): string | null {
  return aboutOf({ type: what as SecurityEvent["type"], details, target: target === null ? null : { id: target } });
}

/** The parts of a security event that its words need. */
function asEvent({
  what,
  outcome,
  actor,
  details,
}: AuditRecord): Pick<SecurityEvent, "type" | "outcome" | "count" | "actor"> {
  const count = details?.["count"];
  // Of these, the count is how many were changed.
  const isOneEvent = what === "callbacks_redelivered" || what === "settings_resealed";
  return {
    type: what as SecurityEvent["type"],
    outcome: outcome === "failure" ? "failure" : "success",
    actor: { ...actor, kind: actor.kind as SecurityEvent["actor"]["kind"] },
    count: typeof count === "number" && !isOneEvent ? count : 1,
  };
}
