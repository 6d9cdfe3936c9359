import type { Static } from "typebox";
import { CHANNELS } from "../channels/registered.ts";
import type { Config } from "../config.ts";
import type { Db } from "../db/database.ts";
import type { Logger } from "pino";
import { defineRoute, mount, READ_ERRORS, SIGNED_IN } from "../http/route.ts";
import { Nullable } from "../http/schema.ts";
import { secretKeyFingerprints } from "../lib/keys.ts";
import { Type } from "../lib/type.ts";
import { callerOf, requireOperator, type Caller } from "../people/caller.ts";

const oneOf = <const T extends string>(values: readonly T[], description: string) =>
  Type.Unsafe<T>({ type: "string", enum: values, description });

/** Channels that the environment sets up. */
export const SET_CHANNELS = CHANNELS.flatMap(({ name, settings }) =>
  settings === undefined ? [] : [{ name, settings }],
);

const OidcSettings = Type.Object(
  {
    issuer: Type.String(),
    client_id: Type.String(),
    scopes: Type.String({ description: "What the service asks for, separated by spaces." }),
    groups_claim: Type.String({ description: "The claim that lists groups." }),
    operator_group: Nullable(Type.String({ description: "Its members are operators; null: groups change nothing." })),
    auto_create: Type.Boolean({
      description: "true: people who are not in the directory are added at their first sign-in.",
    }),
  },
  { description: "The sign-in provider; null: there is none." },
);

/** Returns the settings that operators see. They contain no secrets and no paths. */
const Settings = Type.Object(
  {
    version: Type.String(),
    public_url: Type.String({ description: "The public URL of the service." }),
    database: Type.Object({
      kind: oneOf(["sqlite", "postgres"], "`sqlite`: embedded. `postgres`: a server, for several processes."),
      status: oneOf(["ok", "failing"], "Whether it answers at the moment."),
    }),
    callbacks: Type.Object({
      signed: Type.Boolean({ description: "false: there is no payload key, so callbacks are off." }),
      allow_private: Type.Boolean({ description: "`callback_url` may use addresses of private networks." }),
    }),
    keys: Type.Object({
      secret_key: Type.String({
        description: "Fingerprint of the current secret key. It says whether two processes have the same key.",
      }),
    }),
    embed: Type.Object(
      {
        configured: Type.Boolean({ description: "false: there is no signing secret, so embedding is off." }),
        allowed_origins: Type.Array(Type.String(), { description: "Origins whose pages may embed the form." }),
      },
      { description: "Embedding the form in other products." },
    ),
    sign_in: Type.Object(
      {
        password: oneOf(["everyone", "operators", "off"], "Who may sign in with a password."),
        oidc: Nullable(OidcSettings),
      },
      { description: "How people sign in." },
    ),
    ...Object.fromEntries(SET_CHANNELS.map(({ name, settings }) => [name, settings.shape])),
    trusted_proxies: Type.Array(Type.String(), { description: "Proxies whose forwarding headers are trusted." }),
    body_limit_bytes: Type.Integer({ description: "Maximum size of a request body, in bytes." }),
    security_events_days: Type.Integer({ description: "Days for which security events are kept." }),
    require_passkey: Nullable(
      Type.String({ description: "`operators`: they must sign in with a passkey. null: it is up to them." }),
    ),
    log_level: Type.String(),
  },
  { $id: "Settings" },
);
type Settings = Static<typeof Settings>;

/** Shapes that other shapes refer to by name. */
export const settingsShapes = [Settings];

interface SettingsContext {
  config: Config;
  db: Db;
  log: Logger;
  version: string;
}

const getSettingsRoute = defineRoute({
  method: "GET",
  url: "/api/settings",
  operationId: "getSettings",
  summary: "Read the configuration",
  description: "Shows which features are on. Change them with environment variables.",
  tags: ["Operations"],
  credentials: SIGNED_IN,
  answers: { 200: Type.Unsafe<Settings>(Type.Ref("Settings")) },
  errors: [...READ_ERRORS],
  handle: async (ctx: SettingsContext, request) => readSettings(ctx, callerOf(request)),
});

export const settingsRoutes = mount([getSettingsRoute]);

async function readSettings({ config, db, log, version }: SettingsContext, caller: Caller): Promise<Settings> {
  requireOperator(caller);
  const status = await db.ping().then(
    () => "ok" as const,
    (error: unknown) => {
      log.warn({ err: error }, "The database does not answer");
      return "failing" as const;
    },
  );
  return { version, database: { kind: config.database.kind, status }, ...settingsOf(config) };
}

function signInOf({ signIn: { passwords, oidc } }: Config): Settings["sign_in"] {
  const shown = oidc && {
    issuer: oidc.issuer,
    client_id: oidc.clientId,
    scopes: oidc.scopes,
    groups_claim: oidc.groupsClaim,
    operator_group: oidc.operatorGroup,
    auto_create: oidc.autoCreate,
  };
  return { password: passwords, oidc: shown };
}

/** Settings that only the environment can change. */
export function settingsOf(config: Config): Omit<Settings, "version" | "database"> {
  return {
    public_url: config.publicUrl,
    callbacks: { signed: config.payloadKey !== null, allow_private: config.callbacks.allowPrivate },
    keys: { secret_key: secretKeyFingerprints(config).current },
    embed: { configured: config.embed !== null, allowed_origins: [...(config.embed?.parentOrigins ?? [])] },
    sign_in: signInOf(config),
    ...Object.fromEntries(SET_CHANNELS.map(({ name, settings }) => [name, settings.read(config)])),
    trusted_proxies: [...config.trustedProxies],
    body_limit_bytes: config.limits.bodyBytes,
    security_events_days: config.securityEventsDays,
    require_passkey: config.requirePasskey,
    log_level: config.logLevel,
  };
}
