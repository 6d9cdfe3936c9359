import type { Comment } from "../../../conversation/store.ts";
import type { Place } from "../place.ts";

/** The thread of a message of ours. */
export interface Thread {
  /** The workspace that the message was posted in. */
  team: string;
  channel: string;
  /** The id of the message that the thread belongs to. */
  ts: string;
}

/** Returns the key of a comment from a thread: Slack may send the same message several times. @param ts - of what was written */
export function keyOf(thread: Thread, ts: string): string {
  return `${prefixOf(thread)}${ts}`;
}

/** Returns whether a comment was written in the thread of a message. */
export function isFromThread({ author, idempotency_key }: Comment, place: Pick<Place, keyof Thread>): boolean {
  return author.channel === "slack" && idempotency_key?.startsWith(prefixOf(place)) === true;
}

function prefixOf({ team, channel, ts }: Thread): string {
  return `slack ${team} ${channel} ${ts} `;
}
