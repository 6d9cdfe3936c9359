import { hash } from "node:crypto";
import type { Config } from "../config.ts";
import type { Db } from "../db/database.ts";
import type { PushSubscriptionRow } from "../db/schema.ts";
import { invalid, ServiceError } from "../errors.ts";
import { isLoopback } from "../config/hosts.ts";
import { toStorableText } from "../lib/text.ts";
import { isoTime } from "../lib/time.ts";
import type { Sender } from "../outbound/http-sender.ts";
import { checkCallbackUrl } from "../outbound/outbound-url.ts";
import type { Caller } from "../people/caller.ts";
import { lockUser } from "../people/store.ts";
import { waitingFor } from "../tasks/counts.ts";
import { findTask } from "../tasks/store.ts";
import { requireSignedIn } from "./choices.ts";
import { push } from "./kind.ts";
import { BROWSERS_HINT } from "./notices.ts";
import { noticeOf } from "./notice.ts";
import type { AddBrowserBody, News, NotifiedBrowser, NotifiedBrowsers } from "./schema.ts";
import {
  deleteSubscription,
  findPushSubscription,
  putSubscription,
  subscriptionsOf,
  updateSubscription,
} from "./store.ts";
import { pushKeys } from "./vapid.ts";

interface Ctx {
  db: Db;
  config: Config;
  sender: Sender;
}

/** Browsers of one person. A new one takes the place of the oldest. */
const BROWSERS_MAX = 20;
const USER_AGENT_MAX = 400;

/** Lists the browsers in which the caller is told, the oldest first. @throws ServiceError FORBIDDEN unless the caller is signed in */
export async function listBrowsers(
  { db, config }: Pick<Ctx, "db" | "config">,
  caller: Caller,
): Promise<NotifiedBrowsers> {
  const { id } = requireSignedIn(caller);
  const rows = await subscriptionsOf(db, id);
  return { public_key: pushKeys(config)[0]!.publicKey, browsers: rows.map((row) => toRecord(config, row)) };
}

/**
 * Tells the caller in a browser from now on. A browser that another person used is theirs no longer.
 * @throws ServiceError FORBIDDEN unless the caller is signed in; VALIDATION_FAILED
 */
export async function addBrowser(
  { db, config }: Pick<Ctx, "db" | "config">,
  caller: Caller,
  { id, endpoint, userAgent }: AddBrowserBody & { id: string; userAgent: string | undefined },
): Promise<NotifiedBrowser> {
  const { id: user_id } = requireSignedIn(caller);
  requireEndpoint(config, endpoint);
  if (id !== idOf(endpoint)) throw invalid("/endpoint", "Its SHA-256 in hex must be the id in the path.");
  return db.write(async (tx) => {
    const user = await lockUser(tx, user_id);
    if (!user?.active) throw new ServiceError("UNAUTHENTICATED");
    const others = (await subscriptionsOf(tx, user_id)).filter((row) => row.id !== id);
    for (const oldest of others.slice(0, Math.max(others.length + 1 - BROWSERS_MAX, 0)))
      await deleteSubscription(tx, oldest.id, user_id);
    const row: PushSubscriptionRow = {
      id,
      user_id,
      endpoint,
      key_id: pushKeys(config)[0]!.id,
      user_agent: userAgent ? toStorableText(userAgent, USER_AGENT_MAX) : null,
      created_at: tx.now(),
      told_at: null,
      told_task_id: null,
      told_purpose: null,
      failure: null,
    };
    await putSubscription(tx, row);
    tx.hint(BROWSERS_HINT);
    return toRecord(config, row);
  });
}

/** Ends it for one browser of the caller. @throws ServiceError FORBIDDEN unless the caller is signed in; NOT_FOUND */
export async function removeBrowser({ db }: Pick<Ctx, "db">, caller: Caller, id: string): Promise<void> {
  const user = requireSignedIn(caller);
  if (!(await db.write((tx) => deleteSubscription(tx, id, user.id)))) throw unknown();
}

/**
 * Sends a notification to one browser of the caller now, whatever the time of day.
 * @returns the browser, which says whether its push service accepted it
 * @throws ServiceError FORBIDDEN unless the caller is signed in; NOT_FOUND
 */
export async function testBrowser(ctx: Ctx, caller: Caller, id: string): Promise<NotifiedBrowser> {
  const row = await ownBrowser(ctx, caller, id);
  const outcome = await push(ctx, row, false);
  // Its time is not kept: what else there is to tell is still told.
  const changes = outcome.ok
    ? { told_task_id: null, told_purpose: "test", failure: null }
    : { failure: `${outcome.error}: ${outcome.message}` };
  await ctx.db.write((tx) => updateSubscription(tx, id, changes));
  return toRecord(ctx.config, { ...row, ...changes });
}

/** Returns what the last notification in one browser of the caller is about. @throws ServiceError FORBIDDEN, NOT_FOUND */
export async function newsFor(ctx: Pick<Ctx, "db">, caller: Caller, id: string): Promise<News> {
  const { told_task_id, told_purpose } = await ownBrowser(ctx, caller, id);
  const waiting = await waitingFor(ctx.db, requireSignedIn(caller));
  const task = told_task_id === null ? null : await findTask(ctx.db, told_task_id);
  const shown = task && { id: task.id, title: task.redact_payload ? null : task.task };
  const news = { waiting, purpose: told_purpose, task: shown };
  return { ...news, notice: noticeOf(news) };
}

async function ownBrowser({ db }: Pick<Ctx, "db">, caller: Caller, id: string): Promise<PushSubscriptionRow> {
  const user = requireSignedIn(caller);
  const row = await findPushSubscription(db, id);
  if (row?.user_id !== user.id) throw unknown();
  return row;
}

/** The address comes from a browser, so it is as unsafe as any other. @throws ServiceError VALIDATION_FAILED */
function requireEndpoint({ callbacks }: Config, endpoint: string): void {
  const problem = checkCallbackUrl(endpoint, callbacks);
  if (problem !== null) throw invalid("/endpoint", problem);
  const { protocol, hostname } = new URL(endpoint);
  if (protocol !== "https:" && !isLoopback(hostname)) throw invalid("/endpoint", "Must begin with https://.");
}

function idOf(endpoint: string): string {
  return hash("sha256", endpoint, "hex");
}

function unknown(): ServiceError {
  return new ServiceError("NOT_FOUND", { message: "You are not notified in a browser with this id." });
}

function toRecord(config: Config, { id, user_agent, created_at, told_at, failure, key_id }: PushSubscriptionRow) {
  const is_current = pushKeys(config).some((key) => key.id === key_id);
  return { id, user_agent, created_at: isoTime(created_at), told_at: isoTime(told_at), failure, is_current };
}
