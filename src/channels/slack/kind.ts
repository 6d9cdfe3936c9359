import { hash } from "node:crypto";
import { roundOf } from "../../approvals/proposal.ts";
import { remindersOf } from "../../escalation/ladder.ts";
import type { Config } from "../../config.ts";
import type { Logger } from "pino";
import type { Tx, Db } from "../../db/database.ts";
import { homeOf } from "../../db/home.ts";
import type { DueDelivery, EndedDelivery, Kind, Outcome, Postponed } from "../../deliveries/kinds.ts";
import { findBody } from "../../deliveries/claim.ts";
import { findPlace, setPlace, takePlace } from "../../deliveries/live-messages.ts";
import { schedule } from "../../deliveries/schedule.ts";
import { MINUTE, SECOND } from "../../lib/time.ts";
import { recordNotification, type Notification } from "../../tasks/audit.ts";
import { isTerminal } from "../../tasks/lifecycle.ts";
import { findTaskWithDocuments, type TaskWithDocuments } from "../../tasks/store.ts";
import { SlackFailure, type Slack } from "./client.ts";
import type { PostBody } from "./notices.ts";
import { readPlace, type Place } from "./place.ts";
import { messageFor } from "./task-view.ts";
import { targetOf } from "./targets.ts";
import { nextReply, readTalk, type Reply } from "./threads/replies.ts";
import type { Workspaces } from "./workspaces/workspaces.ts";

interface Ctx {
  db: Db;
  config: Config;
  log: Logger;
}

const nextAttemptAt = schedule([0, 5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE]);

/** Replies that one attempt posts. Slack takes about one message per second in a channel, and more only in short bursts. */
const REPLIES_MAX = 3;
/** The wait before a thread goes on that has more. */
const PAUSE_MS = 3 * SECOND;

/** A post without a result after this time is considered lost. */
const LOST_MS = 30 * SECOND;

/**
 * Slack messages as a kind of delivery. A message is posted once and updated with every change of its task. Each attempt
 * brings the message up to date. (spec: Channels)
 */
