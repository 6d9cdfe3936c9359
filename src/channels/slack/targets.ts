import { isEmailAddress } from "../../lib/text.ts";
import { SlackFailure, type Slack } from "./client.ts";

/** What Slack takes for a target of `notify`. @throws SlackFailure */
export async function channelOf(slack: Slack, target: string): Promise<string> {
  if (isEmailAddress(target)) return (await slack.memberByEmail(target)).id;
  if (!target.startsWith("@")) return target;
  const member = await slack.memberByHandle(target.slice(1));
  if (member === null)
    throw new SlackFailure("user_not_found", `Nobody in the workspace is called ${target}.`, { isFinal: true });
  return member.id;
}
