import type { Static } from "typebox";
import type { InvitationRow } from "../../db/schema.ts";
import { Nullable, Text, Time } from "../../http/schema.ts";
import { isoTime } from "../../lib/time.ts";
import { PASSWORD_MAX, PASSWORD_MIN } from "../passwords.ts";
import { Type } from "../../lib/type.ts";

/** Lifetimes in days. */
const DEFAULT_DAYS = 7;
const MAX_DAYS = 30;

export const INVITATION_KINDS = ["invitation", "password_reset"] as const;
export type InvitationKind = (typeof INVITATION_KINDS)[number];

const Kind = Type.Unsafe<InvitationKind>({
  type: "string",
  enum: [...INVITATION_KINDS],
  description: "`invitation`: the person has no password yet. `password_reset`: the link replaces the one they have.",
});

const fields = {
  kind: Kind,
  created_at: Time("When the link was created."),
  expires_at: Time("From when on the link is refused. An expired one is shown for 30 days."),
};

const Invitation = Type.Object(fields, {
  description:
    "The link by which the person sets their own password; it may have expired. null: there is none, or it was used.",
});
export type InvitationRecord = Static<typeof Invitation>;

/** The link of a person as a field of them: without its token, of which only a hash is stored. */
export const InvitationField = Nullable(Invitation);

export const NewInvitationRecord = Type.Object(
  {
    ...fields,
    mailed_to: Nullable(Type.String({ description: "The address that the link was mailed to; null: it was not." })),
    mail_problem: Nullable(
      Type.String({ description: "Why the link was not mailed, although that was wanted; null otherwise." }),
    ),
    url: Nullable(
      Type.String({ description: "The link, if it was not mailed. It is shown only once; null if it was mailed." }),
    ),
  },
  { $id: "NewInvitation" },
);
export type NewInvitationRecord = Static<typeof NewInvitationRecord>;

export const CreateInvitationBody = Type.Object(
  {
    send_email: Type.Optional(
      Nullable(Type.Boolean({ description: "false: the link is only returned. Default: true, if there is a sender." })),
    ),
    expires_in_days: Type.Optional(
      Nullable(Type.Integer({ minimum: 1, maximum: MAX_DAYS, description: `Default: ${DEFAULT_DAYS}.` })),
    ),
  },
  { $id: "CreateInvitation", additionalProperties: true, examples: [{ send_email: true, expires_in_days: 7 }] },
);
export type CreateInvitationBody = Static<typeof CreateInvitationBody>;

const Token = Text({ minLength: 1, maxLength: 200, description: "From the link, after `#token=`." });

export const OpenInvitationBody = Type.Object(
  { token: Token },
  { $id: "OpenInvitation", additionalProperties: true, examples: [{ token: "hts_invite_..." }] },
);
export type OpenInvitationBody = Static<typeof OpenInvitationBody>;

/** A link as the person who opens it sees it. */
export const OpenedInvitation = Type.Object(
  {
    kind: Kind,
    email: Type.String({ description: "The address that they will sign in with." }),
    display_name: Nullable(Type.String({ description: "What others see." })),
    expires_at: fields.expires_at,
  },
  { $id: "OpenedInvitation" },
);
export type OpenedInvitation = Static<typeof OpenedInvitation>;

export const AcceptInvitationBody = Type.Object(
  {
    token: Token,
    password: Text({
      minLength: PASSWORD_MIN,
      maxLength: PASSWORD_MAX,
      description: "8 to 256 characters; the commonest are refused.",
    }),
  },
  { $id: "AcceptInvitation", additionalProperties: true },
);
export type AcceptInvitationBody = Static<typeof AcceptInvitationBody>;

/** Returns the lifetime of a new link in days. */
export function daysOf({ expires_in_days }: CreateInvitationBody): number {
  return expires_in_days ?? DEFAULT_DAYS;
}

export function toInvitationRecord({ kind, created_at, expires_at }: InvitationRow): InvitationRecord {
  return { kind: kind as InvitationKind, created_at: isoTime(created_at), expires_at: isoTime(expires_at) };
}
