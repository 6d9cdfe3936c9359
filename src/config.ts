import { isIP } from "node:net";
import { BlockList } from "node:net";
import { PROVIDERS, VENDOR_KEY_ENVS, type VerifierProvider } from "./lib/model-vendors.ts";
import { isEmailAddress } from "./lib/text.ts";
import { parseOriginPattern, type OriginPattern } from "./lib/web-origins.ts";

/** The settings of one process, read once at its start; nothing else looks at the environment. A feature that is off is null. */
export interface Config {
  host: string;
  port: number;
  /** Where people and links reach the service, without a trailing slash. */
  publicUrl: string;
  /** Holds the embedded database and `secrets.json`. */
  dataDir: string;
  database: { kind: "sqlite" } | { kind: "postgres"; url: string };
  adminToken: string;
  /** Root of sessions, links, nonces and sealing: 32 bytes that never leave the service. */
  secretKey: Uint8Array;
  /** Root of callback signatures: 32 raw bytes, shared with receivers. null: callbacks are off. (spec: Events) */
  payloadKey: Uint8Array | null;
  callbacks: { allowPrivate: boolean };
  /** Addresses whose forwarding headers are believed; empty: nobody's. */
  trustedProxies: readonly string[];
  verifier: VerifierSettings;
  /** Whom mail is from where no identity is named, and its server; null: identities are made through the API alone. */
  email: { from: { name: string | null; address: string }; smtp: SmtpServer } | null;
  /** The Slack app; null: Slack is off. */
  slack: SlackApp | null;
  /** Showing the form in other products; null: minting a token answers 404. (spec: Embed server configuration) */
  embed: EmbedConfig | null;
  limits: { bodyBytes: number };
  /**
   * Where the service writes down its address for programs of the same person on this machine; null: nowhere, as one that
   * other machines can reach.
   */
  discoveryFile: string | null;
  logLevel: LogLevel;
}

export interface VerifierSettings {
  /** Names of variables that a task may name for a vendor's key, beside the vendors' own. */
  keyEnvs: readonly string[];
  /** The keys by the names of their variables; what is not set is not there. */
  keys: Readonly<Record<string, string>>;
  /** Where providers are asked instead of at their vendors': gateways, local models. */
  baseUrls: Readonly<Partial<Record<VerifierProvider, string>>>;
}

export interface EmbedConfig {
  /** Signs embed tokens: 32 bytes or more. */
  signingSecret: Uint8Array;
  /** Whose pages may show the form. */
  parentOrigins: readonly OriginPattern[];
}

export interface SlackApp {
  /** Of the one workspace that needs no installation here; null: there is none such. */
  botToken: string | null;
  /** Proves that a request comes from Slack; null: none is taken over HTTP. */
  signingSecret: string | null;
  /** With both, operators install the app in workspaces from the dashboard. */
  oauth: { clientId: string; clientSecret: string } | null;
  /** For Socket Mode; null: Slack calls over HTTP. */
  appToken: string | null;
  /** Ends in a slash. */
  apiUrl: string;
}

export interface SmtpServer {
  host: string;
  port: number;
  /** TLS from the first byte; else by STARTTLS, where the server has it. */
  secure: boolean;
  user: string | null;
  password: string | null;
}

/** The values that the service makes itself on the embedded database when the environment does not give them. */
export interface Secrets {
  adminToken: string;
  secretKey: string;
  payloadKey: string;
}

