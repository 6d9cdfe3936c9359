import type { Reader } from "../../db/database.ts";
import { isEmailAddress } from "../../lib/text.ts";
import { findUserByAccount } from "../../people/store.ts";
import type { Recipient } from "../../tasks/notices.ts";
import type { Destination } from "../../tasks/notify.ts";
import { recipientByEmail } from "../recipients.ts";
import { SlackFailure, type Slack } from "./client.ts";
import type { Who } from "./clicks/click-context.ts";
import { isSlackChannel } from "./notifiable.ts";

/** Returns the person behind a destination according to the directory; null for a channel. Does not call Slack. */
export async function recipientOf(reader: Reader, destination: Destination): Promise<Recipient | null> {
  const { via: team, target } = destination;
  if (isSlackChannel(target)) return null;
  const byEmail = await recipientByEmail(reader, destination);
  if (byEmail !== null) return byEmail;
  const user = target.startsWith("@") ? null : await findUserByAccount(reader, team, target);
  return { user, email: null, name: `${team ?? ""}:${target}` };
}

/** Returns Slack's id for a target of `notify`, and its person; null for a channel. @throws SlackFailure */
export async function targetOf(slack: Slack, target: string): Promise<{ channel: string; person: Who | null }> {
  if (/^[UW]/.test(target) && !isEmailAddress(target))
    return { channel: target, person: { team_id: (await slack.team()).id, user_id: target } };
  if (!isEmailAddress(target) && !target.startsWith("@")) return { channel: target, person: null };
  const member = await (isEmailAddress(target) ? slack.memberByEmail(target) : slack.memberByHandle(target.slice(1)));
  if (member === null)
    throw new SlackFailure("user_not_found", `No one in the workspace is called ${target}.`, { isFinal: true });
  return { channel: member.id, person: { team_id: member.team_id, user_id: member.id } };
}
