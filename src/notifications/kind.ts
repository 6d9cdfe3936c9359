import type { Logger } from "pino";
import { ownVote } from "../approvals/words.ts";
import type { Config } from "../config.ts";
import type { Db } from "../db/database.ts";
import type { PushSubscriptionRow } from "../db/schema.ts";
import { failure, type Kind, type Outcome } from "../deliveries/kinds.ts";
import { schedule } from "../deliveries/schedule.ts";
import { HOUR, MINUTE, SECOND } from "../lib/time.ts";
import type { Sender } from "../outbound/http-sender.ts";
import { retryAfter } from "../outbound/retry-after.ts";
import { isActiveIn } from "../people/caller.ts";
import { toPerson } from "../people/sign-in.ts";
import { findUser, type User } from "../people/store.ts";
import { answerStateOf } from "../tasks/answer-state.ts";
import { isAssignee } from "../tasks/access.ts";
import { snoozedUntil } from "../tasks/snooze-store.ts";
import { isAmong, listCandidates } from "../tasks/candidates.ts";
import { findTaskWithDocuments, type TaskWithDocuments } from "../tasks/store.ts";
import type { PushBody } from "./notices.ts";
import { choicesOf } from "./choices.ts";
import { nextTime } from "./hours.ts";
import { deleteSubscription, findPushSubscription, updateSubscription } from "./store.ts";
import { authorization, pushKeys } from "./vapid.ts";

interface Ctx {
  db: Db;
  sender: Sender;
  config: Config;
  log: Logger;
}

/** A push service keeps a notification for a browser that is off for this long. */
const KEPT_MS = 24 * HOUR;
/** Between two notifications in a browser. What happens within this time is told by the next one. */
const GAP_MS = 30 * SECOND;
/** The wait until a row is looked at again whose browser is being told. */
const TURN_MS = 1 * SECOND;
/** What waits for a person tomorrow is told by the page itself. */
const nextAttemptAt = schedule([0, 10 * SECOND, 1 * MINUTE, 10 * MINUTE, 1 * HOUR, 4 * HOUR]);
/** By these, a push service says that it does not know the browser any more. (RFC 8030, 7.3) */
const GONE: ReadonlySet<number> = new Set([404, 410]);
/** By these, that it would refuse the same request again. */
const FINAL: ReadonlySet<number> = new Set([400, 401, 403, 405, 411, 413, 414, 415]);

const NEEDLESS: Outcome = { ok: true, status_code: null, response_excerpt: null, is_needless: true };

/**
 * Returns notifications in browsers as a kind of delivery. They say only that there is something: the worker of the page asks
 * this service what, with the session of its person, so that push services see nothing of a task. (RFC 8030)
 */
export function createPushKind({ db, sender, config, log }: Ctx): Kind {
  /** Browsers that are being told. Another process may tell one at the same time: its notification takes the place of this one. */
  const busy = new Set<string>();
  const tell: Kind["send"] = async ({ task_id, destination, body }, signal) => {
    const browser = await findPushSubscription(db, destination);
    if (browser === null || body === null) return NEEDLESS;
    const { purpose, at } = JSON.parse(body) as PushBody;
    if (browser.told_at !== null && browser.told_at > at) return NEEDLESS;
    const task = await findTaskWithDocuments(db, task_id);
    const user = await findUser(db, browser.user_id);
    const now = db.now();
    if (task === null || user === null || !(await concerns(db, task, user, now))) return NEEDLESS;
    const { muted_projects, quiet_hours } = await choicesOf(db, user.id);
    if (muted_projects.includes(task.project)) return NEEDLESS;
    const awake = nextTime(quiet_hours, user.time_zone ?? "UTC", now);
    const free = browser.told_at === null ? now : Math.max(browser.told_at + GAP_MS, now);
    if (Math.max(awake, free) > now) return { postponed_ms: Math.max(awake, free) - now };
    const outcome = await push({ sender, config }, browser, task.urgent === 1, signal);
    const { status_code } = outcome;
    if (outcome.ok)
      await db.write((tx) =>
        updateSubscription(tx, browser.id, {
          told_at: now,
          told_task_id: task_id,
          told_purpose: purpose,
          failure: null,
        }),
      );
    else if (status_code !== null && GONE.has(status_code)) {
      await db.write((tx) => deleteSubscription(tx, browser.id, null));
      return NEEDLESS;
    } else
      await db.write((tx) => updateSubscription(tx, browser.id, { failure: `${outcome.error}: ${outcome.message}` }));
    return outcome;
  };
  return {
    hasLastingOrigins: true,
    nextAttemptAt,
    send: async (delivery, signal) => {
      const { destination } = delivery;
      // What waits for its turn is needless after this one.
      if (busy.has(destination)) return { postponed_ms: TURN_MS };
      busy.add(destination);
      try {
        return await tell(delivery, signal);
      } finally {
        busy.delete(destination);
      }
    },
    // Its person sees the failure in their settings.
    onAbandoned: async (tx, { id: delivery_id, attempts, last_error }) =>
      tx.afterCommit(() => log.info({ delivery_id, attempts, last_error }, "Could not tell a person in a browser")),
  };
}

/** Sends a notification to one browser. @param isUrgent - a phone is woken for it */
export async function push(
  { sender, config }: Pick<Ctx, "sender" | "config">,
  { endpoint, key_id }: PushSubscriptionRow,
  isUrgent: boolean,
  signal?: AbortSignal,
): Promise<Outcome> {
  const key = pushKeys(config).find(({ id }) => id === key_id);
  if (key === undefined)
    return { ...failure("unknown_key", "The secret key was changed. Turn notifications on again."), is_final: true };
  // Other machines check this time, so it is not that of the database.
  const now = Date.now();
  const headers = {
    Authorization: await authorization(key, { endpoint, contact: config.publicUrl, now }),
    TTL: String(KEPT_MS / SECOND),
    Urgency: isUrgent ? "high" : "normal",
    // A browser that was off gets the last one only.
    Topic: "tasks",
  };
  const result = await sender.send({ url: endpoint, headers, body: Buffer.alloc(0), ...(signal && { signal }) });
  const { status: status_code = null, response_body: response_excerpt = null } = result;
  if (result.ok) return { ok: true, status_code, response_excerpt };
  const { error, message } = result;
  const is_final = status_code !== null && FINAL.has(status_code);
  const wait_ms = result.headers && retryAfter(result.headers, now);
  return { ok: false, is_final, wait_ms, error, message, status_code, response_excerpt };
}

/** Returns whether an open task is still for a person to decide. */
async function concerns(db: Db, task: TaskWithDocuments, user: User, now: number): Promise<boolean> {
  if (!isActiveIn(user, task.project) || answerStateOf(task, null, now).how !== "open") return false;
  if (ownVote(task, user.id) !== undefined) return false;
  if ((await snoozedUntil(db, toPerson(user), task.id, now)) !== null) return false;
  const isTaken = task.assigned_to_user_id !== null || task.assigned_to_email !== null;
  if (isTaken && task.approvals === null) return isAssignee(user, task);
  return isAssignee(user, task) || isAmong(await listCandidates(db, task.id), user);
}
