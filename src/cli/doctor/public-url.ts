import { isDeepStrictEqual } from "node:util";
import { isLoopback } from "../../config/hosts.ts";
import type { Config } from "../../config.ts";
import { findDiscovery } from "../../discovery.ts";
import { docsLink } from "../../http/error-response.ts";
import { SET_CHANNELS, settingsOf } from "../../operations/settings.ts";
import { secretKeyFingerprints } from "../../lib/keys.ts";
import { reasonOf } from "../../lib/reason.ts";
import { codeOf } from "../../outbound/send-failure.ts";
import { VERSION } from "../../version.ts";
import { off, ok, problem, warning, type Finding } from "../../lib/findings.ts";

/** Response limit in bytes, because the server may be any program. */
const MAX_BYTES = 64 * 1024;

export interface Reached {
  findings: Finding[];
  /** The server's clock minus ours in milliseconds; null if unknown. */
  clockAheadMs: number | null;
  /** Whether the service that responds has the keys from before a rotation, because it was not restarted yet. */
  hasOldKeys: boolean;
}

/** Checks whether `SERVICE_PUBLIC_URL` leads to this service. */
export async function checkPublicUrl(config: Config, signal: AbortSignal): Promise<Reached> {
  const { publicUrl } = config;
  try {
    const version = await ask(`${publicUrl}/api/version`, signal);
    const { finding, hasOldKeys = false } = await classify(config, version, signal);
    return { findings: [finding, checkProxy(config)], clockAheadMs: version.clockAheadMs, hasOldKeys };
  } catch (error) {
    const message = failureOf(publicUrl, error) + elsewhere(config);
    return { findings: [problem("public-url", message)], clockAheadMs: null, hasOldKeys: false };
  }
}

/** The doctor reads its own environment, which need not be that of the service. */
function elsewhere({ publicUrl, discoveryFile }: Config): string {
  const found = discoveryFile === null ? null : findDiscovery(discoveryFile);
  if (found === null || found.public_url === publicUrl) return "";
  return ` A service runs at ${found.public_url} on this machine. If you mean that one, run the doctor with its variables.`;
}

/** The result after a timeout. */
export function unheard({ publicUrl }: Config, reason: string): Reached {
  const message = `No response from ${publicUrl}: ${reason}`;
  return { findings: [problem("public-url", message)], clockAheadMs: null, hasOldKeys: false };
}

/** What is said of the service that responds. */
interface Classified {
  finding: Finding;
  hasOldKeys?: boolean;
}

async function classify(config: Config, { status, location, body }: Answer, signal: AbortSignal): Promise<Classified> {
  const { publicUrl } = config;
  const tell = (message: string) => ({ finding: problem("public-url", message) });
  if (location !== null)
    return tell(`${publicUrl} redirects to ${location}. Set SERVICE_PUBLIC_URL to the final address.`);
  if (status !== 200 || field(body, "name") !== "human-task-service")
    return tell(
      `Another program responds at ${publicUrl} (HTTP ${status}). Check SERVICE_PUBLIC_URL and the target of the proxy.`,
    );
  const health = await ask(`${publicUrl}/api/health`, signal);
  if (health.status !== 200)
    return tell(`The service at ${publicUrl} is unhealthy (/api/health returns HTTP ${health.status}). See its log.`);
  const version = field(body, "version");
  const other = await findDifference(config, version === VERSION, signal);
  if (other === OLD_KEYS)
    return {
      ...tell(`The service at ${publicUrl} still has the keys from before they were rotated. Restart it.`),
      hasOldKeys: true,
    };
  if (other !== null) return tell(other);
  const finding =
    version === VERSION
      ? ok("public-url", `This service responds at ${publicUrl}.`)
      : warning("public-url", `${publicUrl} runs version ${String(version)}, and this is ${VERSION}. Restart it.`);
  return { finding };
}

const OLD_KEYS = Symbol("The service has the keys from before a rotation.");

/**
 * Returns how the running service differs from one with these settings, as a sentence, or null. The token is sent only
 * over an encrypted or local connection, and only to a server that says it is this service.
 *
 * @param isSameVersion - false if its settings may have other fields
 */
async function findDifference(
  config: Config,
  isSameVersion: boolean,
  signal: AbortSignal,
): Promise<string | typeof OLD_KEYS | null> {
  const { publicUrl, adminToken, previous } = config;
  const isPrivate = publicUrl.startsWith("https:") || isLoopback(new URL(publicUrl).hostname);
  const knowsToken = adminToken !== "" && isPrivate;
  const askWith = async (token: string | null) =>
    ask(`${publicUrl}/api/settings`, signal, token === null ? {} : { authorization: `Bearer ${token}` });
  const { status, body } = await askWith(knowsToken ? adminToken : null);
  if (status === 200) {
    const ours = settingsOf(config);
    const theirs = field(field(body, "keys"), "secret_key");
    if (typeof theirs === "string" && theirs === secretKeyFingerprints(config).previous) return OLD_KEYS;
    const names = COMPARED.flatMap(([key, name]) =>
      isDeepStrictEqual(field(body, key), field(ours, key)) ? [] : name,
    );
    if (names.length === 0 || !isSameVersion) return null;
    return `The service at ${publicUrl} runs with different settings (${names.join(", ")}). Restart it with these settings.`;
  }
  if (knowsToken && previous.adminToken !== null && (await askWith(previous.adminToken)).status === 200)
    return OLD_KEYS;
  if (knowsToken)
    return `The service at ${publicUrl} rejects this SERVICE_ADMIN_API_TOKEN. It is another service, or it was started with different settings.`;
  // Links in errors start with the public URL of that service.
  if (field(body, "docs") === docsLink(publicUrl, "UNAUTHENTICATED")) return null;
  return `The service at ${publicUrl} has a different SERVICE_PUBLIC_URL. Restart it with this one.`;
}

