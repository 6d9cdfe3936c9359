import type { SlackPlace } from "./client.ts";
import type { Audience } from "./task-view.ts";

/** The place of a message, our replies in its thread, and the last rejected attempt that they report. */
export interface Place extends SlackPlace, Audience {
  sent_back: number;
  /** The last round of approvals that they report. An earlier release left it out. */
  round?: number;
  /** How many reminders they report. An earlier release left it out. */
  reminded?: number;
  /** The last comment that they report, by its `seq`. An earlier release left it out. */
  said?: number;
  /** Ids of our replies. */
  replies: readonly string[];
}

/** Earlier releases stored neither the reader nor the replies. */
export function readPlace(place: string): Place {
  return { person: null, replies: [], ...(JSON.parse(place) as Omit<Place, "person" | "replies">) };
}
