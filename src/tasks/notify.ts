import { invalid } from "../errors.ts";
import type { UserRow } from "../db/schema.ts";
import { emailKey, isEmailAddress, isStorableText } from "../lib/text.ts";

/** One entry of `notify`, taken apart. */
export type Destination =
  | { channel: "email"; identity: string | null; address: string }
  | { channel: "slack"; team: string | null; target: string };

const ENTRIES_MAX = 20;
const ENTRY_CHARACTERS_MAX = 400;

/**
 * Reads `notify`: `<channel>[+<identity or team>]:<target>`. (spec: Create a task; the target is an e-mail address, or
 * for Slack a channel, a user or a member's address)
 *
 * @throws ServiceError VALIDATION_FAILED that names the entry
 */
export function parseNotify(entries: readonly string[]): Destination[] {
  if (entries.length > ENTRIES_MAX) throw invalid("/notify", `Takes at most ${ENTRIES_MAX} entries.`, "maxItems");
  return entries.map((entry, i) => parseDestination(entry, `/notify/${i}`));
}

function parseDestination(entry: string, path: string): Destination {
  if (entry.length > ENTRY_CHARACTERS_MAX || !isStorableText(entry))
    throw invalid(path, `Must be text of at most ${ENTRY_CHARACTERS_MAX} characters.`);
  const bare = entry.trim();
  if (isEmailAddress(bare)) throw invalid(path, `"${short(bare)}" names no channel. Write "email:${bare}".`);
  const colon = entry.indexOf(":");
  const [channel, via, ...more] = entry.slice(0, Math.max(colon, 0)).split("+");
  const target = entry.slice(colon + 1).trim();
  if (colon < 0 || more.length > 0 || (via !== undefined && !/^[\w.-]{1,100}$/.test(via))) {
    throw invalid(
      path,
      'Must read "<channel>:<target>" or "<channel>+<identity or team>:<target>", for example "email:dana@example.com" or "slack:#approvals".',
    );
  }
  switch (channel) {
    case "email":
      if (!isEmailAddress(target)) throw invalid(path, `"${short(target)}" is not an e-mail address.`);
      return { channel, identity: via ?? null, address: target };
    case "slack":
      if (!isSlackTarget(target))
        throw invalid(
          path,
          `"${short(target)}" is not a Slack channel (#name, C..., G...), user (U..., W..., @handle) or e-mail address.`,
        );
      return { channel, team: via ?? null, target };
    default:
      throw invalid(path, `"${short(channel ?? "")}" is not a channel; there are "slack" and "email".`);
  }
}

/** The address or the Slack target of a destination, without its channel. */
export function targetOf(to: Destination): string {
  return to.channel === "email" ? to.address : to.target;
}

/** Whether a destination is a channel of Slack, and not a person. */
export function isSlackChannel(to: Destination): boolean {
  const target = targetOf(to);
  return /^[#CG]/.test(target) && !target.includes("@");
}

/** Whether one of the destinations is this person: by their address, or by their id in Slack. */
export function isNamed(
  destinations: readonly Destination[],
  { email, slack_team_id, slack_user_id }: Pick<UserRow, "email" | "slack_team_id" | "slack_user_id">,
): boolean {
  return destinations.some((to) => {
    const target = targetOf(to);
    if (isEmailAddress(target)) return email !== null && emailKey(target) === emailKey(email);
    if (to.channel !== "slack" || slack_user_id === null) return false;
    return target === slack_user_id && (to.team === null || to.team === slack_team_id);
  });
}

/** A channel or a person, as Slack knows them. */
export function isSlackTarget(target: string): boolean {
  return /^(#[^\s#@<>]{1,80}|[CGUW][A-Z0-9]{2,30}|@[\w.-]{1,80})$/u.test(target) || isEmailAddress(target);
}

function short(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}...` : text;
}
