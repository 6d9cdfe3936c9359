import type { CheckOptions } from "../channel.ts";
import { SlackFailure, type Slack } from "./client.ts";
import { listInstallations, missingScopes } from "./workspaces/installations.ts";
import { createWorkspaces, type Workspaces } from "./workspaces/workspaces.ts";
import type { Config } from "../../config.ts";
import { check, checkEach, known, off, ok, problem, warning, type Finding } from "../../lib/findings.ts";

type Ctx = Parameters<typeof createWorkspaces>[0];

/** Whether the app may speak in each workspace, and whether Slack reaches us. */
export function checkSlack(ctx: Ctx, { limitMs }: Pick<CheckOptions, "limitMs">): Promise<Finding[]> {
  return checkEach("slack", limitMs, async () => {
    const settings = ctx.config.channels.slack;
    if (settings === null) return [known(NO_APP)];
    const workspaces = createWorkspaces(ctx, settings);
    const { ofEnvironment } = workspaces;
    const stored = await listInstallations(ctx.db);
    const look = (name: string, where: string, find: () => Promise<Slack>) =>
      check(name, limitMs, () => checkWorkspace(name, where, find));
    const looks = stored.map(({ team_id }) =>
      look(`slack/${team_id}`, "the workspace under Settings, Slack", () => workspaces.find(team_id)),
    );
    if (ofEnvironment !== null)
      looks.unshift(look("slack/environment", "SERVICE_SLACK_BOT_TOKEN", async () => ofEnvironment));
    if (looks.length === 0) looks.push(known(NO_WORKSPACE));
    return [...looks, check("slack-requests", limitMs, () => checkRequests(ctx.config, workspaces))];
  });
}

const NO_APP = off(
  "slack",
  "There is no app: make one as docs/slack.md says, and set SERVICE_SLACK_BOT_TOKEN and what goes with it.",
);
const NO_WORKSPACE = warning("slack", "The app is in no workspace yet: install it under Settings, Slack.");

/** @param where - its token is set */
async function checkWorkspace(name: string, where: string, find: () => Promise<Slack>): Promise<Finding> {
  try {
    const { team, scopes } = await (await find()).bot();
    const missing = missingScopes(scopes);
    if (missing.length === 0) return ok(name, `The app may speak in ${team.name} (${team.id}).`);
    // Without this one it may speak where it was invited.
    const tell = missing.every((scope) => scope === "chat:write.public") ? warning : problem;
    return tell(
      name,
      `The token for ${team.name} lacks the scopes ${missing.join(", ")}: add them to the app, install it again, and renew ${where}.`,
    );
  } catch (error) {
    return problem(name, `${sentenceOf(error)} Check ${where}.`);
  }
}

/** How clicks come to us. */
async function checkRequests({ channels: { slack }, publicUrl }: Config, workspaces: Workspaces): Promise<Finding> {
  const name = "slack-requests";
  if (slack?.appToken != null) {
    try {
      await workspaces.openSocket();
      return ok(name, "They come over Socket Mode.");
    } catch (error) {
      return problem(name, `Socket Mode does not open: ${sentenceOf(error)} Check SERVICE_SLACK_APP_TOKEN.`);
    }
  }
  const url = `${publicUrl}/api/channels/slack/interactions`;
  if (publicUrl.startsWith("https:"))
    return ok(
      name,
      `They come to ${url}, if the app's manifest says so; the signing secret shows with the first click.`,
    );
  return warning(
    name,
    `Slack calls https addresses alone, and would have to call ${url}: set SERVICE_PUBLIC_URL to one, or use Socket Mode (SERVICE_SLACK_APP_TOKEN).`,
  );
}

function sentenceOf(error: unknown): string {
  if (!(error instanceof SlackFailure)) throw error;
  return `${error.word}: ${error.message}`;
}
