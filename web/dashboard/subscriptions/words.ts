import type { EventType } from "./queries.ts";

/** What happens to tasks, in the order in which it may happen. */
export const EVENTS: Readonly<Record<EventType, { label: string; about: string }>> = {
  "task.created": { label: "Created", about: "A program has asked." },
  "task.claimed": { label: "Claimed", about: "A person wants to answer it." },
  "task.revised": { label: "Revised", about: "Its asker changed what it asks." },
  "task.commented": { label: "Commented", about: "Someone said or asked something about it." },
  "task.rejected": { label: "Sent back", about: "The automatic check rejected an answer." },
  "task.completed": { label: "Completed", about: "It has an answer." },
  "task.cancelled": { label: "Cancelled", about: "It was closed without an answer." },
  "task.timed_out": { label: "Timed out", about: "No one answered in time." },
  "task.verification_exhausted": { label: "Check failed", about: "The automatic check rejected every answer." },
};

/** Which events, such as "Created, completed". */
export function eventsWords(events: readonly EventType[]): string {
  const known = Object.entries(EVENTS).filter(([type]) => events.includes(type as EventType));
  if (known.length === Object.keys(EVENTS).length) return "All events";
  return known.map(([, { label }], i) => (i === 0 ? label : label.toLowerCase())).join(", ");
}
