import type { Static } from "typebox";
import { Nullable, Text, Time } from "../../http/schema.ts";
import { Type } from "../../lib/type.ts";

const Source = Type.Unsafe<"environment" | "oauth" | "token">({
  type: "string",
  enum: ["environment", "oauth", "token"],
  description:
    "`environment`: from `SERVICE_SLACK_BOT_TOKEN`. `oauth`: installed from the dashboard. `token`: an operator entered the bot token.",
});

/** A workspace that the app is in; its token is never returned. (wire: Slack) */
export const SlackInstallation = Type.Object(
  {
    team_id: Nullable(
      Type.String({ description: "Use it in `notify` as `slack+<team_id>:<target>`. null: see `problem`." }),
    ),
    team_name: Nullable(Type.String()),
    source: Source,
    missing_scopes: Type.Array(Type.String(), {
      description: "Permissions that the service needs and the token lacks.",
    }),
    problem: Nullable(
      Type.String({
        description:
          "Why the service cannot post to this workspace: a stable word, a colon and a sentence. Only for the workspace of the environment.",
      }),
    ),
    created_at: Nullable(Time("When the app was installed. null for the workspace of the environment.")),
    updated_at: Nullable(Time("When the app was last reinstalled. null for the workspace of the environment.")),
  },
  { $id: "SlackInstallation" },
);
export type SlackInstallation = Static<typeof SlackInstallation>;

/** The body of `POST /api/channels/slack/installations`. */
export const AddInstallationBody = Type.Object(
  {
    bot_token: Text({
      minLength: 1,
      maxLength: 500,
      description: "Starts with `xoxb-`. Stored encrypted and never returned.",
    }),
  },
  { $id: "AddSlackInstallation", additionalProperties: true },
);
export type AddInstallationBody = Static<typeof AddInstallationBody>;

export const TestPostBody = Type.Object(
  {
    to: Text({
      minLength: 1,
      maxLength: 254,
      description: "As in `notify`: `#name`, an id, `@handle` or an email.",
    }),
  },
  { $id: "TestSlackInstallation", additionalProperties: true },
);
export type TestPostBody = Static<typeof TestPostBody>;

export const TestPostResult = Type.Object(
  {
    sent: Type.Boolean({ description: "Whether Slack accepted the message." }),
    to: Type.String(),
    error: Nullable(Type.String({ description: "A stable word, a colon and a sentence, or null if it was sent." })),
  },
  { $id: "TestSlackResult" },
);
export type TestPostResult = Static<typeof TestPostResult>;

/** The settings of the app that operators see. */
export const SlackSettings = Nullable(
  Type.Object(
    {
      http: Type.Boolean({ description: "Slack sends requests over HTTP." }),
      socket_mode: Type.Boolean({ description: "Slack sends requests over Socket Mode." }),
      oauth: Type.Boolean({ description: "Operators can install the app from the dashboard." }),
    },
    { description: "The Slack app, or null." },
  ),
);

export const slackShapes = [SlackInstallation, AddInstallationBody, TestPostBody, TestPostResult];
