import { randomUUID } from "node:crypto";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { isIP } from "node:net";
import { join } from "node:path";
import type { Transporter } from "nodemailer";
import type { Logger } from "pino";
import { isHostName, isLoopback } from "../../config/hosts.ts";
import type { SmtpServer } from "./environment.ts";
import { invalid } from "../../errors.ts";
import { isStorableText } from "../../lib/text.ts";
import { SECOND } from "../../lib/time.ts";
import type { TransportName } from "./schema.ts";

/** A transport with its settings. */
export type Transport =
  | ({ kind: "smtp" } & SmtpServer)
  /** A folder inside the data directory. */
  | { kind: "file"; dir: string }
  | { kind: "log" }
  | { kind: "resend"; api_key: string };

export interface Address {
  name: string | null;
  address: string;
}

/** One email to one person. Both parts have the same content. */
export interface Mail {
  from: Address;
  reply_to: string | null;
  to: string;
  subject: string;
  text: string;
  html: string;
  message_id: string;
  headers: Readonly<Record<string, string>>;
}

export type MailResult =
  | { ok: true }
  | {
      ok: false;
      /** Another try would end the same. */
      is_final: boolean;
      /** A stable word. */
      error: string;
      /** A sentence for operators. */
      message: string;
    };

interface Surroundings {
  dataDir: string;
  log: Logger;
  /** Of the provider; another one in tests. */
  resendUrl?: string;
}

/** Time limit for sending one email, from DNS to the server's confirmation. */
const TIMEOUT_MS = 20 * SECOND;
const RESEND_URL = "https://api.resend.com/emails";
const MESSAGE_MAX = 500;

/** The names that `transport_config` may have. */
const SETTINGS: Readonly<Record<TransportName, readonly string[]>> = {
  smtp: ["host", "port", "secure", "allow_unencrypted", "user", "password"],
  file: ["dir"],
  log: [],
  resend: ["api_key"],
};

/**
 * Reads `transport_config`. (wire: Email identities)
 * @throws ServiceError VALIDATION_FAILED that names the place
 */
export function readTransport(kind: TransportName, config: TransportSettings): Transport {
  const known = SETTINGS[kind];
  const unknown = Object.keys(config).find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw invalid(
      at(unknown.slice(0, 100)),
      known.length === 0 ? "This transport has no settings." : `Unknown setting. Use ${known.join(", ")}.`,
      "additionalProperties",
    );
  switch (kind) {
    case "smtp":
      return { kind, ...readSmtp(config) };
    case "file": {
      const dir = needed(config, "dir", 200);
      if (!/^[\w-][\w.-]*(\/[\w-][\w.-]*)*$/.test(dir))
        throw invalid(
          at("dir"),
          "Must be relative to the data directory, such as `outbox`: no slash at the start, and no `..`.",
        );
      return { kind, dir };
    }
    case "log":
      return { kind };
    case "resend":
      return { kind, api_key: needed(config, "api_key", 500) };
  }
}

type TransportSettings = Readonly<Record<string, unknown>>;

function readSmtp(config: TransportSettings): SmtpServer {
  const host = needed(config, "host", 253);
  if (isIP(host) === 0 && !isHostName(host)) throw invalid(at("host"), "Must be an IP address or a host name.");
  const given = flag(config, "secure");
  const port = config["port"] ?? (given === true ? 465 : 587);
  if (typeof port !== "number" || !Number.isInteger(port) || port < 1 || port > 65_535)
    throw invalid(at("port"), "Must be a whole number from 1 to 65535.");
  const [user, password] = [text(config, "user", 500), text(config, "password", 500)];
  if ((user === null) !== (password === null))
    throw invalid(at(user === null ? "user" : "password"), "Set both user and password, or neither.");
  const allow_unencrypted = flag(config, "allow_unencrypted") ?? false;
  return { host, port, secure: given ?? port === 465, allow_unencrypted, user, password };
}

