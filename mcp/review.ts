import { HumanTaskError } from "../sdk/index.ts";

/** How a viewer reads times and numbers. */
export interface Look {
  /** IANA name. */
  time_zone?: string | undefined;
  locale?: string | undefined;
}

/**
 * Returns the question of a task and what to review, as HTML. The service draws it, so that it looks as it does everywhere. null
 * if the service has no pages. @throws HumanTaskError
 */
export type ReadReview = (taskId: string, look: Look, signal: AbortSignal) => Promise<string | null>;

export function reviewReader(
  { baseUrl, token }: { baseUrl: string; token: string },
  // The global function is read at each call, because tests and tracers replace it.
  call: typeof fetch = (...args) => fetch(...args),
): ReadReview {
  return async (taskId, look, signal) => {
    const query = new URLSearchParams(Object.entries(look).filter(([, value]) => value !== undefined));
    const answer = await call(`${baseUrl}/api/tasks/${encodeURIComponent(taskId)}/review?${query.toString()}`, {
      headers: { authorization: `Bearer ${token}` },
      signal,
    });
    const { review_html, message = "" } = (await answer.json()) as { review_html: string | null; message?: string };
    if (!answer.ok) throw new HumanTaskError("NO_REVIEW", message);
    return review_html;
  };
}
