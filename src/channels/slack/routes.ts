import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { Type } from "typebox";
import type { Context } from "../../context.ts";
import { ServiceError } from "../../errors.ts";
import { errors } from "../../http/schema.ts";
import { handleInteraction } from "./interactions.ts";
import { isFromSlack } from "./signature.ts";

/** What Slack calls. (spec: Channels; wire: Slack) */
export const slackRoutes: FastifyPluginAsyncTypebox<{ ctx: Context }> = async (app, { ctx }) => {
  // The signature is over the bytes as they came.
  app.addContentTypeParser("application/x-www-form-urlencoded", { parseAs: "buffer" }, (_request, body, done) =>
    done(null, body),
  );

  app.post(
    "/interactions",
    {
      config: { guardsItself: true },
      schema: {
        operationId: "slackInteraction",
        summary: "What somebody pressed in Slack",
        description:
          "Called by Slack, form-encoded, with its signature in `X-Slack-Signature` and the time in `X-Slack-Request-Timestamp`, at most five minutes old.",
        tags: ["channels"],
        response: {
          200: Type.Unsafe<object>({
            type: "object",
            additionalProperties: true,
            description: "Empty, or what the modal is to show.",
          }),
          ...errors(
            "MALFORMED_REQUEST",
            "INVALID_SLACK_SIGNATURE",
            "PAYLOAD_TOO_LARGE",
            "SLACK_NOT_CONFIGURED",
            "COMMIT_UNKNOWN",
          ),
        },
      },
    },
    async ({ body, headers }, reply) => {
      const { config, slack, db } = ctx;
      if (config.slack?.signingSecret == null || slack === null) throw new ServiceError("SLACK_NOT_CONFIGURED");
      const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
      const signed = {
        timestamp: headers["x-slack-request-timestamp"],
        signature: headers["x-slack-signature"],
        body: bytes,
      };
      if (!isFromSlack(config.slack.signingSecret, signed, db.now())) throw new ServiceError("INVALID_SLACK_SIGNATURE");
      const answer = await handleInteraction({ ctx, slack }, readPayload(bytes));
      return reply.code(200).send(answer ?? {});
    },
  );
};

function readPayload(bytes: Buffer): unknown {
  const payload = new URLSearchParams(bytes.toString()).get("payload");
  try {
    return JSON.parse(payload ?? "") as unknown;
  } catch (error) {
    throw new ServiceError("MALFORMED_REQUEST", { message: "`payload` is not JSON.", cause: error });
  }
}
