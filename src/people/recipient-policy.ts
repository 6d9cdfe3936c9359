import { Text } from "../http/schema.ts";
import { Type } from "../lib/type.ts";

export const RECIPIENT_MODES = ["anyone", "directory", "list"] as const;
export type RecipientMode = (typeof RECIPIENT_MODES)[number];

/** Whom agents may ask: a rule of an agent, or of its project. */
export interface RecipientPolicy {
  mode: RecipientMode;
  domains?: string[];
  slack_teams?: string[];
}

const LIST_MAX = 50;

/** Who may be asked, on the wire. */
export const RecipientsField = Type.Object(
  {
    mode: Type.Unsafe<RecipientMode>({
      type: "string",
      enum: [...RECIPIENT_MODES],
      description:
        "Who may be asked. `anyone`. `directory`: people in the directory. `list`: addresses in `domains`, and people in `slack_teams`.",
    }),
    domains: Type.Optional(
      Type.Array(Text({ minLength: 1, maxLength: 253, description: "A domain, such as `example.com`." }), {
        maxItems: LIST_MAX,
      }),
    ),
    slack_teams: Type.Optional(
      Type.Array(Text({ minLength: 1, maxLength: 50, description: "Id of a Slack workspace." }), {
        maxItems: LIST_MAX,
      }),
    ),
  },
  { additionalProperties: false },
);

/** @returns how a table has it */
export function storedPolicy(policy: RecipientPolicy | null | undefined): string | null {
  return policy == null ? null : JSON.stringify(policy);
}
