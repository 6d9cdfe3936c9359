import type { Static } from "typebox";
import { Nullable, Text, Time } from "../../http/schema.ts";
import { Type } from "../../lib/type.ts";

export const TRANSPORTS = ["smtp", "file", "log", "resend"] as const;
export type TransportName = (typeof TRANSPORTS)[number];

const Transport = Type.Unsafe<TransportName>({
  type: "string",
  enum: [...TRANSPORTS],
  description:
    "`smtp`: an SMTP server. `file`: one JSON file per email, for tests. `log`: a line in the log. `resend`: the provider.",
});
const optional = <T extends Parameters<typeof Nullable>[0]>(schema: T) => Type.Optional(Nullable(schema));

/** The body of `POST /api/channels/email/identities`. (wire: Email identities) */
export const IdentityBody = Type.Object(
  {
    id: Text({
      minLength: 1,
      maxLength: 100,
      description: "Letters, digits, `.`, `_` and `-`. Use it in `notify` as `email+<id>:<address>`.",
    }),
    project: optional(
      Text({
        minLength: 1,
        maxLength: 64,
        description: "Slug of the project whose tasks it sends. Default: `default`.",
      }),
    ),
    display_name: Text({ minLength: 1, maxLength: 200, description: "The name that operators see." }),
    from_email: Text({ minLength: 1, maxLength: 254, description: "The From address." }),
    from_name: optional(Text({ maxLength: 200, description: "The From name." })),
    reply_to: optional(Text({ maxLength: 254, description: "The Reply-To address." })),
    transport: Transport,
    transport_config: Type.Optional(
      Nullable(
        Type.Unsafe<Record<string, unknown>>({
          type: "object",
          additionalProperties: true,
          description:
            "`smtp`: `{host, port?, secure?, user?, password?, allow_unencrypted?}`; `secure` is TLS from the first byte, and true for port 465 if omitted. With a password, a server on another machine must offer STARTTLS, unless `allow_unencrypted` is true. `file`: `{dir}`, a folder inside the data directory. `resend`: `{api_key}`. Never returned. If it is omitted and the transport is unchanged, an existing sender keeps its settings.",
        }),
      ),
    ),
  },
  { $id: "SetEmailIdentity", additionalProperties: true },
);
export type IdentityBody = Static<typeof IdentityBody>;

export const IdentityRecord = Type.Object(
  {
    id: Type.String(),
    project: Nullable(
      Type.String({ description: "Slug of its project; null: the sender of the environment, for all." }),
    ),
    display_name: Type.String(),
    from_email: Type.String(),
    from_name: Nullable(Type.String()),
    reply_to: Nullable(Type.String()),
    transport: Transport,
    created_at: Nullable(Time("When it was made; null for the one of the environment.")),
    updated_at: Nullable(Time("When it was last changed; null for the one of the environment.")),
  },
  { $id: "EmailIdentity" },
);
export type IdentityRecord = Static<typeof IdentityRecord>;

export const TestMailBody = Type.Object(
  { to: optional(Text({ maxLength: 254, description: "Recipient of the test email. Default: your own address." })) },
  { $id: "TestEmailIdentity", additionalProperties: true },
);
export type TestMailBody = Static<typeof TestMailBody>;

export const TestMailResult = Type.Object(
  {
    sent: Type.Boolean({ description: "Whether the transport accepted the email." }),
    to: Type.String(),
    error: Nullable(Type.String({ description: "A stable word, a colon and a sentence, or null if it was sent." })),
  },
  { $id: "TestEmailResult" },
);
export type TestMailResult = Static<typeof TestMailResult>;

export const emailShapes = [IdentityBody, IdentityRecord, TestMailBody, TestMailResult];
