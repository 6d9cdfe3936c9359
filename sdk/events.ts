import { HumanTaskError } from "./errors.ts";
import type { TaskEventData } from "./shapes.ts";
import { bytesOf, bytesOfBase64, headerOf, readStandard, type GivenHeaders, type RawBody } from "./signed.ts";

/*
 * For receivers of event subscriptions. It is an entry of its own, so that programs that ask people do not load it. It needs nothing of
 * the client but its errors.
 */

export { HumanTaskError };

export type EventType =
  | "task.created"
  | "task.claimed"
  | "task.revised"
  | "task.commented"
  | "task.rejected"
  | "task.completed"
  | "task.cancelled"
  | "task.timed_out"
  | "task.verification_exhausted";

/** The body of an event. */
export interface TaskEvent {
  type: EventType;
  /** When it happened. */
  timestamp: string;
  /** The task. An event that ends it has the fields of its callback as well. */
  data: TaskEventData;
}

/**
 * The secret of a subscription, `whsec_...`. Several, in an array or with white space between them, are all accepted. In an array, secrets
 * that are not set are left out.
 */
export type EventSecret = string | undefined | readonly (string | undefined)[];

/**
 * Reads an event, once its signature was checked. The time of the attempt is at most 5 minutes off. (Standard Webhooks)
 *
 * An event may come more than once, with the same `webhook-id`. While a secret is rotated, the service signs with both, so the old one and
 * the new one are accepted.
 *
 * @param rawBody - the received bytes; a body that a framework has parsed cannot be checked
 * @throws HumanTaskError EVENT_NOT_RAW, EVENT_KEY, EVENT_UNSIGNED, EVENT_FORGED
 */
export async function verifyEvent(rawBody: RawBody, headers: GivenHeaders, secret: EventSecret): Promise<TaskEvent> {
  const keys = keysOf(secret);
  const signatures = headerOf(headers, "webhook-signature");
  if (signatures === undefined)
    throw new HumanTaskError(
      "EVENT_UNSIGNED",
      "The header webhook-signature is missing: the service did not send this, or a proxy removed the header.",
    );
  try {
    const body = bytesOf(rawBody);
    const signed = readStandard(headers, signatures, body);
    for (const bytes of keys) {
      const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
      for (const signature of signed.signatures)
        if (await crypto.subtle.verify("HMAC", key, signature, signed.bytes))
          return JSON.parse(new TextDecoder().decode(body)) as TaskEvent;
    }
  } catch (error) {
    if (!(error instanceof HumanTaskError)) throw error;
    throw new HumanTaskError(error.code.replace("CALLBACK", "EVENT"), error.message);
  }
  throw new HumanTaskError(
    "EVENT_FORGED",
    "The signature does not match the body and the secret. Check the secret, and pass the body unchanged.",
  );
}

/** Sizes of a key that Standard Webhooks allows, in bytes. */
const KEY_MIN = 24;
const KEY_MAX = 64;

/** @throws HumanTaskError EVENT_KEY */
function keysOf(secret: EventSecret) {
  const keys = [secret]
    .flat()
    .flatMap((one) => one?.match(/\S+/g) ?? [])
    .map((text) => bytesOfBase64(text.startsWith("whsec_") ? text.slice(6) : "~"));
  if (keys.length === 0 || keys.some(({ length }) => length < KEY_MIN || length > KEY_MAX))
    throw new HumanTaskError(
      "EVENT_KEY",
      "The secret is missing, or is not whsec_ and a key in base64. Pass the secret of the subscription, as the service returned it.",
    );
  return keys;
}
