import { ServiceError } from "../../src/errors.ts";
import type { TestService } from "../../test/support/service.ts";

/** What a caller, or a loop, is told. */
export type Outcome = "done" | "DATABASE_UNAVAILABLE" | "COMMIT_UNKNOWN" | `undeclared: ${string}`;

export interface UseCase {
  name: string;
  /** What there must be before, then the act, which may be repeated; `check` finds what is wrong once it is done. */
  prepare(stage: Stage): Promise<{ act: () => Promise<Outcome>; check: () => Promise<string | null> }>;
}

export interface Stage {
  service: TestService;
  /** Where callbacks are taken, and where they are refused. */
  taking: string;
  refusing: string;
}

/** @param repeated - what the repetition of a write that may have happened is answered with */
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

/** The same of what is called without HTTP. */
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
