/**
 * Signs one callback and posts it once. schedule.ts says when the next attempt is due. The top of outbound/http-sender.ts
 * says which guards protect the network.
 */
import type { Sender, SendResult } from "../outbound/http-sender.ts";
import type { SignAttempt } from "./signature.ts";

export interface Callback {
  /** As stored with the task. When it has become unusable since, the attempt fails. */
  url: string;
  /** Of the delivery. */
  id: string;
  task_id: string;
  /** The stored bytes. Every attempt sends the same ones, and signs them with its own time. */
  body: Buffer;
}

/** Makes one attempt. Never throws and never rejects. (spec: Events, Callback webhook) */
export async function sendCallback(
  sender: Sender,
  sign: SignAttempt,
  { url, id, task_id, body }: Callback,
  signal?: AbortSignal,
): Promise<SendResult> {
  let signed: Record<string, string>;
  try {
    signed = sign({ id, at: Date.now(), body });
  } catch {
    // The stored body may be damaged. The row must fail alone, and not stop the loop.
    return { ok: false, error: "internal", message: "The stored body cannot be signed.", duration_ms: 0 };
  }
  return sender.send({
    url,
    body,
    headers: {
      "Content-Type": "application/json",
      ...signed,
      "X-Service-Task-Id": task_id,
    },
    ...(signal && { signal }),
  });
}