const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Names that this release reads, or that a part of the service still to be configured will read. */
export const KNOWN_NAMES: ReadonlySet<string> = new Set([
  "SERVICE_HOST",
  "SERVICE_PORT",
  "SERVICE_PUBLIC_URL",
  "SERVICE_DATA_DIR",
  "SERVICE_DATABASE_URL",
  "SERVICE_ADMIN_API_TOKEN",
  "SERVICE_SECRET_KEY",
  "SERVICE_PAYLOAD_KEY",
  "SERVICE_CALLBACK_ALLOW_PRIVATE",
  "SERVICE_TRUSTED_PROXIES",
  "SERVICE_VERIFIER_KEY_ENVS",
  ...PROVIDERS.map(baseUrlEnv),
  "SERVICE_EMAIL_FROM",
  "SERVICE_SMTP_URL",
  "SERVICE_SLACK_BOT_TOKEN",
  "SERVICE_SLACK_SIGNING_SECRET",
  "SERVICE_SLACK_CLIENT_ID",
  "SERVICE_SLACK_CLIENT_SECRET",
  "SERVICE_SLACK_APP_TOKEN",
  "SERVICE_SLACK_API_URL",
  "SERVICE_EMBED_SIGNING_SECRET",
  "SERVICE_EMBED_PARENT_ORIGINS",
  "SERVICE_BODY_LIMIT_BYTES",
  "SERVICE_LOG_LEVEL",
  "SERVICE_DISCOVERY_FILE",
  // The client's, which a program beside the service may have in the same environment.
  "SERVICE_URL",
  "SERVICE_KEY",
]);

/** The variable that says where a provider is asked. */
function baseUrlEnv(name: VerifierProvider): string {
  return `SERVICE_VERIFIER_${name.toUpperCase()}_BASE_URL`;
}

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
 * Environment -> Config.
 *
 * @param stored - gives the secrets kept in a data directory, making them if there are none; asked only on the embedded
 *   database, and only when everything else is in order
 * @throws ConfigError that lists every problem
 */
