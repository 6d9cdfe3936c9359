import type { components } from "../sdk/api.ts";
import { systemClock } from "../sdk/clock.ts";
import { connect } from "../sdk/connection.ts";
import type { TaskRecord } from "../sdk/index.ts";
import { sendAbout } from "../sdk/requests.ts";

/** The body of a revision, with the names of the API. */
export type Revision = components["schemas"]["ReviseTask"];

/** Calls about versions of a task. The client has none of them, because it is kept small for browsers. */
export interface Revisions {
  /**
   * Hands in an answer about the version that a person has read. It is not sent twice.
   * @throws ApiError TASK_REVISED, and others of the API
   */
  complete(
    id: string,
    answer: { response: Record<string, unknown>; version: number; completed_via_channel: string },
    signal: AbortSignal,
  ): Promise<TaskRecord>;
  /** Changes what a task asks. Without a key, the service takes the same revision twice for one. @throws ApiError */
  revise(id: string, revision: Revision, signal: AbortSignal): Promise<TaskRecord>;
}

/** Time for a verifier. */
const CHECK_MS = 30_000;

/** @param service - URL of the API, and the token of the agent */
export function revisionsOf({
  baseUrl,
  token,
  ...options
}: {
  baseUrl: string;
  token: string;
  fetch: typeof fetch;
}): Revisions {
  const send = connect({ baseUrl, token, tokenFrom: undefined, clock: systemClock, headers: {}, ...options });
  const post = { method: "POST" } as const;
  return {
    complete: async (id, body, signal) =>
      sendAbout(send, id, "/complete", { ...post, body, signal, until: null, holdMs: CHECK_MS }),
    revise: async (id, body, signal) => sendAbout(send, id, "/revise", { ...post, body, signal }),
  };
}
