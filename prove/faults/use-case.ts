import { ServiceError } from "../../src/errors.ts";
import type { TestService } from "../../test/support/service.ts";

/** The result that a caller, or a loop, gets. */
export type Outcome = "done" | "DATABASE_UNAVAILABLE" | "COMMIT_UNKNOWN" | `undeclared: ${string}`;

export interface UseCase {
  name: string;
  /** Creates what the act needs. `act` may be retried; `check` returns what is wrong after it has succeeded. */
  prepare(stage: Stage): Promise<{ act: () => Promise<Outcome>; check: () => Promise<string | null> }>;
}

export interface Stage {
  service: TestService;
  /** A receiver that accepts callbacks, and one that refuses them. */
  taking: string;
  refusing: string;
}

/** @param repeated - the answer to the retry of a write that had succeeded */
export function outcomeOf(
  answer: { status: number; headers: Record<string, string | undefined>; text: string },
  repeated?: number,
): Outcome {
  const { status, headers, text } = answer;
  if (status < 300 || status === repeated) return "done";
  const code =
    status === 503 && headers["retry-after"] === "1" ? (JSON.parse(text) as { error_code?: string }).error_code : "";
  if (code === "DATABASE_UNAVAILABLE" || code === "COMMIT_UNKNOWN") return code;
  return `undeclared: ${status} ${text}`;
}

/** Returns the outcome of a call without HTTP. */
export async function outcomeOfCall(act: () => Promise<unknown>): Promise<Outcome> {
  try {
    await act();
    return "done";
  } catch (error) {
    const code = error instanceof ServiceError ? error.code : "";
    if (code === "DATABASE_UNAVAILABLE" || code === "COMMIT_UNKNOWN") return code;
    return `undeclared: ${String(error)}`;
  }
}
