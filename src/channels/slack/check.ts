import type { CheckOptions } from "../channel.ts";
import { SlackFailure, type Slack } from "./client.ts";
import { listInstallations, missingScopes } from "./workspaces/installations.ts";
import { THREAD_SCOPES } from "./workspaces/manifest.ts";
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
  "Slack is off. Create an app as described in docs/slack.md, and set SERVICE_SLACK_BOT_TOKEN and SERVICE_SLACK_SIGNING_SECRET or SERVICE_SLACK_APP_TOKEN.",
);
const NO_WORKSPACE = warning("slack", "The app is not installed in a workspace yet. Install it under Settings, Slack.");

/** Without these, the app still asks and takes answers. Without the first, only where it was invited. */
const DISPENSABLE: ReadonlySet<string> = new Set(["chat:write.public", ...THREAD_SCOPES]);

/** @param where - its token is set */
async function checkWorkspace(name: string, where: string, find: () => Promise<Slack>): Promise<Finding> {
  try {
    const { team, scopes } = await (await find()).bot();
    const missing = missingScopes(scopes);
    if (missing.length === 0) return ok(name, `The app can post in ${team.name} (${team.id}).`);
    const tell = missing.every((scope) => DISPENSABLE.has(scope)) ? warning : problem;
    const unread = THREAD_SCOPES.some((scope) => missing.includes(scope))
      ? " Until then, what people write in some threads does not reach the tasks."
      : "";
    return tell(
      name,
      `The token for ${team.name} lacks the scopes ${missing.join(", ")}. Add them to the app, reinstall it, and renew ${where}.${unread}`,
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
      return ok(name, "Requests arrive over Socket Mode.");
    } catch (error) {
      return problem(name, `The Socket Mode connection failed: ${sentenceOf(error)} Check SERVICE_SLACK_APP_TOKEN.`);
    }
  }
  const url = `${publicUrl}/api/channels/slack/interactions`;
  if (publicUrl.startsWith("https:"))
    return ok(
      name,
      `Requests arrive at ${url}, if the manifest of the app has this URL. The first click shows whether the signing secret is right.`,
    );
  return warning(
    name,
    `Slack needs an https address and would call ${url}. Set SERVICE_PUBLIC_URL to an https address, or use Socket Mode (SERVICE_SLACK_APP_TOKEN).`,
  );
}

function sentenceOf(error: unknown): string {
  if (!(error instanceof SlackFailure)) throw error;
  return `${error.word}: ${error.message}`;
}
