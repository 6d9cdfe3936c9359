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

/**
 * Whoever follows a link in a mail; it opens this task, and nothing else. `user`: the person in the directory it was made
 * for. `email`: their address; null: they have none any more. Without a user, the address that the link was sent to.
 */
export interface LinkCaller {
  kind: "link";
  task_id: string;
  email: string | null;
  user: Person | null;
}

/** Whoever pressed something in Slack, which vouches for them. `user`: whom the directory knows by that. */
export interface SlackCaller {
  kind: "slack";
  team_id: string;
  user_id: string;
  email: string | null;
  user: Person | null;
  /** `notify` of the task names this very person, by their id. */
  named_by: string | null;
}

/**
 * Whoever sits in front of a form that a product embeds; its token opens this task, and nothing else. Who they are the
 * product says (`sub`), and nobody has verified it.
 */
export interface EmbedCaller {
  kind: "embed";
  task_id: string;
  sub: string;
  /** The service key that vouches for them. */
  key_id: string;
  /** When the token ends, epoch milliseconds. */
  expires_at: number;
}

/** Who is asking. (spec: Authentication) */
export type Caller =
  | { kind: "admin" }
  /** `session`: what the row of the session is found by. */
  | { kind: "user"; user: Person; session: string }
  | { kind: "service_key"; id: string; name: string }
  | LinkCaller
  | SlackCaller
  | EmbedCaller;

/** @throws ServiceError UNAUTHENTICATED */
export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === null) throw new ServiceError("UNAUTHENTICATED");
  return request.caller;
}

/** Whom the directory knows the caller as; null: nobody in particular. */
export function personOf(caller: Caller): Person | null {
  return caller.kind === "user" || caller.kind === "slack" ? caller.user : null;
}

/** "admin" in the tables of the spec: the admin token, or an operator's session. */
export function isOperator(caller: Caller): boolean {
  return caller.kind === "admin" || personOf(caller)?.is_operator === true;
}

/** @throws ServiceError FORBIDDEN */
export function requireOperator(caller: Caller): void {
  if (!isOperator(caller)) throw new ServiceError("FORBIDDEN");
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** Is open to everybody, and wants to know who they are all the same. */
    greets?: boolean;
    /** Names the caller in its own way, and throws for everybody else: credentials that open nothing but this route. */
    identifies?: (request: FastifyRequest) => Promise<Caller>;
  }
  interface FastifyRequest {
    /** null: nobody we know. Named before the request is read. */
    caller: Caller | null;
  }
}
