import type { FastifyRequest } from "fastify";
import { ServiceError } from "../errors.ts";

/** Somebody who is signed in. */
export interface Person {
  id: string;
  email: string | null;
  display_name: string | null;
  is_operator: boolean;
  /** IANA name. */
  time_zone: string | null;
}

/** Whoever follows the link that was sent to `email`; it opens this task, and nothing else. `user`: whom the directory knows there. */
export interface LinkCaller {
  kind: "link";
  task_id: string;
  email: string;
  user: Person | null;
}

/** Who is asking. (spec: Authentication) */
export type Caller =
  | { kind: "admin" }
  /** `session`: what the row of the session is found by. */
  | { kind: "user"; user: Person; session: string }
  | { kind: "service_key"; id: string; name: string }
  | LinkCaller;

/** @throws ServiceError UNAUTHENTICATED */
export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === null) throw new ServiceError("UNAUTHENTICATED");
  return request.caller;
}

/** "admin" in the tables of the spec: the admin token, or an operator's session. */
export function isOperator(caller: Caller): boolean {
  return caller.kind === "admin" || (caller.kind === "user" && caller.user.is_operator);
}

/** @throws ServiceError FORBIDDEN */
export function requireOperator(caller: Caller): void {
  if (!isOperator(caller)) throw new ServiceError("FORBIDDEN");
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** Is open to everybody, and wants to know who they are all the same. */
    greets?: boolean;
  }
  interface FastifyRequest {
    /** null: nobody we know. Named before the request is read. */
    caller: Caller | null;
  }
}
