/** A task as `GET /api/embed/task` returns it. */
export interface EmbedTask {
  readonly id: string;
  readonly version: number;
  readonly status: string;
  readonly payload: unknown;
  readonly response_schema: unknown;
  readonly form_definition: unknown;
  readonly redact_payload: boolean;
  readonly is_verified: boolean;
  readonly direction: string;
  readonly review_html: string | null;
  readonly comments: number;
  readonly expires_in_seconds: number;
  /** Set if the answer was sent back. */
  readonly next_attempt: string;
  readonly verifier_result: { readonly reason: string | null } | null;
}

/** The result of an answer, as `POST /api/embed/task/complete` returns it. */
export type EmbedOutcome = Pick<EmbedTask, "status" | "next_attempt" | "verifier_result"> & {
  readonly response: unknown;
  readonly completed_at: string | null;
};

/** The reason of a refusal. */
export interface Refusal {
  /** A code of the service; `internal` if the service is unreachable. */
  readonly error_code: string;
  readonly message: string;
  readonly details?: readonly { readonly path: string; readonly keyword?: string }[];
}

/** Calls the service with the token. @param answer - without one, the task is read */
export async function ask<T extends object>(token: string, path: string, answer?: object): Promise<T | Refusal> {
  try {
    const response = await fetch(`/api/embed/task${path}`, {
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      credentials: "omit",
      ...(answer && { method: "POST", body: JSON.stringify(answer) }),
    });
    return (await response.json()) as T | Refusal;
  } catch {
    return { error_code: "internal", message: "No connection." };
  }
}
