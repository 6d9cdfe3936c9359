import { t } from "../../../languages/text.ts";
import type { Settings, Workspace } from "./queries.ts";

export type SlackSettings = NonNullable<Settings["slack"]>;

/** Returns whether Slack can use the address: it sends requests and redirects to https addresses only. */
export function isHttps(url: string): boolean {
  return url.startsWith("https:");
}

/** Returns the display name of a workspace. */
export function nameOf({ team_name, team_id }: Workspace): string {
  return team_name ?? team_id ?? t("Workspace of SERVICE_SLACK_BOT_TOKEN");
}

/** How to give a workspace a new token. */
export const ANEW: Readonly<Record<Workspace["source"], string>> = {
  environment: t("Reinstall the app in Slack, set SERVICE_SLACK_BOT_TOKEN to the new token, and restart the service."),
  oauth: t("Select “Add to Slack” again."),
  token: t("Reinstall the app in Slack, and add the new token here."),
};
