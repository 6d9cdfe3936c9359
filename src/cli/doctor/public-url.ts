import { isDeepStrictEqual } from "node:util";
import { isLoopback } from "../../config/hosts.ts";
import type { Config } from "../../config.ts";
import { docsLink } from "../../http/error-response.ts";
import { SET_CHANNELS, settingsOf } from "../../operations/settings.ts";
import { reasonOf } from "../../lib/reason.ts";
import { codeOf } from "../../outbound/send-failure.ts";
import { VERSION } from "../../version.ts";
import { off, ok, problem, warning, type Finding } from "../../lib/findings.ts";

/** What is read of an answer, in bytes: whoever answers may be a stranger. */
const MAX_BYTES = 64 * 1024;

export interface Reached {
  findings: Finding[];
  /** The clock of whoever answers there less ours, in milliseconds; null: nobody told. */
  clockAheadMs: number | null;
}

/** Whether this very service is what people reach at `SERVICE_PUBLIC_URL`. */
export async function checkPublicUrl(config: Config, signal: AbortSignal): Promise<Reached> {
  const { publicUrl } = config;
  try {
    const version = await ask(`${publicUrl}/api/version`, signal);
    const findings = [await classify(config, version, signal), checkProxy(config)];
    return { findings, clockAheadMs: version.clockAheadMs };
  } catch (error) {
    return { findings: [problem("public-url", failureOf(publicUrl, error))], clockAheadMs: null };
  }
}

/** Where nothing came in time. */
export function unheard({ publicUrl }: Config, reason: string): Reached {
  return { findings: [problem("public-url", `Nothing was heard from ${publicUrl}: ${reason}`)], clockAheadMs: null };
}

async function classify(config: Config, { status, location, body }: Answer, signal: AbortSignal): Promise<Finding> {
  const { publicUrl } = config;
  const tell = (message: string) => problem("public-url", message);
  if (location !== null)
    return tell(`${publicUrl} leads on to ${location}: set SERVICE_PUBLIC_URL to where people end up.`);
  if (status !== 200 || field(body, "name") !== "human-task-service")
    return tell(
      `Something else than this service answers at ${publicUrl} (HTTP ${status}): check SERVICE_PUBLIC_URL, and where the proxy leads.`,
    );
  const health = await ask(`${publicUrl}/api/health`, signal);
  if (health.status !== 200)
    return tell(`The service at ${publicUrl} is not well (HTTP ${health.status} of /api/health): its log says why.`);
  const version = field(body, "version");
  const other = await findDifference(config, version === VERSION, signal);
  if (other !== null) return tell(other);
  if (version !== VERSION)
    return warning(
      "public-url",
      `Version ${String(version)} runs at ${publicUrl}, and this is ${VERSION}: restart it.`,
    );
  return ok("public-url", `This service answers at ${publicUrl}.`);
}

/**
 * What tells the service there from one with the settings of this environment, as a sentence; null: nothing does. The
 * token goes only where nobody in between could read it, and only after something that says it is this service.
 *
 * @param isSameVersion - else its settings may have other fields
 */
async function findDifference(config: Config, isSameVersion: boolean, signal: AbortSignal): Promise<string | null> {
  const { publicUrl, adminToken } = config;
  const isPrivate = publicUrl.startsWith("https:") || isLoopback(new URL(publicUrl).hostname);
  const knowsToken = adminToken !== "" && isPrivate;
  const headers = knowsToken ? { authorization: `Bearer ${adminToken}` } : {};
  const { status, body } = await ask(`${publicUrl}/api/settings`, signal, headers);
  if (status === 200) {
    const ours = settingsOf(config);
    const names = COMPARED.flatMap(([key, name]) =>
      isDeepStrictEqual(field(body, key), field(ours, key)) ? [] : name,
    );
    if (names.length === 0 || !isSameVersion) return null;
    return `The service at ${publicUrl} runs with other settings than these (${names.join(", ")}): start it again with them.`;
  }
  if (knowsToken)
    return `The service at ${publicUrl} does not know this SERVICE_ADMIN_API_TOKEN: it is another one, or was started with other settings.`;
  // What an error links to is built from the address that the service takes for its own.
  if (field(body, "docs") === docsLink(publicUrl, "UNAUTHENTICATED")) return null;
  return `The service that answers at ${publicUrl} takes another address for its own: start it with this SERVICE_PUBLIC_URL.`;
}

const COMPARED: readonly (readonly [string, string])[] = [
  ["public_url", "SERVICE_PUBLIC_URL"],
  ["callbacks", "SERVICE_PAYLOAD_KEY or SERVICE_CALLBACK_ALLOW_PRIVATE"],
  ["embed", "SERVICE_EMBED_..."],
  ...SET_CHANNELS.map(({ name, settings }) => [name, settings.variables] as const),
  ["trusted_proxies", "SERVICE_TRUSTED_PROXIES"],
  ["body_limit_bytes", "SERVICE_BODY_LIMIT_BYTES"],
];

/** The service itself speaks http on its port: whatever else people reach is a proxy's. */
function checkProxy({ publicUrl, port, trustedProxies }: Config): Finding {
  const { protocol, port: reached, hostname } = new URL(publicUrl);
  const isTls = protocol === "https:";
  if (!isTls && !isLoopback(hostname))
    return warning(
      "proxy",
      `${publicUrl} is not https: passwords, tokens and answers can be read on their way. Put a proxy with TLS in front, and set SERVICE_PUBLIC_URL to it.`,
    );
  if (!isTls && Number(reached || 80) === port) return off("proxy", "There is none, as far as the addresses tell.");
  if (trustedProxies.length === 0)
    return warning(
      "proxy",
      "There is a proxy in front, and SERVICE_TRUSTED_PROXIES is not set: the limits of signing in take everybody for one. Set it to the proxy's address.",
    );
  return ok("proxy", `Forwarding headers of ${trustedProxies.join(", ")} are believed.`);
}

interface Answer {
  status: number;
  /** Where it sends people on to. */
  location: string | null;
  /** null: it is not JSON. */
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
      return `The certificate of ${hostname} has expired: renew it.`;
    case "ERR_TLS_CERT_ALTNAME_INVALID":
      return `The certificate at ${publicUrl} is not for ${hostname}: get one for this name, or correct SERVICE_PUBLIC_URL.`;
    case "DEPTH_ZERO_SELF_SIGNED_CERT":
    case "SELF_SIGNED_CERT_IN_CHAIN":
    case "UNABLE_TO_VERIFY_LEAF_SIGNATURE":
    case "UNABLE_TO_GET_ISSUER_CERT_LOCALLY":
      return `Nobody known here vouches for the certificate of ${hostname}: serve it with its whole chain, or name your own authority in NODE_EXTRA_CA_CERTS.`;
    case "ERR_SSL_WRONG_VERSION_NUMBER":
    case "ERR_SSL_PACKET_LENGTH_TOO_LONG":
    case "EPROTO":
      return `${publicUrl} does not speak TLS: put a proxy with a certificate there, or correct SERVICE_PUBLIC_URL.`;
    case "ENOTFOUND":
      return `The name ${hostname} is unknown: add it to your DNS, or correct SERVICE_PUBLIC_URL.`;
    default:
      return `Nothing answers at ${publicUrl}: ${reasonOf(cause)} Start the service, or correct SERVICE_PUBLIC_URL.`;
  }
}
