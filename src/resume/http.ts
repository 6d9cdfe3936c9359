import type { Sender } from "../outbound/http-sender.ts";
import { NotAnswered, type Http } from "./kind.ts";

/**
 * Returns what kinds send requests with: addresses are guarded, and every answer comes back, whatever its status. What may change
 * something at the engine is sent once only, so that a request without an answer is an attempt without one.
 */
export function guardedHttp(sender: Sender, signal?: AbortSignal): Http {
  return async (request) => {
    const result = await sender.send({
      ...request,
      once: request.method !== "GET",
      ...(signal && { signal }),
    });
    if (result.status === undefined)
      throw new NotAnswered(result.ok ? "internal" : result.error, result.ok ? "" : result.message);
    return { status: result.status, headers: result.headers ?? {}, body: result.response_body ?? "" };
  };
}