function at(name: string): string {
  return `/transport_config/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

function flag(config: TransportSettings, name: string): boolean | null {
  const value = config[name] ?? null;
  if (value !== null && typeof value !== "boolean") throw invalid(at(name), "Must be true or false.");
  return value;
}

function text(config: TransportSettings, name: string, max: number): string | null {
  const value = config[name] ?? null;
  if (value === null) return null;
  if (typeof value !== "string" || value === "" || value.length > max || !isStorableText(value) || /[\r\n]/.test(value))
    throw invalid(at(name), `Must be a single line of 1 to ${max} characters.`);
  return value;
}

function needed(config: TransportSettings, name: string, max: number): string {
  const value = text(config, name, max);
  if (value === null) throw invalid(at(name), "Required.", "required");
  return value;
}

/** Sends an email once. Never rejects; the result has the error. */
export async function sendMail(
  transport: Transport,
  mail: Mail,
  around: Surroundings,
  signal: AbortSignal,
): Promise<MailResult> {
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  return resultOf(SENDERS[transport.kind](transport as never, mail, around, inTime));
}

/** Checks whether a mail server accepts us, without sending an email. Never rejects. */
export async function tryServer(server: SmtpServer, signal: AbortSignal): Promise<MailResult> {
  return resultOf(withSmtp(server, signal, (transporter) => transporter.verify()));
}

async function resultOf(handing: Promise<void>): Promise<MailResult> {
  try {
    await handing;
    return { ok: true };
  } catch (error) {
    const { code, originalCode, message, responseCode } = error as LibraryError;
    const isTls = typeof originalCode === "string" && TLS_CODE.test(originalCode);
    return {
      ok: false,
      is_final: code !== "EAUTH" && typeof responseCode === "number" && responseCode >= 500,
      error: isTls ? "tls" : typeof code === "string" ? (WORDS[code] ?? "failed") : "failed",
      message:
        typeof message === "string" ? message.slice(0, MESSAGE_MAX).toWellFormed() : "The email was not accepted.",
    };
  }
}

/** Error codes of the mail library, and our words for them. */
const WORDS: Readonly<Record<string, string>> = {
  ECONNECTION: "connect",
  ESOCKET: "connect",
  EDNS: "dns",
  ETIMEDOUT: "timeout",
  EAUTH: "refused_login",
  EENVELOPE: "refused_address",
  EMESSAGE: "refused_message",
  ETLS: "tls",
  ERESEND: "provider",
};

/** Node's codes for a certificate that it does not trust, and for a handshake that fails. The library calls both `ESOCKET`. */
const TLS_CODE = /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_|ERR_SSL_|EPROTO$)/;

/** An error of the mail library. `responseCode` is the server's code; from 500 on it is permanent. */
interface LibraryError {
  code?: unknown;
  /** Node's code, where the library has its own in `code`. */
  originalCode?: unknown;
  message?: unknown;
  responseCode?: unknown;
}

type Send<Kind> = (
  transport: Extract<Transport, { kind: Kind }>,
  mail: Mail,
  around: Surroundings,
  signal: AbortSignal,
) => Promise<void>;

const SENDERS: { [Kind in Transport["kind"]]: Send<Kind> } = {
  smtp: async (server, mail, _around, signal) => {
    await withSmtp(server, signal, async (transporter) => {
      await transporter.sendMail({
        from: mail.from.name === null ? mail.from.address : { name: mail.from.name, address: mail.from.address },
        to: { name: "", address: mail.to },
        ...(mail.reply_to === null ? {} : { replyTo: mail.reply_to }),
        subject: mail.subject,
        text: mail.text,
        html: mail.html,
        messageId: mail.message_id,
        headers: { ...mail.headers },
      });
    });
  },
  file: async ({ dir }, mail, { dataDir }) => {
    const folder = join(dataDir, dir);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, `${Date.now()}-${randomUUID()}.json`);
    // Programs that watch the folder must see complete files only.
    await writeFile(`${path}.part`, JSON.stringify(mail, null, 2), { mode: 0o600 });
    await rename(`${path}.part`, path);
  },
  log: async (_transport, { to, subject, message_id }, { log }) => {
    // The text holds the link that opens the task; a log is read by others.
    log.info({ to, subject, message_id }, "Email logged, not sent (log transport)");
  },
  resend: async ({ api_key }, mail, { resendUrl = RESEND_URL }, signal) => {
    const { from, reply_to } = mail;
    const response = await fetch(resendUrl, {
      method: "POST",
      redirect: "error",
      signal,
      headers: { authorization: `Bearer ${api_key}`, "content-type": "application/json" },
      body: JSON.stringify({
        from: from.name === null ? from.address : `${quoted(from.name)} <${from.address}>`,
        to: [mail.to],
        ...(reply_to === null ? {} : { reply_to }),
        subject: mail.subject,
        text: mail.text,
        html: mail.html,
        headers: { ...mail.headers, "Message-ID": mail.message_id },
      }),
    });
    if (response.ok) {
      await response.body?.cancel();
      return;
    }
    const said = (await response.text()).slice(0, MESSAGE_MAX);
    throw Object.assign(new Error(`The provider returned ${response.status}: ${said}`), {
      code: "ERESEND",
      // As with mail servers: either the email itself is wrong, or a later attempt may succeed.
      responseCode: response.status === 400 || response.status === 422 ? 554 : 451,
    });
  },
};

async function withSmtp(
  { host, port, secure, allow_unencrypted = false, user, password }: SmtpServer,
  signal: AbortSignal,
  use: (transporter: Transporter) => Promise<unknown>,
): Promise<void> {
  // Loaded on demand. It is a tenth of what a start loads, and many services send no email.
  const { createTransport } = await import("nodemailer");
  const transporter = createTransport({
    host,
    port,
    secure,
    // Otherwise anyone on the way could remove STARTTLS, and read the password and the links.
    requireTLS: password !== null && !allow_unencrypted && !isLoopback(host),
    ...(user === null || password === null ? {} : { auth: { user, pass: password } }),
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    // An email never includes files or remote content.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const stop = () => transporter.close();
  signal.addEventListener("abort", stop, { once: true });
  try {
    signal.throwIfAborted();
    await use(transporter);
  } finally {
    signal.removeEventListener("abort", stop);
    transporter.close();
  }
}

function quoted(name: string): string {
  return `"${name.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
