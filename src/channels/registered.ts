import type { ChannelType } from "./channel.ts";
import { emailChannel } from "./email/channel.ts";
import { slackChannel } from "./slack/channel.ts";

/** The channels of the service, in the order in which messages name them. */
export const CHANNELS: readonly ChannelType[] = [emailChannel, slackChannel];
