/** Why an attempt failed. It is stored with the attempt, so the words never change. */
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

/** Ends an attempt. It never leaves the sender, which turns it into a result. */
export class SendFailure extends Error {
  readonly error: SendError;

  constructor(error: SendError, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "SendFailure";
    this.error = error;
  }
}

/** Returns the failure that an error of a connected socket, of TLS or of the HTTP parser means. */
export function toSendFailure(cause: unknown): SendFailure {
  if (cause instanceof SendFailure) return cause;
  if (!(cause instanceof Error))
    return new SendFailure("internal", "The attempt ended for no known reason.", { cause });

  return new SendFailure(errorOf(codeOf(cause)), cause.message || `The connection ended with ${codeOf(cause)}.`, {
    cause,
  });
}

/** Returns the `code` of a Node error, or an empty text. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}

function errorOf(code: string): SendError {
  if (/^(ERR_SSL_|ERR_TLS_|EPROTO$)/.test(code)) return "tls";
  if (code.startsWith("HPE_")) return "protocol";
  if (/^(ECONN|EPIPE$|ETIMEDOUT$|ENET|EHOST|ERR_STREAM_)/.test(code)) return "reset";
  return "internal";
}
