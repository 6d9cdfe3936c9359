import type { FastifyReply, FastifyRequest } from "fastify";
import { ServiceError } from "../errors.ts";
import { isOwnOrigin } from "../http/same-origin.ts";

/**
 * Refuses pages of other origins. The protocol demands it, although no page can have a token.
 * @throws ServiceError FORBIDDEN
 */
export function requireOwnOrigin(request: FastifyRequest, publicUrl: string): void {
  const { origin } = request.headers;
  if (origin !== undefined && !isOwnOrigin(request, origin, publicUrl))
    throw new ServiceError("FORBIDDEN", { message: "A page of another origin may not use MCP." });
}

/** Returns a request in the form of the platform, without its body. It is aborted when the client leaves. */
export function toWebRequest(request: FastifyRequest, reply: FastifyReply, publicUrl: string): Request {
  const left = new AbortController();
  reply.raw.once("close", () => left.abort());
  return new Request(new URL(request.url, publicUrl), {
    method: request.method,
    headers: Object.entries(request.headers).flatMap(([name, value]) =>
      [value ?? []].flat().map((one): [string, string] => [name, one]),
    ),
    signal: left.signal,
  });
}
