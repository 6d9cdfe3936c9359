/** Fields of requests and records that name an account. `accounts.ts` says what one is. */
import { Nullable, Text } from "../http/schema.ts";
import { Type } from "../lib/type.ts";

const NullableText = (description: string) => Nullable(Type.String({ description }));

/** Fields of a user's record. */
export const accountRecord = {
  slack_team_id: NullableText("Slack workspace id."),
  slack_user_id: NullableText("Slack user id."),
};

/** Fields of a request that writes a user. */
export const accountBody = {
  slack_team_id: Type.Optional(
    Nullable(Text({ minLength: 1, maxLength: 50, description: "Slack workspace id. Send it with `slack_user_id`." })),
  ),
  slack_user_id: Type.Optional(Nullable(Text({ minLength: 1, maxLength: 50, description: "Slack user id." }))),
};

/** The fields that identify a user in channels, for the description of the API. */
export const ADDRESS_WANTED = "An email or both Slack ids are required. Other fields are optional.";

/** Fields of a task's record that name the account which answered. */
export const answerAccountRecord = {
  completed_by_slack_team_id: NullableText("Slack workspace id of the person who answered in Slack."),
  completed_by_slack_user_id: NullableText("Slack user id of the person who answered in Slack."),
};
