import type { FastifyContextConfig } from "fastify";
import { ServiceError } from "../../errors.ts";
import type { Caller } from "../caller.ts";

/**
 * The only place that decides where personal tokens are taken: at routes that declare `takesPersonalTokens`. All others are
 * closed to them, and so is each new route.
 *
 * @throws ServiceError FORBIDDEN
 */
export function requireTakenHere(caller: Caller, { takesPersonalTokens }: FastifyContextConfig): void {
  if (caller.kind === "personal_token" && takesPersonalTokens !== true)
    throw new ServiceError("FORBIDDEN", {
      message: "A personal token is only for the assistant of its person, at /mcp/review.",
    });
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** Whether personal tokens are taken here. */
    takesPersonalTokens?: boolean;
  }
}