const COMPARED: readonly (readonly [string, string])[] = [
  ["public_url", "SERVICE_PUBLIC_URL"],
  ["keys", "SERVICE_SECRET_KEY"],
  ["callbacks", "SERVICE_PAYLOAD_KEY or SERVICE_CALLBACK_ALLOW_PRIVATE"],
  ["embed", "SERVICE_EMBED_..."],
  ["sign_in", "SERVICE_OIDC_... or SERVICE_PASSWORD_SIGN_IN"],
  ...SET_CHANNELS.map(({ name, settings }) => [name, settings.variables] as const),
  ["trusted_proxies", "SERVICE_TRUSTED_PROXIES"],
  ["body_limit_bytes", "SERVICE_BODY_LIMIT_BYTES"],
];

/** The service itself speaks http on its port. Any other public URL leads to a proxy. */
function checkProxy({ publicUrl, port, trustedProxies }: Config): Finding {
  const { protocol, port: reached, hostname } = new URL(publicUrl);
  const isTls = protocol === "https:";
  if (!isTls && !isLoopback(hostname))
    return warning(
      "proxy",
      `${publicUrl} is not https, so others on the network can read passwords, tokens and answers. Put a proxy with TLS in front, and set SERVICE_PUBLIC_URL to it.`,
    );
  if (!isTls && Number(reached || 80) === port) return off("proxy", "No proxy detected.");
  if (trustedProxies.length === 0)
    return warning(
      "proxy",
      "A proxy is in front, and SERVICE_TRUSTED_PROXIES is not set. Sign-in limits then count all people as one. Set it to the address of the proxy.",
    );
  return ok("proxy", `Forwarding headers of ${trustedProxies.join(", ")} are trusted.`);
}

interface Answer {
  status: number;
  /** Target of a redirect, or null. */
  location: string | null;
  /** null if it is not JSON. */
  body: unknown;
  clockAheadMs: number | null;
}

async function ask(url: string, signal: AbortSignal, headers: Record<string, string> = {}): Promise<Answer> {
  const response = await fetch(url, { headers, redirect: "manual", signal });
  const date = Date.parse(response.headers.get("date") ?? "");
  // The header has whole seconds, rounded down.
  const clockAheadMs = Number.isNaN(date) ? null : date + 500 - Date.now();
  const location = response.headers.get("location");
  return { status: response.status, location, body: await readJson(response), clockAheadMs };
}

async function readJson(response: Response): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MAX_BYTES) return null;
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString()) as unknown;
  } catch {
    return null;
  }
}

function field(body: unknown, name: string): unknown {
  return typeof body === "object" && body !== null ? (body as Record<string, unknown>)[name] : undefined;
}

function failureOf(publicUrl: string, error: unknown): string {
  const cause = (error as Error).cause ?? error;
  const { hostname } = new URL(publicUrl);
  switch (codeOf(cause)) {
    case "CERT_HAS_EXPIRED":
      return `The certificate of ${hostname} has expired. Renew it.`;
    case "ERR_TLS_CERT_ALTNAME_INVALID":
      return `The certificate at ${publicUrl} is not for ${hostname}. Get a certificate for this name, or correct SERVICE_PUBLIC_URL.`;
    case "DEPTH_ZERO_SELF_SIGNED_CERT":
    case "SELF_SIGNED_CERT_IN_CHAIN":
    case "UNABLE_TO_VERIFY_LEAF_SIGNATURE":
    case "UNABLE_TO_GET_ISSUER_CERT_LOCALLY":
      return `The certificate of ${hostname} is not trusted here. Serve the whole chain, or set NODE_EXTRA_CA_CERTS to your own authority.`;
    case "ERR_SSL_WRONG_VERSION_NUMBER":
    case "ERR_SSL_PACKET_LENGTH_TOO_LONG":
    case "EPROTO":
      return `${publicUrl} does not use TLS. Put a proxy with a certificate in front, or correct SERVICE_PUBLIC_URL.`;
    case "ENOTFOUND":
      return `The name ${hostname} does not resolve. Add it to your DNS, or correct SERVICE_PUBLIC_URL.`;
    default:
      return `Nothing responds at ${publicUrl}: ${reasonOf(cause)} Start the service, or correct SERVICE_PUBLIC_URL.`;
  }
}
