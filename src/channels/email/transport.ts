import { randomUUID } from "node:crypto";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { isIP } from "node:net";
import { join } from "node:path";
import type { Transporter } from "nodemailer";
import type { Logger } from "pino";
import { isHostName } from "../../config/hosts.ts";
import type { SmtpServer } from "./environment.ts";
import { invalid } from "../../errors.ts";
import { isStorableText } from "../../lib/text.ts";
import { SECOND } from "../../lib/time.ts";
import type { TransportName } from "./schema.ts";

/** The way mail takes, with all it needs to know. */
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

/** One mail to one person; both parts say the same. */
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

/** For one mail, from DNS to the server's word that it took it. */
const TIMEOUT_MS = 20 * SECOND;
const RESEND_URL = "https://api.resend.com/emails";
const MESSAGE_MAX = 500;

/**
 * Reads `transport_config`. (wire: Email identities)
 * @throws ServiceError VALIDATION_FAILED that names the place
 */
export function readTransport(kind: TransportName, config: Readonly<Record<string, unknown>>): Transport {
  const at = (name: string) => `/transport_config/${name}`;
  const text = (name: string, max: number): string | null => {
    const value = config[name];
    if (value === undefined || value === null) return null;
    if (
      typeof value !== "string" ||
      value === "" ||
      value.length > max ||
      !isStorableText(value) ||
      /[\r\n]/.test(value)
    )
      throw invalid(at(name), `Must be text of 1 to ${max} characters in one line.`);
    return value;
  };
  const needed = (name: string, max: number): string => {
    const value = text(name, max);
    if (value === null) throw invalid(at(name), "Is missing.", "required");
    return value;
  };
  switch (kind) {
    case "smtp": {
      const host = needed("host", 253);
      if (isIP(host) === 0 && !isHostName(host)) throw invalid(at("host"), "Is neither an address nor a host name.");
      const secure = config["secure"] ?? false;
      if (typeof secure !== "boolean") throw invalid(at("secure"), "Must be true or false.");
      const port = config["port"] ?? (secure ? 465 : 587);
      if (typeof port !== "number" || !Number.isInteger(port) || port < 1 || port > 65_535)
        throw invalid(at("port"), "Must be a whole number from 1 to 65535.");
      const [user, password] = [text("user", 500), text("password", 500)];
      if ((user === null) !== (password === null))
        throw invalid(at(user === null ? "user" : "password"), "A user and a password go together.");
      return { kind, host, port, secure, user, password };
    }
    case "file": {
      const dir = needed("dir", 200);
      if (!/^[\w-][\w.-]*(\/[\w-][\w.-]*)*$/.test(dir))
        throw invalid(at("dir"), "Must be a folder inside the data directory, such as `outbox`.");
      return { kind, dir };
    }
    case "log":
      return { kind };
    case "resend":
      return { kind, api_key: needed("api_key", 500) };
  }
}

/** Hands a mail over, once. Never rejects: what goes wrong is in the result. */
export async function sendMail(
  transport: Transport,
  mail: Mail,
  around: Surroundings,
  signal: AbortSignal,
): Promise<MailResult> {
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  return resultOf(SENDERS[transport.kind](transport as never, mail, around, inTime));
}

/** Asks a mail server whether it would take mail from us, and sends none. Never rejects. */
export async function tryServer(server: SmtpServer, signal: AbortSignal): Promise<MailResult> {
  return resultOf(withSmtp(server, signal, (transporter) => transporter.verify()));
}

async function resultOf(handing: Promise<void>): Promise<MailResult> {
  try {
    await handing;
    return { ok: true };
  } catch (error) {
    const { code, message, responseCode } = error as LibraryError;
    return {
      ok: false,
      is_final: code !== "EAUTH" && typeof responseCode === "number" && responseCode >= 500,
      error: typeof code === "string" ? (WORDS[code] ?? "failed") : "failed",
      message: typeof message === "string" ? message.slice(0, MESSAGE_MAX).toWellFormed() : "The mail was not taken.",
    };
  }
}

/** What the mail library calls its errors, as words of ours. */
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

/** What the mail library tells of a failure. `responseCode`: what the server said; from 500 on, it will say it again. */
interface LibraryError {
  code?: unknown;
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
    // Whoever watches the folder finds whole files only.
    await writeFile(`${path}.part`, JSON.stringify(mail, null, 2), { mode: 0o600 });
    await rename(`${path}.part`, path);
  },
  log: async (_transport, { to, subject, message_id }, { log }) => {
    // The text holds the link that opens the task; a log is read by others.
    log.info({ to, subject, message_id }, "Mail, not sent: this sender only writes to the log");
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
    throw Object.assign(new Error(`The provider answered ${response.status}: ${said}`), {
      code: "ERESEND",
      // In the words of mail servers: the mail itself is what is wrong, or it may be taken later.
      responseCode: response.status === 400 || response.status === 422 ? 554 : 451,
    });
  },
};

async function withSmtp(
  { host, port, secure, user, password }: SmtpServer,
  signal: AbortSignal,
  use: (transporter: Transporter) => Promise<unknown>,
): Promise<void> {
  // A tenth of what a start would load, and many services send no mail.
  const { createTransport } = await import("nodemailer");
  const transporter = createTransport({
    host,
    port,
    secure,
    ...(user === null || password === null ? {} : { auth: { user, pass: password } }),
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    // Nothing in a mail is read from files or addresses.
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