export function readConfig(
  env: Readonly<Record<string, string | undefined>>,
  stored: (dataDir: string) => Secrets,
): { config: Config; warnings: string[] } {
  const problems: string[] = [];
  const warnings: string[] = [];
  const given = (name: string): string | undefined => {
    const value = env[name]?.trim();
    return value === "" ? undefined : value;
  };

  const host = given("SERVICE_HOST") ?? "127.0.0.1";
  if (!isIP(host) && !isHostName(host)) {
    problems.push(`SERVICE_HOST is "${host}", which is neither an address nor a host name.`);
  }
  const port = wholeNumber("SERVICE_PORT", given("SERVICE_PORT") ?? "3000", 0, 65_535, problems);
  const bodyBytes = wholeNumber(
    "SERVICE_BODY_LIMIT_BYTES",
    given("SERVICE_BODY_LIMIT_BYTES") ?? "1048576",
    1024,
    67_108_864,
    problems,
  );

  const givenUrl = given("SERVICE_PUBLIC_URL");
  const publicUrl = givenUrl === undefined ? `http://localhost:${port}` : readPublicUrl(givenUrl, problems);
  if (givenUrl === undefined && !isLoopback(host)) {
    problems.push(
      `SERVICE_PUBLIC_URL is required when SERVICE_HOST (${host}) is reachable from other machines: links to people are built from it.`,
    );
  }

  const databaseUrl = given("SERVICE_DATABASE_URL");
  const database = databaseUrl === undefined ? ({ kind: "sqlite" } as const) : readDatabaseUrl(databaseUrl, problems);

  const isLocal = isLoopback(host) && (givenUrl === undefined || isLoopback(hostOf(publicUrl)));
  let allowPrivate = isLocal;
  const allow = given("SERVICE_CALLBACK_ALLOW_PRIVATE");
  if (allow === "1" || allow === "0") allowPrivate = allow === "1";
  else if (allow !== undefined) problems.push(`SERVICE_CALLBACK_ALLOW_PRIVATE is "${allow}"; it takes 1 or 0.`);

  const logLevel = given("SERVICE_LOG_LEVEL") ?? "info";
  if (!isLogLevel(logLevel))
    problems.push(`SERVICE_LOG_LEVEL is "${logLevel}"; it takes one of ${LOG_LEVELS.join(", ")}.`);

  const trustedProxies = list(given("SERVICE_TRUSTED_PROXIES"));
  for (const entry of trustedProxies) {
    if (!isAddressRange(entry))
      problems.push(`SERVICE_TRUSTED_PROXIES has "${entry}", which is not an address or a range such as 10.0.0.0/8.`);
  }
  const keyEnvs = list(given("SERVICE_VERIFIER_KEY_ENVS"));
  for (const name of keyEnvs) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
      problems.push(`SERVICE_VERIFIER_KEY_ENVS has "${name}", which cannot be the name of a variable.`);
  }

  const keyNames = [...keyEnvs, ...Object.values(VENDOR_KEY_ENVS)];
  const keys = Object.fromEntries(
    keyNames.flatMap((name) => (given(name) === undefined ? [] : [[name, given(name)!]])),
  );
  const baseUrls: Partial<Record<VerifierProvider, string>> = {};
  for (const name of PROVIDERS) {
    const url = given(baseUrlEnv(name));
    if (url === undefined) continue;
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
      problems.push(`${baseUrlEnv(name)} is "${url}"; it takes an address, as in https://gateway.example.com/v1.`);
    baseUrls[name] = url.replace(/\/+$/, "");
  }

  const email = readEmail(given("SERVICE_EMAIL_FROM"), given("SERVICE_SMTP_URL"), problems);

  const slack = readSlack(
    {
      botToken: given("SERVICE_SLACK_BOT_TOKEN"),
      signingSecret: given("SERVICE_SLACK_SIGNING_SECRET"),
      clientId: given("SERVICE_SLACK_CLIENT_ID"),
      clientSecret: given("SERVICE_SLACK_CLIENT_SECRET"),
      appToken: given("SERVICE_SLACK_APP_TOKEN"),
      apiUrl: given("SERVICE_SLACK_API_URL"),
    },
    problems,
  );

  const embed = readEmbed(
    given("SERVICE_EMBED_SIGNING_SECRET"),
    list(given("SERVICE_EMBED_PARENT_ORIGINS")),
    problems,
    warnings,
  );

  const adminToken = given("SERVICE_ADMIN_API_TOKEN");
  if (adminToken !== undefined) {
    if (!/^[\x21-\x7e]+$/.test(adminToken))
      problems.push(
        "SERVICE_ADMIN_API_TOKEN has characters that cannot stand in a header; use printable ASCII without spaces.",
      );
    else if (adminToken.length < 16)
      warnings.push("SERVICE_ADMIN_API_TOKEN is shorter than 16 characters and can be guessed.");
  }
  const secretKey = readKey("SERVICE_SECRET_KEY", given("SERVICE_SECRET_KEY"), problems);
  const payloadKey = readKey("SERVICE_PAYLOAD_KEY", given("SERVICE_PAYLOAD_KEY"), problems);
  if (database?.kind === "postgres") {
    // Replicas share these, so no process may make up its own.
    if (adminToken === undefined)
      problems.push("SERVICE_ADMIN_API_TOKEN is required with PostgreSQL: all processes must know the same token.");
    if (secretKey === undefined)
      problems.push(
        "SERVICE_SECRET_KEY is required with PostgreSQL: all processes must share it. `openssl rand -base64 32` makes one.",
      );
    if (payloadKey === undefined) warnings.push("SERVICE_PAYLOAD_KEY is not set: callbacks are off.");
  }

  for (const name of Object.keys(env)) {
    if (name.startsWith("SERVICE_") && !KNOWN_NAMES.has(name))
      warnings.push(`${name} is not a setting of this release and was ignored.`);
  }

  if (problems.length > 0 || database === null || !isLogLevel(logLevel)) throw new ConfigError(problems);

  const dataDir = given("SERVICE_DATA_DIR") ?? "./data";
  const needsSecrets =
    database.kind === "sqlite" && (adminToken === undefined || secretKey === undefined || payloadKey === undefined);
  const own = needsSecrets ? stored(dataDir) : null;
  return {
    config: {
      host,
      port,
      publicUrl,
      dataDir,
      database,
      adminToken: adminToken ?? own?.adminToken ?? "",
      secretKey: secretKey ?? Buffer.from(own?.secretKey ?? "", "base64"),
      payloadKey: payloadKey ?? (own ? Buffer.from(own.payloadKey, "base64") : null),
      callbacks: { allowPrivate },
      trustedProxies,
      verifier: { keyEnvs, keys, baseUrls },
      email,
      slack,
      embed,
      limits: { bodyBytes },
      discoveryFile: isLocal ? discoveryFileOf(env) : null,
      logLevel,
    },
    warnings,
  };
}

