import { sql, type SqlBool } from "kysely";
import type { Logger } from "pino";
import { nextAttemptAt } from "../callbacks/schedule.ts";
import type { Config } from "../config.ts";
import { readStatement, writeStatement, type Db } from "../db/database.ts";
import { ofTask, type OfTask } from "../db/home.ts";
import { failure, type DueDelivery, type Kind, type Outcome } from "../deliveries/kinds.ts";
import { standardHeaders } from "../lib/standard-webhooks.ts";
import type { Sender } from "../outbound/http-sender.ts";
import { EVENT_KIND, SUBSCRIPTIONS_HINT } from "./known.ts";
import { findSubscription, openSecrets, signingKeys } from "./store.ts";

interface EventKindOptions {
  db: Db;
  sender: Sender;
  keys: Pick<Config, "secretKey" | "previous">;
  log: Logger;
}

/** The wait until an event is tried whose turn has not come. */
const TURN_MS = 200;
/** By which a receiver says that it wants no more events. (Standard Webhooks, "Delivery of webhooks") */
const GONE = 410;

/** Returns events for subscribers as a kind of delivery. (beyond the spec: Resuming) */
export function createEventKind({ db, sender, keys, log }: EventKindOptions): Kind {
  return {
    hasLastingOrigins: true,
    send: async (delivery, signal) => {
      const { id, destination, body } = delivery;
      if (body === null) return failure("no_body", "The stored body is gone.");
      const row = await findSubscription(db, destination);
      if (row === null || row.disabled_at !== null) return NEEDLESS;
      if (await isBehind(db, delivery)) return { postponed_ms: TURN_MS };
      const secrets = openSecrets(keys, row);
      if (secrets === null)
        return failure("unreadable_secret", "The secret of the subscription cannot be opened with SERVICE_SECRET_KEY.");
      const at = Date.now();
      const bytes = Buffer.from(body);
      const headers = {
        "Content-Type": "application/json",
        ...standardHeaders(signingKeys(secrets, row, db.now()), { id, at, body: bytes }),
      };
      const result = await sender.send({ url: row.url, body: bytes, headers, signal });
      const { status: status_code = null, response_body: response_excerpt = null } = result;
      if (result.ok) return { ok: true, status_code, response_excerpt };
      const { error, message } = result;
      if (status_code === GONE) await disable(db, row.id);
      return { ok: false, is_final: status_code === GONE, error, message, status_code, response_excerpt };
    },
    nextAttemptAt,
    onAbandoned: async (tx, { id: delivery_id, task_id, attempts, last_error }) =>
      tx.afterCommit(() => log.warn({ delivery_id, task_id, attempts, last_error }, "Event abandoned")),
  };
}

const NEEDLESS: Outcome = { ok: true, is_needless: true, status_code: null, response_excerpt: null };

const selectEarlier = readStatement<OfTask & { id: string; destination: string }, { id: string }>((query, param) =>
  query
    .selectFrom("deliveries")
    .select("id")
    .where("task_id", "=", param("task_id"))
    .where("home", "=", param("home"))
    .where("kind", "=", EVENT_KIND)
    .where("destination", "=", param("destination"))
    .where("id", "<", param("id"))
    .where(sql<SqlBool>`status = 'PENDING' and cycle = 1 and attempt_count = 0`)
    .limit(1),
);

/**
 * Whether an earlier event of the same task has not been tried yet. One that has failed is not waited for: its receiver does not
 * keep up, and the others need not be late as well.
 */
async function isBehind(db: Db, { id, task_id, destination, cycle, attempt }: DueDelivery): Promise<boolean> {
  if (cycle > 1 || attempt > 1) return false;
  return (await db.run(selectEarlier, { ...ofTask(task_id), id, destination })).length > 0;
}

const setDisabled = writeStatement<{ id: string; now: number }>((query, param) =>
  query
    .updateTable("event_subscriptions")
    .set({ disabled_at: param("now") })
    .where("id", "=", param("id"))
    .where("disabled_at", "is", null),
);

/** Sends nothing more to a receiver that is gone. */
async function disable(db: Db, id: string): Promise<void> {
  await db.writeOne(setDisabled, { id, now: db.now() });
  db.hints.publish([SUBSCRIPTIONS_HINT]);
}
