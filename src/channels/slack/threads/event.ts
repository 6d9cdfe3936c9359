import { own } from "../../../../form/plan/hints.ts";
import type { Who } from "../clicks/click-context.ts";
import type { Thread } from "./keys.ts";

/** What a person wrote in a thread, parsed once from the event. */
export interface Written {
  who: Who;
  thread: Thread;
  /** The id of their message. */
  ts: string;
  /** In Slack's encoding. */
  text: string;
  hasFiles: boolean;
}

/** Slack names what happened to a message in `subtype`. These are new messages of people; the rest are edits, deletions and notes. */
const NEW_MESSAGES: ReadonlySet<string> = new Set(["", "file_share", "thread_broadcast"]);

/** Returns what Slack wants back for the address of the service; null for other events. */
export function challengeOf(payload: unknown): string | null {
  return text(payload, "type") === "url_verification" ? text(payload, "challenge") : null;
}

/**
 * Reads an event from Slack.
 *
 * @param payload - of a request whose signature was checked
 * @returns null unless a person wrote something in a thread
 */
export function parseEvent(payload: unknown): Written | null {
  const event = own(payload, "event");
  if (text(payload, "type") !== "event_callback" || text(event, "type") !== "message") return null;
  if (!NEW_MESSAGES.has(text(event, "subtype"))) return null;
  const [user_id, ts, thread_ts] = [text(event, "user"), text(event, "ts"), text(event, "thread_ts")];
  // Messages of apps, ours among them, have a bot.
  if (user_id === "" || text(event, "bot_id") !== "" || own(event, "bot_profile") != null) return null;
  if (ts === "" || thread_ts === "" || thread_ts === ts) return null;
  // The workspace that the app is in. In a channel that is shared, it is not the one of the person.
  const authorizations = own(payload, "authorizations");
  const installed: unknown = Array.isArray(authorizations) ? authorizations[0] : undefined;
  const team = text(installed, "team_id") || text(payload, "team_id");
  const files = own(event, "files");
  return {
    who: { team_id: text(event, "user_team") || text(event, "team") || team, user_id },
    thread: { team, channel: text(event, "channel"), ts: thread_ts },
    ts,
    text: text(event, "text"),
    hasFiles: Array.isArray(files) && files.length > 0,
  };
}

function text(from: unknown, key: string): string {
  const value = own(from, key);
  return typeof value === "string" ? value : "";
}
