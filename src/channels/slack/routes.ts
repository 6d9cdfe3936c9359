import type { FastifyPluginAsync, FastifyRequest } from "fastify";
import type { SlackContext } from "./clicks/click-context.ts";
import { ServiceError } from "../../errors.ts";
import { parseJsonBody } from "../../http/body.ts";
import { defineRoute, mount, SIGNED_IN } from "../../http/route.ts";
import { Type } from "../../lib/type.ts";
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
import { isFromSlack, isNewRequest } from "./signature.ts";
import { challengeOf } from "./threads/event.ts";
import { handleEvent } from "./threads/events.ts";

const tags = ["Channels"];
const params = Type.Object({ team_id: Type.String({ description: "Workspace id." }) });
const Installation = Type.Unsafe<SlackInstallation>(Type.Ref("SlackInstallation"));

const interactionRoute = defineRoute({
  method: "POST",
  url: "/interactions",
  operationId: "slackInteraction",
  summary: "Handle a Slack interaction",
  description:
    "Slack calls this route with a form-encoded body. `X-Slack-Signature` has the signature and `X-Slack-Request-Timestamp` the time, which may be at most five minutes old.",
  tags,
  answers: {
    200: Type.Unsafe<object>({
      type: "object",
      additionalProperties: true,
      description: "Empty, or the update of the modal.",
    }),
  },
  errors: [
    "MALFORMED_REQUEST",
    "INVALID_SLACK_SIGNATURE",
    "PAYLOAD_TOO_LARGE",
    "SLACK_NOT_CONFIGURED",
    "COMMIT_UNKNOWN",
  ],
  config: () => ({ skipSameOrigin: true }),
  handle: async (ctx: SlackContext, { body, headers }, reply) => {
    const { bytes, signature } = requireFromSlack(ctx, { body, headers });
    const isNew = async () => isNewRequest(ctx.db, signature);
    const answer = await handleInteraction(ctx, readPayload(bytes), isNew);
    return reply.code(200).send(answer ?? {});
  },
});

const eventRoute = defineRoute({
  method: "POST",
  url: "/events",
  operationId: "slackEvent",
  summary: "Handle a Slack event",
  description:
    "Slack calls this route with JSON, signed as for interactions. What a person writes in the thread of a message becomes a comment of its task. Slack sends an event again if the response is an error.",
  tags,
  answers: {
    200: Type.Unsafe<{ challenge?: string }>({
      type: "object",
      properties: { challenge: { type: "string", description: "When Slack checks this address." } },
    }),
  },
  errors: [
    "MALFORMED_REQUEST",
    "INVALID_SLACK_SIGNATURE",
    "PAYLOAD_TOO_LARGE",
    "SLACK_UNAVAILABLE",
    "SLACK_NOT_CONFIGURED",
    "COMMIT_UNKNOWN",
  ],
  config: () => ({ skipSameOrigin: true }),
  handle: async (ctx: SlackContext, { body, headers }, reply) => {
    const { bytes } = requireFromSlack(ctx, { body, headers });
    const payload = parseJsonBody(bytes);
    const challenge = challengeOf(payload);
    if (challenge === null) await handleEvent(ctx, payload);
    return reply.code(200).send(challenge === null ? {} : { challenge });
  },
});

/**
 * Returns the body of a request that Slack has signed, and its signature.
 * @throws ServiceError SLACK_NOT_CONFIGURED, INVALID_SLACK_SIGNATURE
 */
function requireFromSlack(
  { config, slack, db }: SlackContext,
  { body, headers }: Pick<FastifyRequest, "body" | "headers">,
): { bytes: Buffer; signature: string } {
  if (config.channels.slack?.signingSecret == null || slack === null) throw new ServiceError("SLACK_NOT_CONFIGURED");
  const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
  const signature = headers["x-slack-signature"];
  const signed = { timestamp: headers["x-slack-request-timestamp"], signature, body: bytes };
  if (!isFromSlack(config.channels.slack.signingSecret, signed, db.now()))
    throw new ServiceError("INVALID_SLACK_SIGNATURE");
  return { bytes, signature: String(signature) };
}

