import { isIP } from "node:net";
import type { Environment, EnvironmentReader } from "../../config/environment.ts";
import { isHostName } from "../../config/hosts.ts";
import { isEmailAddress } from "../../lib/text.ts";

/** The sender of mails that name no identity, and its server. */
export interface EmailConfig {
  from: { name: string | null; address: string };
  smtp: SmtpServer;
}

export interface SmtpServer {
  host: string;
  port: number;
  /** TLS from the first byte; else by STARTTLS. */
  secure: boolean;
  /** Sends a password also to a server without TLS on another machine. Older stored settings do not have it. */
  allow_unencrypted?: boolean;
  user: string | null;
  password: string | null;
}

const ALLOW_UNENCRYPTED = "?allow_unencrypted=true";

/** null if the environment defines no sender; email then needs one that was created through the API. */
export const emailEnvironment: EnvironmentReader<EmailConfig | null> = {
  names: ["SERVICE_EMAIL_FROM", "SERVICE_SMTP_URL"],
  read: readEmail,
};

function readEmail(env: Environment): EmailConfig | null {
  const from = env.get("SERVICE_EMAIL_FROM");
  const smtp = env.get("SERVICE_SMTP_URL");
  if (from === undefined && smtp === undefined) return null;
  if (from === undefined || smtp === undefined) {
    env.problems.push(
      "SERVICE_EMAIL_FROM and SERVICE_SMTP_URL belong together: the From address, and the server that sends. Set both or neither.",
    );
    return null;
  }
  const [, name = null, address = from] = /^\s*"?([^"<]*?)"?\s*<([^<>]*)>$/.exec(from) ?? [];
  const isOneLine = !/\p{Cc}/u.test(from);
  if (!isEmailAddress(address) || !isOneLine)
    env.problems.push(`SERVICE_EMAIL_FROM is "${from}"; it must be an address, or "Name <address>".`);
  const server = parseSmtpUrl(smtp);
  // The value may hold a password: it is not repeated.
  if (server === null)
    env.problems.push("SERVICE_SMTP_URL is not an address such as smtp://user:password@mail.example.com:587.");
  return server === null ? null : { from: { name: name === "" ? null : name, address }, smtp: server };
}

function parseSmtpUrl(text: string): SmtpServer | null {
  try {
    const { protocol, hostname, port, username, password, search } = new URL(text);
    const host = hostname.replace(/^\[|\]$/g, "");
    if (
      !/^smtps?:$/.test(protocol) ||
      !(isIP(host) !== 0 || isHostName(host)) ||
      (username === "") !== (password === "") ||
      !["", ALLOW_UNENCRYPTED].includes(search)
    )
      return null;
    // The port of TLS from the first byte, whatever the scheme says.
    const secure = protocol === "smtps:" || port === "465";
    return {
      host,
      port: port === "" ? (secure ? 465 : 587) : Number(port),
      secure,
      ...(search === ALLOW_UNENCRYPTED && { allow_unencrypted: true }),
      user: username === "" ? null : decodeURIComponent(username),
      password: password === "" ? null : decodeURIComponent(password),
    };
  } catch {
    return null;
  }
}
