/** A task as `GET /api/embed/task` tells it. */
export interface EmbedTask {
  readonly id: string;
  readonly status: string;
  readonly payload: unknown;
  readonly response_schema: unknown;
  readonly form_definition: unknown;
  readonly redact_payload: boolean;
  readonly is_verified: boolean;
  readonly review_html: string | null;
  readonly expires_in_seconds: number;
  readonly verification_attempt: number;
  readonly verifier_result: { readonly reason: string | null } | null;
}

/** What became of an answer, as `POST /api/embed/task/complete` tells it. */
export type EmbedOutcome = Pick<EmbedTask, "status" | "verification_attempt" | "verifier_result"> & {
  readonly response: unknown;
  readonly completed_at: string | null;
};

/** Why not. */
export interface Refusal {
  /** A code of the service; `internal`: it cannot be reached. */
  readonly error_code: string;
  readonly message: string;
  readonly details?: readonly { readonly path: string; readonly keyword?: string }[];
}

/** Asks the service as whoever the token is for. @param answer - none: the task is read */
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