const listInstallationsRoute = defineRoute({
  method: "GET",
  url: "/installations",
  operationId: "listSlackInstallations",
  summary: "List connected Slack workspaces",
  description: "All workspaces, by name. The workspace of `SERVICE_SLACK_BOT_TOKEN` comes first.",
  tags,
  credentials: SIGNED_IN,
  answers: {
    200: Type.Unsafe<SlackInstallation[]>({
      type: "array",
      items: Type.Ref("SlackInstallation"),
      description: "The workspaces.",
    }),
  },
  errors: ["UNAUTHENTICATED", "FORBIDDEN", "SLACK_NOT_CONFIGURED"],
  handle: async (ctx: SlackContext, request) => readInstallations(ctx, callerOf(request)),
});

const addInstallationRoute = defineRoute({
  method: "POST",
  url: "/installations",
  operationId: "addSlackInstallation",
  summary: "Connect a workspace with a bot token",
  description:
    "The service asks Slack which workspace the token belongs to. It replaces the previous token of that workspace.",
  tags,
  credentials: SIGNED_IN,
  needsConfirmation: true,
  body: Type.Unsafe<AddInstallationBody>(Type.Ref("AddSlackInstallation")),
  answers: {
    200: Installation,
  },
  errors: [
    "MALFORMED_REQUEST",
    "UNAUTHENTICATED",
    "FORBIDDEN",
    "PAYLOAD_TOO_LARGE",
    "VALIDATION_FAILED",
    "SLACK_UNAVAILABLE",
    "SLACK_NOT_CONFIGURED",
    "COMMIT_UNKNOWN",
  ],
  config: () => ({ securityEvent: "slack_workspace_connected" }),
  handle: async (ctx: SlackContext, request) => addInstallation(ctx, callerOf(request), request.body),
});

const removeInstallationRoute = defineRoute({
  method: "DELETE",
  url: "/installations/:team_id",
  operationId: "removeSlackInstallation",
  summary: "Disconnect a workspace",
  description:
    "Deletes the token. The service no longer posts to the workspace and rejects its interactions. Uninstall the app itself in Slack.",
  tags,
  credentials: SIGNED_IN,
  needsConfirmation: true,
  params,
  answers: {
    204: Type.Null({ description: "Deleted." }),
  },
  errors: [
    "MALFORMED_REQUEST",
    "UNAUTHENTICATED",
    "FORBIDDEN",
    "NOT_FOUND",
    "PAYLOAD_TOO_LARGE",
    "SLACK_NOT_CONFIGURED",
    "COMMIT_UNKNOWN",
  ],
  config: () => ({ securityEvent: "slack_workspace_disconnected" }),
  handle: async (ctx: SlackContext, request, reply) => {
    await removeInstallation(ctx, callerOf(request), request.params.team_id);
    return reply.code(204).send(null);
  },
});

const testInstallationRoute = defineRoute({
  method: "POST",
  url: "/installations/:team_id/test",
  operationId: "testSlackInstallation",
  summary: "Post a test message",
  description: "Returns when Slack has accepted or rejected the message. `sent` says which.",
  tags,
  credentials: SIGNED_IN,
  params,
  body: Type.Unsafe<TestPostBody>(Type.Ref("TestSlackInstallation")),
  answers: {
    200: Type.Unsafe<TestPostResult>(Type.Ref("TestSlackResult")),
  },
  errors: [
    "MALFORMED_REQUEST",
    "UNAUTHENTICATED",
    "FORBIDDEN",
    "NOT_FOUND",
    "PAYLOAD_TOO_LARGE",
    "VALIDATION_FAILED",
    "SLACK_NOT_CONFIGURED",
  ],
  config: () => ({ securityEvent: "slack_workspace_tested" }),
  handle: async (ctx: SlackContext, request) =>
    testInstallation(ctx, callerOf(request), request.params.team_id, request.body),
});

