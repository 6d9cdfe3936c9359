import { isIP } from "node:net";
import { readWholeNumber, type Environment } from "./environment.ts";
import { isAddressRange, isHostName, isLoopback } from "./hosts.ts";

const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Host and port on which the service listens. */
export function readListening(env: Environment): { host: string; port: number } {
  const host = env.get("SERVICE_HOST") ?? "127.0.0.1";
  if (!isIP(host) && !isHostName(host))
    env.problems.push(`SERVICE_HOST is "${host}", which is not an IP address or a host name.`);
  const port = readWholeNumber(env, "SERVICE_PORT", { standard: 3000, min: 0, max: 65_535 });
  return { host, port };
}

export function readLimits(env: Environment): { bodyBytes: number } {
  return {
    bodyBytes: readWholeNumber(env, "SERVICE_BODY_LIMIT_BYTES", { standard: 1_048_576, min: 1024, max: 67_108_864 }),
  };
}

/** For how many days events of the security log are kept. */
export function readSecurityEventsDays(env: Environment): number {
  return readWholeNumber(env, "SERVICE_SECURITY_EVENTS_DAYS", { standard: 365, min: 1, max: 3650 });
}

/** For how long a call of a coding agent's tool is held while a person decides. */
export function readHookHoldSeconds(env: Environment): number {
  return readWholeNumber(env, "SERVICE_HOOK_HOLD_SECONDS", { standard: 540, min: 0, max: 86_400 });
}

/** Public URL of the service, without a trailing slash. */
export function readPublicUrl(env: Environment, { host, port }: { host: string; port: number }): string {
  const text = env.get("SERVICE_PUBLIC_URL");
  if (text === undefined) {
    if (!isLoopback(host))
      env.problems.push(
        `SERVICE_PUBLIC_URL is required when SERVICE_HOST (${host}) is reachable from other machines. Links for people use it.`,
      );
    return `http://localhost:${port}`;
  }
  const url = URL.canParse(text) ? new URL(text) : null;
  const fits =
    url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "" && !/[?#]/.test(text);
  if (!fits)
    env.problems.push(`SERVICE_PUBLIC_URL is "${text}"; it must be an address such as https://tasks.example.com.`);
  else if (!/^\/+$/.test(url.pathname))
    env.problems.push(
      `SERVICE_PUBLIC_URL has the path ${url.pathname}. The pages work at the root of a host only: give the service its own host name, such as https://tasks.example.com.`,
    );
  return text.replace(/\/+$/, "");
}

/** Who must sign in with a passkey; null: nobody must. */
export type RequirePasskey = "operators" | null;

export function readRequirePasskey(env: Environment, publicUrl: string): RequirePasskey {
  const text = env.get("SERVICE_REQUIRE_PASSKEY");
  if (text === undefined) return null;
  if (text !== "operators") {
    env.problems.push(`SERVICE_REQUIRE_PASSKEY is "${text}"; it must be operators, or not set.`);
    return null;
  }
  if (URL.canParse(publicUrl) && !canHavePasskeys(publicUrl))
    env.problems.push(
      `SERVICE_REQUIRE_PASSKEY needs a SERVICE_PUBLIC_URL at which browsers allow passkeys: https with a host name, or http://localhost. ${publicUrl} is not one, so operators could not sign in.`,
    );
  return "operators";
}

/** Whether browsers allow passkeys at this URL. They need a host name, and https except on the machine itself. */
export function canHavePasskeys(publicUrl: string): boolean {
  const { protocol, hostname } = new URL(publicUrl);
  const isAddress = isIP(hostname.replace(/^\[|\]$/g, "")) !== 0;
  return !isAddress && (protocol === "https:" || isLoopback(hostname));
}

/** Whether only programs and people on this machine reach the service. */
export function isOnlyLocal({ host, publicUrl }: { host: string; publicUrl: string }): boolean {
  return isLoopback(host) && URL.canParse(publicUrl) && isLoopback(new URL(publicUrl).hostname);
}

/** @param isLocal - whether receivers in private networks are allowed unless the environment says otherwise */
export function readCallbacks(env: Environment, isLocal: boolean): { allowPrivate: boolean } {
  const allow = env.get("SERVICE_CALLBACK_ALLOW_PRIVATE");
  if (allow === "1" || allow === "0") return { allowPrivate: allow === "1" };
  if (allow !== undefined) env.problems.push(`SERVICE_CALLBACK_ALLOW_PRIVATE is "${allow}"; it must be 1 or 0.`);
  return { allowPrivate: isLocal };
}

export function readLogLevel(env: Environment): LogLevel {
  const text = env.get("SERVICE_LOG_LEVEL") ?? "info";
  const level = LOG_LEVELS.find((one) => one === text);
  if (level === undefined)
    env.problems.push(`SERVICE_LOG_LEVEL is "${text}"; it must be one of ${LOG_LEVELS.join(", ")}.`);
  return level ?? "info";
}

export function readTrustedProxies(env: Environment): string[] {
  const entries = env.list("SERVICE_TRUSTED_PROXIES");
  for (const entry of entries) {
    if (!isAddressRange(entry))
      env.problems.push(
        `SERVICE_TRUSTED_PROXIES has "${entry}", which is not an address or a range such as 10.0.0.0/8.`,
      );
  }
  return entries;
}

/** Where people report weaknesses of this installation, most wanted first. (RFC 9116) */
export function readSecurityContacts(env: Environment): string[] {
  const contacts = env.list("SERVICE_SECURITY_CONTACT");
  for (const contact of contacts) {
    // Lines of the file are fields, so nothing may break one.
    if (!/^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+|tel:\+?[\d-]+)$/.test(contact))
      env.problems.push(
        `SERVICE_SECURITY_CONTACT has "${contact}"; it must be an address such as mailto:security@example.com or https://example.com/report.`,
      );
  }
  return contacts;
}

/** The file that tells programs on this machine where the service is; the client looks in the same place. (sdk/settings.ts) */
export function readDiscoveryFile(env: Environment, home: string | undefined): string | null {
  const given = env.get("SERVICE_DISCOVERY_FILE");
  if (given === "0" || (given === undefined && !home)) return null;
  return given ?? `${home}/.human-task-service/service.json`;
}