/** The client looks for it in the same place. (sdk/settings.ts) */
function discoveryFileOf(env: Readonly<Record<string, string | undefined>>): string | null {
  const given = env["SERVICE_DISCOVERY_FILE"]?.trim();
  const home = env["HOME"] ?? env["USERPROFILE"];
  if (given === "0" || (!given && !home)) return null;
  return given || `${home}/.human-task-service/service.json`;
}

/** Whether `text` could be the name of a host, as far as its form tells. */
export function isHostName(text: string): boolean {
  return /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(text);
}

/** Whether `host` (an address, or a host name) names this machine itself. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, "").toLowerCase();
  if (name === "localhost" || name.endsWith(".localhost")) return true;
  const family = isIP(name);
  if (family === 0) return false;
  return LOOPBACK.check(name, family === 6 ? "ipv6" : "ipv4");
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : "";
}

function isLogLevel(text: string): text is LogLevel {
  return (LOG_LEVELS as readonly string[]).includes(text);
}

function list(text: string | undefined): string[] {
  return (text ?? "").split(",").flatMap((entry) => entry.trim() || []);
}

function wholeNumber(name: string, text: string, min: number, max: number, problems: string[]): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  problems.push(`${name} is "${text}"; it takes a whole number from ${min} to ${max}.`);
  return min;
}

function readPublicUrl(text: string, problems: string[]): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const fits =
    url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "" && !/[?#]/.test(text);
  if (!fits) problems.push(`SERVICE_PUBLIC_URL is "${text}"; it takes an address such as https://tasks.example.com.`);
  return text.replace(/\/+$/, "");
}

function readDatabaseUrl(text: string, problems: string[]): Config["database"] | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url !== null && /^postgres(ql)?:$/.test(url.protocol)) return { kind: "postgres", url: text };
  // The value may hold a password: it is not repeated.
  problems.push("SERVICE_DATABASE_URL is not a postgres:// address. Leave it unset for the embedded database.");
  return null;
}

function readEmail(from: string | undefined, smtp: string | undefined, problems: string[]): Config["email"] {
  if (from === undefined && smtp === undefined) return null;
  if (from === undefined || smtp === undefined) {
    problems.push(
      "SERVICE_EMAIL_FROM and SERVICE_SMTP_URL go together: whom mail is from, and the server that takes it.",
    );
    return null;
  }
  const [, name = null, address = from] = /^\s*"?([^"<]*?)"?\s*<([^<>]*)>$/.exec(from) ?? [];
  const isOneLine = !/\p{Cc}/u.test(from);
  if (!isEmailAddress(address) || !isOneLine)
    problems.push(`SERVICE_EMAIL_FROM is "${from}"; it takes an address, or "Name <address>".`);
  const server = readSmtpUrl(smtp);
  // The value may hold a password: it is not repeated.
  if (server === null)
    problems.push("SERVICE_SMTP_URL is not an address such as smtp://user:password@mail.example.com:587.");
  return server === null ? null : { from: { name: name === "" ? null : name, address }, smtp: server };
}

type SlackVariable = "botToken" | "signingSecret" | "clientId" | "clientSecret" | "appToken" | "apiUrl";

function readSlack(given: Record<SlackVariable, string | undefined>, problems: string[]): Config["slack"] {
  const { botToken, signingSecret, clientId, clientSecret, appToken, apiUrl = "https://slack.com/api/" } = given;
  if (!URL.canParse(apiUrl) || !/^https?:$/.test(new URL(apiUrl).protocol) || !apiUrl.endsWith("/"))
    problems.push(`SERVICE_SLACK_API_URL is "${apiUrl}"; it takes an address that ends in a slash.`);
  if ([botToken, signingSecret, clientId, clientSecret, appToken].every((one) => one === undefined)) return null;
  if (signingSecret === undefined && appToken === undefined)
    problems.push(
      "Slack needs, to be answered, either SERVICE_SLACK_SIGNING_SECRET (requests over HTTP) or SERVICE_SLACK_APP_TOKEN (Socket Mode).",
    );
  if ((clientId === undefined) !== (clientSecret === undefined))
    problems.push("SERVICE_SLACK_CLIENT_ID and SERVICE_SLACK_CLIENT_SECRET belong together: set both, or none.");
  // The values are secrets: they are not repeated.
  if (botToken !== undefined && !isBotToken(botToken))
    problems.push("SERVICE_SLACK_BOT_TOKEN is not a bot token; those begin with xoxb-.");
  if (appToken !== undefined && !/^xapp-[\w-]+$/.test(appToken))
    problems.push("SERVICE_SLACK_APP_TOKEN is not an app-level token; those begin with xapp-.");
  return {
    botToken: botToken ?? null,
    signingSecret: signingSecret ?? null,
    oauth: clientId === undefined || clientSecret === undefined ? null : { clientId, clientSecret },
    appToken: appToken ?? null,
    apiUrl,
  };
}

/** Whether it looks like the token of an app's bot. */
export function isBotToken(text: string): boolean {
  return /^xoxb-[\w-]+$/.test(text);
}

