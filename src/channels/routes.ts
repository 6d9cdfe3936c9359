import type { FastifyPluginAsync } from "fastify";
import type { ActionContext } from "./action/action.ts";
import type { SlackContext } from "./slack/clicks/desk.ts";
import { actionRoutes } from "./action/routes.ts";
import { createMailDoor } from "./email/links.ts";
import { emailRoutes } from "./email/routes.ts";
import { emailShapes } from "./email/schema.ts";
import { createSlackDoor } from "./slack/links.ts";
import { slackRoutes } from "./slack/routes.ts";
import { slackShapes } from "./slack/schema.ts";

/** Shapes that other shapes refer to by name. */
export const channelShapes = [...emailShapes, ...slackShapes];

type Ctx = ActionContext & SlackContext;

/** What channels are set up with, and the pages and addresses on which they take answers. (spec: Channels) */
export const channelRoutes: FastifyPluginAsync<{ ctx: Ctx; head: string | null }> = async (app, { ctx, head }) => {
  await app.register(actionRoutes, { ctx, head, door: createMailDoor(ctx), prefix: "/email/action" });
  await app.register(actionRoutes, { ctx, head, door: createSlackDoor(ctx, ctx.slack), prefix: "/slack/action" });
  await app.register(slackRoutes, { ctx, prefix: "/slack" });
  await app.register(emailRoutes, { ctx, prefix: "/email" });
};
