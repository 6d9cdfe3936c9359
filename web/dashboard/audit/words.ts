import type { SecurityEvent } from "../settings/queries.ts";
import { aboutOf, TYPES, whoOf, wordsFor } from "../settings/security-words.ts";
import type { AuditRecord } from "./queries.ts";

/** What happened to a task, by the action of its audit trail. */
const ACTIONS: Readonly<Record<string, string>> = {
  created: "Task created",
  assigned: "Task assigned",
  offered: "Task offered",
  routing_unmatched: "Routing found no one",
  claimed: "Task claimed",
  released: "Task released",
  commented: "Comment",
  question_asked: "Question to the asker",
  revised: "Request changed",
  completed: "Task completed",
  verified: "Answer accepted by the check",
  rejected: "Answer sent back by the check",
  verification_exhausted: "Failed the checks",
  approved: "Approval",
  declined: "Decision against it",
  withdrawn: "Decision taken back",
  cancelled: "Task cancelled",
  extended: "Deadline changed",
  timed_out: "Task timed out",
  escalated: "Step of the escalation",
  notification_sent: "Message sent",
  notification_failed: "Message not sent",
  resume_failed: "Resume failed",
  callback_abandoned: "Callback failed",
  deleted: "Task deleted",
};

/** What the filter offers: what happens to tasks, then security events. */
export const WHATS = [
  {
    group: "Tasks",
    items: Object.entries(ACTIONS).map(([value, label]) => ({ value, label })),
  },
  { group: "People, keys and settings", items: TYPES },
];

export function whatOf(record: AuditRecord): string {
  if (record.kind === "task") return ACTIONS[record.what] ?? record.what.replaceAll("_", " ");
  return wordsFor(asEvent(record));
}

export function whoDid(record: AuditRecord): string {
  const { kind, email, name } = record.actor;
  if (record.kind === "security") return whoOf(asEvent(record));
  if (name !== null) return name;
  return email ?? (kind === "system" ? "The service" : kind === "agent" ? "An agent" : "A person");
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
