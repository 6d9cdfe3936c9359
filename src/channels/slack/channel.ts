import { inLanguage } from "../../../languages/server.ts";
import type { Kind } from "../../deliveries/kinds.ts";
import type { ChannelType } from "../channel.ts";
import { checkSlack } from "./check.ts";
import { createSlackAnswerKind } from "./clicks/answering.ts";
import { destinationOf } from "./destination.ts";
import { createSlackKind } from "./kind.ts";
import { createSlackDoor } from "./links.ts";
import { notifiableSlack } from "./notifiable.ts";
import { enqueuePosts } from "./notices.ts";
import { slackRoutes } from "./routes.ts";
import { SlackSettings, slackShapes } from "./schema.ts";
import { startSocket } from "./socket.ts";
import { recipientOf } from "./targets.ts";
import { createSlackRemovalKind } from "./workspaces/removal.ts";
import { createWorkspaces } from "./workspaces/workspaces.ts";

/** Slack: a message that is changed with its task, answered by its buttons, in a modal, or by a link. (spec: Channels) */
export const slackChannel: ChannelType = {
  ...notifiableSlack,
  shapes: slackShapes,
  settings: {
    shape: SlackSettings,
    read: ({ channels: { slack } }) =>
      slack && {
        http: slack.signingSecret !== null,
        socket_mode: slack.appToken !== null,
        oauth: slack.oauth !== null,
      },
    variables: "SERVICE_SLACK_...",
  },
  check: checkSlack,
  open: (ctx) => {
    const { slack: settings } = ctx.config.channels;
    const slack = settings === null ? null : createWorkspaces(ctx, settings);
    return {
      recipientOf,
      destinationOf: (reader, _notice, person) => destinationOf(ctx, reader, person),
      enqueue: (tx, notice, to) => enqueuePosts(ctx, tx, notice, to),
      kinds: (all) =>
        slack === null
          ? {}
          : {
              slack: inEnglish(createSlackKind(ctx, slack)),
              slack_answer: inEnglish(createSlackAnswerKind({ ...all, slack })),
              slack_removal: createSlackRemovalKind(ctx, slack),
            },
      door: (all) => createSlackDoor(all, slack),
      routes: (all) => async (app) => {
        await app.register(slackRoutes, { ctx: { ...all, slack } });
      },
      start: (all) =>
        slack === null || settings?.appToken == null ? { stop: async () => {} } : startSocket({ ...all, slack }, slack),
    };
  },
};

/** Slack has English only, also if a message became due in a request of a person who reads another language. */
function inEnglish(kind: Kind): Kind {
  return { ...kind, send: (delivery, signal) => inLanguage("en", () => kind.send(delivery, signal)) };
}
