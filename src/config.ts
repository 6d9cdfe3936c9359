import { CHANNEL_VARIABLES, readChannels, type ChannelsConfig } from "./config/channels.ts";
import { readDatabase, type DatabaseConfig } from "./config/database.ts";
import { readEmbed, type EmbedConfig } from "./config/embed.ts";
import { createEnvironment } from "./config/environment.ts";
import { completeKeys, readKeys, type Keys, type Secrets } from "./config/keys.ts";
import {
  isOnlyLocal,
  readCallbacks,
  readDiscoveryFile,
  readHookHoldSeconds,
  readLimits,
  readListening,
  readLogLevel,
  readPublicUrl,
  readRequirePasskey,
  readSecurityContacts,
  readSecurityEventsDays,
  readTrustedProxies,
  type LogLevel,
  type RequirePasskey,
} from "./config/server.ts";
import { readSignIn, SIGN_IN_VARIABLES, type SignInConfig } from "./config/sign-in.ts";
import { checkSecrets } from "./config/weak-secrets.ts";
import { baseUrlEnv, PROVIDERS, readVerifier, type VerifierSettings } from "./config/verifier.ts";

/** The settings of one process, read once at its start; nothing else looks at the environment. A feature that is off is null. */
export interface Config extends Keys {
  host: string;
  port: number;
  /** Where people and links reach the service, without a trailing slash. */
  publicUrl: string;
  /** Holds the embedded database and `secrets.json`. */
  dataDir: string;
  database: DatabaseConfig;
  callbacks: { allowPrivate: boolean };
  /** Addresses whose forwarding headers are believed; with an empty list, no such header is. */
  trustedProxies: readonly string[];
  /** Shown in `/.well-known/security.txt`; with an empty list there is none. */
  securityContacts: readonly string[];
  verifier: VerifierSettings;
  channels: ChannelsConfig;
  /** Showing the form in other products; null: minting a token answers 404. (spec: Embed server configuration) */
  embed: EmbedConfig | null;
  /** How people sign in. */
  signIn: SignInConfig;
  limits: { bodyBytes: number };
  /** For how many days events of the security log are kept. */
  securityEventsDays: number;
  /** For how long a call of a coding agent's tool is held while a person decides. */
  hookHoldSeconds: number;
  /** Who must sign in with a passkey; null: nobody must. */
  requirePasskey: RequirePasskey;
  /** Tells programs of the same person on this machine the address of the service. null: it is not written. */
  discoveryFile: string | null;
  logLevel: LogLevel;
}

/** Names that begin with `SERVICE_` and mean something to this release. */
export const KNOWN_NAMES: ReadonlySet<string> = new Set([
  "SERVICE_HOST",
  "SERVICE_PORT",
  "SERVICE_PUBLIC_URL",
  "SERVICE_DATA_DIR",
  "SERVICE_DATABASE_URL",
  "SERVICE_ADMIN_API_TOKEN",
  "SERVICE_SECRET_KEY",
  "SERVICE_PAYLOAD_KEY",
  "SERVICE_ADMIN_API_TOKEN_PREVIOUS",
  "SERVICE_SECRET_KEY_PREVIOUS",
  "SERVICE_PAYLOAD_KEY_PREVIOUS",
  "SERVICE_CALLBACK_ALLOW_PRIVATE",
  "SERVICE_TRUSTED_PROXIES",
  "SERVICE_SECURITY_CONTACT",
  "SERVICE_VERIFIER_KEY_ENVS",
  ...PROVIDERS.map(baseUrlEnv),
  ...CHANNEL_VARIABLES,
  "SERVICE_EMBED_SIGNING_SECRET",
  "SERVICE_EMBED_PARENT_ORIGINS",
  ...SIGN_IN_VARIABLES,
  "SERVICE_BODY_LIMIT_BYTES",
  "SERVICE_SECURITY_EVENTS_DAYS",
  "SERVICE_HOOK_HOLD_SECONDS",
  "SERVICE_REQUIRE_PASSKEY",
  "SERVICE_LOG_LEVEL",
  "SERVICE_DISCOVERY_FILE",
  // The client's, which a program beside the service may have in the same environment.
  "SERVICE_URL",
  "SERVICE_TOKEN",
  "SERVICE_KEY",
]);

/** Every problem of an environment at once, so that one restart is enough. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(
      `The service cannot start with this configuration:\n${problems.map((problem) => `  - ${problem}`).join("\n")}`,
    );
    this.name = "ConfigError";
    this.problems = problems;
  }
}

/**
 * Environment -> Config. Each subject reads its own variables.
 *
 * @param stored - gives the secrets kept in a data directory, making them if there are none; asked only on the embedded
 *   database, and only when everything else is in order
 * @throws ConfigError that lists every problem
 */
export function readConfig(
  variables: Readonly<Record<string, string | undefined>>,
  stored: (dataDir: string) => Secrets,
): { config: Config; warnings: string[] } {
  const env = createEnvironment(variables);
  // Problems are listed in the order in which they are found here.
  const { host, port } = readListening(env);
  const limits = readLimits(env);
  const securityEventsDays = readSecurityEventsDays(env);
  const hookHoldSeconds = readHookHoldSeconds(env);
  const publicUrl = readPublicUrl(env, { host, port });
  const requirePasskey = readRequirePasskey(env, publicUrl);
  const database = readDatabase(env);
  const isLocal = isOnlyLocal({ host, publicUrl });
  const callbacks = readCallbacks(env, isLocal);
  const logLevel = readLogLevel(env);
  const trustedProxies = readTrustedProxies(env);
  const securityContacts = readSecurityContacts(env);
  const verifier = readVerifier(env);
  const channels = readChannels(env);
  const embed = readEmbed(env);
  const signIn = readSignIn(env);
  const given = readKeys(env, database);
  checkSecrets(env, isLocal);
  for (const name of env.names()) {
    if (name.startsWith("SERVICE_") && !KNOWN_NAMES.has(name))
      env.warnings.push(`${name} is not a setting of this release and was ignored.`);
  }
  if (env.problems.length > 0 || database === null) throw new ConfigError(env.problems);

  const dataDir = env.get("SERVICE_DATA_DIR") ?? "./data";
  const keys = completeKeys(env, given, database, () => stored(dataDir));
  if (env.problems.length > 0) throw new ConfigError(env.problems);
  return {
    config: {
      host,
      port,
      publicUrl,
      dataDir,
      database,
      ...keys,
      callbacks,
      trustedProxies,
      securityContacts,
      verifier,
      channels,
      embed,
      signIn,
      limits,
      securityEventsDays,
      hookHoldSeconds,
      requirePasskey,
      discoveryFile: isLocal ? readDiscoveryFile(env, variables["HOME"] ?? variables["USERPROFILE"]) : null,
      logLevel,
    },
    warnings: env.warnings,
  };
}
