import type { Static } from "typebox";
import { Nullable, Text, Time } from "../../http/schema.ts";
import { Type } from "../../lib/type.ts";

const NAME_MAX = 100;
/** Credential ids have at most 1023 bytes, which are 1364 characters. */
const ID_MAX = 1_364;
const BYTES_MAX = 50_000;

const Bytes = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, pattern: "^[A-Za-z0-9_-]+$", description: `${description} In base64url.` });
const Name = Text({ minLength: 1, maxLength: NAME_MAX, description: "By which its person recognizes it." });

const credentialFields = {
  id: Bytes(ID_MAX, "The id of the credential."),
  rawId: Bytes(ID_MAX, "The same id."),
  type: Type.String({ maxLength: 50, description: "`public-key`." }),
};

/** What `PublicKeyCredential.toJSON()` returns for a new credential. */
const NewCredential = Type.Object(
  {
    ...credentialFields,
    response: Type.Object(
      {
        clientDataJSON: Bytes(BYTES_MAX, "What the browser was asked."),
        attestationObject: Bytes(BYTES_MAX, "The new public key."),
        transports: Type.Optional(Type.Array(Type.String({ maxLength: 50 }), { maxItems: 20 })),
      },
      { additionalProperties: true },
    ),
  },
  { additionalProperties: true, description: "The new credential, as `PublicKeyCredential.toJSON()` returns it." },
);
export type NewCredential = Static<typeof NewCredential>;

/** What `PublicKeyCredential.toJSON()` returns when a passkey was used. */
export const PasskeyAnswer = Type.Object(
  {
    ...credentialFields,
    response: Type.Object(
      {
        clientDataJSON: Bytes(BYTES_MAX, "What the browser was asked."),
        authenticatorData: Bytes(BYTES_MAX, "What the device says of itself."),
        signature: Bytes(BYTES_MAX, "The signature over both."),
        userHandle: Type.Optional(Nullable(Type.String({ maxLength: 200 }))),
      },
      { additionalProperties: true },
    ),
  },
  {
    $id: "PasskeyAnswer",
    additionalProperties: true,
    description: "The answer of a passkey, as `PublicKeyCredential.toJSON()` returns it.",
  },
);
export type PasskeyAnswer = Static<typeof PasskeyAnswer>;

/** A passkey as its person and operators see it. */
export const PasskeyRecord = Type.Object(
  {
    id: Type.String({ examples: ["psk_01kajv3mzt8w5rq0e4v9c2n7xb"] }),
    name: Type.String({ description: "By which its person recognizes it." }),
    created_at: Time("When it was added."),
    last_used_at: Nullable(Time("When it was last used to sign in or to confirm.")),
    usable: Type.Boolean({
      description: "false: it was added when the service had another host name, and works only there.",
    }),
  },
  { $id: "Passkey" },
);
export type PasskeyRecord = Static<typeof PasskeyRecord>;

/** Options for the browser. The service builds them; `web/` and other clients pass them on. */
const PublicKey = (description: string) =>
  Type.Unsafe<object>({ type: "object", additionalProperties: true, description });

export const CreationOptions = Type.Object(
  { public_key: PublicKey("For `PublicKeyCredential.parseCreationOptionsFromJSON()`. Valid once, for five minutes.") },
  { $id: "PasskeyCreationOptions" },
);

const RequestOptions = PublicKey(
  "For `PublicKeyCredential.parseRequestOptionsFromJSON()`. Valid once, for five minutes. null: passkeys cannot be used.",
);

/** To sign in, and to confirm. */
export const PasskeyRequestOptions = Type.Object(
  { public_key: Type.Unsafe<object | null>({ ...RequestOptions, type: ["object", "null"] }) },
  { $id: "PasskeyRequestOptions" },
);
export type PasskeyRequestOptions = Static<typeof PasskeyRequestOptions>;

export const AddPasskeyBody = Type.Object(
  { name: Name, credential: NewCredential },
  { $id: "AddPasskey", additionalProperties: true },
);
export type AddPasskeyBody = Static<typeof AddPasskeyBody>;

export const RenamePasskeyBody = Type.Object({ name: Name }, { $id: "RenamePasskey", additionalProperties: true });
export type RenamePasskeyBody = Static<typeof RenamePasskeyBody>;

export const PasskeySignInBody = Type.Object(
  { credential: Type.Unsafe<PasskeyAnswer>(Type.Ref("PasskeyAnswer")) },
  { $id: "PasskeySignIn", additionalProperties: true },
);
export type PasskeySignInBody = Static<typeof PasskeySignInBody>;

export const PasskeyParams = Type.Object({ id: Type.String({ description: "Passkey id, `psk_...`." }) });
