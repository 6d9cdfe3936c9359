import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { Type } from "typebox";
import type { SlackContext } from "./clicks/desk.ts";
import { ServiceError } from "../../errors.ts";
import { errors } from "../../http/schema.ts";
import { callerOf } from "../../people/caller.ts";
import {
  addInstallation,
  readInstallations,
  removeInstallation,
  testInstallation,
} from "./workspaces/installations.ts";
import { handleInteraction } from "./clicks/interactions.ts";
import { readManifest } from "./workspaces/manifest.ts";
import { beginInstall, endInstall } from "./workspaces/oauth.ts";
import type { AddInstallationBody, SlackInstallation, TestPostBody, TestPostResult } from "./schema.ts";
import { isFromSlack } from "./signature.ts";

const tags = ["channels"];
const security = [{ bearer: [] }, { session: [] }];
const params = Type.Object({ team_id: Type.String({ description: "The workspace's id." }) });
const Installation = Type.Unsafe<SlackInstallation>(Type.Ref("SlackInstallation"));

/** What Slack calls, and where operators connect it. (spec: Channels; wire: Slack) */
export const slackRoutes: FastifyPluginAsyncTypebox<{ ctx: SlackContext }> = async (app, { ctx }) => {
  // The signature is over the bytes as they came.
  app.addContentTypeParser("application/x-www-form-urlencoded", { parseAs: "buffer" }, (_request, body, done) =>
    done(null, body),
  );

  app.post(
    "/interactions",
    {
      config: { skipSameOrigin: true },
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
      const answer = await handleInteraction(ctx, readPayload(bytes));
      return reply.code(200).send(answer ?? {});
    },
  );

  app.get(
    "/installations",
    {
      schema: {
        operationId: "listSlackInstallations",
        summary: "List the workspaces that the app is in",
        description: "By name, all of them; the one of `SERVICE_SLACK_BOT_TOKEN` comes first.",
        tags,
        security,
        response: {
          200: Type.Unsafe<SlackInstallation[]>({
            type: "array",
            items: Type.Ref("SlackInstallation"),
            description: "The workspaces.",
          }),
          ...errors("UNAUTHENTICATED", "FORBIDDEN", "SLACK_NOT_CONFIGURED"),
        },
      },
    },
    async (request) => readInstallations(ctx, callerOf(request)),
  );

  app.post(
    "/installations",
    {
      schema: {
        operationId: "addSlackInstallation",
        summary: "Connect a workspace by its bot token",
        description: "Slack is asked whose token it is. One that the workspace had before is replaced.",
        tags,
        security,
        body: Type.Unsafe<AddInstallationBody>(Type.Ref("AddSlackInstallation")),
        response: {
          200: Installation,
          ...errors(
            "MALFORMED_REQUEST",
            "UNAUTHENTICATED",
            "FORBIDDEN",
            "PAYLOAD_TOO_LARGE",
            "VALIDATION_FAILED",
            "SLACK_UNAVAILABLE",
            "SLACK_NOT_CONFIGURED",
            "COMMIT_UNKNOWN",
          ),
        },
      },
    },
    async (request) => addInstallation(ctx, callerOf(request), request.body),
  );

  app.delete(
    "/installations/:team_id",
    {
      schema: {
        operationId: "removeSlackInstallation",
        summary: "Disconnect a workspace",
        description:
          "The token is forgotten: nothing is posted there any more, and what is pressed there is refused. The app itself is removed at Slack.",
        tags,
        security,
        params,
        response: {
          204: Type.Null({ description: "It is gone." }),
          ...errors(
            "MALFORMED_REQUEST",
            "UNAUTHENTICATED",
            "FORBIDDEN",
            "NOT_FOUND",
            "PAYLOAD_TOO_LARGE",
            "SLACK_NOT_CONFIGURED",
            "COMMIT_UNKNOWN",
          ),
        },
      },
    },
    async (request, reply) => {
      await removeInstallation(ctx, callerOf(request), request.params.team_id);
      return reply.code(204).send(null);
    },
  );

  app.post(
    "/installations/:team_id/test",
    {
      schema: {
        operationId: "testSlackInstallation",
        summary: "Post a test message",
        description: "Answers once Slack has taken the message or refused it, which `sent` says.",
        tags,
        security,
        params,
        body: Type.Unsafe<TestPostBody>(Type.Ref("TestSlackInstallation")),
        response: {
          200: Type.Unsafe<TestPostResult>(Type.Ref("TestSlackResult")),
          ...errors(
            "MALFORMED_REQUEST",
            "UNAUTHENTICATED",
            "FORBIDDEN",
            "NOT_FOUND",
            "PAYLOAD_TOO_LARGE",
            "VALIDATION_FAILED",
            "SLACK_NOT_CONFIGURED",
          ),
        },
      },
    },
    async (request) => testInstallation(ctx, callerOf(request), request.params.team_id, request.body),
  );

  app.get(
    "/manifest",
    {
      schema: {
        operationId: "getSlackManifest",
        summary: "The manifest that makes the app at Slack",
        description: "To be pasted at api.slack.com/apps, under “Create New App”, “From a manifest”.",
        tags,
        security,
        querystring: Type.Object({
          socket_mode: Type.Optional(
            Type.Unsafe<"0" | "1">({
              type: "string",
              enum: ["0", "1"],
              description:
                "`1`: for a service that Slack cannot reach. Left out: as the service is set, or else as its public address allows.",
            }),
          ),
        }),
        response: {
          200: Type.Unsafe<object>({ type: "object", additionalProperties: true, description: "The manifest." }),
          ...errors("MALFORMED_REQUEST", "UNAUTHENTICATED", "FORBIDDEN", "VALIDATION_FAILED"),
        },
      },
    },
    async (request) => readManifest(ctx, callerOf(request), request.query.socket_mode),
  );

  app.get(
    "/oauth/start",
    {
      schema: {
        operationId: "beginSlackInstall",
        summary: "Install the app in a workspace",
        description:
          "Sends an operator's browser to Slack, where the app is allowed; it comes back to `oauth/callback`.",
        tags,
        security: [{ session: [] }],
        response: {
          302: Type.Null({ description: "To Slack." }),
          ...errors("UNAUTHENTICATED", "FORBIDDEN", "SLACK_NOT_CONFIGURED", "COMMIT_UNKNOWN"),
        },
      },
    },
    async (request, reply) => reply.redirect(await beginInstall(ctx, callerOf(request)), 302),
  );

  app.get(
    "/oauth/callback",
    {
      config: { resolveCaller: true },
      schema: {
        operationId: "endSlackInstall",
        summary: "Where Slack sends the browser back to",
        description:
          "What comes back counts once, within ten minutes, in the session that began it. The page that it leads to says what came of it.",
        tags,
        querystring: Type.Object({
          state: Type.Optional(Type.String({ maxLength: 1_000 })),
          code: Type.Optional(Type.String({ maxLength: 1_000 })),
          error: Type.Optional(Type.String({ maxLength: 1_000 })),
        }),
        response: {
          302: Type.Null({ description: "To the settings, with `installed` or `problem` in the query." }),
          ...errors("MALFORMED_REQUEST", "VALIDATION_FAILED", "SLACK_NOT_CONFIGURED", "COMMIT_UNKNOWN"),
        },
      },
    },
    async (request, reply) => {
      const { state = "", code = "", error = "" } = request.query;
      return reply.redirect(await endInstall(ctx, request.caller, { state, code, error }), 302);
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
