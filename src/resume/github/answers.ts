import { MINUTE, SECOND } from "../../lib/time.ts";
import type { Answer, Http, Resumed } from "../kind.ts";
import { bearer } from "../requests.ts";
import { waitOf } from "../../outbound/retry-after.ts";
import { readStatus, type OwnStatuses } from "../statuses.ts";
import type { SendRequest } from "../../outbound/http-sender.ts";

/** A run with its repository has about 30 kB; the reviews of one run have a comment of 1 kB each. */
const KEPT_BYTES = 256 * 1024;
/** What GitHub asks for after too many requests, where it names no time. */
const WAIT_MS = MINUTE;

/** Sends a request to GitHub's REST API. @param token - an app's or an installation's @throws NotAnswered */
export function callGithub(http: Http, token: string, request: Omit<SendRequest, "headers">): Promise<Answer> {
  const headers = {
    Accept: "application/vnd.github+json",
    ...bearer(token),
    "X-GitHub-Api-Version": "2022-11-28",
    ...(request.body && { "Content-Type": "application/json" }),
  };
  return http({ ...request, headers, keptBytes: KEPT_BYTES });
}

const MOVED = {
  meaning: "later",
  message: "GitHub answered that the repository has moved: it has another name now.",
} as const;

/**
 * Returns what an answer means by its status.
 *
 * Too many requests are 403 or 429, with `retry-after`, or with the time of `x-ratelimit-reset` once none are left.
 * (GitHub: "Rate limits for the REST API", Exceeding the rate limit)
 */
export function readGithub(answer: Answer, now: number, own: OwnStatuses = {}): Resumed {
  if (!isLimit(answer)) return readStatus("GitHub", answer, now, { 301: MOVED, 307: MOVED, 308: MOVED, ...own });
  const { status, headers } = answer;
  const limited = { meaning: "later", message: `GitHub answered ${status}: too many requests.` } as const;
  const read = readStatus("GitHub", answer, now, { [status]: limited });
  const reset = headers["x-ratelimit-remaining"] === "0" ? Number(headers["x-ratelimit-reset"]) * SECOND - now : NaN;
  return { ...read, wait_ms: read.wait_ms ?? waitOf(reset) ?? WAIT_MS };
}

function isLimit({ status, headers, body }: Answer): boolean {
  if (status === 429) return true;
  if (status !== 403) return false;
  return (
    headers["retry-after"] !== undefined ||
    headers["x-ratelimit-remaining"] === "0" ||
    /secondary rate limit/i.test(body)
  );
}
