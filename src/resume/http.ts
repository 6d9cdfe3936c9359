import type { Sender } from "../outbound/http-sender.ts";
import { NotAnswered, type Http } from "./kind.ts";

/**
 * Returns what kinds send requests with: addresses are guarded, and every answer comes back, whatever its status. What may change
 * something is sent once: a kind has to know that an attempt was cut off, and may have to look before it sends it again.
 */
export function guardedHttp(sender: Sender, signal?: AbortSignal): Http {
  return async (request) => {
    const mayRepeat = request.method === "GET";
    const result = await sender.send({ ...request, mayRepeat, ...(signal && { signal }) });
    if (result.status === undefined)
      throw new NotAnswered(result.ok ? "internal" : result.error, result.ok ? "" : result.message);
    return { status: result.status, headers: result.headers ?? {}, body: result.response_body ?? "" };
  };
}
