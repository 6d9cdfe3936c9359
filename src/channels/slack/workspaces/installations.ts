import type { Logger } from "pino";
import type { Reader, Db } from "../../../db/database.ts";
import type { SlackInstallationRow } from "../../../db/schema.ts";
import { sealFor, unsealFrom } from "../../../db/sealed.ts";
import { isBotToken } from "../environment.ts";
import type { Config } from "../../../config.ts";
import { invalid, ServiceError } from "../../../errors.ts";
import { isoTime } from "../../../lib/time.ts";
import { requireOperator, type Caller } from "../../../people/caller.ts";
import { recordSecurityEvent } from "../../../security/record.ts";
import { SlackFailure, type SlackBot } from "../client.ts";
import { BOT_SCOPES } from "./manifest.ts";
import type { AddInstallationBody, SlackInstallation, TestPostBody, TestPostResult } from "../schema.ts";
import { isSlackTarget } from "../notifiable.ts";
import { targetOf } from "../targets.ts";
import { line } from "../modal/text.ts";
import type { Workspaces } from "./workspaces.ts";

interface Ctx {
  db: Db;
  config: Config;
  log: Logger;
  slack: Workspaces | null;
}

const INSTALLATIONS_MAX = 500;

/** @throws ServiceError SLACK_NOT_CONFIGURED */
export function requireSlack({ slack }: Pick<Ctx, "slack">): Workspaces {
  if (slack === null) throw new ServiceError("SLACK_NOT_CONFIGURED");
  return slack;
}

/** All of them, by name; the one of the environment first. (spec: Channels, installation management) */
export async function readInstallations(ctx: Ctx, caller: Caller): Promise<SlackInstallation[]> {
  requireOperator(caller);
  const { ofEnvironment } = requireSlack(ctx);
  const own = ofEnvironment === null ? [] : [await recordOfEnvironment(ofEnvironment.bot())];
  return [...own, ...(await listInstallations(ctx.db)).map(toRecord)];
}

/**
 * Asks Slack whose token it is, and keeps it; one that the workspace had before is replaced.
 * @throws ServiceError VALIDATION_FAILED, SLACK_UNAVAILABLE, SLACK_NOT_CONFIGURED
 */
export async function addInstallation(
  ctx: Ctx,
  caller: Caller,
  { bot_token }: AddInstallationBody,
): Promise<SlackInstallation> {
  requireOperator(caller);
  const slack = requireSlack(ctx);
  const token = bot_token.trim();
  if (!isBotToken(token)) throw invalid("/bot_token", "This is not a bot token. Bot tokens start with xoxb-.");
  try {
    return await storeInstallation(ctx, { token, ...(await slack.withToken(token).bot()) }, "token");
  } catch (error) {
    if (!(error instanceof SlackFailure)) throw error;
    if (error.isFinal) throw invalid("/bot_token", error.message);
    throw new ServiceError("SLACK_UNAVAILABLE", { message: error.message, cause: error });
  }
}

/** Nothing is said there any more; the app itself stays in the workspace. @throws ServiceError NOT_FOUND */
export async function removeInstallation(ctx: Ctx, caller: Caller, team_id: string): Promise<void> {
  requireOperator(caller);
  requireSlack(ctx);
  if (!isTeamId(team_id)) throw unknownWorkspace();
  await ctx.db.write(async (tx) => {
    const { numDeletedRows } = await tx.query
      .deleteFrom("slack_installations")
      .where("team_id", "=", team_id)
      .executeTakeFirst();
    if (Number(numDeletedRows) === 0) throw unknownWorkspace();
    await recordSecurityEvent(tx, { type: "slack_workspace_disconnected", target: workspace(team_id) });
  });
}

/** Posts a message that says that it is a test, and what became of it. @throws ServiceError NOT_FOUND, VALIDATION_FAILED */
export async function testInstallation(
  ctx: Ctx,
  caller: Caller,
  team_id: string,
  body: TestPostBody,
): Promise<TestPostResult> {
  requireOperator(caller);
  const workspaces = requireSlack(ctx);
  const to = body.to.trim();
  if (!isSlackTarget(to)) throw invalid("/to", "Must be #name, C..., U..., @handle or an email.");
  try {
    const slack = await workspaces.find(team_id);
    const says = line(
      `This is a test. Messages of the Human Task Service at ${ctx.config.publicUrl} reach you here.`,
      500,
    );
    const { channel } = await targetOf(slack, to);
    await slack.post(channel, { text: says.text, blocks: [{ type: "section", text: says }] });
    await recordSecurityEvent(ctx.db, { type: "slack_workspace_tested", target: workspace(team_id), details: { to } });
    return { sent: true, to, error: null };
  } catch (error) {
    if (!(error instanceof SlackFailure)) throw error;
    if (error.word === "no_team") throw unknownWorkspace();
    await recordSecurityEvent(ctx.db, {
      type: "slack_workspace_tested",
      outcome: "failure",
      reason: error.word,
      target: workspace(team_id),
      details: { to },
    });
    return { sent: false, to, error: `${error.word}: ${error.message}` };
  }
}

