import type { FastifyPluginAsync } from "fastify";
import type { ActionContext } from "./action/action.ts";
import { conversationRoutes } from "./action/conversation.ts";
import { actionRoutes } from "./action/routes.ts";
import type { Channels } from "./channels.ts";
import { CHANNELS } from "./registered.ts";

/** Shapes that other shapes refer to by name. */
export const channelShapes = CHANNELS.flatMap(({ shapes = [] }) => shapes);

type Ctx = ActionContext & { channels: Channels };

/** The routes of all channels: their setup, and the pages and webhooks that take answers. (spec: Channels) */
export const channelRoutes: FastifyPluginAsync<{ ctx: Ctx; head: string | null }> = async (app, { ctx, head }) => {
  const channels = [...ctx.channels.opened];
  for (const [name, { door }] of channels)
    if (door) {
      const options = { ctx, door: door(ctx), prefix: `/${name}/action` };
      await app.register(actionRoutes, { ...options, head });
      await app.register(conversationRoutes, options);
    }
  // The description of the API lists the newest channel first.
  for (const [name, { routes }] of channels.toReversed())
    if (routes) await app.register(routes(ctx), { prefix: `/${name}` });
};
