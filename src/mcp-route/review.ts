import type { FastifyPluginAsync } from "fastify";
import { ServiceError } from "../errors.ts";
import { logFailure } from "../http/error-response.ts";
import { callerOf } from "../people/caller.ts";
import type { ReviewContext } from "./review-tools.ts";
import { requireOwnOrigin, toWebRequest } from "./web-request.ts";

/** Where the assistants of people find the service. */
export const REVIEW_PATH = "/mcp/review";

/**
 * The Model Context Protocol for people: their own assistant lists what waits for them, and hands in their answers. It is the
 * only route that takes personal tokens, and it takes nothing else. The tools call the use-cases in this process, because no
 * other route would accept the token.
 */
export const reviewMcpRoutes: FastifyPluginAsync<{ ctx: ReviewContext & { version: string } }> = async (
  app,
  { ctx },
) => {
  app.route({
    // Without sessions there is no stream to open and nothing to delete: other methods are 405, as the protocol says.
    method: "POST",
    url: REVIEW_PATH,
    config: { takesPersonalTokens: true },
    schema: { hide: true, security: [{ bearer: [] }] },
    handler: async (request, reply) => {
      const caller = callerOf(request);
      if (caller.kind !== "personal_token")
        throw new ServiceError("FORBIDDEN", {
          message: "This is for the assistants of people. Use a personal token, from Settings, Personal tokens.",
        });
      requireOwnOrigin(request, ctx.config.publicUrl);
      // Most services never speak it, and a start does not load what it may not need.
      const { createReviewHandler } = await import("./review-tools.ts");
      const handler = createReviewHandler(ctx, caller, {
        version: ctx.version,
        onFailure: (error) => logFailure(ctx, request, error),
        onRefusal: (error) => ctx.log.debug({ err: error }, "An MCP request was refused"),
      });
      void reply.header("cache-control", "no-store");
      const asked = toWebRequest(request, reply, ctx.config.publicUrl);
      return reply.send(await handler.fetch(asked, { parsedBody: request.body }));
    },
  });
};