const manifestRoute = defineRoute({
  method: "GET",
  url: "/manifest",
  operationId: "getSlackManifest",
  summary: "Get the app manifest",
  description: "Paste it at api.slack.com/apps, under “Create New App”, “From a manifest”.",
  tags,
  credentials: SIGNED_IN,
  querystring: Type.Object({
    socket_mode: Type.Optional(
      Type.Unsafe<"0" | "1">({
        type: "string",
        enum: ["0", "1"],
        description:
          "`1`: for a service that Slack cannot reach. Default: the current configuration, or else what the public URL allows.",
      }),
    ),
  }),
  answers: {
    200: Type.Unsafe<object>({ type: "object", additionalProperties: true, description: "The manifest." }),
  },
  errors: ["MALFORMED_REQUEST", "UNAUTHENTICATED", "FORBIDDEN", "VALIDATION_FAILED"],
  handle: async (ctx: SlackContext, request) => readManifest(ctx, callerOf(request), request.query.socket_mode),
});

const beginInstallRoute = defineRoute({
  method: "GET",
  url: "/oauth/start",
  operationId: "beginSlackInstall",
  summary: "Install the app in a workspace",
  description: "Redirects an operator's browser to Slack to install the app. Slack redirects back to `oauth/callback`.",
  tags,
  credentials: ["session"],
  needsConfirmation: true,
  answers: {
    302: Type.Null({ description: "Redirect to Slack." }),
  },
  errors: ["UNAUTHENTICATED", "FORBIDDEN", "SLACK_NOT_CONFIGURED", "COMMIT_UNKNOWN"],
  handle: async (ctx: SlackContext, request, reply) => reply.redirect(await beginInstall(ctx, callerOf(request)), 302),
});

const endInstallRoute = defineRoute({
  method: "GET",
  url: "/oauth/callback",
  operationId: "endSlackInstall",
  summary: "Complete the installation",
  description:
    "Slack redirects the browser here. The response of Slack is valid once, for ten minutes, in the session that started the installation. The settings page then shows the result.",
  tags,
  querystring: Type.Object({
    state: Type.Optional(
      Type.String({ maxLength: 1_000, description: "Ties the response to the session that asked." }),
    ),
    code: Type.Optional(Type.String({ maxLength: 1_000, description: "Slack's code, for one exchange into a token." })),
    error: Type.Optional(Type.String({ maxLength: 1_000, description: "Why Slack installed nothing." })),
  }),
  answers: {
    302: Type.Null({ description: "Redirect to the settings, with `installed` or `problem` in the query." }),
  },
  errors: ["MALFORMED_REQUEST", "VALIDATION_FAILED", "SLACK_NOT_CONFIGURED", "COMMIT_UNKNOWN"],
  config: () => ({ resolveCaller: true }),
  handle: async (ctx: SlackContext, request, reply) => {
    const { state = "", code = "", error = "" } = request.query;
    return reply.redirect(await endInstall(ctx, request.caller, { state, code, error }), 302);
  },
});

const interactions = mount([interactionRoute]);
const events = mount([eventRoute]);
const all = mount([
  listInstallationsRoute,
  addInstallationRoute,
  removeInstallationRoute,
  testInstallationRoute,
  manifestRoute,
  beginInstallRoute,
  endInstallRoute,
]);

/** Routes that Slack calls, and routes for operators. (spec: Channels; wire: Slack) */
export const slackRoutes: FastifyPluginAsync<{ ctx: SlackContext }> = async (app, options) => {
  await all(app, options);
  // The signature is over the bytes as they came.
  await app.register(withBytes("application/x-www-form-urlencoded", interactions, options));
  await app.register(withBytes("application/json", events, options));
};

/** Registers routes that get bodies of one type as bytes. Other types are read as everywhere. */
function withBytes(type: string, routes: typeof all, options: { ctx: SlackContext }): FastifyPluginAsync {
  return async (app) => {
    if (app.hasContentTypeParser(type)) app.removeContentTypeParser(type);
    app.addContentTypeParser(type, { parseAs: "buffer" }, (_request, body, done) => done(null, body));
    await routes(app, options);
  };
}

function readPayload(bytes: Buffer): unknown {
  const payload = new URLSearchParams(bytes.toString()).get("payload");
  try {
    return JSON.parse(payload ?? "") as unknown;
  } catch (error) {
    throw new ServiceError("MALFORMED_REQUEST", { message: "`payload` is not JSON.", cause: error });
  }
}
