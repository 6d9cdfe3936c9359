import { hash, randomBytes } from "node:crypto";
import type { Db } from "../../../db/database.ts";
import type { Config } from "../../../config.ts";
import type { Logger } from "pino";
import type { Workspaces } from "./workspaces.ts";
import { ServiceError } from "../../../errors.ts";
import { MINUTE } from "../../../lib/time.ts";
import { isOperator, requireOperator, type Caller } from "../../../people/caller.ts";
import { recordSecurityEvent } from "../../../security/record.ts";
import { SlackFailure } from "../client.ts";
import { requireSlack, storeInstallation } from "./installations.ts";
import { BOT_SCOPES, callbackUrl } from "./manifest.ts";

interface Ctx {
  db: Db;
  config: Config;
  log: Logger;
  slack: Workspaces | null;
}

/** Time limit for the OAuth flow. Slack's code expires after the same time. */
const BEGUN_MS = 10 * MINUTE;

/** The dashboard page that shows the result. */
const PAGE = "/settings/slack";

/**
 * Starts an installation. The state is accepted once, in the session that started it.
 *
 * @returns where to send the browser
 * @throws ServiceError FORBIDDEN without an operator's session, SLACK_NOT_CONFIGURED without client id and secret
 */
export async function beginInstall(ctx: Ctx, caller: Caller): Promise<string> {
  requireOperator(caller);
  if (caller.kind !== "user")
    throw new ServiceError("FORBIDDEN", {
      message: "Sign in to the dashboard. An installation starts and ends in the same session.",
    });
  requireSlack(ctx);
  const { slack } = ctx.config.channels;
  if (slack?.oauth == null)
    throw new ServiceError("SLACK_NOT_CONFIGURED", {
      message: "Set SERVICE_SLACK_CLIENT_ID and SERVICE_SLACK_CLIENT_SECRET to install the app from the dashboard.",
    });
  const state = randomBytes(32).toString("base64url");
  await ctx.db.write(async (tx) => {
    const now = tx.now();
    await tx.query
      .deleteFrom("slack_installs_begun")
      .where("created_at", "<=", now - BEGUN_MS)
      .execute();
    await tx.query
      .insertInto("slack_installs_begun")
      .values({ state_hash: hashOf(state), session: caller.session, created_at: now })
      .execute();
  });
  // The authorization page is on the same host as the API.
  const url = new URL("../oauth/v2/authorize", slack.apiUrl);
  url.search = new URLSearchParams({
    client_id: slack.oauth.clientId,
    scope: BOT_SCOPES.join(","),
    redirect_uri: callbackUrl(ctx.config),
    state,
  }).toString();
  return url.href;
}

/**
 * Ends an installation.
 * @param caller - null if the person is no longer signed in
 * @returns the URL of the page with the result, with `installed` or `problem`
 */
export async function endInstall(
  ctx: Ctx,
  caller: Caller | null,
  { state, code, error }: Record<"state" | "code" | "error", string>,
): Promise<string> {
  const slack = requireSlack(ctx);
  if (ctx.config.channels.slack?.oauth == null) throw new ServiceError("SLACK_NOT_CONFIGURED");
  if (caller?.kind !== "user" || !isOperator(caller)) return resultPage({ problem: "signed_out" });
  const failed = async (problem: string): Promise<string> => {
    await recordSecurityEvent(ctx.db, { type: "slack_workspace_connected", outcome: "failure", reason: problem });
    return resultPage({ problem });
  };
  if (!(await spend(ctx, state, caller.session))) return failed("state");
  if (code === "") return failed(error === "access_denied" ? "access_denied" : "refused");
  try {
    const installed = await storeInstallation(ctx, await slack.exchange(code, callbackUrl(ctx.config)), "oauth");
    return resultPage({ installed: installed.team_id ?? "" });
  } catch (failure) {
    if (!(failure instanceof SlackFailure)) throw failure;
    ctx.log.warn({ err: failure }, "The Slack app could not be installed");
    return failed(failure.word);
  }
}

/** Whether this session began it, and it was not used yet. */
async function spend({ db }: Ctx, state: string, session: string): Promise<boolean> {
  const { numDeletedRows } = await db.write((tx) =>
    tx.query
      .deleteFrom("slack_installs_begun")
      .where("state_hash", "=", hashOf(state))
      .where("session", "=", session)
      .where("created_at", ">", tx.now() - BEGUN_MS)
      .executeTakeFirst(),
  );
  return Number(numDeletedRows) > 0;
}

function resultPage(what: { installed: string } | { problem: string }): string {
  return `${PAGE}?${new URLSearchParams(what).toString()}`;
}

/** Only a hash is stored, so that a reader of the database cannot use it. */
function hashOf(state: string): string {
  return hash("sha256", state);
}
