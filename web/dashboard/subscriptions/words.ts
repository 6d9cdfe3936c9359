import { as, locale, t } from "../../../languages/text.ts";
import type { EventType } from "./queries.ts";

interface EventWords {
  /** As it is written within a sentence. */
  word: string;
  about: string;
}

/** What happens to tasks, in the order in which it may happen. */
export const EVENTS: Readonly<Record<EventType, EventWords>> = {
  "task.created": { word: as("a task was", "created"), about: t("A program has asked.") },
  "task.claimed": { word: as("a task was", "claimed"), about: t("A person wants to answer it.") },
  "task.revised": { word: as("a task was", "revised"), about: t("Its asker changed what it asks.") },
  "task.commented": { word: as("a task was", "commented"), about: t("Someone said or asked something about it.") },
  "task.rejected": { word: as("a task was", "sent back"), about: t("The automatic check rejected an answer.") },
  "task.completed": { word: as("a task was", "completed"), about: t("It has an answer.") },
  "task.cancelled": { word: as("a task was", "cancelled"), about: t("It was closed without an answer.") },
  "task.timed_out": { word: as("a task has", "timed out"), about: t("No one answered in time.") },
  "task.verification_exhausted": {
    word: as("of an answer", "check failed"),
    about: t("The automatic check rejected every answer."),
  },
};

/** Returns which events, such as "Created, completed". */
export function eventsWords(events: readonly EventType[]): string {
  const known = Object.entries(EVENTS).filter(([type]) => events.includes(type as EventType));
  if (known.length === Object.keys(EVENTS).length) return t("All events");
  return capitalized(known.map(([, { word }]) => word).reduce((words, next) => t("{words}, {next}", { words, next })));
}

export function capitalized(text: string): string {
  return text.charAt(0).toLocaleUpperCase(locale()) + text.slice(1);
}
