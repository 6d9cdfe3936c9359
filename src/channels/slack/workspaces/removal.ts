import type { Db } from "../../../db/database.ts";
import type { Logger } from "pino";
import type { DueDelivery, Kind, Outcome } from "../../../deliveries/kinds.ts";
import { schedule } from "../../../deliveries/schedule.ts";
import { deleteDelivery } from "../../../deliveries/store.ts";
import { HOUR, MINUTE, SECOND } from "../../../lib/time.ts";
import { SlackFailure, type SlackMessage } from "../client.ts";
import { readPlace } from "../place.ts";
import type { Workspaces } from "./workspaces.ts";

interface Ctx {
  db: Db;
  log: Logger;
}

/** Nearly two days: what was deleted is to go, however long Slack is down. */
const nextAttemptAt = schedule([
  0,
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  6 * HOUR,
  12 * HOUR,
  24 * HOUR,
]);

const TEXT = "This task was deleted.";
const DELETED: SlackMessage = {
  text: TEXT,
  blocks: [{ type: "section", text: { type: "plain_text", text: TEXT } }],
};

/**
 * Messages of deleted tasks as a kind of delivery. A message is replaced by a note instead of being deleted, so that its thread
 * survives. The row is deleted after the last attempt, because its task is gone.
 */
export function createSlackRemovalKind({ db, log }: Ctx, workspaces: Workspaces): Kind {
  const end = async (delivery: DueDelivery): Promise<Outcome> => {
    await db.write((tx) => deleteDelivery(tx, delivery));
    return DONE;
  };
  return {
    nextAttemptAt,
    send: async (delivery) => {
      const { task_id, attempt, body } = delivery;
      if (body === null) return end(delivery);
      const { team, channel, ts, replies } = readPlace(body);
      const givenUp = (error: SlackFailure) =>
        log.warn({ task_id, channel, err: error }, "Could not remove the Slack message of a deleted task");
      try {
        const slack = await workspaces.find(team);
        for (const one of [...replies, ts])
          await slack.update({ channel, ts: one }, DELETED).catch((error: unknown) => {
            // One message that cannot be changed does not stop the others. A deleted message needs no change.
            if (!(error instanceof SlackFailure && error.isFinal)) throw error;
            if (error.word !== "message_not_found") givenUp(error);
          });
      } catch (error) {
        if (!(error instanceof SlackFailure)) throw error;
        const { word, message, isFinal, waitMs } = error;
        if (!isFinal && nextAttemptAt(attempt, new Date(db.now()), 0) !== null)
          return { ok: false, error: word, message, wait_ms: waitMs, status_code: null, response_excerpt: null };
        givenUp(error);
      }
      return end(delivery);
    },
    onAbandoned: async (tx, { task_id, last_error }) =>
      tx.afterCommit(() => log.warn({ task_id, last_error }, "Could not remove the Slack message of a deleted task")),
  };
}

const DONE: Outcome = { ok: true, status_code: null, response_excerpt: null, is_needless: true };
