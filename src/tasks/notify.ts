import { invalid } from "../errors.ts";
import { emailKey, isEmailAddress, isStorableText } from "../lib/text.ts";
import { accountOf } from "../people/accounts.ts";
import type { User } from "../people/store.ts";

/** A parsed entry of `notify`: `<channel>[+<via>]:<target>`. */
export interface Destination {
  /** The name of a channel. */
  channel: string;
  /** The sender identity or workspace to use; null lets the channel choose. */
  via: string | null;
  /** An email address, or a room or person in the channel's own syntax. */
  target: string;
}

/** The part of a channel that parsing `notify` needs. */
export interface NotifiableChannel {
  name: string;
  /** An entry of `notify`, for messages. */
  example: string;
  /** Returns what is wrong with a target as a sentence, or null. */
  problemOf(target: string): string | null;
  /** Its tasks have a reminder unless their request says what happens while no one answers. */
  remindsByDefault?: boolean;
  /** Returns whether a target is a room of several people, in a workspace that an operator has connected. */
  isRoom(target: string): boolean;
}

const LIST = new Intl.ListFormat("en-GB");
const ENTRIES_MAX = 20;
const ENTRY_CHARACTERS_MAX = 400;

/**
 * Reads `notify` of a request. (spec: Create a task)
 * @param path - where it is in the request
 * @throws ServiceError VALIDATION_FAILED that names the entry
 */
export function readNotify(
  entries: readonly string[],
  channels: readonly NotifiableChannel[],
  path = "/notify",
): Destination[] {
  if (entries.length > ENTRIES_MAX) throw invalid(path, `Takes at most ${ENTRIES_MAX} entries.`, "maxItems");
  return entries.map((entry, i) => readEntry(entry, `${path}/${i}`, channels));
}

function readEntry(entry: string, path: string, channels: readonly NotifiableChannel[]): Destination {
  if (entry.length > ENTRY_CHARACTERS_MAX || !isStorableText(entry))
    throw invalid(path, `Must be text of at most ${ENTRY_CHARACTERS_MAX} characters.`);
  const bare = entry.trim();
  if (isEmailAddress(bare)) throw invalid(path, `"${shorten(bare)}" names no channel. Write "email:${bare}".`);
  const destination = parseEntry(entry);
  if (destination === null) {
    const examples = channels.map(({ example }) => `"${example}"`).join(" or ");
    throw invalid(
      path,
      `Must read "<channel>:<target>" or "<channel>+<identity or team>:<target>", for example ${examples}.`,
    );
  }
  const channel = channels.find(({ name }) => name === destination.channel);
  if (channel === undefined) {
    const names = LIST.format(channels.map(({ name }) => `"${name}"`));
    throw invalid(path, `"${shorten(destination.channel)}" is not a channel; there are ${names}.`);
  }
  const problem = channel.problemOf(destination.target);
  if (problem !== null) throw invalid(path, `"${shorten(destination.target)}" ${problem}`);
  return destination;
}

/** Returns whether a task reaches people in a way that has a reminder by default. */
export function isMailed(notify: readonly Destination[], channels: readonly NotifiableChannel[]): boolean {
  return notify.some(({ channel }) =>
    channels.some(({ name, remindsByDefault }) => name === channel && remindsByDefault),
  );
}

/** Parses the stored `notify` of a task. */
export function parseNotify(notify: string | null): Destination[] {
  if (notify === null) return [];
  return (JSON.parse(notify) as string[]).map((entry) => {
    const destination = parseEntry(entry);
    if (destination === null) throw new Error(`A stored entry of notify is malformed: ${shorten(entry)}`);
    return destination;
  });
}

function parseEntry(entry: string): Destination | null {
  const colon = entry.indexOf(":");
  const [channel = "", via, ...more] = entry.slice(0, Math.max(colon, 0)).split("+");
  if (colon < 0 || more.length > 0 || (via !== undefined && !/^[\w.-]{1,100}$/.test(via))) return null;
  return { channel, via: via ?? null, target: entry.slice(colon + 1).trim() };
}

/** Returns whether a destination is this user, by their email or their account in its channel. */
export function isNamedBy({ channel, via, target }: Destination, user: User): boolean {
  if (isEmailAddress(target)) return user.email !== null && emailKey(target) === emailKey(user.email);
  const account = accountOf(user);
  if (account === null || account.channel !== channel) return false;
  return target === account.user_id && (via === null || via === account.team_id);
}

function shorten(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}...` : text;
}
