import { errors } from "undici";

/** What kept an attempt from succeeding; stored with the attempt, so the words are stable. */
export type SendError =
  | "bad_url"
  | "dns"
  | "refused_address"
  | "connect"
  | "tls"
  | "timeout"
  | "reset"
  | "http_status"
  | "redirect"
  | "protocol"
  | "aborted"
  | "internal";

/** Ends an attempt from inside; it never leaves the sender. */
export class SendFailure extends Error {
  readonly error: SendError;

  constructor(error: SendError, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "SendFailure";
    this.error = error;
  }
}

/** Names what a connected socket, TLS or the HTTP parser complained about. */
export function toSendFailure(cause: unknown): SendFailure {
  if (cause instanceof SendFailure) return cause;
  if (!(cause instanceof Error))
    return new SendFailure("internal", "The attempt ended for no known reason.", { cause });

  const isUnreadable = cause instanceof errors.HTTPParserError;
  const error = isUnreadable ? "protocol" : errorOf(codeOf(cause), cause.message);
  return new SendFailure(error, cause.message || `The connection ended with ${codeOf(cause)}.`, { cause });
}

/** The `code` of a Node or undici error, or an empty text. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}

function errorOf(code: string, message: string): SendError {
  if (/^(ERR_SSL_|ERR_TLS_|EPROTO$)/.test(code)) return "tls";
  // An assertion of the client's own fails on answers that no parser foresaw, such as status 000.
  if (/^(UND_ERR_HEADERS_OVERFLOW$|UND_ERR_RES_|ERR_ASSERTION$)/.test(code)) return "protocol";
  if (code === "UND_ERR_SOCKET") return message.startsWith("bad ") ? "protocol" : "reset";
  if (/^(ECONN|EPIPE$|ETIMEDOUT$|ENET|EHOST|ERR_STREAM_)/.test(code)) return "reset";
  return "internal";
}