/**
 * Keeps a token under the workspace that it belongs to.
 * @throws SlackFailure where it cannot be kept
 */
export async function storeInstallation(
  ctx: Ctx,
  { token, team, bot_user_id, scopes }: SlackBot & { token: string },
  source: "oauth" | "token",
): Promise<SlackInstallation> {
  if (!isTeamId(team.id))
    throw new SlackFailure("no_team", "Slack did not say which workspace this is.", { isFinal: true });
  // A token of the environment that does not work blocks nothing.
  const ofEnvironment = await ctx.slack?.ofEnvironment?.team().catch(() => null);
  if (ofEnvironment?.id === team.id)
    throw new SlackFailure("environment", `${team.name} is connected by SERVICE_SLACK_BOT_TOKEN already.`, {
      isFinal: true,
    });
  return ctx.db.write(async (tx) => {
    const before = await findInstallation(tx, team.id);
    if (before === null && (await listInstallations(tx)).length >= INSTALLATIONS_MAX)
      throw new SlackFailure("too_many", `The app is in ${INSTALLATIONS_MAX} workspaces, which is the maximum.`, {
        isFinal: true,
      });
    const now = tx.now();
    const row: SlackInstallationRow = {
      team_id: team.id,
      team_name: team.name,
      bot_token: sealFor(ctx.config, "slack_installations", team.id, token),
      bot_user_id,
      scopes: scopes.join(","),
      source,
      created_at: before?.created_at ?? now,
      updated_at: now,
    };
    const { team_id: _same, created_at: _kept, ...changes } = row;
    await tx.query
      .insertInto("slack_installations")
      .values(row)
      .onConflict((conflict) => conflict.column("team_id").doUpdateSet(changes))
      .execute();
    await recordSecurityEvent(tx, {
      type: "slack_workspace_connected",
      target: workspace(team.id),
      details: { name: team.name, source, replaced: before !== null },
    });
    tx.afterCommit(() => ctx.log.info({ team_id: team.id, source }, "The Slack app is connected to a workspace"));
    return toRecord(row);
  });
}

export async function listInstallations(reader: Pick<Reader, "query">): Promise<SlackInstallationRow[]> {
  return reader.query.selectFrom("slack_installations").selectAll().orderBy("team_name").orderBy("team_id").execute();
}

export async function findInstallation(
  reader: Pick<Reader, "query">,
  team_id: string,
): Promise<SlackInstallationRow | null> {
  const row = await reader.query
    .selectFrom("slack_installations")
    .selectAll()
    .where("team_id", "=", team_id)
    .executeTakeFirst();
  return row ?? null;
}

/** Returns the bot token; null if it was encrypted with another key. */
export function openToken(ctx: Pick<Ctx, "config">, { team_id, bot_token }: SlackInstallationRow): string | null {
  return unsealFrom(ctx.config, "slack_installations", team_id, bot_token);
}

function workspace(id: string) {
  return { kind: "slack_workspace", id } as const;
}

function isTeamId(text: string): boolean {
  return /^[A-Z0-9]{2,30}$/.test(text);
}

function unknownWorkspace(): ServiceError {
  return new ServiceError("NOT_FOUND", { message: "No connected workspace has this id." });
}

/** Returns the scopes that the service needs and the token lacks. */
export function missingScopes(scopes: readonly string[]): string[] {
  return BOT_SCOPES.filter((scope) => !scopes.includes(scope));
}

async function recordOfEnvironment(asked: Promise<SlackBot>): Promise<SlackInstallation> {
  const record = { source: "environment", created_at: null, updated_at: null } as const;
  try {
    const { team, scopes } = await asked;
    return { ...record, team_id: team.id, team_name: team.name, missing_scopes: missingScopes(scopes), problem: null };
  } catch (error) {
    if (!(error instanceof SlackFailure)) throw error;
    const problem = `${error.word}: ${error.message}`;
    return { ...record, team_id: null, team_name: null, missing_scopes: [], problem };
  }
}

function toRecord(row: SlackInstallationRow): SlackInstallation {
  return {
    team_id: row.team_id,
    team_name: row.team_name,
    source: row.source as SlackInstallation["source"],
    missing_scopes: missingScopes(row.scopes.split(",")),
    problem: null,
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  };
}
