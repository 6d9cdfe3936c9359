import type { FastifyRequest } from "fastify";
import { ServiceError } from "../errors.ts";

/**
 * Rejects requests that another site makes a browser send. A browser states the origin of a request; a request that has
 * a cookie but no origin is rejected, too. Programs send neither a cookie nor an origin. (wire: Unsafe methods with a
 * cookie)
 *
 * @param publicUrl - the public address of the service: behind a proxy, the request may name another host
 * @throws ServiceError FORBIDDEN
 */
export function refuseCrossSite(request: FastifyRequest, publicUrl: string): void {
  if (request.method === "GET" || request.method === "HEAD" || request.routeOptions.config.skipSameOrigin) return;
  const { authorization, cookie, origin, "sec-fetch-site": site } = request.headers;
  // Browsers never add a token by themselves.
  if (authorization !== undefined) return;
  const isSame =
    typeof site === "string"
      ? site === "same-origin"
      : origin === undefined
        ? cookie === undefined
        : isOwnOrigin(request, origin, publicUrl);
  if (!isSame)
    throw new ServiceError("FORBIDDEN", { message: "This request does not come from a page of this service." });
}

/** Returns whether pages of this origin are the service's own. @param publicUrl - see `refuseCrossSite` */
export function isOwnOrigin({ protocol, headers }: FastifyRequest, origin: string, publicUrl: string): boolean {
  return origin === new URL(publicUrl).origin || origin === `${protocol}://${headers.host}`;
}

declare module "fastify" {
  interface FastifyContextConfig {
    /**
     * For a route that does not accept a cookie as a credential, and checks the origin of a request itself where
     * necessary.
     */
    skipSameOrigin?: boolean;
  }
}
