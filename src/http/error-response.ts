import { randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { isLoopback } from "../config/hosts.ts";
import type { Config } from "../config.ts";
import type { Logger } from "pino";
import { ERRORS, ServiceError, type ErrorCode, type ErrorDetail, type FailureNote } from "../errors.ts";
import { STATUS_CODES } from "../lib/node-http.ts";
import { PAGE_CSP, renderPage } from "./page.ts";

/** How much of a body that is too large is read and discarded, so that its sender can read the error. */
const DISCARDED_BYTES_MAX = 64 * 1024 * 1024;
/** The maximum number of details in one answer. */
const DETAILS_MAX = 50;
/** Seconds after which a temporary failure can be retried. */
const RETRY_AFTER_SECONDS = 1;

interface ErrorContext {
  config: Config;
  log: Logger;
}

/** Headers of every answer; pages widen the policy to what they need. */
export function safeHeaders(publicUrl: string): Readonly<Record<string, string>> {
  const { protocol, hostname } = new URL(publicUrl);
  return {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    // Browsers then never try http. Not for this machine itself, whose name other programs share.
    ...(protocol === "https:" && !isLoopback(hostname) && { "strict-transport-security": "max-age=31536000" }),
  };
}

/** The body of every error. (spec: Errors) */
export interface ErrorBody {
  error_code: ErrorCode;
  message: string;
  docs: string;
  request_id: string;
  details?: ErrorDetail[];
  version?: number;
}

/** Returns the URL where the troubleshooting page explains a code. */
export function docsLink(publicUrl: string, code: ErrorCode): string {
  return `${publicUrl}/docs/troubleshooting#${code}`;
}

/** Turns every error into an answer. An unexpected error becomes a 500 and is logged with its cause. */
export function answerErrors(app: FastifyInstance, ctx: ErrorContext): void {
  app.decorateRequest("errorCode", null);
  app.decorateRequest("failureNote", null);
  app.decorateRequest("partErrors", null);
  app.setErrorHandler((error: FastifyError | Error, request, reply) =>
    sendError(ctx, request, reply, toServiceError(error)),
  );
  app.setNotFoundHandler((request, reply) => sendError(ctx, request, reply, notFound(app, request, reply)));
  // The platform would reject an unknown expectation with an answer that has no body and no request id.
  app.server.on("checkExpectation", (request, response) => void app.server.emit("request", request, response));
}

function notFound(app: FastifyInstance, request: FastifyRequest, reply: FastifyReply): ServiceError {
  const methods = methodsOf(app, request.url);
  // The route accepts the method, but the file of a page does not exist.
  const allowed = methods.includes(request.method === "HEAD" ? "GET" : request.method) ? [] : methods;
  if (allowed.length > 0) void reply.header("allow", allowed.join(", "));
  return new ServiceError(allowed.length > 0 ? "METHOD_NOT_ALLOWED" : "NOT_FOUND");
}

/**
 * Rejects a request that no route takes, before its body is read.
 * @throws ServiceError MALFORMED_REQUEST, NOT_FOUND, METHOD_NOT_ALLOWED
 */
export function rejectUnroutable(app: FastifyInstance, request: FastifyRequest, reply: FastifyReply): void {
  if (request.raw.httpVersion === "1.1" && request.headers.host === undefined)
    throw new ServiceError("MALFORMED_REQUEST", { message: "The header `Host` is missing." });
  if (countHosts(request.raw.rawHeaders) > 1)
    throw new ServiceError("MALFORMED_REQUEST", { message: "The header `Host` is given twice." });
  if (request.is404) throw notFound(app, request, reply);
}

/** The platform keeps the first of several. A proxy in front may have decided by another one. (RFC 9112, 3.2) */
function countHosts(rawHeaders: readonly string[]): number {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    if (name.length === 4 && name.toLowerCase() === "host") hosts++;
  }
  return hosts;
}

/** For requests that fail before they reach a route, such as an address that cannot be decoded. */
export function createFrameworkErrorHandler(ctx: ErrorContext) {
  const headers = safeHeaders(ctx.config.publicUrl);
  return (error: FastifyError, request: FastifyRequest, reply: FastifyReply): void => {
    void reply.headers(headers).header("x-request-id", request.id);
    void sendError(ctx, request, reply, toServiceError(error));
  };
}

