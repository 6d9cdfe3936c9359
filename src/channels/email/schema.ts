import { Type, type Static } from "typebox";
import { Nullable, Text, Time } from "../../http/schema.ts";

export const TRANSPORTS = ["smtp", "file", "log", "resend"] as const;
export type TransportName = (typeof TRANSPORTS)[number];

const Transport = Type.Unsafe<TransportName>({
  type: "string",
  enum: [...TRANSPORTS],
  description:
    "`smtp`: a mail server. `file`: one JSON file a mail, for tests. `log`: a line in the log. `resend`: the provider.",
});
const optional = <T extends Parameters<typeof Nullable>[0]>(schema: T) => Type.Optional(Nullable(schema));

/** What `POST /api/channels/email/identities` takes. (wire: Email identities) */
export const IdentityBody = Type.Object(
  {
    id: Text({
      minLength: 1,
      maxLength: 100,
      description: "Letters, digits, `.`, `_` and `-`; `notify` names it as `email+<id>:<address>`.",
    }),
    display_name: Text({ minLength: 1, maxLength: 200, description: "What operators see." }),
    from_email: Text({ minLength: 1, maxLength: 254, description: "Whom mail is from." }),
    from_name: optional(Text({ maxLength: 200, description: "The name beside the address." })),
    reply_to: optional(Text({ maxLength: 254, description: "Where answers by mail go." })),
    transport: Transport,
    transport_config: Type.Optional(
      Nullable(
        Type.Unsafe<Record<string, unknown>>({
          type: "object",
          additionalProperties: true,
          description:
            "`smtp`: `{host, port?, secure?, user?, password?}`. `file`: `{dir}`, a folder inside the data directory. `resend`: `{api_key}`. Never returned. Left out where the identity exists: it keeps what it has, if the transport is the same.",
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
  { to: optional(Text({ maxLength: 254, description: "Where the test mail goes; your own address when left out." })) },
  { $id: "TestEmailIdentity", additionalProperties: true },
);
export type TestMailBody = Static<typeof TestMailBody>;

export const TestMailResult = Type.Object(
  {
    sent: Type.Boolean({ description: "Whether the transport took it." }),
    to: Type.String(),
    error: Nullable(Type.String({ description: "A stable word, a colon, and a sentence; null when it was sent." })),
  },
  { $id: "TestEmailResult" },
);
export type TestMailResult = Static<typeof TestMailResult>;

export const emailShapes = [IdentityBody, IdentityRecord, TestMailBody, TestMailResult];
