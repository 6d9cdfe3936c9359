/**
 * Signs one callback and posts it, once. When to try again is told by schedule.ts; what guards the network, in which
 * order, and why in the connector and not in a DNS hook, is told at the top of outbound/http-sender.ts.
 */
import type { Sender, SendResult } from "../outbound/http-sender.ts";
import type { createSigner } from "./signature.ts";

export interface Callback {
  /** As stored with the task; it may have become unusable since, which is a failed attempt like any other. */
  url: string;
  task_id: string;
  /** The stored bytes: every attempt sends and signs the same. */
  body: Buffer;
}

/** Makes one attempt. Never throws and never rejects. (spec: Events, Callback webhook) */
export async function sendCallback(
  sender: Sender,
  sign: ReturnType<typeof createSigner>,
  { url, task_id, body }: Callback,
  signal?: AbortSignal,
): Promise<SendResult> {
  let signature: string;
  try {
    signature = sign(body);
  } catch {
    // Not even the body can be trusted to be one: the row must fail alone, not take the loop with it.
    return { ok: false, error: "internal", message: "The stored body cannot be signed.", duration_ms: 0 };
  }
  return sender.send({
    url,
    body,
    headers: {
      "Content-Type": "application/json",
      "X-Service-Signature": signature,
      "X-Service-Task-Id": task_id,
    },
    ...(signal && { signal }),
  });
}
