import { AsyncLocalStorage } from "node:async_hooks";
import type { FastifyRequest } from "fastify";
import type { Logger } from "pino";
import { toStorableText } from "../lib/text.ts";
import type { ActorKind } from "./catalogue.ts";

/** Who acts. */
export interface Actor {
  kind: ActorKind;
  /** Of the user, the agent or the embed key. */
  id: string | null;
  email: string | null;
}

/** Where a request came from. */
export interface Source {
  address: string | null;
  user_agent: string | null;
  request_id: string | null;
}

/** What events say of the request that causes them. */
export interface Surroundings {
  actor: Actor;
  source: Source;
  /** null outside of a request: the event is stored only. */
  log: Logger | null;
}

export const ANONYMOUS: Actor = { kind: "anonymous", id: null, email: null };
export const COMMAND_LINE: Actor = { kind: "command_line", id: null, email: null };
export const NOWHERE: Source = { address: null, user_agent: null, request_id: null };
export const SERVICE: Surroundings = { actor: { kind: "service", id: null, email: null }, source: NOWHERE, log: null };

const ADDRESS_MAX = 64;
const USER_AGENT_MAX = 200;

/** Describes the request only if something is recorded. */
const current = new AsyncLocalStorage<() => Surroundings>();

/** Runs `work`; the events that it records say that `request` caused them. */
export function duringRequest(describe: () => Surroundings, work: () => void): void {
  current.run(describe, work);
}

/** Returns the surroundings of the current request, or those of the service itself outside of one. */
export function currentSurroundings(): Surroundings {
  return current.getStore()?.() ?? SERVICE;
}

/** Returns where a request came from, cut to what is stored. */
export function sourceOfRequest(request: FastifyRequest): Source {
  return {
    // An IPv4 address has one spelling, so that a filter finds it.
    address: toStorableText(request.ip.replace(/^::ffff:(?=\d+\.)/i, ""), ADDRESS_MAX),
    user_agent: cutOrNull(request.headers["user-agent"]),
    request_id: request.id,
  };
}

function cutOrNull(text: string | undefined): string | null {
  return text === undefined || text === "" ? null : toStorableText(text, USER_AGENT_MAX);
}