/** Handles bytes that are not a request: it answers on the bare connection and closes it. */
export function createConnectionErrorHandler({ config }: ErrorContext) {
  return (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
    const code = CONNECTION_ERRORS[error.code ?? ""] ?? "MALFORMED_REQUEST";
    const { status } = ERRORS[code];
    const message =
      code === "MALFORMED_REQUEST" ? "This is not an HTTP request that can be understood." : ERRORS[code].message;
    const request_id = randomUUID();
    const body = JSON.stringify({
      error_code: code,
      message,
      docs: docsLink(config.publicUrl, code),
      request_id,
    } satisfies ErrorBody);
    const headers = Object.entries({
      "content-type": "application/json; charset=utf-8",
      "x-request-id": request_id,
      ...safeHeaders(config.publicUrl),
      "content-length": Buffer.byteLength(body),
      connection: "close",
    }).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headers.join("")}\r\n${body}`);
  };
}

const CONNECTION_ERRORS: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: "REQUEST_HEADERS_TOO_LARGE",
  ERR_HTTP_REQUEST_TIMEOUT: "REQUEST_TIMEOUT",
};

/** Logs failures of the service, in whatever form they are answered. */
export function logFailure({ log }: Pick<ErrorContext, "log">, request: FastifyRequest, error: ServiceError): void {
  // The client cannot read the answer to an aborted request, and the service cannot fix it.
  if (error.status < 500 || request.raw.aborted) return;
  log.error(
    {
      // A ServiceError without a cause consists of its code and its message. A stack would cost more and add nothing.
      err: error.cause ?? (error.code === "INTERNAL" ? error : undefined),
      request_id: request.id,
      error_code: error.code,
      method: request.method,
      route: request.routeOptions.url,
    },
    error.message,
  );
}

function sendError(ctx: ErrorContext, request: FastifyRequest, reply: FastifyReply, error: ServiceError): FastifyReply {
  const { status } = error;
  request.errorCode = error.code;
  request.failureNote = error.security ?? null;
  logFailure(ctx, request, error);
  if (error.code === "NOT_FOUND" && wantsPage(request)) return sendPage(reply, status, NOT_FOUND_PAGE);
  const { errorPage, answerOfError } = request.routeOptions.config;
  const answer = answerOfError?.(error, request) ?? null;
  if (answer !== null)
    return reply.code(200).type("application/json; charset=utf-8").serializer(JSON.stringify).send(answer);
  if (status === 401) void reply.header("www-authenticate", "Bearer");
  if (status === 503 || status === 429) void reply.header("retry-after", error.retryAfter ?? RETRY_AFTER_SECONDS);
  if (errorPage !== undefined) return sendPage(reply, status, errorPage(error, request.id));
  // A caller that is still sending could not read the answer if the connection were closed.
  if (status === 413 && Number(request.headers["content-length"]) <= DISCARDED_BYTES_MAX)
    void reply.header("connection", "keep-alive");
  const body = errorBodyOf(ctx, request, error);
  return reply.code(status).type("application/json; charset=utf-8").serializer(JSON.stringify).send(body);
}

/** @param html - made with `renderPage` */
export function sendPage(reply: FastifyReply, status: number, html: string): FastifyReply {
  return reply
    .code(status)
    .header("content-security-policy", PAGE_CSP)
    .type("text/html; charset=utf-8")
    .serializer(String)
    .send(html);
}

/** Returns whether a person opened the address in a browser. The API and files for programs answer everyone in JSON. */
function wantsPage({ method, url, headers }: FastifyRequest): boolean {
  return (
    (method === "GET" || method === "HEAD") &&
    !/^\/(api|mcp|metrics|\.well-known)(?![\w-])/.test(url) &&
    headers.accept !== undefined &&
    headers.accept.includes("text/html")
  );
}

const NOT_FOUND_PAGE = renderPage({
  title: "Page not found - Human Task Service",
  body: `<h1>Page not found</h1>
<p>Check the address, or go back to the inbox.</p>
<p><a href="/inbox">Back to the inbox</a></p>`,
});

/** Returns the body of an error. (spec: Errors) */
export function errorBodyOf(
  { config }: Pick<ErrorContext, "config">,
  request: FastifyRequest,
  { code, message, details = [], version }: ServiceError,
): ErrorBody {
  const body: ErrorBody = {
    error_code: code,
    message,
    docs: docsLink(config.publicUrl, code),
    request_id: request.id,
  };
  if (details.length > 0) body.details = details.slice(0, DETAILS_MAX);
  if (version !== undefined) body.version = version;
  return body;
}

/** Errors of the framework by code. The caller causes all of them. */
const FRAMEWORK_ERRORS: Readonly<Record<string, { code: ErrorCode; message: string }>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: { code: "PAYLOAD_TOO_LARGE", message: ERRORS.PAYLOAD_TOO_LARGE.message },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    code: "MALFORMED_REQUEST",
    message: "The body must be JSON: send the header `Content-Type: application/json`.",
  },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: {
    code: "MALFORMED_REQUEST",
    message: "The body is not as long as the header `Content-Length` says.",
  },
  FST_ERR_BAD_URL: { code: "MALFORMED_REQUEST", message: "The path of the request is not a valid address." },
  FST_ERR_MAX_PARAM_LENGTH: { code: "NOT_FOUND", message: ERRORS.NOT_FOUND.message },
};

/** Returns any thrown error as a ServiceError. */
export function toServiceError(error: FastifyError | Error): ServiceError {
  if (error instanceof ServiceError) return error;
  const known = "code" in error ? FRAMEWORK_ERRORS[error.code] : undefined;
  if (known) return new ServiceError(known.code, { message: known.message, cause: error });
  // Every other rejection of the framework is also caused by the caller.
  const status = "statusCode" in error ? error.statusCode : undefined;
  if (status !== undefined && status >= 400 && status < 500)
    return new ServiceError("MALFORMED_REQUEST", { cause: error });
  return new ServiceError("INTERNAL", { cause: error });
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** For a route that is opened in a browser: returns the page of an error that its handler does not answer itself. */
    errorPage?: (error: ServiceError, requestId: string) => string;
    /** For a caller that does not look at the status: returns what is sent with status 200 in place of an error, or null. */
    answerOfError?: (error: ServiceError, request: FastifyRequest) => object | null;
  }
  interface FastifyRequest {
    /** The code of the error that the request was answered with; null if there is none. */
    errorCode: ErrorCode | null;
    /** The errors in the answer to a request that has several parts; null if it has none. */
    partErrors: readonly ServiceError[] | null;
    /** What the security log says of that error in place of its code. */
    failureNote: FailureNote | null;
  }
}

const METHODS = ["DELETE", "GET", "PATCH", "POST", "PUT"] as const;

/** Returns the methods that the path of `url` accepts. */
function methodsOf(app: FastifyInstance, url: string): readonly string[] {
  const path = url.split(/[?;#]/, 1)[0]!;
  return METHODS.filter((method) => {
    try {
      return app.findRoute({ method, url: path }) !== null;
    } catch {
      return false; // a path that no route could have
    }
  });
}
