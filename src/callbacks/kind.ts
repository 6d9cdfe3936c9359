import type { Logger } from "pino";
import type { Config } from "../config.ts";
import type { Tx } from "../db/database.ts";
import { failure, type AbandonedDelivery, type Kind, type Outcome } from "../deliveries/kinds.ts";
import type { Sender, SendResult } from "../outbound/http-sender.ts";
import { nextAttemptAt } from "./schedule.ts";
import { sendCallback } from "./send.ts";
import { createAttemptSigner, type SignAttempt } from "./signature.ts";

export interface CallbackKindOptions {
  sender: Sender;
  /** Without a payload key, callbacks are off. Attempts at rows that exist already fail. */
  keys: Pick<Config, "payloadKey" | "previous">;
  log: Logger;
  /** Adds to the audit trail of the task that its callback was abandoned. */
  recordAbandoned(tx: Tx, delivery: AbandonedDelivery): Promise<void>;
}

/** Returns callbacks as a kind of delivery. (spec: Events, Callback webhook) */
export function createCallbackKind({ sender, keys, log, recordAbandoned }: CallbackKindOptions): Kind {
  let sign: SignAttempt | undefined;
  const { payloadKey, previous } = keys;
  return {
    hasLastingOrigins: true,
    send: async ({ id, destination, task_id, body }, signal) => {
      if (payloadKey === null)
        return failure("no_payload_key", "There is no key to sign callbacks with (SERVICE_PAYLOAD_KEY).");
      if (body === null) return failure("no_body", "The stored body is gone.");
      sign ??= createAttemptSigner({ payloadKey, previous });
      return toOutcome(
        await sendCallback(sender, sign, { url: destination, id, task_id, body: Buffer.from(body) }, signal),
      );
    },
    nextAttemptAt,
    onAbandoned: async (tx, delivery) => {
      await recordAbandoned(tx, delivery);
      const { id: delivery_id, task_id, attempts, last_error } = delivery;
      tx.afterCommit(() => log.warn({ delivery_id, task_id, attempts, last_error }, "Webhook abandoned"));
    },
  };
}

function toOutcome(result: SendResult): Outcome {
  const status_code = result.status ?? null;
  const response_excerpt = result.response_body ?? null;
  return result.ok
    ? { ok: true, status_code, response_excerpt }
    : { ok: false, error: result.error, message: result.message, status_code, response_excerpt };
}