export function createSlackKind(ctx: Ctx, workspaces: Workspaces): Kind {
  return {
    hasLastingOrigins: true,
    nextAttemptAt,
    send: async (delivery) => {
      const { task_id, destination, body } = delivery;
      const task = await findTaskWithDocuments(ctx.db, task_id);
      if (task === null) return NEEDLESS;
      const known = await findPlace(ctx.db, delivery);
      const now = ctx.db.now();
      try {
        if (known?.place != null) {
          const place = readPlace(known.place);
          return await change(await workspaces.find(place.team), { delivery, task, place, shown: known.shown });
        }
        if (isTerminal(task.status) || now >= task.timeout_at) return NEEDLESS;
        // Another process may be posting it now. The message must not appear twice.
        if (known?.begun_at != null && now - known.begun_at < LOST_MS)
          return { ...failed("busy", "The message is already being posted."), wait_ms: 5 * SECOND };
        const { team } = JSON.parse(body ?? "{}") as PostBody;
        return await post(await workspaces.find(team ?? null), { delivery, task, target: destination });
      } catch (error) {
        if (!(error instanceof SlackFailure)) throw error;
        return { ...failed(error.word, error.message), is_final: error.isFinal, wait_ms: error.waitMs };
      }
    },
    onAbandoned: async (tx, delivery) => {
      const { id: delivery_id, task_id, attempts, last_error: error } = delivery;
      await recordNotification(tx, task_id, { ...(await notificationOf(tx, delivery)), attempts, error });
      tx.afterCommit(() => ctx.log.warn({ delivery_id, task_id, attempts, error }, "Slack rejected a message"));
    },
    // Recorded for the first post only. Updates are not recorded.
    onSucceeded: async (tx, delivery) => {
      if (await noteOnce(tx, delivery))
        await recordNotification(tx, delivery.task_id, await notificationOf(tx, delivery));
    },
  };

  async function post(
    slack: Slack,
    { delivery, task, target }: { delivery: DueDelivery; task: TaskWithDocuments; target: string },
  ): Promise<Outcome | Postponed> {
    const { channel, person } = await targetOf(slack, target);
    const { id: team } = await slack.team();
    const message = await messageFor(ctx, workspaces, task, { team, person });
    if (!(await setPlace(ctx.db, delivery, { begun_at: ctx.db.now() }))) return NEEDLESS;
    let place: Place;
    try {
      const posted = await slack.post(channel, message);
      const sent_back = task.verification_attempt;
      const shown = { sent_back, round: roundOf(task), reminded: remindersOf(task.ladder) };
      place = { team, person, ...posted, ...shown, replies: [] };
    } catch (error) {
      await releaseUnlessUnknown(delivery, error);
      throw error;
    }
    const known = { begun_at: null, place: JSON.stringify(place), shown: fingerprint(message) };
    return (await setPlace(ctx.db, delivery, known)) ? reply(slack, delivery, task, place) : NEEDLESS;
  }

  async function change(
    slack: Slack,
    {
      delivery,
      task,
      place,
      shown,
    }: { delivery: DueDelivery; task: TaskWithDocuments; place: Place; shown: string | null },
  ): Promise<Outcome | Postponed> {
    const message = await messageFor(ctx, workspaces, task, place);
    const mark = fingerprint(message);
    if (mark !== shown) {
      await slack.update(place, message);
      // If the task was deleted in the meantime, the message must be removed.
      if (!(await setPlace(ctx.db, delivery, { shown: mark }, JSON.stringify(place)))) return NEEDLESS;
    }
    return reply(slack, delivery, task, place);
  }

  /**
   * Posts in the thread what the message itself does not show. Only one attempt at a time does, so that nothing is there twice. A
   * long conversation takes several attempts: each goes on where the one before stopped, and none of them counts as a failure.
   */
  async function reply(
    slack: Slack,
    delivery: DueDelivery,
    task: TaskWithDocuments,
    known: Place,
  ): Promise<Outcome | Postponed> {
    const talk = await readTalk(ctx.db, task, known);
    const nextFor = (place: Place) => nextReply(ctx, task, talk, place);
    if (nextFor(known) === null) return SENT;
    const taken = await takePlace(ctx.db, delivery, LOST_MS);
    if (taken === null) return NEEDLESS;
    if (taken === "busy" || taken.place === null)
      return { ...failed("busy", "The thread is already being written."), wait_ms: 2 * SECOND };
    let place = readPlace(taken.place);
    let next = nextFor(place);
    if (next === null) await setPlace(ctx.db, delivery, { begun_at: null }, taken.place);
    for (let posted = 0; next !== null;) {
      if (posted === REPLIES_MAX) return { postponed_ms: PAUSE_MS };
      const ts = await postReply(slack, delivery, place, next).catch((error: unknown) => {
        if (posted > 0 && error instanceof SlackFailure && error.waitMs !== undefined) return error.waitMs;
        throw error;
      });
      if (typeof ts === "number") return { postponed_ms: ts };
      posted++;
      place = withReply(place, next, ts);
      next = nextFor(place);
      const begun_at = next === null || posted === REPLIES_MAX ? null : ctx.db.now();
      if (!(await setPlace(ctx.db, delivery, { place: JSON.stringify(place), begun_at }))) return NEEDLESS;
    }
    return SENT;
  }

  async function postReply(slack: Slack, delivery: DueDelivery, { channel, ts }: Place, { message }: Reply) {
    try {
      return (await slack.post(channel, message, ts)).ts;
    } catch (error) {
      await releaseUnlessUnknown(delivery, error);
      throw error;
    }
  }

  /** If Slack responded with an error, nothing was posted. Without a response that is unknown for a while. */
  async function releaseUnlessUnknown(delivery: DueDelivery, error: unknown): Promise<void> {
    if (error instanceof SlackFailure && error.word !== "connect") await setPlace(ctx.db, delivery, { begun_at: null });
  }
}

/** Returns the place of a message after a reply was posted in its thread. */
function withReply(place: Place, { reports }: Reply, ts: string): Place {
  return { ...place, ...reports, replies: [...place.replies, ts] };
}

const SENT: Outcome = { ok: true, status_code: null, response_excerpt: null };
const NEEDLESS: Outcome = { ...SENT, is_needless: true };

function failed(error: string, message: string) {
  return { ok: false, error, message, status_code: null, response_excerpt: null } as const;
}

function fingerprint(message: object): string {
  return hash("sha256", JSON.stringify(message)).slice(0, 32);
}

async function notificationOf(tx: Tx, delivery: EndedDelivery): Promise<Notification> {
  const { purpose = "decision" } = JSON.parse((await findBody(tx, delivery)) ?? "{}") as Partial<PostBody>;
  return { channel: "slack", to: delivery.destination, purpose, delivery_id: delivery.id };
}

async function noteOnce(tx: Tx, { id, task_id }: EndedDelivery): Promise<boolean> {
  const { numUpdatedRows } = await tx.query
    .updateTable("delivery_places")
    .set({ is_noted: 1 })
    .where("delivery_id", "=", id)
    .where("home", "=", homeOf(task_id))
    .where("is_noted", "=", 0)
    .executeTakeFirst();
  return Number(numUpdatedRows) > 0;
}
