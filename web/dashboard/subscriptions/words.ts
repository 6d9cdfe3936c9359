import { t } from "../../../languages/text.ts";
import type { EventType } from "./queries.ts";

/** What happens to tasks, in the order in which it may happen. */
export const EVENTS: Readonly<Record<EventType, { label: string; about: string }>> = {
  "task.created": { label: t("Created"), about: t("A program has asked.") },
  "task.claimed": { label: t("Claimed"), about: t("A person wants to answer it.") },
  "task.revised": { label: t("Revised"), about: t("Its asker changed what it asks.") },
  "task.commented": { label: t("Commented"), about: t("Someone said or asked something about it.") },
  "task.rejected": { label: t("Sent back"), about: t("The automatic check rejected an answer.") },
  "task.completed": { label: t("Completed"), about: t("It has an answer.") },
  "task.cancelled": { label: t("Cancelled"), about: t("It was closed without an answer.") },
  "task.timed_out": { label: t("Timed out"), about: t("No one answered in time.") },
  "task.verification_exhausted": { label: t("Check failed"), about: t("The automatic check rejected every answer.") },
};

/** Which events, such as "Created, completed". */
export function eventsWords(events: readonly EventType[]): string {
  const known = Object.entries(EVENTS).filter(([type]) => events.includes(type as EventType));
  if (known.length === Object.keys(EVENTS).length) return t("All events");
  return known.map(([, { label }], i) => (i === 0 ? label : label.toLowerCase())).join(", ");
}