function readEmbed(
  secret: string | undefined,
  entries: readonly string[],
  problems: string[],
  warnings: string[],
): Config["embed"] {
  const parentOrigins = entries.flatMap((entry) => {
    const parsed = parseOriginPattern(entry);
    if ("pattern" in parsed) return parsed.pattern;
    problems.push(`SERVICE_EMBED_PARENT_ORIGINS has "${entry}", which ${parsed.problem}.`);
    return [];
  });
  if (secret === undefined) {
    if (entries.length > 0)
      warnings.push("SERVICE_EMBED_PARENT_ORIGINS is set without SERVICE_EMBED_SIGNING_SECRET: embedding is off.");
    return null;
  }
  // The value is a secret: it is not repeated.
  if (!/^([0-9a-f]{2}){32,}$/i.test(secret)) {
    problems.push(
      "SERVICE_EMBED_SIGNING_SECRET must be 32 bytes or more in hex, so 64 digits or more, two for each byte. `openssl rand -hex 32` makes one.",
    );
    return null;
  }
  if (entries.length === 0)
    warnings.push("SERVICE_EMBED_PARENT_ORIGINS is not set: no page may embed the form, and no embed token is made.");
  return { signingSecret: Buffer.from(secret, "hex"), parentOrigins };
}

function readSmtpUrl(text: string): SmtpServer | null {
  try {
    const { protocol, hostname, port, username, password } = new URL(text);
    const host = hostname.replace(/^\[|\]$/g, "");
    if (
      !/^smtps?:$/.test(protocol) ||
      !(isIP(host) !== 0 || isHostName(host)) ||
      (username === "") !== (password === "")
    )
      return null;
    const secure = protocol === "smtps:";
    return {
      host,
      port: port === "" ? (secure ? 465 : 587) : Number(port),
      secure,
      user: username === "" ? null : decodeURIComponent(username),
      password: password === "" ? null : decodeURIComponent(password),
    };
  } catch {
    return null;
  }
}

function readKey(name: string, text: string | undefined, problems: string[]): Uint8Array | undefined {
  if (text === undefined) return undefined;
  const bytes = /^[A-Za-z0-9+/_-]+={0,2}$/.test(text) ? Buffer.from(text, "base64") : Buffer.alloc(0);
  if (bytes.length === 32) return bytes;
  problems.push(`${name} must be 32 bytes in base64 or base64url. \`openssl rand -base64 32\` makes such a key.`);
  return undefined;
}

function isAddressRange(text: string): boolean {
  const [address = "", bits, ...rest] = text.split("/");
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= (family === 6 ? 128 : 32));
}
