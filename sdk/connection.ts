import type { Clock } from "./clock.ts";
import { ApiError, UnreachableError } from "./errors.ts";

export interface Request {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  /** From `/api` on. */
  path: string;
  body?: object | undefined;
  /** In place of the token of the connection. */
  token?: string;
  signal?: AbortSignal | undefined;
  /** How long the service may delay the response. */
  holdMs?: number | undefined;
  /**
   * End of the retries, in epoch milliseconds. By default retries last a while. null never retries, for calls that must not
   * happen twice.
   */
  until?: number | null | undefined;
  taskId?: string | undefined;
}

export interface Reply<T> {
  data: T;
  headers: Headers;
}

/**
 * Sends a request, with the token of the connection by default. Retries while the service is unavailable, restarting or
 * overloaded.
 *
 * @throws ApiError, UnreachableError, or the reason of the signal
 */
export type Send = <T>(request: Request) => Promise<Reply<T>>;

export interface ConnectionOptions {
  /** URL of the service, without a slash at the end. */
  baseUrl: string;
  token: string;
  /** Where the token was found, for the messages of errors about it. */
  tokenFrom: string | undefined;
  fetch: typeof fetch;
  headers: Readonly<Record<string, string>>;
  clock: Clock;
}

/** How long a request is retried if nothing has ever answered: the address may be wrong, or the service not started. */
const FIRST_PATIENCE_MS = 10_000;
/** The same if the service has answered before: it may be deploying or restarting. */
export const PATIENCE_MS = 300_000;
/** Time limit of a response that the service does not delay. */
const ANSWER_MS = 15_000;
const BACKOFF_MS = 250;
const BACKOFF_MAX_MS = 10_000;
const RETRY_AFTER_MAX_MS = 60_000;

export function connect({ baseUrl, token, tokenFrom, fetch, headers, clock }: ConnectionOptions): Send {
  let hasAnswered = false;

  async function request<T>(wanted: Request): Promise<Reply<T>> {
    const { signal, taskId } = wanted;
    const begun = clock.now();
    for (let tries = 1; ; tries++) {
      signal?.throwIfAborted();
      const { failed, waitMs = 0, ...reply } = await attempt(wanted);
      signal?.throwIfAborted();
      if (failed === undefined) {
        hasAnswered = true;
        return reply as Reply<T>;
      }
      if (failed instanceof ApiError) {
        hasAnswered = true;
        failed.tries = tries;
      }
      // Another request may have reached the service in the meantime.
      const until = wanted.until === undefined ? begun + (hasAnswered ? PATIENCE_MS : FIRST_PATIENCE_MS) : wanted.until;
      const left = (until ?? 0) - clock.now();
      // The last attempt is at the end of the time that was promised, and not before.
      if (!isWorthTrying(failed) || left < 1 || waitMs > left) {
        if (failed instanceof ApiError) throw failed;
        throw new UnreachableError(
          "UNREACHABLE",
          `${failed.message}${until === null ? " It may have been done all the same." : ""}`,
          { taskId, cause: failed.cause },
        );
      }
      // All of them come back at once after a restart: each waits for a random part of a time that doubles.
      const pause = Math.random() * Math.min(BACKOFF_MAX_MS, BACKOFF_MS * 2 ** tries);
      await clock.sleep(Math.max(waitMs, Math.min(left, pause)), signal);
    }
  }

  async function attempt({ method, path, body, token: other, signal, holdMs = 0, taskId }: Request): Promise<Attempt> {
    const late = AbortSignal.timeout(holdMs + ANSWER_MS);
    const sent = body && JSON.stringify(body);
    let response: Response;
    let text: string;
    try {
      response = await fetch(baseUrl + path, {
        method,
        headers: {
          ...headers,
          accept: "application/json",
          authorization: `Bearer ${other ?? token}`,
          ...(sent && { "content-type": "application/json" }),
        },
        ...(sent && { body: sent }),
        // A token must never follow a redirect.
        redirect: "manual",
        signal: signal === undefined ? late : AbortSignal.any([signal, late]),
      });
      text = await response.text();
    } catch (cause) {
      const { message } = ((cause as Error).cause ?? cause) as Error;
      const why = late.aborted ? "too late" : message;
      return { failed: new Unheard(`No answer from ${baseUrl}: ${why}. Is the service running there?`, { cause }) };
    }
    const { status, ok, headers: given } = response;
    const data = parse(text);
    if (ok && (data !== undefined || status === 204)) return { data, headers: given };
    if (isErrorBody(data)) {
      const seconds = Number(given.get("retry-after") ?? 0);
      const waitMs = Math.min(RETRY_AFTER_MAX_MS, seconds > 0 ? seconds * 1000 : 0);
      if (tokenFrom && !other && [401, 403].includes(status)) data.message += ` The token is from ${tokenFrom}.`;
      return { failed: new ApiError(status, data, taskId), waitMs };
    }
    const to = given.get("location");
    const what = to === null ? `HTTP ${status}` : `a redirect to ${to}`;
    return {
      failed: new Unheard(`Another program responds at ${baseUrl}: ${what}.`, {}, status),
    };
  }

  /**
   * Returns whether to retry. If the service has answered before, a foreign response means nothing: a proxy answers
   * while the service is away.
   */
  function isWorthTrying(failed: ApiError | Unheard): boolean {
    if (failed instanceof ApiError) return [408, 429].includes(failed.status) || failed.status >= 500;
    return hasAnswered || failed.status === undefined || failed.status >= 500;
  }

  return request;
}

type Attempt =
  | { data: unknown; headers: Headers; failed?: undefined; waitMs?: undefined }
  | { failed: ApiError | Unheard; waitMs?: number };

/** No response arrived, or none that the service would send. */
class Unheard extends Error {
  readonly status: number | undefined;

  constructor(message: string, options: ErrorOptions, status?: number) {
    super(message, options);
    this.status = status;
  }
}

/** Returns undefined if the text is not JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isErrorBody(data: unknown): data is ConstructorParameters<typeof ApiError>[1] {
  return typeof (data as { error_code?: unknown } | null | undefined)?.error_code === "string";
}
