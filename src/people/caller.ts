import type { FastifyRequest } from "fastify";
import { ServiceError } from "../errors.ts";
import type { Account } from "./accounts.ts";

/** Somebody who is signed in. */
export interface Person {
  id: string;
  email: string | null;
  display_name: string | null;
  is_operator: boolean;
  /** IANA name. */
  time_zone: string | null;
}

/** Somebody who was asked through a channel, and who answers there. Their grant says what they may do. */
export interface RecipientCaller<G extends Grant = Grant> {
  kind: "recipient";
  /** The channel they answer through, for the record of their answer. */
  channel: string;
  /** Who they are in the directory; null: unknown to it, or deactivated. */
  person: Person | null;
  /** The address they were reached at, or that the channel vouches for; null: none is known. */
  email: string | null;
  /** Who they are in the channel, where it vouches for its members. */
  account: Account | null;
  grant: G;
}

/** Why a recipient may answer. */
export type Grant = LinkGrant | MemberGrant | EmbedGrant;

/** They opened a link that was made for them. It opens this task, and nothing else. */
export interface LinkGrant {
  kind: "link";
  task_id: string;
}

/** They are a member of a workspace, which vouches for them. */
export interface MemberGrant {
  kind: "member";
  /** The task whose `notify` names this very member by their id; null: none does. */
  named_by: string | null;
}

/**
 * A product has put them in front of its embedded form. Its token opens this task, and nothing else. Who they are the product
 * says (`sub`), and nobody has verified it.
 */
export interface EmbedGrant {
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
  | RecipientCaller;

/** @throws ServiceError UNAUTHENTICATED */
export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === null) throw new ServiceError("UNAUTHENTICATED");
  return request.caller;
}

/** Who the caller is in the directory; null: nobody in particular. */
export function personOf(caller: Caller): Person | null {
  switch (caller.kind) {
    case "user":
      return caller.user;
    case "recipient":
      return caller.person;
    default:
      return null;
  }
}

/** "admin" in the tables of the spec: the admin token, or an operator who has proved who they are. A link proves it for its task alone. */
export function isOperator(caller: Caller): boolean {
  if (caller.kind === "recipient" && caller.grant.kind !== "member") return false;
  return caller.kind === "admin" || personOf(caller)?.is_operator === true;
}

/** @throws ServiceError FORBIDDEN */
export function requireOperator(caller: Caller): void {
  if (!isOperator(caller)) throw new ServiceError("FORBIDDEN");
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** A public route that resolves the caller when there are credentials. */
    resolveCaller?: boolean;
    /** Identifies the caller from credentials of its own, which open no other route, and throws for every other request. */
    authenticate?: (request: FastifyRequest) => Promise<Caller>;
  }
  interface FastifyRequest {
    /** Set before the body is read. null: the caller is unknown. */
    caller: Caller | null;
  }
}
