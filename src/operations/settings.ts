import { Type, type Static } from "typebox";
import { CHANNELS } from "../channels/registered.ts";
import type { Config } from "../config.ts";
import type { Db } from "../db/database.ts";
import type { Logger } from "pino";
import { defineRoute, mount, READ_ERRORS, SIGNED_IN } from "../http/route.ts";
import { callerOf, requireOperator, type Caller } from "../people/caller.ts";

const oneOf = <const T extends string>(values: readonly T[], description: string) =>
  Type.Unsafe<T>({ type: "string", enum: values, description });

/** Channels that the environment sets up. */
export const SET_CHANNELS = CHANNELS.flatMap(({ name, settings }) =>
  settings === undefined ? [] : [{ name, settings }],
);

/** What an operator wants to know of a service that runs: what is on, and how it is set. No secret, and no path. */
const Settings = Type.Object(
  {
    version: Type.String(),
    public_url: Type.String({ description: "Where people and links reach the service." }),
    database: Type.Object({
      kind: oneOf(["sqlite", "postgres"], "The embedded one, or a server that several processes share."),
      status: oneOf(["ok", "failing"], "Whether it answers at the moment."),
    }),
    callbacks: Type.Object({
      signed: Type.Boolean({ description: "false: there is no payload key, and callbacks are off." }),
      allow_private: Type.Boolean({ description: "A `callback_url` may lead to addresses of private networks." }),
    }),
    embed: Type.Object(
      {
        configured: Type.Boolean({ description: "false: there is no signing secret, and no token is made." }),
        allowed_origins: Type.Array(Type.String(), { description: "Whose pages may show the form." }),
      },
      { description: "Showing the form in other products." },
    ),
    ...Object.fromEntries(SET_CHANNELS.map(({ name, settings }) => [name, settings.shape])),
    trusted_proxies: Type.Array(Type.String(), { description: "Whose forwarding headers are believed." }),
    body_limit_bytes: Type.Integer({ description: "The largest request body." }),
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
  summary: "How the service is set",
  description: "What is on and what is off. The settings themselves are variables of its environment.",
  tags: ["operations"],
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

/** What the environment alone decides. */
export function settingsOf(config: Config): Omit<Settings, "version" | "database"> {
  return {
    public_url: config.publicUrl,
    callbacks: { signed: config.payloadKey !== null, allow_private: config.callbacks.allowPrivate },
    embed: { configured: config.embed !== null, allowed_origins: [...(config.embed?.parentOrigins ?? [])] },
    ...Object.fromEntries(SET_CHANNELS.map(({ name, settings }) => [name, settings.read(config)])),
    trusted_proxies: [...config.trustedProxies],
    body_limit_bytes: config.limits.bodyBytes,
    log_level: config.logLevel,
  };
}
