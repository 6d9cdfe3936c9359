import { Type, type Static } from "typebox";
import { Nullable, Text, Time } from "../../http/schema.ts";

const Source = Type.Unsafe<"environment" | "oauth" | "token">({
  type: "string",
  enum: ["environment", "oauth", "token"],
  description:
    "`environment`: by `SERVICE_SLACK_BOT_TOKEN`. `oauth`: somebody allowed the app there. `token`: an operator gave its bot token.",
});

/** A workspace that the app is in; its token is never returned. (wire: Slack) */
export const SlackInstallation = Type.Object(
  {
    team_id: Nullable(
      Type.String({ description: "`notify` names it as `slack+<team_id>:<target>`; null: see `problem`." }),
    ),
    team_name: Nullable(Type.String()),
    source: Source,
    missing_scopes: Type.Array(Type.String(), { description: "What the service needs and the token may not do." }),
    problem: Nullable(
      Type.String({
        description:
          "Why nothing can be said in this workspace: a stable word, a colon, and a sentence. Of the environment's only.",
      }),
    ),
    created_at: Nullable(Time("When it was installed; null for the one of the environment.")),
    updated_at: Nullable(Time("When it was last installed anew; null for the one of the environment.")),
  },
  { $id: "SlackInstallation" },
);
export type SlackInstallation = Static<typeof SlackInstallation>;

/** What `POST /api/channels/slack/installations` takes. */
export const AddInstallationBody = Type.Object(
  {
    bot_token: Text({
      minLength: 1,
      maxLength: 500,
      description: "Begins with `xoxb-`. It is sealed, and never returned.",
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
      description: "As in `notify`: `#name`, an id, `@handle` or an address.",
    }),
  },
  { $id: "TestSlackInstallation", additionalProperties: true },
);
export type TestPostBody = Static<typeof TestPostBody>;

export const TestPostResult = Type.Object(
  {
    sent: Type.Boolean({ description: "Whether Slack took the message." }),
    to: Type.String(),
    error: Nullable(Type.String({ description: "A stable word, a colon, and a sentence; null when it was sent." })),
  },
  { $id: "TestSlackResult" },
);
export type TestPostResult = Static<typeof TestPostResult>;

/** What operators may know of how the app is set up. */
export const SlackSettings = Nullable(
  Type.Object(
    {
      http: Type.Boolean({ description: "Slack's requests are taken over HTTP." }),
      socket_mode: Type.Boolean({ description: "They come over a connection that the service opens." }),
      oauth: Type.Boolean({ description: "The app can be installed in workspaces from the dashboard." }),
    },
    { description: "The Slack app; null: there is none." },
  ),
);

export const slackShapes = [SlackInstallation, AddInstallationBody, TestPostBody, TestPostResult];
