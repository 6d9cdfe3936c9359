import { createHmac } from "node:crypto";
import { SECOND } from "./time.ts";

/** One attempt to send something, as Standard Webhooks (https://www.standardwebhooks.com) signs it. */
export interface WebhookAttempt {
  /** Of the delivery, the same for all its attempts. */
  id: string;
  /** The time of this attempt, epoch milliseconds. */
  at: number;
  body: Uint8Array;
}

/** Returns the headers of Standard Webhooks, with a signature of each key. The signature covers the id, the time and the body. */
export function standardHeaders(keys: readonly Uint8Array[], { id, at, body }: WebhookAttempt): Record<string, string> {
  const seconds = Math.floor(at / SECOND);
  const signatures = keys.map(
    (key) => `v1,${createHmac("sha256", key).update(`${id}.${seconds}.`).update(body).digest("base64")}`,
  );
  return { "webhook-id": id, "webhook-timestamp": String(seconds), "webhook-signature": signatures.join(" ") };
}

/** Returns a key as libraries for Standard Webhooks take it. */
export function standardSecret(key: Uint8Array): string {
  return `whsec_${Buffer.from(key).toString("base64")}`;
}
