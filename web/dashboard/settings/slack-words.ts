import type { Settings, Workspace } from "./queries.ts";

export type SlackSettings = NonNullable<Settings["slack"]>;

/** Slack calls no other address, and sends nobody back to one. */
export function isHttps(url: string): boolean {
  return url.startsWith("https:");
}

/** What operators call a workspace. */
export function nameOf({ team_name, team_id }: Workspace): string {
  return team_name ?? team_id ?? "Workspace of the environment";
}

/** How a workspace gets a token that is good, or may do more. */
export const ANEW: Readonly<Record<Workspace["source"], string>> = {
  environment:
    "Install the app anew at Slack, set SERVICE_SLACK_BOT_TOKEN to the token that it shows, and start the service again.",
  oauth: "Press “Add to Slack” again.",
  token: "Install the app anew at Slack, and add the token that it shows here.",
};
