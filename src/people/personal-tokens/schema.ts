import type { Static } from "typebox";
import { Nullable, Text, Time } from "../../http/schema.ts";
import { Type } from "../../lib/type.ts";

/** Lifetimes in days. A token that its person forgets ends by itself. */
const DEFAULT_DAYS = 90;
const MAX_DAYS = 365;

const fields = {
  id: Type.String({ examples: ["ptk_01kajv3mzt8w5rq0e4v9c2n7xb"] }),
  name: Type.String({ description: "By which its person recognizes it." }),
  prefix: Type.String({ description: "The first characters of the token.", examples: ["hts_person_Q2x9A"] }),
  created_at: Time("When it was created."),
  expires_at: Time("From when on it is refused. An expired token stays in the list for 30 days."),
  last_used_at: Nullable(Time("When it was last used, to within a minute.")),
};

/** A personal token as its person and operators see it. */
export const PersonalTokenRecord = Type.Object(fields, { $id: "PersonalToken" });
export type PersonalTokenRecord = Static<typeof PersonalTokenRecord>;

export const NewPersonalTokenRecord = Type.Object(
  { ...fields, token: Type.String({ description: "The token. It is shown only once." }) },
  { $id: "NewPersonalToken" },
);
export type NewPersonalTokenRecord = Static<typeof NewPersonalTokenRecord>;

export const CreatePersonalTokenBody = Type.Object(
  {
    name: Text({ minLength: 1, maxLength: 100, description: "Where it will be used, such as the name of a program." }),
    expires_in_days: Type.Optional(
      Nullable(Type.Integer({ minimum: 1, maximum: MAX_DAYS, description: `Default: ${DEFAULT_DAYS}.` })),
    ),
  },
  { $id: "CreatePersonalToken", additionalProperties: true, examples: [{ name: "Claude Code", expires_in_days: 90 }] },
);
export type CreatePersonalTokenBody = Static<typeof CreatePersonalTokenBody>;

export const PersonalTokenParams = Type.Object({ id: Type.String({ description: "Token id, `ptk_...`." }) });

/** Returns the lifetime of a new token in days. */
export function daysOf({ expires_in_days }: CreatePersonalTokenBody): number {
  return expires_in_days ?? DEFAULT_DAYS;
}
