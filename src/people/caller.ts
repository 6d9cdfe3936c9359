import { hash, timingSafeEqual } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { ServiceError } from "../errors.ts";

/** Who is asking. (spec: Authentication) */
export type Caller = { kind: "admin" };

/** Names the caller of each request once, from its credentials. */
export function createIdentify(adminToken: string): (request: FastifyRequest) => Caller | null {
  const expected = sha256(adminToken);
  return (request) => {
    const token = bearerOf(request.headers.authorization);
    // Hashed first: equal lengths, so that the comparison takes the same time for every token.
    if (token !== null && timingSafeEqual(sha256(token), expected)) return { kind: "admin" };
    return null;
  };
}

/** @throws ServiceError UNAUTHENTICATED */
export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === null) throw new ServiceError("UNAUTHENTICATED");
  return request.caller;
}

function bearerOf(header: string | undefined): string | null {
  const match = /^bearer +(\S+) *$/i.exec(header ?? "");
  return match?.[1] ?? null;
}

function sha256(text: string): Buffer {
  return hash("sha256", text, "buffer");
}

declare module "fastify" {
  interface FastifyRequest {
    /** null: nobody we know. Named before the request is read. */
    caller: Caller | null;
  }
}
