import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Logger } from "pino";
import { failureOf } from "./failures.ts";
import { sourceOfRequest, type Actor, type Surroundings } from "./request.ts";
import type { SecurityLog } from "./security-log.ts";

export interface Observed {
  log: Logger;
  security: SecurityLog;
  actorOf: (request: FastifyRequest) => Actor;
  /** The addresses that are counted as one with that of a request. */
  networkOf: (request: FastifyRequest) => string;
}

/** Records each failed request that the security log is about, once it has been answered. */
export function observeFailures(app: FastifyInstance, { security, actorOf, networkOf }: Omit<Observed, "log">): void {
  app.decorateRequest("securityFailure", null);
  app.addHook("onResponse", (request, reply, done) => {
    const isKnown = request.caller !== null;
    const failures = [
      failureOf(request, reply.statusCode, isKnown),
      ...(request.partErrors ?? []).map(({ status, code }) => failureOf(request, status, isKnown, code)),
    ];
    for (const failure of failures) {
      if (failure === null) continue;
      const agent = request.failureNote?.agent_id;
      const actor = agent === undefined ? actorOf(request) : ({ kind: "agent", id: agent, email: null } as const);
      security.noteFailure(failure, actor, sourceOfRequest(request), networkOf(request));
    }
    done();
  });
}

/** Describes a request to the events that it causes. */
export function describeRequest(
  { log, actorOf }: Pick<Observed, "log" | "actorOf">,
  request: FastifyRequest,
): Surroundings {
  return { actor: actorOf(request), source: sourceOfRequest(request), log };
}
