import type { Static } from "typebox";
import { Nullable, Text, Time } from "../http/schema.ts";
import { Type } from "../lib/type.ts";
import type { PasskeyAnswer } from "./passkeys/schema.ts";
import { PASSWORD_MAX } from "./passwords.ts";
import { SIGN_IN_METHODS, type SignInMethod } from "./sessions.ts";

/** A session of the person who asks. */
export const SessionRecord = Type.Object(
  {
    id: Type.String({ examples: ["ses_5f0c9d3b7a1e4c628d0b9f4e2a7c6b1d"] }),
    created_at: Time("When the person signed in."),
    last_used_at: Time("When it was last used, to within ten minutes."),
    address: Nullable(Type.String({ description: "The network address of the sign-in; null if not recorded." })),
    user_agent: Nullable(Type.String({ description: "The browser that signed in, as it describes itself." })),
    current: Type.Boolean({ description: "true: the session of this request." }),
    confirmed: Type.Boolean({ description: "true: the person proved who they are within the last ten minutes." }),
  },
  { $id: "Session" },
);
export type SessionRecord = Static<typeof SessionRecord>;

export const SessionParams = Type.Object({ id: Type.String({ description: "Session id, `ses_...`." }) });

/** How a person can prove that they use their session themselves. */
export const ConfirmationWays = Type.Object(
  {
    ways: Type.Array(Type.Unsafe<SignInMethod>({ type: "string", enum: SIGN_IN_METHODS }), {
      description:
        "`passkey`: `POST /api/auth/confirm/options`, then `POST /api/auth/confirm`. `password`: `POST /api/auth/confirm`. `oidc`: open `/api/auth/oidc/start?confirm=1` in the browser.",
    }),
  },
  { $id: "ConfirmationWays" },
);
export type ConfirmationWays = Static<typeof ConfirmationWays>;

export const ConfirmBody = Type.Object(
  {
    password: Type.Optional(Text({ minLength: 1, maxLength: PASSWORD_MAX, description: "Your password." })),
    credential: Type.Optional(Type.Unsafe<PasskeyAnswer>(Type.Ref("PasskeyAnswer"))),
  },
  { $id: "Confirm", additionalProperties: true },
);
export type ConfirmBody = Static<typeof ConfirmBody>;
