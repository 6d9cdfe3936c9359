import { emailEnvironment } from "../channels/email/environment.ts";
import { slackEnvironment } from "../channels/slack/environment.ts";
import type { Environment, EnvironmentReader } from "./environment.ts";

/** The channels that take something from the environment, in the order in which their problems are listed. */
const ENVIRONMENTS = { email: emailEnvironment, slack: slackEnvironment } as const satisfies Record<
  string,
  EnvironmentReader<unknown>
>;

/** The environment settings of each channel; null if there are none, and the channel is off or set up otherwise. */
export type ChannelsConfig = { [Name in keyof typeof ENVIRONMENTS]: ReturnType<(typeof ENVIRONMENTS)[Name]["read"]> };

export const CHANNEL_VARIABLES: readonly string[] = Object.values(ENVIRONMENTS).flatMap(({ names }) => names);

export function readChannels(env: Environment): ChannelsConfig {
  const read = Object.entries(ENVIRONMENTS).map(([name, environment]) => [name, environment.read(env)]);
  return Object.fromEntries(read) as ChannelsConfig;
}
