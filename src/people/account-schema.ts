/** Fields of requests and records that name an account. `accounts.ts` says what one is. */
import { Type } from "typebox";
import { Nullable, Text } from "../http/schema.ts";

const NullableText = (description: string) => Nullable(Type.String({ description }));

/** Fields of a user's record. */
export const accountRecord = {
  slack_team_id: NullableText("The Slack workspace."),
  slack_user_id: NullableText("The person's id in it."),
};

/** Fields of a request that writes a user. */
export const accountBody = {
  slack_team_id: Type.Optional(
    Nullable(Text({ minLength: 1, maxLength: 50, description: "The Slack workspace, with `slack_user_id`." })),
  ),
  slack_user_id: Type.Optional(Nullable(Text({ minLength: 1, maxLength: 50, description: "The person's id in it." }))),
};

/** What a user needs to be reached, for the description of the API. */
export const ADDRESS_WANTED = "With an e-mail address or both Slack ids; the rest is optional.";

/** Fields of a task's record that name the account which answered. */
export const answerAccountRecord = {
  completed_by_slack_team_id: NullableText("The Slack workspace of the member who answered in Slack."),
  completed_by_slack_user_id: NullableText("The Slack member who answered in Slack."),
};
