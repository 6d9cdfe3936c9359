import type { Environment, EnvironmentReader } from "../../config/environment.ts";

/** The Slack app. */
export interface SlackConfig {
  /** Bot token of a workspace that needs no installation here, or null. */
  botToken: string | null;
  /** Verifies requests from Slack; null if requests over HTTP are off. */
  signingSecret: string | null;
  /** With both, operators install the app in workspaces from the dashboard. */
  oauth: { clientId: string; clientSecret: string } | null;
  /** For Socket Mode; null if Slack calls over HTTP. */
  appToken: string | null;
  /** Ends in a slash. */
  apiUrl: string;
}

/** null if Slack is off. */
export const slackEnvironment: EnvironmentReader<SlackConfig | null> = {
  names: [
    "SERVICE_SLACK_BOT_TOKEN",
    "SERVICE_SLACK_SIGNING_SECRET",
    "SERVICE_SLACK_CLIENT_ID",
    "SERVICE_SLACK_CLIENT_SECRET",
    "SERVICE_SLACK_APP_TOKEN",
    "SERVICE_SLACK_API_URL",
  ],
  read: readSlack,
};

function readSlack(env: Environment): SlackConfig | null {
  const botToken = env.get("SERVICE_SLACK_BOT_TOKEN");
  const signingSecret = env.get("SERVICE_SLACK_SIGNING_SECRET");
  const clientId = env.get("SERVICE_SLACK_CLIENT_ID");
  const clientSecret = env.get("SERVICE_SLACK_CLIENT_SECRET");
  const appToken = env.get("SERVICE_SLACK_APP_TOKEN");
  const apiUrl = env.get("SERVICE_SLACK_API_URL") ?? "https://slack.com/api/";
  if (!URL.canParse(apiUrl) || !/^https?:$/.test(new URL(apiUrl).protocol) || !apiUrl.endsWith("/"))
    env.problems.push(`SERVICE_SLACK_API_URL is "${apiUrl}"; it must be an address that ends with a slash.`);
  if ([botToken, signingSecret, clientId, clientSecret, appToken].every((one) => one === undefined)) return null;
  if (signingSecret === undefined && appToken === undefined)
    env.problems.push(
      "Slack needs SERVICE_SLACK_SIGNING_SECRET (requests over HTTP) or SERVICE_SLACK_APP_TOKEN (Socket Mode) to receive answers.",
    );
  if ((clientId === undefined) !== (clientSecret === undefined))
    env.problems.push("SERVICE_SLACK_CLIENT_ID and SERVICE_SLACK_CLIENT_SECRET belong together: set both or neither.");
  // The values are secrets: they are not repeated.
  if (botToken !== undefined && !isBotToken(botToken))
    env.problems.push("SERVICE_SLACK_BOT_TOKEN is not a bot token. Bot tokens start with xoxb-.");
  if (appToken !== undefined && !/^xapp-[\w-]+$/.test(appToken))
    env.problems.push("SERVICE_SLACK_APP_TOKEN is not an app-level token. App-level tokens start with xapp-.");
  return {
    botToken: botToken ?? null,
    signingSecret: signingSecret ?? null,
    oauth: clientId === undefined || clientSecret === undefined ? null : { clientId, clientSecret },
    appToken: appToken ?? null,
    apiUrl,
  };
}

/** Whether it looks like the token of an app's bot. */
export function isBotToken(text: string): boolean {
  return /^xoxb-[\w-]+$/.test(text);
}
