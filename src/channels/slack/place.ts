import type { SlackPlace } from "./client.ts";
import type { Audience } from "./task-view.ts";

/** Where a message stands, what stands in its thread, and up to which attempt that tells of answers that were sent back. */
export interface Place extends SlackPlace, Audience {
  sent_back: number;
  /** Ids in the same channel. */
  replies: readonly string[];
}

/** Places of earlier releases do not say who reads there, nor what stands in the thread. */
export function readPlace(place: string): Place {
  return { person: null, replies: [], ...(JSON.parse(place) as Omit<Place, "person" | "replies">) };
}
